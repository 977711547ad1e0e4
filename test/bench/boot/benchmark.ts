/**
 * The time from `npm start` to the first 2xx of /ready, with a new data directory and with the one of the start before,
 * and the memory of a Parley that nobody uses. Rounds take turns: cold, then warm on the data of the cold start, then
 * the two at rest.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Benchmark, Options } from '../benchmark.ts'
import type { Row } from '../compare.ts'
import { type Goal, judge } from '../report/goal.ts'
import { describeMachine } from '../report/machine.ts'
import type { Report } from '../report/report.ts'
import { cpuSeconds, peakMebibytes } from '../report/usage.ts'
import { startChild } from '../servers/child.ts'
import { startScript } from '../servers/parley.ts'
import { freePort, statusOf } from '../servers/ports.ts'
import { REST_GOALS, restOnce } from './at_rest.ts'

const SUMMARY = 'npm start to the first 2xx of /ready; an operation is one start'
const START_GOALS = [secondsGoal('cold data directory', 4), secondsGoal('warm data directory', 2)]
const GOALS = [...START_GOALS, ...REST_GOALS]

/** The benchmark `boot`; `--seconds` does not apply. */
export const boot: Benchmark = { id: 'boot', summary: SUMMARY, run }

async function run(options: Options): Promise<Report> {
  const { rounds, seconds, directory } = options
  const scenarios = new Set(GOALS.map(({ scenario }) => scenario))
  const rows = [...scenarios].map(
    (scenario): Row => ({ scenario, peer: 'parley', rounds: [], cpu: [], noise: [], peak_mib: {}, problems: [] }),
  )
  const [starts, rests] = [rows.slice(0, START_GOALS.length), rows.slice(START_GOALS.length)]
  const not_run: Record<string, string> = {}
  try {
    startScript()
    process.stderr.write('boot ')
    for (let round = 0; round < rounds; round++) {
      const data = join(directory, 'boot', String(round))
      mkdirSync(join(directory, 'boot'), { recursive: true })
      for (const row of starts) await startOnce(data, row)
      for (const row of rests) await restOnce(`${data} ${row.scenario}`, row)
      process.stderr.write('.')
    }
    process.stderr.write('\n')
  } catch (error) {
    not_run.parley = error instanceof Error ? error.message : String(error)
  }
  const verdicts = GOALS.map((goal) => judge(goal, rows))
  const machine = describeMachine(directory)
  return {
    id: 'boot',
    summary: SUMMARY,
    machine,
    rounds,
    seconds,
    rows: rows.filter((row) => row.rounds.length),
    verdicts,
    not_run,
  }
}

async function startOnce(data: string, row: Row): Promise<void> {
  const port = await freePort()
  const from = performance.now()
  const child = await startChild({
    name: 'npm start',
    command: 'npm',
    args: ['start', '--silent'],
    cwd: fileURLToPath(new URL('../../../', import.meta.url)),
    env: { PARLEY_PORT: String(port), PARLEY_HOST: '127.0.0.1', PARLEY_DATA_DIR: data, DATABASE_URL: '', NATS_URL: '' },
    group: true,
    ready: async () => (await statusOf(`http://127.0.0.1:${port}/ready`)) === 200,
  })
  const ms = performance.now() - from
  row.rounds.push({ operations: 1, issued: 1, errors: 0, seconds: ms / 1000, p50_ms: ms, p99_ms: ms })
  row.cpu.push({ npm_start: cpuSeconds({ npm_start: child.pid }).npm_start! * 1000 })
  row.peak_mib = peakMebibytes({ npm_start: child.pid })
  await child.stop()
}

function secondsGoal(scenario: string, value: number): Goal {
  const measure = (rows: Row[]) => rows[0]?.rounds.map((round) => round.p50_ms / 1000)
  return { scenario, text: `at most ${value} s`, bound: 'at most', value, measure }
}
