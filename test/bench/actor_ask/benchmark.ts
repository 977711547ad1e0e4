/** Questions to actors, answered without a commit: on the same node, and on another one against a bare NATS request. */
import { benchmark } from '../benchmark.ts'
import type { Load } from '../load/loop.ts'
import { cpuGoal, p50RatioGoal } from '../report/goal.ts'
import { askVariants } from './asks.ts'
import { natsPeer } from './nats.ts'
import { parleyPeer } from './ours.ts'

type Scenario = Omit<Load, 'seconds'> & { name: string; peers: string[] }

/** The benchmark `actor-ask`. */
export const actorAsk = benchmark('actor-ask', 'request and reply of an actor here and on another node', () => {
  const scenarios = askVariants.flatMap((variant) => [scenarioOf(variant, 1), scenarioOf(variant, 64)])
  return {
    peers: [parleyPeer(), natsPeer()],
    scenarios,
    goals: scenarios
      .filter(({ variant }) => !variant?.endsWith('commit'))
      .map(({ name, peers }) => (peers.includes('nats') ? p50RatioGoal(name, 'nats', 1.3) : cpuGoal(name, 25))),
  }
})

function scenarioOf(variant: string, in_flight: number): Scenario {
  const peers = variant === 'remote peek' || variant === 'remote turn' ? ['parley', 'nats'] : ['parley']
  return { name: `${variant}, ${in_flight} in flight`, variant, in_flight, keys: 64, peers }
}
