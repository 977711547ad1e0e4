import { connect, createServer, type Socket } from 'node:net'
import type { Owner } from '../../support/mod.ts'

/** A function between a client and its server. It gets each piece, and passes it on, keeps it, or cuts the line. */
export type Between = {
  toServer?(piece: Buffer, line: Line): void
  toClient?(piece: Buffer, line: Line): void
}
export type Line = { client: Socket; server: Socket }

/**
 * Starts a TCP proxy before the server of `url`, or before the first server it lists. Returns the URL that leads
 * through the proxy.
 */
export async function proxied(t: Owner, url: string, between: Between): Promise<string> {
  const target = new URL(url.split(',')[0]!)
  const { hostname, port } = target
  const open = new Set<Socket>()
  const listener = createServer((client) => {
    const server = connect(Number(port), hostname)
    const line = { client, server }
    for (const socket of [client, server]) {
      open.add(socket)
      socket.on('error', () => {})
    }
    client.on('data', (piece) => (between.toServer ? between.toServer(piece, line) : server.write(piece)))
    server.on('data', (piece) => (between.toClient ? between.toClient(piece, line) : client.write(piece)))
    client.on('close', () => server.end())
    server.on('close', () => client.destroy())
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    for (const socket of open) socket.destroy()
    await new Promise((resolve) => listener.close(resolve))
  })
  target.port = String((listener.address() as { port: number }).port)
  target.hostname = '127.0.0.1'
  return target.href
}
