/**
 * A flood of requests that the database cannot serve: memory stays bounded, admitted requests are done soon, and the
 * rest is refused at once.
 */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { eventually, sleep } from './client.ts'
import { makeTenant, type Tenant } from './fixture.ts'
import { type FloodResult, flood, requestText } from './flood.ts'
import { startKillable } from './killable.ts'
import { type Line, startLine } from './line.ts'

/** Milliseconds that the line adds each way. A healthy round trip here takes a hundredth of that. */
const DELAY_MS = 75
const BYTES_PER_S = 4_000_000
/** More than twice as many as sends and reads are always let in. */
const CONNECTIONS = 1000
const FLOOD_MS = 5000
/** Recipients of each tenant. Messages to one recipient leave one after the other. */
const RECIPIENTS = 50
/**
 * Megabytes that the node may grow by: all requests in flight, their messages on the way, and the slack of the heap.
 */
const GROWTH_MB = 120
/**
 * Milliseconds that the slow database may add to an answer, so that admitted requests end well before their deadline of
 * 10 s. What the machine itself takes is not counted: waves of the same requests over the fast line show that.
 */
const SOON_MS = 8000

/** Returns the peak memory of a process in MB. Linux only. */
function peak(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1024
}

t.test('a flood on a slow database', async (t) => {
  let line!: Line
  const world = await startKillable(t, {
    waits: { confirm_ms: 60_000, send_ms: 5000 },
    simulator: {
      statuses: { enabled: false },
      window: { enforced: false },
      rate: { per_second: 0, pair: false },
    },
    async env({ database_url }) {
      line = await startLine(t, database_url!)
      return { DATABASE_URL: line.url }
    },
  })
  const { http, base_url, config } = world
  const child = world.process()
  const tenants: Tenant[] = []
  for (let n = 0; n < 4; n++) tenants.push(await makeTenant(world))
  for (const tenant of tenants) {
    await tenant.send('+15550180000')
    await tenant.api('GET', 'me')
  }
  const port = config.port
  const body = { channel: 'whatsapp', message: { type: 'text', body: 'One of many' } }
  const requests = tenants.flatMap(({ token }) =>
    Array.from({ length: RECIPIENTS }, (_, n) => [
      requestText('POST', '/v1/messages', token, { ...body, to: `+1555018${1000 + n}` }),
      requestText('GET', '/v1/me', token),
      requestText('GET', '/v1/messages?limit=5', token),
    ]).flat(),
  )
  const wave = () => flood(t, { port, connections: CONNECTIONS, pause_ms: 300, for_ms: 1000, requests })
  const first = await wave()
  const before = peak(child.pid)

  line.slow(DELAY_MS, BYTES_PER_S)
  const probes: { path: string; status: number; ms: number }[] = []
  let flooding = true
  const metrics_url = await world.metrics_url()
  const probed = { health: `${base_url}/health`, ready: `${base_url}/ready`, metrics: metrics_url }
  const probing = (async () => {
    for (; flooding; await sleep(300)) {
      for (const [path, url] of Object.entries(probed)) {
        const from = performance.now()
        const { status } = await http('GET', url)
        probes.push({ path, status, ms: performance.now() - from })
      }
    }
  })()
  const result = await flood(t, { port, connections: CONNECTIONS, pause_ms: 300, for_ms: FLOOD_MS, requests })
  flooding = false
  await probing
  const grown = peak(child.pid) - before
  const [sends, me, reads] = kinds(result)
  await line.mend()
  await eventually('service is normal', async () => {
    const answers = await Promise.all(tenants.map(({ api }) => api('GET', 'messages?limit=1')))
    return answers.every(({ status }) => status === 200)
  })
  const wanted = new Set([first, result].flatMap(({ acknowledged }) => acknowledged))
  const sent = await eventually('all that was acknowledged has left', async () => {
    const all = (await Promise.all(tenants.map((tenant) => tenant.sent()))).flat()
    const ids = new Set(all.map(({ opaque_data }) => opaque_data))
    return [...wanted].every((id) => ids.has(id)) && all
  })
  t.equal(new Set(sent.map(({ opaque_data }) => opaque_data)).size, sent.length, 'each message is sent once')
  // The machine may have become busier since the first wave.
  const machine_ms = Math.max(slowest(first), slowest(await wave()))
  t.comment(JSON.stringify({ machine_ms, sends, me, reads, growth_mb: Math.round(grown) }))
  t.same(result.surprises, [], 'every answer is a yes or an honest "not now"')
  t.ok(grown < GROWTH_MB, 'memory is bounded')
  t.same(Object.keys(me), ['200'], 'requests answered from memory are never refused')
  t.ok(sends[202]!.count > 0 && sends[202]!.max - machine_ms < SOON_MS, 'admitted sends are done soon')
  t.ok(reads[200]!.count > 0 && reads[200]!.max - machine_ms < SOON_MS, 'admitted reads are done soon')
  t.ok((sends[503]?.count ?? 0) + reads[503]!.count > 0, 'the node refuses a part of the flood')
  t.ok(reads[503]!.p50 - machine_ms < SOON_MS / 2, 'most refusals come without a long wait')
  t.same(
    probes.filter(({ status, ms }) => status !== 200 || ms - machine_ms > SOON_MS / 2),
    [],
    `${probes.length} probes are answered`,
  )
  const metrics = await http('GET', metrics_url)
  t.match(metrics.text, /parley_http_shed_total\{limiter="(turns|reads)"\} [1-9]/)
  t.equal(await child.end('SIGTERM'), 0, child.said())
})

type Kind = FloodResult['seen'][string]

/** Returns the milliseconds of the slowest answer. */
const slowest = ({ seen }: FloodResult): number =>
  Math.max(...Object.values(seen).flatMap((by_status) => Object.values(by_status).map(({ max }) => max)))

/** Groups sends, identities and lists of all tenants. */
function kinds({ seen }: FloodResult): [Kind, Kind, Kind] {
  const all: [Kind, Kind, Kind] = [{}, {}, {}]
  for (const [kind, by_status] of Object.entries(seen)) {
    const into = all[Number(kind) % 3]!
    for (const [status, one] of Object.entries(by_status)) {
      const known = into[status]
      into[status] = known
        ? {
            count: known.count + one.count,
            p50: Math.max(known.p50, one.p50),
            p99: Math.max(known.p99, one.p99),
            max: Math.max(known.max, one.max),
          }
        : one
    }
  }
  return all
}
