/**
 * Load over HTTP/1.1 keep-alive connections, one request at a time each. Bare sockets take as little as possible of the
 * two cores that the load shares with the server.
 */
import { connect, type Socket } from 'node:net'
import type { Issue } from './loop.ts'

/** A request. Its head and body are made for each operation from the key's number. */
export type Requests = {
  port: number
  method: string
  path(key: number): string
  headers: Record<string, string> | ((key: number, body: string) => Record<string, string>)
  body?(key: number): string
}

type Waiting = { bytes: string; done: (ok: boolean) => void }

/** Opens connections as needed, at most `connections`; further operations wait for a free one. */
export function httpClient(requests: Requests, connections: number): Issue {
  const free: Connection[] = []
  const queue: Waiting[] = []
  let opened = 0
  const release = (connection: Connection) => {
    const next = queue.shift()
    if (next) connection.send(next)
    else free.push(connection)
  }
  /** Servers close connections that idle between rounds. */
  const lost = (connection: Connection) => {
    opened--
    const at = free.indexOf(connection)
    if (at >= 0) free.splice(at, 1)
  }
  return (key, done) => {
    const waiting = { bytes: render(requests, key), done }
    const connection = free.pop()
    if (connection) connection.send(waiting)
    else if (opened < connections) {
      opened++
      new Connection(requests.port, release, lost).send(waiting)
    } else queue.push(waiting)
  }
}

function render({ port, method, path, headers, body }: Requests, key: number): string {
  const content = body?.(key) ?? ''
  let head = `${method} ${path(key)} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`
  const fields = typeof headers === 'function' ? headers(key, content) : headers
  for (const name in fields) head += `${name}: ${fields[name]}\r\n`
  if (body) head += `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(content)}\r\n`
  return `${head}\r\n${content}`
}

class Connection {
  private readonly socket: Socket
  private readonly release: (connection: Connection) => void
  private current: Waiting | undefined
  private received = ''

  constructor(port: number, release: (connection: Connection) => void, lost: (connection: Connection) => void) {
    this.release = release
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true })
    this.socket.setEncoding('latin1')
    this.socket.on('data', (chunk: string) => this.read(chunk))
    this.socket.on('error', () => {})
    this.socket.on('close', () => {
      lost(this)
      this.current?.done(false)
    })
  }

  send(waiting: Waiting): void {
    this.current = waiting
    this.socket.write(waiting.bytes)
  }

  private read(chunk: string): void {
    this.received = this.received === '' ? chunk : this.received + chunk
    const head = this.received.indexOf('\r\n\r\n')
    if (head < 0 || !complete(this.received, head)) return
    const ok = this.received.charCodeAt(9) === 50
    const done = this.current?.done
    this.current = undefined
    this.received = ''
    this.release(this)
    done?.(ok)
  }
}

function complete(received: string, head: number): boolean {
  const fields = received.slice(0, head).toLowerCase()
  const at = fields.indexOf('content-length:')
  if (at >= 0) return received.length >= head + 4 + Number.parseInt(fields.slice(at + 15), 10)
  if (fields.includes('transfer-encoding: chunked')) return received.endsWith('0\r\n\r\n')
  return true
}
