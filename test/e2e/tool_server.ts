import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Owner } from '../support/mod.ts'

export type ToolRequest = { method: string; url: string; headers: Record<string, string>; body: string }

/** Answers to requests by the first segment of their path. */
const answers: Record<string, (socket: Socket) => void> = {
  /** Sends a byte now and then, and never ends. */
  drip(socket) {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n')
    const timer = setInterval(() => socket.write('x'), 20)
    socket.on('close', () => clearInterval(timer))
  },
  /** Sends without an end. */
  flood(socket) {
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n')
    const chunk = 'é'.repeat(32_768)
    const pour = (): void =>
      void (socket.destroyed || (socket.write(chunk) ? setImmediate(pour) : socket.once('drain', pour)))
    pour()
  },
  hang() {},
  reset: (socket) => void socket.resetAndDestroy(),
  garbage: (socket) => void socket.end('this is not HTTP\r\n\r\n'),
  redirect: (socket) =>
    void socket.end('HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n'),
  broken: (socket) => void socket.end('HTTP/1.1 500 Internal Server Error\r\ncontent-length: 4\r\n\r\noops'),
  short: (socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf'),
  packed: (socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nzzz'),
  /** JSON that expresses what PostgreSQL cannot store. */
  escaped: (socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 27\r\n\r\n{"k\\u0000":"v\\u0000\\ud800"}'),
  /** More levels than a body of the API may have. */
  deep: (socket) => void socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 70\r\n\r\n${'['.repeat(35)}${']'.repeat(35)}`),
  nul: (socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\na\0b'),
}

/** Starts a server of tools that keeps every request. A path without an entry in the table is answered with `{"ok":true}`. */
export async function startToolServer(t: Owner) {
  const requests: ToolRequest[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('error', () => {})
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const headers = request.headers as Record<string, string>
      const url = request.url ?? '/'
      requests.push({ method: request.method!, url, headers, body: Buffer.concat(chunks).toString() })
      const answer = answers[/^\/(\w+)/.exec(url)?.[1] ?? '']
      if (answer) answer(request.socket)
      else response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { requests, url: (path: string) => `http://127.0.0.1:${port}/${path}` }
}
