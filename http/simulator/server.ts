import * as uWS from 'uWebSockets.js'
import { STATUS_CODES } from 'node:http'
import type { Answer, SimulatorRequest } from './answer.ts'
import type { Schedule } from './schedule.ts'

/** Maximum body: a 100 MiB document and its multipart envelope. */
const BODY_LIMIT = 104 * 1024 * 1024

/**
 * uSockets' LIBUS_LISTEN_EXCLUSIVE_PORT. Without it a second simulator would share the port unnoticed, and a restarted
 * one would be refused its port for as long as the kernel remembers connections of the former.
 */
const EXCLUSIVE_PORT = 1

type Serve = (request: SimulatorRequest) => Answer | Promise<Answer>

export type HttpServer = { port: number; close(): void }

/**
 * Listens on `host:port` (port 0 chooses a free one) and passes each complete request to `serve`. Throws when the
 * address is taken.
 */
export async function listen(host: string, port: number, schedule: Schedule, serve: Serve): Promise<HttpServer> {
  const app = uWS.App()
  app.any('/*', (response, request) => receive(response, request, schedule, serve))
  const socket = await new Promise<uWS.us_listen_socket | false>((resolve) => {
    // The types lack the overload with options.
    const listen = app.listen as unknown as (...all: unknown[]) => void
    listen.call(app, host, port, EXCLUSIVE_PORT, resolve)
  })
  if (!socket) throw new Error(`The simulator cannot listen on ${host}:${port}: the address is in use or not local.`)
  return { port: uWS.us_socket_local_port(socket as unknown as uWS.us_socket), close: () => void app.close() }
}

function receive(response: uWS.HttpResponse, request: uWS.HttpRequest, schedule: Schedule, serve: Serve): void {
  const connection = { open: true }
  response.onAborted(() => {
    connection.open = false
  })
  const method = request.getMethod().toUpperCase()
  const asked: SimulatorRequest = {
    method,
    segments: request.getUrl().slice(1).split('/').map(decodeSegment),
    query: new URLSearchParams(request.getQuery() ?? ''),
    authorization: request.getHeader('authorization'),
    access_token: request.getHeader('access-token'),
    x_user: request.getHeader('x-user'),
    apikey: request.getHeader('apikey'),
    content_type: request.getHeader('content-type'),
    file_offset: request.getHeader('file_offset'),
    host: request.getHeader('host'),
    body: EMPTY,
  }
  const proceed = async () => {
    let answer: Answer
    try {
      const served = serve(asked)
      answer = served instanceof Promise ? await served : served
    } catch (error) {
      answer = { status: 500, body: { error: { code: 'SIMULATOR_BUG', message: String((error as Error).stack) } } }
    }
    if (answer.latency_ms) schedule.after(answer.latency_ms, () => write(response, connection, answer))
    else write(response, connection, answer)
  }
  collect(response, connection, (body) => {
    asked.body = body
    void proceed()
  })
}

const EMPTY = Buffer.alloc(0)

function collect(response: uWS.HttpResponse, connection: { open: boolean }, done: (body: Buffer) => void): void {
  let chunks: Buffer[] | undefined
  let size = 0
  response.onData((chunk, last) => {
    size += chunk.byteLength
    if (size > BODY_LIMIT) {
      if (connection.open) response.close()
      return
    }
    // Copied, because uWS reclaims the chunk's memory on return.
    const copy = Buffer.from(new Uint8Array(chunk))
    if (last && !chunks) return done(copy)
    chunks ??= []
    chunks.push(copy)
    if (last) done(Buffer.concat(chunks))
  })
}

function write(response: uWS.HttpResponse, connection: { open: boolean }, answer: Answer): void {
  if (!connection.open || answer.fate === 'hang') return
  if (answer.fate === 'reset') {
    response.close()
    return
  }
  if (answer.stream) {
    writeStream(response, connection, answer, answer.stream[Symbol.iterator]())
    return
  }
  response.cork(() => {
    writeHead(response, answer)
    if (answer.body === undefined) response.end()
    else {
      response.writeHeader('content-type', answer.content_type ?? 'application/json; charset=UTF-8')
      response.end(answer.content_type ? (answer.body as Uint8Array) : JSON.stringify(answer.body))
    }
  })
}

function writeHead(response: uWS.HttpResponse, { status, headers = {} }: Answer): void {
  response.writeStatus(`${status} ${STATUS_CODES[status] ?? ''}`)
  for (const [name, value] of Object.entries(headers)) response.writeHeader(name, value)
}

/** Writes as fast as the reader reads, or with a pause after each piece. */
function writeStream(
  response: uWS.HttpResponse,
  connection: { open: boolean },
  answer: Answer,
  pieces: Iterator<string>,
): void {
  const proceed = (): boolean => {
    while (connection.open) {
      const { value, done } = pieces.next()
      if (done) {
        if (answer.stream_end === 'reset') setImmediate(() => connection.open && response.close())
        else response.end()
        return true
      }
      if (!response.write(value)) return false
      if (answer.piece_ms) {
        setTimeout(() => connection.open && response.cork(proceed), answer.piece_ms)
        return true
      }
    }
    return true
  }
  response.onWritable(() => {
    response.cork(proceed)
    return true
  })
  response.cork(() => {
    writeHead(response, answer)
    response.writeHeader('content-type', answer.content_type ?? 'text/plain')
    proceed()
  })
}

function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
