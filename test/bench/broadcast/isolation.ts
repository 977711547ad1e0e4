/**
 * The cost of broadcasts for others on the same node: for the single sends of another project, and for other
 * broadcasts.
 */
import { benchmark } from '../benchmark.ts'
import { figureGoal, p99RatioGoal } from '../report/goal.ts'
import { BESIDE, besidePeers, MANY, MANY_PROJECTS, PACE, UNPACED } from './beside.ts'
import { crowdPeer, PROJECTS, SHARES, SPREAD } from './crowd.ts'

const RATE = 100
const PACED = `${RATE} single sends/s, beside broadcasts at ${PACE} messages/s`
const FREE = `${RATE} single sends/s, beside broadcasts at a provider without limits`
const TWENTY = `${RATE} single sends/s, beside ${MANY_PROJECTS} projects that broadcast at ${PACE} messages/s each`
const CROWD = `${PROJECTS} projects broadcast at once`
const CROWDED = 'parley-crowd'

/** The benchmark `broadcast-isolation`. */
export const broadcastIsolation = benchmark(
  'broadcast-isolation',
  'from the request of a single send to its message at the provider, while another project broadcasts',
  () => ({
    peers: [...besidePeers(), crowdPeer(CROWDED)],
    scenarios: [
      { name: PACED, rate: RATE, keys: 1, peers: BESIDE },
      { name: FREE, rate: RATE, keys: 1, variant: UNPACED, peers: BESIDE },
      { name: TWENTY, rate: RATE, keys: 1, variant: MANY, peers: BESIDE },
      { name: CROWD, keys: PROJECTS, peers: [CROWDED] },
    ],
    goals: [
      p99RatioGoal(PACED, 'no-broadcast', 1.2),
      p99RatioGoal(FREE, 'no-broadcast', 1.2),
      p99RatioGoal(TWENTY, 'no-broadcast', 1.5),
      figureGoal(CROWD, CROWDED, SPREAD, 1.5),
      figureGoal(CROWD, CROWDED, SHARES, 2),
    ],
  }),
)
