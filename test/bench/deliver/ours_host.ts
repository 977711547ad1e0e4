/** Our node: an operation begins with an event and ends when the commit that made its delivery final is done. */
import { lineServer } from '../load/line_server.ts'
import { offer } from '../servers/remote.ts'
import { type DeliveringNode, type Places, startDeliveringNode } from './delivering_node.ts'
import { TARGETS } from './shape.ts'

let node: DeliveringNode
let port: number

offer({
  async start({ sink_port, ...places }: Places & { sink_port: number }) {
    const waiting = new Map<number, PromiseWithResolvers<void>>()
    const ended = ({ op }: { op: number }, ok: boolean) => {
      const done = waiting.get(op)
      waiting.delete(op)
      if (ok) done?.resolve()
      else done?.reject(new Error('a delivery failed'))
    }
    const receivers = Array.from({ length: TARGETS }, (_, key) => ({
      key,
      url: `http://127.0.0.1:${sink_port}/hook/${key}`,
    }))
    node = await startDeliveringNode({ ...places, receivers, ended })
    let last = 0
    port = await lineServer(async (key, payload) => {
      const op = ++last
      const done = Promise.withResolvers<void>()
      waiting.set(op, done)
      await node.happen(Number(key), { ...JSON.parse(payload), op })
      await done.promise
    })
  },
  port: () => port,
  stored: () => node.delivered(),
})
