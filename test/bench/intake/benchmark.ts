/**
 * The cost of what arrives: a mail, a PDF file and a page of HTML, each read in a process of its own as the product reads
 * it. An operation is one of them. The same of double size shows that the time is linear.
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Benchmark, Options } from '../benchmark.ts'
import type { Row } from '../compare.ts'
import { figureGoal, judge } from '../report/goal.ts'
import { describeMachine } from '../report/machine.ts'
import type { Report } from '../report/report.ts'
import { inputs, type Kind } from './inputs.ts'

const SUMMARY = 'processor time and memory to read what arrives; an operation is one document'
const CHILD = fileURLToPath(new URL('./convert_child.ts', import.meta.url))
const RATIO = 'time of double size'
const RUNS = 5
const KINDS = Object.keys(inputs) as Kind[]
/** Quadratic work takes four times as long for double size. */
const GOALS = KINDS.map((kind) => figureGoal(inputs[kind].name, 'parley', RATIO, 3))

/** The benchmark `intake`; `--seconds` does not apply. */
export const intake: Benchmark = { id: 'intake', summary: SUMMARY, run: async (options) => run(options) }

function run({ rounds, seconds, directory }: Options): Report {
  process.stderr.write('intake ')
  const machine = describeMachine(directory)
  const rows = KINDS.map(
    (kind): Row => ({
      scenario: inputs[kind].name,
      peer: 'parley',
      rounds: [],
      cpu: [],
      noise: [],
      peak_mib: {},
      problems: [],
    }),
  )
  for (let round = 0; round < rounds; round++) {
    for (const [at, kind] of KINDS.entries()) note(rows[at]!, measure(kind, 1), measure(kind, 2))
    process.stderr.write('.')
  }
  process.stderr.write('\n')
  const verdicts = GOALS.map((goal) => judge(goal, rows))
  return { id: 'intake', summary: SUMMARY, machine, rounds, seconds, rows, verdicts, not_run: {} }
}

type Measured = { ms: number; mib: number }

function measure(kind: Kind, size: number): Measured {
  const output = execFileSync(process.execPath, ['--no-warnings', CHILD, kind, String(size), String(RUNS)])
  return JSON.parse(output.toString()) as Measured
}

function note(row: Row, { ms, mib }: Measured, double: Measured): void {
  const figures = { ms, MiB: mib, [RATIO]: double.ms / ms }
  row.rounds.push({ operations: 1, issued: 1, errors: 0, seconds: ms / 1000, p50_ms: ms, p99_ms: ms, figures })
  row.cpu.push({ parley: ms })
  row.noise.push(0)
}
