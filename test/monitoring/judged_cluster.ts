/** Two nodes with a private PostgreSQL and NATS, and a real Prometheus that judges them by the rules for operators, in seconds. */
import { pathToFileURL } from 'node:url'
import type { Alert } from '../../http/metrics/alerts/alert.ts'
import { openDatabase } from '../../storage/mod.ts'
import { type Child, startChild } from '../e2e/child.ts'
import { sleep, startClient } from '../e2e/client.ts'
import { makeTenant, OPERATOR_KEY, outside, startSimulatorFor } from '../e2e/fixture.ts'
import { startSink } from '../e2e/sink.ts'
import { freePort, type Owner, privateNats, privatePostgres, TEST_SECRET, tempDir } from '../support/mod.ts'
import { alertRules } from './alert_files.ts'
import { type ActiveAlert, type Programs, startPrometheus } from './prometheus.ts'

/** Longer than the alerts take here, and shorter than the patience of other tests: what fires instead is told. */
const PATIENCE_MS = 45_000

export const PARTITIONS = 8

/** Seconds instead of minutes. Thresholds stay. */
function shorter(alert: Alert): Alert {
  const expr = alert.expr.replaceAll('[30m]', '[60s]').replace(/\[\d+m\]/g, '[6s]')
  return { ...alert, expr, for: alert.for === '0m' ? '0m' : '1s' }
}

type Judge = { match(found: object, wanted: object, message: string): unknown }

type Start = {
  /** Options of Node.js. */
  flags?: string[]
  /** A program that starts the node, with its arguments. */
  under?: string[]
}

export type JudgedCluster = Awaited<ReturnType<typeof startJudgedCluster>>

export async function startJudgedCluster(t: Owner, programs: Programs) {
  const [postgres, nats, http, sink] = [
    await privatePostgres(t),
    await privateNats(t),
    startClient(t),
    await startSink(t),
  ]
  const { url: simulator_url } = await startSimulatorFor(t, { numbers: [] })
  const model_url = `${simulator_url}/models/v1`
  const places = await Promise.all(
    [0, 1].map(async () => ({ port: await freePort(), metrics_port: await freePort(), data_dir: tempDir(t) })),
  )
  const files = tempDir(t)
  const nodes: Child[] = []

  async function start(index: number, { flags, under }: Start = {}): Promise<void> {
    const { port, metrics_port, data_dir } = places[index]!
    const settings = {
      PARLEY_ENV: 'development',
      PARLEY_PORT: String(port),
      PARLEY_METRICS_PORT: String(metrics_port),
      PARLEY_DATA_DIR: data_dir,
      PARLEY_BLOB_URL: pathToFileURL(files).href,
      PARLEY_OPERATOR_KEY: OPERATOR_KEY,
      PARLEY_SECRET: TEST_SECRET,
      PARLEY_PARTITIONS: String(PARTITIONS),
      PARLEY_NATS_PREFIX: nats.prefix,
      PARLEY_NATS_REPLICAS: String(nats.replicas),
      PARLEY_WEBHOOK_SCHEDULE: '0,0.1',
      PARLEY_LOG_LEVEL: 'error',
      PARLEY_MODELS: JSON.stringify({ simulated: { url: model_url, context: 128_000 } }),
      PARLEY_TEST_WAITS: JSON.stringify({ send_ms: 3000, webhook_ms: 60_000 }),
      DATABASE_URL: postgres.url,
      NATS_URL: nats.url,
    }
    nodes[index] = startChild(t, new URL('../e2e/run_parley.ts', import.meta.url), settings, flags, [], under)
    await nodes[index]!.line(/^http:/)
  }

  await start(0)
  await start(1)
  const prometheus = await startPrometheus(t, programs, {
    targets: places.map(({ metrics_port }) => `127.0.0.1:${metrics_port}`),
    rules: alertRules(shorter),
  })
  const control = model_url.replace('/models/v1', '/_control/model')
  const world = {
    ...outside(http, `http://127.0.0.1:${places[0]!.port}`, simulator_url),
    sink,
    model: (method: string, path: string, json?: unknown) =>
      http(method, path === '' ? control : `${control}/${path}`, { json }),
  }
  const tenant = await makeTenant(world)
  const database = await openDatabase({ url: postgres.url, pool_size: 4 })
  t.teardown(() => database.close())

  const active = async () => (await prometheus.alerts()).filter(({ state }) => state === 'firing')
  /** All that have fired so far, as they were then: one that follows a rise is over soon. */
  const fired = new Map<string, ActiveAlert>()
  let is_over = false
  const watching = (async () => {
    for (; !is_over; await sleep(200)) for (const alert of await active()) fired.set(alert.labels.alertname!, alert)
  })()
  t.teardown(async () => {
    is_over = true
    await watching
  })

  async function soon<Found>(what: string, look: () => Promise<Found | undefined | false>): Promise<Found> {
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(250)) {
      const found = await look()
      if (found) return found
    }
    const firing = (await active()).map(({ labels, annotations }) => `${labels.alertname} (${annotations.summary})`)
    throw new Error(`It never happened: ${what}. Firing: ${firing.join(', ')}`)
  }

  /** Those that a fault was made for. */
  const real = new Set<string>()

  return {
    postgres,
    nats,
    http,
    sink,
    places,
    nodes,
    start,
    prometheus,
    world,
    tenant,
    database,
    real,

    async fires(t: Judge, ...names: string[]): Promise<void> {
      for (const name of names) {
        const alert = await soon(`${name} fires`, async () => fired.get(name))
        t.match(alert.annotations, { summary: /^[^<]+$/, runbook_url: `docs/alerts.md#${name.toLowerCase()}` }, name)
        real.add(name)
      }
    },

    /** Resolves when the fault is over, and so is what it made fire. */
    calm: () => soon('nothing fires', async () => (await active()).length === 0),
  }
}
