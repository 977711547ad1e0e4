/** The port of /metrics, apart from that of the API: whoever may call the API need not see how the service does. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { kept } from './kept.ts'

/** Where a start without `PARLEY_METRICS_PORT` begins to look for a free port. */
export const FIRST_METRICS_PORT = 9464
/** Ports that are looked at; when all are taken any will do. */
export const METRICS_PORTS = 32
/** A text is good for so long: asking more often costs nothing. */
const FRESH_MS = 1000
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export type MetricsServer = { url: string; close(): Promise<void> }

type Options = {
  host: string
  /** Null takes the first free one from `FIRST_METRICS_PORT` on, so that several starts on one machine go together. */
  port: number | null
  /** Makes the text. Called once a second at most. */
  text(): Promise<string>
}

/** Rejects with a sentence when the address cannot be listened on. */
export async function startMetricsServer({ host, port, text }: Options): Promise<MetricsServer> {
  const fresh = kept(text, FRESH_MS)
  const server = createServer(async (request, response) => {
    const path = request.url?.split('?')[0]
    if (path !== '/metrics') return void response.writeHead(404).end()
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return void response.writeHead(405, { Allow: 'GET, HEAD' }).end()
    }
    try {
      const body = await fresh()
      response.writeHead(200, { 'Content-Type': CONTENT_TYPE, 'Content-Length': Buffer.byteLength(body) })
      response.end(request.method === 'HEAD' ? undefined : body)
    } catch {
      response.writeHead(503).end()
    }
  })
  const taken = await listen(server, host, port)
  // It must not keep a process alive that has nothing else to do.
  server.unref()
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}/metrics`,
    async close() {
      server.closeAllConnections()
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      await closed
    },
  }
}

/** Resolves to the port. */
async function listen(server: Server, host: string, port: number | null): Promise<number> {
  const candidates = port === null ? Array.from({ length: METRICS_PORTS }, (_, n) => FIRST_METRICS_PORT + n) : [port]
  for (const candidate of candidates) {
    const problem = await tryPort(server, host, candidate)
    if (problem === undefined) return candidate
    if (port !== null || problem !== 'EADDRINUSE') {
      const remedy = 'set PARLEY_METRICS_PORT to another port, or correct PARLEY_METRICS_HOST'
      throw new Error(`Cannot listen on ${host}:${candidate} for /metrics (${problem}): ${remedy}.`)
    }
  }
  await tryPort(server, host, 0)
  return (server.address() as AddressInfo).port
}

/** Resolves to what is wrong, such as `EADDRINUSE`. */
async function tryPort(server: Server, host: string, port: number): Promise<string | undefined> {
  server.listen({ port, host, exclusive: true })
  try {
    await once(server, 'listening')
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}
