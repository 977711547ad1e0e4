/** The memory of a Parley that has been ready for a while and that nobody uses. */
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Row } from '../compare.ts'
import { figureGoal } from '../report/goal.ts'
import { cpuSeconds, familyOf, peakMebibytes, proportionalMebibytes } from '../report/usage.ts'
import { startChild } from '../servers/child.ts'
import { OPERATOR_KEY, startScript } from '../servers/parley.ts'
import { freePort, statusOf } from '../servers/ports.ts'

/** V8 gives back what a start has left once little has been allocated for some seconds, mostly within a minute. */
const REST_MS = 75_000
const NODE = 'MiB of the node (PSS)'
const ALL = 'MiB of all processes (PSS)'

/** Both with the embedded servers; a development start runs the provider simulator too. */
const ENVIRONMENTS: Record<string, Record<string, string>> = {
  'production at rest': {
    PARLEY_ENV: 'production',
    PARLEY_BASE_URL: 'https://parley.example.com',
    PARLEY_OPERATOR_KEY: OPERATOR_KEY,
    PARLEY_SECRET: 'secret-of-the-benchmarks',
  },
  'development at rest': { PARLEY_ENV: 'development' },
}

export const REST_GOALS = Object.keys(ENVIRONMENTS).flatMap((scenario) => [
  figureGoal(scenario, 'parley', NODE, 160),
  figureGoal(scenario, 'parley', ALL, 300),
])

/** Starts one on a new data directory, leaves it alone and weighs it. */
export async function restOnce(data: string, row: Row): Promise<void> {
  const port = await freePort()
  const from = performance.now()
  const child = await startChild({
    name: 'parley',
    // Without npm, which takes 60 MiB and needs not stay.
    command: '/bin/sh',
    args: ['-c', startScript()],
    cwd: fileURLToPath(new URL('../../../', import.meta.url)),
    env: {
      ...ENVIRONMENTS[row.scenario],
      PARLEY_PORT: String(port),
      PARLEY_HOST: '127.0.0.1',
      PARLEY_DATA_DIR: data,
      DATABASE_URL: '',
      NATS_URL: '',
    },
    ready: async () => (await statusOf(`http://127.0.0.1:${port}/ready`)) === 200,
  })
  const ms = performance.now() - from
  await pause(REST_MS)
  const all = familyOf(child.pid).reduce((sum, pid) => sum + proportionalMebibytes(pid), 0)
  const figures = { [NODE]: proportionalMebibytes(child.pid), [ALL]: all }
  row.rounds.push({ operations: 1, issued: 1, errors: 0, seconds: ms / 1000, p50_ms: ms, p99_ms: ms, figures })
  row.cpu.push({ start: cpuSeconds({ start: child.pid }).start! * 1000 })
  row.peak_mib = peakMebibytes({ start: child.pid })
  await child.stop()
}
