/** The cost of an operation in a project of a thousand records, and in one of a million. */
import { benchmark } from '../benchmark.ts'
import type { Row } from '../compare.ts'
import type { Goal } from '../report/goal.ts'
import { grownPeer, nameOf } from './grown_peer.ts'
import { operations } from './operations.ts'

const SIZES = [1_000, 10_000, 100_000, 1_000_000]

/** The benchmark `growth`. */
export const growth = benchmark('growth', 'the cost of an operation as a project grows', () => ({
  peers: SIZES.map(grownPeer),
  scenarios: Object.keys(operations).map((name) => ({ name, in_flight: 8, keys: 8, variant: name })),
  goals: Object.keys(operations).map((name) => growthGoal(name, 1.5)),
}))

/**
 * The CPU of an operation at the large end divided by that at the small one, round by round, without the load's own
 * CPU.
 */
function growthGoal(scenario: string, value: number): Goal {
  const cost = (rows: Row[], size: number) => rows.find(({ peer }) => peer === nameOf(size))?.cpu
  const measure = (rows: Row[]) => {
    const [small, large] = [cost(rows, SIZES[0]!), cost(rows, SIZES.at(-1)!)]
    return small && large?.map(({ parley }, round) => parley! / small[round]!.parley!)
  }
  const text = `CPU at ${nameOf(SIZES.at(-1)!)} at most ${value} × that at ${nameOf(SIZES[0]!)}`
  return { scenario, text, bound: 'at most', value, measure }
}
