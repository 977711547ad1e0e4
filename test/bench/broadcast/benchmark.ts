/** A broadcast from the request until the provider has taken the last recipient's message. */
import { benchmark } from '../benchmark.ts'
import { ratioGoal } from '../report/goal.ts'
import { RECIPIENTS } from './campaign.ts'
import { loopPeer } from './loop.ts'
import { parleyPeer } from './ours.ts'

const ALL_SENT = `${RECIPIENTS} recipients, until sent is stored of all`

/** The benchmark `broadcast`. */
export const broadcast = benchmark('broadcast', 'one template to many people, at a provider without limits', () => ({
  peers: [parleyPeer(), loopPeer()],
  scenarios: [{ name: ALL_SENT, keys: 1 }],
  goals: [ratioGoal(ALL_SENT, 'p-limit', 4)],
}))
