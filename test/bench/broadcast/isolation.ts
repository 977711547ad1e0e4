/** What broadcasts of one project cost the single sends of another one on the same node. */
import { benchmark } from '../benchmark.ts'
import { p99RatioGoal } from '../report/goal.ts'
import { besidePeers, PACE, UNPACED } from './beside.ts'

const RATE = 100
const PACED = `${RATE} single sends/s, beside broadcasts at ${PACE} messages/s`
const FREE = `${RATE} single sends/s, beside broadcasts at a provider without limits`

/** The benchmark `broadcast-isolation`. */
export const broadcastIsolation = benchmark(
  'broadcast-isolation',
  'from the request of a single send to its message at the provider, while another project broadcasts',
  () => ({
    peers: besidePeers(),
    scenarios: [
      { name: PACED, rate: RATE, keys: 1 },
      { name: FREE, rate: RATE, keys: 1, variant: UNPACED },
    ],
    goals: [p99RatioGoal(PACED, 'no-broadcast', 1.2), p99RatioGoal(FREE, 'no-broadcast', 1.2)],
  }),
)
