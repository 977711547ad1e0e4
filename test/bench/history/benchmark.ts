/** The cost of an import of a phone's history for the people who write meanwhile, to the same number. */
import { benchmark } from '../benchmark.ts'
import { p99Goal } from '../report/goal.ts'
import { HISTORY, historyPeers } from './peers.ts'

const RATE = 20
const BESIDE = `${RATE} live messages/s, beside a history of ${HISTORY.toLocaleString('en-GB')} messages`

/** The benchmark `history`. */
export const history = benchmark('history', 'from a live callback to its answer, while a history is imported', () => ({
  peers: historyPeers(),
  scenarios: [{ name: BESIDE, rate: RATE, keys: 1 }],
  goals: [p99Goal(BESIDE, 1_000)],
}))
