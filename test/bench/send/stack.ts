import type { Peer } from '../peer.ts'
import { startPostgres } from '../servers/postgres.ts'
import { startRedis } from '../servers/redis.ts'
import { startRemote } from '../servers/remote.ts'
import { CREDENTIALS } from './provider.ts'
import { type Sender, sendingPeer } from './sending_peer.ts'

/** The configuration of the processes of the usual stack. */
export type StackConfig = {
  database_url: string
  redis_port: number
  provider_url: string
  /** The port of the customer's webhook receiver, when there is one. */
  receiver_port?: number
  token: string
  credentials: typeof CREDENTIALS
}

/** The usual stack: a Fastify process, a BullMQ worker process, PostgreSQL through node-postgres, Redis. */
export function stackPeer(): Peer {
  return sendingPeer('fastify-bullmq', (directory, provider) => startStack(directory, { provider_url: provider.url }))
}

/** Starts the stack. With a port of a receiver it also tells that one of received messages. */
export async function startStack(
  directory: string,
  places: Pick<StackConfig, 'provider_url' | 'receiver_port'>,
): Promise<Sender> {
  const postgres = await startPostgres(directory)
  const redis = await startRedis(directory)
  const token = `svc_pk_${'b'.repeat(38)}`
  const config: StackConfig = {
    ...places,
    database_url: postgres.url,
    redis_port: redis.port,
    token,
    credentials: CREDENTIALS,
  }
  const api = await startRemote('fastify', import.meta.url, './stack_api_host.ts', config)
  const worker = await startRemote('bullmq worker', import.meta.url, './stack_worker_host.ts', config)
  return {
    port: await api.call<number>('port'),
    token,
    webhook_path: '/webhooks/whatsapp',
    database_url: postgres.url,
    processes: {
      api: api.child.pid,
      worker: worker.child.pid,
      postgres: postgres.server.pid,
      redis: redis.child.pid,
    },
    async stop() {
      for (const server of [api.child, worker.child, redis.child, postgres.server]) await server.stop()
    },
  }
}
