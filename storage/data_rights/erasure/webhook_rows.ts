/** Walks through the day tables of events, deliveries and attempts, which have no index by contact or project. */
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { objectIdAt } from '../../ids.ts'
import { literal } from '../../write_set.ts'
import { mentions, type Subject, textArray } from '../subject.ts'
import type { BatchContext, Progress } from './transaction.ts'

/** Rows visited in one transaction. */
const VISITED = 1000
/** Clocks of nodes may differ by less. */
const SLACK_MS = 86_400_000

type Walk = { table: 'event' | 'delivery' | 'attempt'; column: string; prefix: string; hits(subject: Subject): string }

const inProjects = ({ projects }: Subject) => `project_id = any (${textArray(projects)})`

const events: Walk = {
  table: 'event',
  column: 'id',
  prefix: 'evt_',
  hits: (subject) =>
    subject.kind === 'project' ? inProjects(subject) : `${inProjects(subject)} and ${mentions('data', subject)}`,
}

const deliveries: Walk = {
  table: 'delivery',
  column: 'id',
  prefix: 'dlv_',
  hits: (subject) =>
    subject.kind === 'project'
      ? inProjects(subject)
      : `${inProjects(subject)} and not exists (select from event where event.id = delivery.event_id)`,
}

const attempts: Walk = {
  table: 'attempt',
  column: 'delivery_id',
  prefix: 'dlv_',
  hits: () => 'not exists (select from delivery where delivery.id = attempt.delivery_id)',
}

/** Events that name the subject. */
export const eraseEvents = (context: BatchContext) => walk(context, events)
/** Deliveries whose event was erased. */
export const eraseDeliveries = (context: BatchContext) => walk(context, deliveries)
/** Attempts whose delivery was erased. */
export const eraseAttempts = (context: BatchContext) => walk(context, attempts)

function walk(context: BatchContext, { table, column, prefix, hits }: Walk): Promise<Progress> {
  const { subject, cursor, transaction } = context
  const after = cursor || `${prefix}${earliest(subject)}`
  return transaction(async (em) => {
    const visited = await em.execute<{ id: string; hit: boolean }[]>(`
      select ${column} as id, bool_or(${hits(subject)}) as hit from (
        select * from ${table} where ${column} >= ${literal(after)} order by ${column} limit ${VISITED}) ${table}
      group by ${column} order by ${column}`)
    const ids = visited.filter(({ hit }) => hit).map(({ id }) => literal(id))
    const count = ids.length === 0 ? 0 : await deleteAll(em, table, column, ids)
    const last = visited.at(-1)?.id
    // The last id is visited again, because it may have more rows.
    const is_over = last === undefined || last === after
    return { cursor: is_over ? null : last, counts: { [table]: count } }
  })
}

/** The bounds let PostgreSQL skip the tables of other days. */
async function deleteAll(em: SqlEntityManager, table: string, column: string, ids: string[]): Promise<number> {
  const [row] = await em.execute<{ count: number }[]>(`
    with gone as (
      delete from ${table} where ${column} between ${ids[0]} and ${ids.at(-1)} and ${column} in (${ids.join()}) returning 1
    ) select count(*)::int as count from gone`)
  return row!.count
}

/** The id of the moment before which nothing can name the subject: ids begin with their time. */
function earliest({ subject_id, contacts, customers }: Subject): string {
  const seconds = [subject_id, ...contacts, ...customers].map((id) => Number.parseInt(id.slice(0, 8), 16))
  return objectIdAt(new Date(Math.min(...seconds) * 1000 - SLACK_MS))
}
