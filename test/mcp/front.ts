/** A front of the node that adds a token: the judges have no option for one. */
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Front = { url: string; close(): void }

export async function startFront(port: number, token: string): Promise<Front> {
  const server = createServer((incoming, outgoing) => {
    const headers = { authorization: `Bearer ${token}`, ...incoming.headers }
    const { url: path, method } = incoming
    const inner = request({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    })
    inner.on('error', () => outgoing.destroy())
    outgoing.on('close', () => inner.destroy())
    incoming.pipe(inner)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port: own } = server.address() as AddressInfo
  return {
    url: `http://localhost:${own}/v1/mcp`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
