/** A real Prometheus: the installed one, or that of Debian, unpacked without root. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { stringify } from 'yaml'
import { unpacked } from '../compat/debian.ts'
import { freePort, type Owner, tempDir } from '../support/mod.ts'

export type Programs = { prometheus: string; promtool: string }

/** A series as the API of Prometheus answers it. */
export type Series = { metric: Record<string, string>; value: [at: number, value: string] }
export type Course = { metric: Record<string, string>; values: [at: number, value: string][] }
export type ActiveAlert = { labels: Record<string, string>; annotations: Record<string, string>; state: string }

export type Prometheus = {
  query(expr: string): Promise<Series[]>
  /** The values of the last `seconds`, one for each second. */
  range(expr: string, seconds: number): Promise<Course[]>
  alerts(): Promise<ActiveAlert[]>
}

/** Undefined where neither can be had. */
export async function findPrometheus(): Promise<Programs | undefined> {
  const installed = pathOf('prometheus')
  const tool = pathOf('promtool')
  if (installed && tool) return { prometheus: installed, promtool: tool }
  try {
    const home = await unpacked('prometheus-bookworm', 'bookworm', (apt) => apt('download', 'prometheus'))
    return { prometheus: join(home, 'usr/bin/prometheus'), promtool: join(home, 'usr/bin/promtool') }
  } catch {
    return undefined
  }
}

/** Starts it with these rules, on these targets. The end of the test ends it. */
export async function startPrometheus(
  t: Owner,
  { prometheus }: Programs,
  { targets, rules }: { targets: string[]; rules?: string },
): Promise<Prometheus> {
  const directory = tempDir(t)
  const file = join(directory, 'prometheus.yaml')
  if (rules !== undefined) writeFileSync(join(directory, 'alerts.yaml'), rules)
  const config = {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '500ms' },
    ...(rules !== undefined && { rule_files: ['alerts.yaml'] }),
    scrape_configs: [{ job_name: 'parley', static_configs: [{ targets }] }],
  }
  writeFileSync(file, stringify(config))
  const url = `http://127.0.0.1:${await freePort()}`
  const child = spawn(
    prometheus,
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=${new URL(url).host}`,
      '--log.level=warn',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
  })
  const ended = once(child, 'close')
  t.teardown(async () => {
    child.kill('SIGTERM')
    await ended
  })
  async function call<Data>(path: string): Promise<Data> {
    const answer = await fetch(`${url}/api/v1/${path}`)
    const { status, data, error } = (await answer.json()) as { status: string; data: Data; error: string }
    if (status !== 'success') throw new Error(error)
    return data
  }
  while (!(await fetch(`${url}/-/ready`).catch(() => undefined))?.ok) {
    if (child.exitCode !== null) throw new Error(`prometheus ended: ${said}`)
    await pause(100)
  }
  return {
    query: async (expr) => (await call<{ result: Series[] }>(`query?query=${encodeURIComponent(expr)}`)).result,
    async range(expr, seconds) {
      const end = Date.now() / 1000
      const window = `start=${end - seconds}&end=${end}&step=1`
      return (await call<{ result: Course[] }>(`query_range?query=${encodeURIComponent(expr)}&${window}`)).result
    },
    alerts: async () => (await call<{ alerts: ActiveAlert[] }>('alerts')).alerts,
  }
}

function pathOf(program: string): string | undefined {
  const places = (process.env.PATH ?? '').split(delimiter).map((directory) => join(directory, program))
  return places.find((place) => {
    try {
      accessSync(place, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
