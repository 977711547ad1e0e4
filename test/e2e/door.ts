/** The way of one page to the nodes: to the first that answers, beginning with its own. It can be closed. */
import { connect, createServer, type Socket } from 'node:net'
import type { Owner } from '../support/mod.ts'

export type Door = {
  base_url: string
  /** Returns the address of the node that the last connection reached. */
  reached(): string | undefined
  /** Ends all connections, and refuses others until `open`. */
  close(): void
  open(): void
}

const CONNECT_MS = 2000

/** `nodes`: the addresses of the nodes, the preferred one first. */
export async function startDoor(t: Owner, nodes: readonly string[]): Promise<Door> {
  const targets = nodes.map((url) => new URL(url))
  const sockets = new Set<Socket>()
  let is_closed = false
  let reached: string | undefined
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }
  const reach = (target: URL) =>
    new Promise<Socket | undefined>((resolve) => {
      const socket = connect(Number(target.port), target.hostname)
      keep(socket)
      socket.setTimeout(CONNECT_MS, () => socket.destroy())
      socket.once('connect', () => {
        socket.setTimeout(0)
        resolve(socket)
      })
      socket.once('close', () => resolve(undefined))
    })
  const server = createServer({ pauseOnConnect: true }, async (client) => {
    keep(client)
    if (is_closed) return void client.destroy()
    for (const target of targets) {
      const node = await reach(target)
      if (!node) continue
      reached = target.origin
      client.on('close', () => node.destroy())
      node.on('close', () => client.destroy())
      if (client.destroyed) node.destroy()
      client.pipe(node)
      node.pipe(client)
      return
    }
    client.destroy()
  })
  const close = () => {
    is_closed = true
    for (const socket of sockets) socket.destroy()
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    close()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    base_url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    reached: () => reached,
    close,
    open() {
      is_closed = false
    },
  }
}
