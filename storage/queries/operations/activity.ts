/** Work that waits in the whole cluster, and the projects of actors. */
import type { Database } from '../../database/database.ts'
import { readQueueFigures } from '../../knowledge/queue.ts'
import { type Sql, sql } from '../../sql/sql.ts'

/** Counting stops at this number, so that a long queue costs little to look at. */
const MAX_COUNTED = 100_000

/** Queues other than that of messages between actors. Seconds are 0 where nothing waits. */
export async function readLags(database: Database) {
  const [[row], { pending, oldest_s }] = await Promise.all([
    database.execute<
      Record<'sends' | 'sends_oldest_s' | 'webhooks' | 'webhooks_overdue_s' | 'dead_letters', number>
    >(sql`
      select
        (select count(*)::integer from (select from dispatch limit ${MAX_COUNTED}) counted) as sends,
        coalesce((select extract(epoch from now() - created_at)::float8 from dispatch order by message_id limit 1), 0)
          as sends_oldest_s,
        webhooks, greatest(coalesce(webhooks_overdue_s, 0), 0) as webhooks_overdue_s,
        (select count(*)::integer from (select from dead_letter limit 10000) counted) as dead_letters
      from (
        select count(*)::integer as webhooks, extract(epoch from now() - min(next_attempt_at))::float8 as webhooks_overdue_s
        from (
          select next_attempt_at from delivery
          where status in ('pending', 'failed') and next_attempt_at is not null
          order by subscription_id, next_attempt_at limit ${MAX_COUNTED}
        ) counted
      ) due`),
    readQueueFigures(database),
  ])
  return { ...row!, documents: pending, documents_overdue_s: oldest_s }
}

/** The tables of the actors that belong to a project, by kind. */
const tables: Record<string, { table: string; id: Sql }> = {
  channel: { table: 'channel', id: sql`_id` },
  subscription: { table: 'subscription', id: sql`id` },
  broadcast: { table: 'broadcast', id: sql`id` },
}

type Owner = { project_id: string; project: string; company: string }

/** The projects of the actors at these addresses. Actors that belong to none are missing. */
export async function projectsOfActors(database: Database, addresses: string[]): Promise<Map<string, Owner>> {
  const named = addresses.map((address) => {
    const [kind = '', key = ''] = address.split('/')
    return { address, kind, key }
  })
  const by_kind = Map.groupBy(named, ({ kind }) => kind)
  const parts = (by_kind.get('project') ?? []).map(({ address, key }) => {
    return sql`select ${address} as address, ${key} as project_id`
  })
  for (const [kind, { table, id }] of Object.entries(tables)) {
    const keys = (by_kind.get(kind) ?? []).map(({ key }) => sql`${key}`)
    if (keys.length === 0) continue
    parts.push(
      sql`select ${`${kind}/`} || ${id} as address, project_id from ${sql.id(table)} where ${id} in (${sql.join(keys, ',')})`,
    )
  }
  if (parts.length === 0) return new Map()
  const rows = await database.execute<Owner & { address: string }>(sql`
    select actor.address, project._id as project_id, project.name as project, company.name as company
    from (${sql.join(parts, ' union all ')}) actor
    join project on project._id = actor.project_id join company on company._id = project.company_id`)
  return new Map(rows.map(({ address, ...owner }) => [address, owner]))
}
