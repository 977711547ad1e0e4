/** The speed of a bare route that remains after authentication, admission and the server itself. */
import { benchmark } from '../benchmark.ts'
import type { Peer } from '../peer.ts'
import { ratioGoal } from '../report/goal.ts'
import { collectorUrl } from '../servers/collector.ts'
import { openProject, startParley } from '../servers/parley.ts'
import { startRemote } from '../servers/remote.ts'
import { type HttpServer, httpPeer } from './http_peer.ts'
import { type Recorded, record, SPECIMEN } from './recorded.ts'

const PATH = '/v1/me'
const CLOSED = '64 connections, closed loop'
const OPEN = '3,000 requests/s, open loop'

/** The recorded answer of our node and the token for it. Peers started after our node replay the answer. */
type Known = { recorded: Recorded; token: string }

/** The benchmark `http-floor`. */
export const httpFloor = benchmark('http-floor', 'authenticated GET /v1/me through admission', () => {
  const known: Known = { recorded: SPECIMEN, token: `svc_pk_${'a'.repeat(38)}` }
  const headers = () => ({ Authorization: `Bearer ${known.token}` })
  return {
    peers: [
      parley('parley', known, headers),
      logging('errors'),
      logging('all'),
      tracing(),
      httpPeer('bare-uws', PATH, headers, () => hosted('bare uWebSockets.js', './bare_host.ts', known)),
      httpPeer('fastify', PATH, headers, () => hosted('fastify', './fastify_host.ts', known)),
    ],
    scenarios: [
      { name: CLOSED, in_flight: 64, keys: 1 },
      { name: OPEN, rate: 3000, keys: 1 },
    ],
    goals: [ratioGoal(CLOSED, 'bare-uws', 0.45), ratioGoal(CLOSED, 'fastify', 2)],
  }
})

/** Our node with an access log, for its cost. */
function logging(requests: string): Peer {
  const own: Known = { recorded: SPECIMEN, token: '' }
  const settings = async () => ({ PARLEY_ACCESS_LOG: requests, PARLEY_LOG_LEVEL: 'info' })
  return parley(`access-log-${requests}`, own, () => ({ Authorization: `Bearer ${own.token}` }), settings)
}

/** Our node with traces of one request in a hundred, for their cost. */
function tracing(): Peer {
  const own: Known = { recorded: SPECIMEN, token: '' }
  const settings = async () => ({ PARLEY_TRACES_URL: await collectorUrl() })
  return parley('traces', own, () => ({ Authorization: `Bearer ${own.token}` }), settings)
}

function parley(
  name: string,
  known: Known,
  headers: () => Record<string, string>,
  settings: () => Promise<Record<string, string>> = async () => ({}),
): Peer {
  return httpPeer(name, PATH, headers, async (directory) => {
    const node = await startParley(directory, await settings())
    known.token = (await openProject(node, ['messages:write', 'messages:read'])).token
    known.recorded = await record(node.port, PATH, headers())
    if (known.recorded.status !== 200) throw new Error(`GET ${PATH}: ${known.recorded.status} ${known.recorded.body}`)
    return { port: node.port, processes: { parley: node.child.pid }, stop: () => node.child.stop() }
  })
}

async function hosted(name: string, file: string, known: Known): Promise<HttpServer> {
  const remote = await startRemote(name, import.meta.url, file, { ...known, path: PATH })
  const port = await remote.call<number>('port')
  return { port, processes: { host: remote.child.pid }, stop: () => remote.child.stop() }
}
