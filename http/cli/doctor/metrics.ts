import { FIRST_METRICS_PORT, METRICS_PORTS } from '../../app/metrics/metrics_server.ts'
import { tryPort } from '../../app/node/port.ts'
import type { Config } from '../../app/settings/mod.ts'
import { type DoctorContext, localUrl } from './context.ts'
import { type Finding, findings } from './finding.ts'

const { ok, warn, fail } = findings('metrics')

const PATIENCE_MS = 10_000

/** Finds the present or future address of `/metrics`. */
export async function checkMetrics({ config, readiness }: DoctorContext): Promise<Finding[]> {
  if (readiness) {
    const url = await findMetrics(config)
    if (url) return [ok(`The figures of the running Parley are at ${url}.`)]
    return [warn('The figures of the running Parley were not found: its log says where /metrics is.')]
  }
  const { metrics_host: host, metrics_port: port } = config
  if (port === null) return [ok(`/metrics takes the first free port of ${host} from ${FIRST_METRICS_PORT} on.`)]
  const code = await tryPort(host, port)
  if (!code) return [ok(`Port ${port} of ${host} is free for /metrics.`)]
  const remedy = 'set PARLEY_METRICS_PORT to another port, or correct PARLEY_METRICS_HOST'
  return [fail(`Port ${port} of ${host} cannot be opened for /metrics (${code}): ${remedy}.`)]
}

/** Picks the metrics of the Parley on our port, where this machine has several. */
async function findMetrics({ metrics_host, metrics_port, port }: Config): Promise<string | undefined> {
  const ports =
    metrics_port === null ? Array.from({ length: METRICS_PORTS }, (_, n) => FIRST_METRICS_PORT + n) : [metrics_port]
  const urls = ports.map((one) => `${localUrl({ host: metrics_host, port: one })}/metrics`)
  const texts = await Promise.all(urls.map(readText))
  return urls.find((_, index) => new RegExp(`^parley_node_info\\{[^}]*port="${port}"`, 'm').test(texts[index]!))
}

async function readText(url: string): Promise<string> {
  try {
    return await (await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) })).text()
  } catch {
    return ''
  }
}
