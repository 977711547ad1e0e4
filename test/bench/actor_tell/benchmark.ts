/** Durable keyed counters: an operation ends when its effect is committed. */
import { benchmark } from '../benchmark.ts'
import type { Peer } from '../peer.ts'
import { p99Goal, rateGoal, ratioGoal } from '../report/goal.ts'
import { startPostgres } from '../servers/postgres.ts'
import { startRedis } from '../servers/redis.ts'
import { hostedPeer } from './hosted_peer.ts'
import { parleyPeer } from './ours.ts'
import { restatePeer } from './restate.ts'

const MAX_IN_FLIGHT = 512
const MANY = '64 in flight, 64 keys'
const HOT = '64 in flight, 1 key'
const MANY_DEEP = '512 in flight, 64 keys'
const HOT_DEEP = '512 in flight, 1 key'

/** The benchmark `actor-tell`. */
export const actorTell = benchmark(
  'actor-tell',
  'durable keyed counter, from the call to the commit',
  ({ sync_always }) => ({
    peers: [
      parleyPeer('parley', 'default'),
      ...(sync_always ? [parleyPeer('parley-sync-always', 'always')] : []),
      restatePeer(MAX_IN_FLIGHT),
      bullmq(),
      graphile('graphile'),
      graphile('graphile-local-queue', { worker: { localQueue: { size: 64 }, completeJobBatchDelay: 0 } }),
      upsert(),
    ],
    scenarios: [
      { name: MANY, in_flight: 64, keys: 64 },
      { name: HOT, in_flight: 64, keys: 1 },
      { name: MANY_DEEP, in_flight: 512, keys: 64 },
      { name: HOT_DEEP, in_flight: 512, keys: 1 },
    ],
    goals: [
      ratioGoal(MANY, 'restate', 6),
      ratioGoal(MANY, 'upsert', 0.5),
      rateGoal(MANY, 12_000),
      p99Goal(MANY, 20),
      ratioGoal(HOT, 'restate', 25),
      ratioGoal(HOT, 'upsert', 1),
      rateGoal(HOT, 10_000),
      p99Goal(HOT, 20),
      rateGoal(MANY_DEEP, 20_000),
      rateGoal(HOT_DEEP, 20_000),
    ],
  }),
)

function bullmq(): Peer {
  return hostedPeer('bullmq', './bullmq_host.ts', async (directory) => {
    const redis = await startRedis(directory)
    return { servers: { redis: redis.child }, config: { redis_port: redis.port, concurrency: 64 } }
  })
}

function graphile(name: string, preset?: object): Peer {
  return hostedPeer(name, './graphile_host.ts', async (directory) => {
    const { server, url } = await startPostgres(directory)
    return { servers: { postgres: server }, config: { url, concurrency: 16, connections: 20, preset } }
  })
}

function upsert(): Peer {
  return hostedPeer('upsert', './upsert_host.ts', async (directory) => {
    const { server, url } = await startPostgres(directory)
    return { servers: { postgres: server }, config: { url, connections: 32 } }
  })
}
