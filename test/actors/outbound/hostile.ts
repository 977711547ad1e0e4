import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'

export type Hostile = { port: number; url: string; connections(): number; received(): string; close(): Promise<void> }

/** Starts a TCP server that calls `behave` when the head of a request has come. */
export async function hostile(behave: (socket: Socket) => void): Promise<Hostile> {
  const sockets = new Set<Socket>()
  let connections = 0
  let received = ''
  const server: Server = createServer((socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    let head = ''
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      if (head.includes('\r\n\r\n')) return
      head += chunk.toString('latin1')
      if (head.includes('\r\n\r\n')) behave(socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    connections: () => connections,
    received: () => received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** Writes `text` every `every_ms` until the socket is gone. */
export function drip(socket: Socket, text: string, every_ms: number): void {
  const timer = setInterval(() => socket.write(text), every_ms)
  socket.on('close', () => clearInterval(timer))
}

/** Writes `chunk` again and again, as fast as the client reads. */
export function pour(socket: Socket, chunk: string | Buffer): void {
  const more = () => {
    while (socket.writable && socket.write(chunk));
  }
  socket.on('drain', more)
  more()
}

/** Writes a text in packets of one byte. */
export function byBytes(socket: Socket, text: string): void {
  socket.setNoDelay(true)
  let at = 0
  const next = () => {
    if (at === text.length || !socket.writable) return
    socket.write(text[at++]!)
    setImmediate(next)
  }
  next()
}
