/** The cost of hanging receivers for the others. */
import { benchmark } from '../benchmark.ts'
import { p99RatioGoal } from '../report/goal.ts'
import { ONE_ORIGIN } from './shape.ts'
import { isolationPeers } from './world.ts'

const RATE = 200
const OWN = '1000 receivers, 100 hang'
const SHARED = '1000 receivers at one origin, 100 hang'

/** The benchmark `isolation`. */
export const isolation = benchmark('isolation', 'from an event to its POST at a healthy receiver', () => ({
  peers: isolationPeers(),
  scenarios: [
    { name: OWN, rate: RATE, keys: 0 },
    { name: SHARED, rate: RATE, keys: 0, variant: ONE_ORIGIN },
  ],
  goals: [p99RatioGoal(OWN, 'nobody-hangs', 1.2), p99RatioGoal(SHARED, 'nobody-hangs', 1.2)],
}))
