/** Recording events of clients: the busiest request of the API. */
import { benchmark } from '../benchmark.ts'
import { cpuRatioGoal, p99Goal, ratioGoal } from '../report/goal.ts'
import { startRemote } from '../servers/remote.ts'
import { ingestingPeer } from './ingesting_peer.ts'
import { parleyPeer } from './ours.ts'
import { HALF, MANY_PROJECTS, PEOPLE, WITH_KEY } from './shape.ts'
import { stackPeer } from './stack.ts'

const HOT = 'one project, 256 in flight'
const HOT_HALF = 'one project, half of the maximum, open loop'
const MANY = '1000 projects, 256 in flight'
const MANY_HALF = '1000 projects, half of the maximum, open loop'
const KEYED = 'one project, each event with an idempotency_key, 256 in flight'

const STACK = 'fastify-stack'

/** The benchmark `ingest`. */
export const ingest = benchmark('ingest', 'POST /v1/crm/events, durable with its answer', () => ({
  peers: [parleyPeer(), barePeer(), stackPeer(STACK, true), stackPeer('fastify-no-jobs', false)],
  scenarios: [
    { name: HOT, in_flight: 256, keys: PEOPLE },
    { name: HOT_HALF, keys: PEOPLE, variant: HALF, peers: ['parley', STACK] },
    { name: MANY, in_flight: 256, keys: PEOPLE, variant: MANY_PROJECTS },
    { name: MANY_HALF, keys: PEOPLE, variant: `${MANY_PROJECTS} ${HALF}`, peers: ['parley', STACK] },
    { name: KEYED, in_flight: 256, keys: PEOPLE, variant: WITH_KEY, peers: ['parley', STACK] },
  ],
  goals: [
    ratioGoal(HOT, STACK, 10),
    cpuRatioGoal(HOT, STACK, 10),
    ratioGoal(HOT, 'bare-uws', 0.2),
    p99Goal(HOT_HALF, 50),
    ratioGoal(MANY, STACK, 10),
    cpuRatioGoal(MANY, STACK, 10),
    p99Goal(MANY_HALF, 50),
    ratioGoal(KEYED, STACK, 10),
    cpuRatioGoal(KEYED, STACK, 10),
  ],
}))

function barePeer() {
  return ingestingPeer('bare-uws', async () => {
    const host = await startRemote('bare uWebSockets.js', import.meta.url, './bare_host.ts')
    const people = Array.from({ length: PEOPLE }, (_, n) => ({
      chat_user_id: n.toString(16).padStart(24, 'a'),
      token: `svc_pk_${'a'.repeat(38)}`,
    }))
    const port = await host.call<number>('port')
    return { port, hot: people, many: people, processes: { host: host.child.pid }, stop: host.child.stop }
  })
}
