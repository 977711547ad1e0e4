import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CommandFailure } from '../terminal/failure.ts'

/** Deliveries are far smaller. */
const BODY_LIMIT = 16 * 1024 * 1024

type Delivery = { headers: IncomingHttpHeaders; raw: Buffer }
type Reply = { status: number; body?: Buffer; content_type?: string | null }

export type Receiver = { port: number; close(): Promise<void> }

/** Takes POSTs on 127.0.0.1; port 0 takes a free one. @throws {CommandFailure} when the port is taken */
export async function startReceiver(port: number, take: (delivery: Delivery) => Promise<Reply>): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405, { allow: 'POST' }).end()
    try {
      const chunks: Buffer[] = []
      let size = 0
      for await (const chunk of request) {
        size += chunk.length
        if (size > BODY_LIMIT) return request.destroy()
        chunks.push(chunk)
      }
      const { status, body, content_type } = await take({ headers: request.headers, raw: Buffer.concat(chunks) })
      response.writeHead(status, content_type ? { 'content-type': content_type } : {}).end(body)
    } catch {
      // The sender has gone, and will try again.
      response.destroy()
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new CommandFailure(`Cannot listen on port ${port} (${error.code}): choose another with --port.`)),
    )
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => void server.close(() => resolve()))
    },
  }
}
