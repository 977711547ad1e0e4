/** The port of /metrics, separate from that of the API, so that API clients cannot read the metrics. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { cached } from './cached_value.ts'

/** First port tried when `PARLEY_METRICS_PORT` is not set. */
export const FIRST_METRICS_PORT = 9464
/** Number of ports tried; when all are taken any free one is used. */
export const METRICS_PORTS = 32
/** A text is cached for this long, so that frequent requests cost nothing. */
const FRESH_MS = 1000
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export type MetricsServer = { url: string; close(): Promise<void> }

type Options = {
  host: string
  /** Null takes the first free one from `FIRST_METRICS_PORT` on, so that several starts on one machine can coexist. */
  port: number | null
  /** Makes the text. Called at most once a second. */
  text(): Promise<string>
}

/** Rejects with a sentence when it cannot listen on the address. */
export async function startMetricsServer({ host, port, text }: Options): Promise<MetricsServer> {
  const fresh = cached(text, FRESH_MS)
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
  // The metrics server alone must not keep a process alive.
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

/** Resolves to the error code, such as `EADDRINUSE`. */
async function tryPort(server: Server, host: string, port: number): Promise<string | undefined> {
  server.listen({ port, host, exclusive: true })
  try {
    await once(server, 'listening')
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}
