/** The way of a message from the request to the stored answer of the provider. */
import { benchmark } from '../benchmark.ts'
import { ratioGoal } from '../report/goal.ts'
import { parleyPeer, tracingPeer } from './ours.ts'
import { CALLBACKS } from './sending_peer.ts'
import { stackPeer } from './stack.ts'

const SENT = '64 in flight, until sent is stored'
const DELIVERED = '64 in flight, until the delivered callback is stored'

/** The benchmark `send`. */
export const send = benchmark('send', 'POST /v1/messages to the stored status of every message', () => ({
  peers: [parleyPeer(), tracingPeer(), stackPeer()],
  scenarios: [
    { name: SENT, in_flight: 64, keys: 1 },
    { name: DELIVERED, in_flight: 64, keys: 1, variant: CALLBACKS },
  ],
  goals: [ratioGoal(SENT, 'fastify-bullmq', 5), ratioGoal(DELIVERED, 'fastify-bullmq', 5)],
}))
