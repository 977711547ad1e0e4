/** The gain of another node process, while PostgreSQL's share of the machine stays the same. */
import { benchmark } from '../benchmark.ts'
import type { Row } from '../compare.ts'
import { type Goal, ratesOf } from '../report/goal.ts'
import { clusterPeer } from './cluster_peer.ts'
import { INGEST, PROJECTS } from './shape.ts'

const SEND = 'send: 128 in flight over 64 projects, until sent is stored'
const EVENTS = 'ingest: 128 in flight over 64 projects'

const ONE = '1 node'
const TWO = '2 nodes'
const FOUR = '4 nodes'

/** The benchmark `nodes`. It needs root, because it limits the CPU of its processes. */
export const nodes = benchmark(
  'nodes',
  'one, two and four nodes of a quarter core, beside half a core of PostgreSQL',
  () => ({
    peers: [clusterPeer(ONE, 1), clusterPeer(TWO, 2), clusterPeer(FOUR, 4)],
    scenarios: [
      { name: SEND, in_flight: 128, keys: PROJECTS },
      { name: EVENTS, in_flight: 128, keys: PROJECTS, variant: INGEST },
    ],
    goals: [SEND, EVENTS].flatMap((scenario) => [gainGoal(scenario, TWO, 1.7), gainGoal(scenario, FOUR, 3)]),
  }),
)

/** Throughput over that of one node, round by round. */
function gainGoal(scenario: string, peer: string, value: number): Goal {
  const measure = (rows: Row[]) => {
    const [more, one] = [ratesOf(rows, peer), ratesOf(rows, ONE)]
    return more && one && more.map((rate, round) => rate / (one[round] ?? Number.NaN))
  }
  return { scenario, text: `${peer}: throughput at least ${value} × ${ONE}`, bound: 'at least', value, measure }
}
