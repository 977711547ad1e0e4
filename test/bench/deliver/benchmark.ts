/** The way from an event to its signed POST at a receiver and the stored outcome. */
import { hostedPeer } from '../actor_tell/hosted_peer.ts'
import { benchmark } from '../benchmark.ts'
import type { Peer } from '../peer.ts'
import { ratioGoal } from '../report/goal.ts'
import type { Server } from '../servers/child.ts'
import { startNats } from '../servers/nats.ts'
import { startPostgres } from '../servers/postgres.ts'
import { startRedis } from '../servers/redis.ts'
import { type Remote, startRemote } from '../servers/remote.ts'
import { TARGETS } from './shape.ts'

const BUSY = '512 in flight, 16 receivers'
const CALM = '64 in flight, 16 receivers'

/** The benchmark `deliver`. */
export const deliver = benchmark('deliver', 'from an event to the stored outcome of its signed POST', () => ({
  peers: [
    sinkPeer('parley', 'ours_host', async (directory) => {
      const postgres = await startPostgres(directory)
      const nats = await startNats(directory, 'default')
      return {
        servers: { postgres: postgres.server, nats: nats.server },
        config: { database_url: postgres.url, nats_url: nats.url },
      }
    }),
    sinkPeer('bare-undici', 'bare_host', async () => ({ servers: {}, config: {} })),
    ...(['everysec', 'always'] as const).map((fsync) =>
      sinkPeer(fsync === 'everysec' ? 'bullmq' : 'bullmq-synced', 'bullmq_host', async (directory) => {
        const redis = await startRedis(directory, fsync)
        return { servers: { redis: redis.child }, config: { redis_port: redis.port } }
      }),
    ),
    sinkPeer('graphile', 'graphile_host', async (directory) => {
      const { server, url } = await startPostgres(directory)
      return { servers: { postgres: server }, config: { url } }
    }),
  ],
  scenarios: [
    { name: BUSY, in_flight: 512, keys: TARGETS },
    { name: CALM, in_flight: 64, keys: TARGETS },
  ],
  goals: [
    ratioGoal(BUSY, 'bare-undici', 0.5),
    ratioGoal(BUSY, 'bullmq', 3),
    ratioGoal(BUSY, 'bullmq-synced', 3),
    ratioGoal(BUSY, 'graphile', 3),
  ],
}))

type Started = { servers: Record<string, Server>; config: object }

/** A peer with a sink of its own. A stored delivery must also have been received. */
function sinkPeer(name: string, host: string, servers: (directory: string) => Promise<Started>): Peer {
  let sink: Remote | undefined
  const peer = hostedPeer(name, `../deliver/${host}.ts`, async (directory) => {
    const made = await servers(directory)
    sink = await startRemote('sink', import.meta.url, './sink_host.ts')
    const sink_port = await sink.call<number>('port')
    return { servers: { ...made.servers, sink: sink.child }, config: { ...made.config, sink_port } }
  })
  return {
    ...peer,
    stored: async () => Math.min(await peer.stored!(), await sink!.call<number>('received')),
  }
}
