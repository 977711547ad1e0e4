/**
 * The cost of the worst body for the event loop of a node, in milliseconds for each MiB. The search takes every kind of
 * bomb in every place that the schema of a route knows, sieves small ones, and measures the worst at full length.
 */
import { BOMBS, countedBytes } from '../../support/hostile/bombs.ts'
import { costOf, planFor, usualCost } from '../../support/hostile/cost.ts'
import { placesOf } from '../../support/hostile/places.ts'
import { jsonRoutes } from '../../support/hostile/routes.ts'
import type { Benchmark, Options } from '../benchmark.ts'
import type { Row } from '../compare.ts'
import { figureGoal, judge } from '../report/goal.ts'
import { describeMachine } from '../report/machine.ts'
import type { Report } from '../report/report.ts'

const SUMMARY = 'processor time of the event loop for the worst body; an operation is one body'
const WORST = 'the worst body of any route'
const USUAL = 'usual JSON, parsed alone'
const FIGURE = 'ms per MiB'
const GOALS = [figureGoal(WORST, 'parley', FIGURE, 50)]

const SIEVE_BYTES = 64 * 1024
const FULL_BYTES = 1000 * 1024
/** The number of the worst bodies that are measured at full length. */
const FINALISTS = 60
const MIB = 1024 * 1024

/** The benchmark `hostile-body`; `--seconds` does not apply. */
export const hostileBody: Benchmark = { id: 'hostile-body', summary: SUMMARY, run: async (options) => run(options) }

type Body = { what: string; cost: (bytes: number, runs: number) => number }

function run({ rounds, seconds, directory }: Options): Report {
  process.stderr.write('hostile-body ')
  const machine = describeMachine(directory)
  const finalists = worstOf(bodies(), SIEVE_BYTES, FINALISTS)
  const rows = [WORST, USUAL].map(
    (scenario): Row => ({ scenario, peer: 'parley', rounds: [], cpu: [], noise: [], peak_mib: {}, problems: [] }),
  )
  for (let round = 0; round < rounds; round++) {
    const [worst] = worstOf(finalists, FULL_BYTES, 1)
    rows[0]!.problems = [worst!.what]
    note(rows[0]!, worst!.cost(FULL_BYTES, 3))
    note(rows[1]!, usualCost())
    process.stderr.write('.')
  }
  process.stderr.write('\n')
  const verdicts = GOALS.map((goal) => judge(goal, rows))
  return { id: 'hostile-body', summary: SUMMARY, machine, rounds, seconds, rows, verdicts, not_run: {} }
}

function note(row: Row, ms: number): void {
  const figures = { [FIGURE]: ms }
  row.rounds.push({ operations: 1, issued: 1, errors: 0, seconds: ms / 1000, p50_ms: ms, p99_ms: ms, figures })
  row.cpu.push({ parley: ms })
  row.noise.push(0)
}

function bodies(): Body[] {
  return jsonRoutes()
    .map(planFor)
    .flatMap((plan) =>
      placesOf(plan.body as never).flatMap((place) =>
        BOMBS.map((bomb) => ({
          what: `${plan.route.operation}${place.path}, ${bomb.name}`,
          cost(bytes: number, runs: number) {
            const text = Buffer.from(place.around(bomb.text(Math.min(bytes, plan.body_limit * 0.95), place.filler)))
            if (text.byteLength > plan.body_limit) return 0
            return (costOf(plan, text, runs) * MIB) / countedBytes(bomb, text.byteLength)
          },
        })),
      ),
    )
}

/** Ranks bodies by the least of several runs: an expensive body is expensive in each run. */
function worstOf(all: Body[], bytes: number, count: number): Body[] {
  const sieved = all.map((body) => ({ body, cost: body.cost(bytes, 1) })).sort((a, b) => b.cost - a.cost)
  const again = sieved.slice(0, count * 8).map(({ body }) => ({ body, cost: body.cost(bytes, 4) }))
  return again
    .sort((a, b) => b.cost - a.cost)
    .slice(0, count)
    .map(({ body }) => body)
}
