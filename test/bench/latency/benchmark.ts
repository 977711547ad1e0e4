/** How long a message takes through the service, in both directions, at a calm and at a busy rate. */
import { benchmark } from '../benchmark.ts'
import { SECRET } from '../deliver/shape.ts'
import type { Peer } from '../peer.ts'
import { figureGoal, p99RatioGoal } from '../report/goal.ts'
import { openSender } from '../send/ours.ts'
import { startStack } from '../send/stack.ts'
import { startParley } from '../servers/parley.ts'
import { INBOUND, OUTBOUND } from './bodies.ts'
import { latencyPeer } from './latency_peer.ts'

const STACK = 'fastify-bullmq'

const SCENARIOS = [INBOUND, OUTBOUND].flatMap((variant) =>
  [50, 500].map((rate) => ({ name: `${variant}, ${rate}/s`, rate, keys: 1, variant })),
)

/** The benchmark `latency`. */
export const latency = benchmark('latency', 'from a callback to the receiver, from a request to the provider', () => ({
  peers: [parleyPeer(), stackPeer()],
  scenarios: SCENARIOS,
  goals: SCENARIOS.flatMap(({ name }) => [p99RatioGoal(name, STACK, 1), figureGoal(name, 'parley', 'lost', 0)]),
}))

function parleyPeer(): Peer {
  return latencyPeer('parley', async (directory, port) => {
    const node = await startParley(directory)
    const sender = await openSender(node, `http://127.0.0.1:${port}`)
    const response = await fetch(`http://127.0.0.1:${node.port}/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sender.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'Receiver',
        url: `http://127.0.0.1:${port}/hook/parley`,
        events: ['whatsapp.message.received'],
      }),
    })
    const text = await response.text()
    if (response.status !== 201) throw new Error(`POST /v1/webhooks: ${response.status} ${text}`)
    return { ...sender, receiver_secret: JSON.parse(text).secret }
  })
}

function stackPeer(): Peer {
  return latencyPeer(STACK, async (directory, port) => {
    const stack = await startStack(directory, { provider_url: `http://127.0.0.1:${port}`, receiver_port: port })
    return { ...stack, receiver_secret: SECRET }
  })
}
