import pg from 'pg'
import { generateTokenSecret, migrate, objectId, openDatabase } from '../../../storage/mod.ts'
import type { Peer } from '../peer.ts'
import { startPostgres } from '../servers/postgres.ts'
import { startRedis } from '../servers/redis.ts'
import { startRemote } from '../servers/remote.ts'
import { ingestingPeer } from './ingesting_peer.ts'
import { seedPeople } from './seed.ts'
import { PEOPLE } from './shape.ts'

/** Fastify, node-postgres and Redis, on our tables and indexes, with or without a job for webhooks in BullMQ. */
export function stackPeer(name: string, jobs: boolean): Peer {
  return ingestingPeer(name, async (directory) => {
    const postgres = await startPostgres(directory)
    const redis = await startRedis(directory)
    const tables = await openDatabase({ url: postgres.url })
    await migrate(tables)
    await tables.close()
    const database = new pg.Client({ connectionString: postgres.url })
    await database.connect()
    const company_id = objectId()
    const projects = Array.from({ length: PEOPLE + 1 }, () => ({ id: objectId(), token: generateTokenSecret().token }))
    const [first, ...others] = projects
    const hot = await seedPeople(database, company_id, [first!.id], PEOPLE)
    const many = await seedPeople(
      database,
      company_id,
      others.map(({ id }) => id),
      1,
    )
    await database.end()
    const api = await startRemote('fastify', import.meta.url, './stack_host.ts', {
      database_url: postgres.url,
      redis_port: redis.port,
      jobs,
      projects: projects.map(({ id, token }) => [token, id]),
    })
    return {
      port: await api.call<number>('port'),
      hot: hot.map((chat_user_id) => ({ chat_user_id, token: first!.token })),
      many: many.map((chat_user_id, n) => ({ chat_user_id, token: others[n]!.token })),
      database_url: postgres.url,
      processes: { api: api.child.pid, postgres: postgres.server.pid, redis: redis.child.pid },
      async stop() {
        for (const server of [api.child, redis.child, postgres.server]) await server.stop()
      },
    }
  })
}
