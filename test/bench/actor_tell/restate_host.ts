/** The service process behind Restate: a virtual object that counts in Restate's own state. */
import { createServer } from 'node:http2'
import * as restate from '@restatedev/restate-sdk'
import { offer } from '../servers/remote.ts'

const counter = restate.object({
  name: 'counter',
  handlers: {
    add: async (context: restate.ObjectContext, event: { type: string }) => {
      const count = ((await context.get<number>('count')) ?? 0) + (event.type === '' ? 0 : 1)
      context.set('count', count)
      return count
    },
    count: restate.handlers.object.shared(
      async (context: restate.ObjectSharedContext) => (await context.get<number>('count')) ?? 0,
    ),
  },
})

let port: number

offer({
  async start() {
    const endpoint = restate.endpoint().bind(counter)
    endpoint.setLogger(() => {})
    const server = createServer(endpoint.http2Handler())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    port = address.port
  },
  port: () => port,
})
