/**
 * One of the peer's processes: socket.io on Node's http with the adapter for Redis. A page joins the room of a project and
 * is answered; sessions are not checked. A line publishes an event to the room.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdapter } from '@socket.io/redis-adapter'
import { Redis } from 'ioredis'
import { Server } from 'socket.io'
import { lineServer } from '../load/line_server.ts'
import { offer } from '../servers/remote.ts'
import { eventOf } from './shape.ts'

let ports: { port: number; publisher: number }

offer({
  async start({ redis_port }: { redis_port: number }) {
    const redis = new Redis(redis_port, '127.0.0.1')
    const http = createServer()
    const io = new Server(http, {
      path: '/console/socket.io',
      serveClient: false,
      transports: ['websocket'],
      adapter: createAdapter(redis, redis.duplicate()),
    })
    io.on('connection', (socket) => {
      socket.on('watch', async ({ project_id }: { project_id: string }, reply: (answer: object) => void) => {
        await socket.join(project_id)
        reply({ position: 'none', resync: false })
      })
    })
    const publisher = await lineServer(async (n, project_id) => {
      const position = `none.${n}.${Date.now().toString(36)}`
      io.to(project_id).emit('live', { project_id, position, events: [eventOf(Number(n))] })
    })
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', 4096, resolve))
    ports = { port: (http.address() as AddressInfo).port, publisher }
  },
  ports: () => ports,
})
