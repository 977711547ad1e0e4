/**
 * Walks through the day tables of events, deliveries and attempts, which have no index by contact or project. An event is
 * found by the ids of records alone: each event about a person has the id of the contact or the customer, so that the
 * events of another contact with the same number stay.
 */

import { sql } from '../../sql/sql.ts'
import { objectIdAt } from '../../values/ids.ts'
import { namesRecords, type Subject } from '../subject.ts'
import { addParts } from './parts.ts'
import type { BatchContext, Progress } from './transaction.ts'
import { type Walk, walkOn } from './walk.ts'

/** Clocks of nodes may differ by less. */
const SLACK_MS = 86_400_000

const inProjects = ({ projects }: Subject) => sql`project_id = any (${projects})`

/** Events that name the subject. Their ids lead to the deliveries. */
export function eraseEvents({ subject, erasure, cursor, transaction }: BatchContext): Promise<Progress> {
  const all = inProjects(subject)
  const hits = subject.kind === 'project' ? all : sql`${all} and ${namesRecords(sql`data`, subject)}`
  const from = `evt_${earliest(subject)}`
  const note: Walk['note'] = (em, keys) =>
    addParts(
      em,
      erasure._id,
      'event',
      keys.map(([id]) => ({ value: String(id) })),
    )
  const walk: Walk = { table: 'event', key: ['id'], from, hits, ...(subject.kind !== 'project' && { note }) }
  return transaction((em) => walkOn(em, walk, cursor))
}

/** Deliveries of erased events. An event may have expired before its delivery: the order by contact names the person, too. */
export function eraseDeliveries({ subject, erasure, cursor, transaction }: BatchContext): Promise<Progress> {
  const all = inProjects(subject)
  const is_of_event = sql`exists (select from data_erasure_part part
    where part.erasure_id = ${erasure._id} and part.kind = 'event' and part.value = delivery.event_id)`
  const is_ordered = sql`ordering_key = any (${subject.contacts})`
  const hits = subject.kind === 'project' ? all : sql`${all} and (${is_ordered} or ${is_of_event})`
  const from = `dlv_${earliest(subject)}`
  return transaction((em) => walkOn(em, { table: 'delivery', key: ['id'], from, hits }, cursor))
}

/** Attempts whose delivery was erased, and those whose response names a record of the subject. */
export function eraseAttempts({ subject, cursor, transaction }: BatchContext): Promise<Progress> {
  const is_named = namesRecords(sql`coalesce(excerpt, '')`, subject)
  const hits = sql`not exists (select from delivery where delivery.id = attempt.delivery_id) or ${is_named}`
  const from = `dlv_${earliest(subject)}`
  return transaction((em) => walkOn(em, { table: 'attempt', key: ['delivery_id', 'attempt'], from, hits }, cursor))
}

/** The id of the moment before which nothing can name the subject: ids begin with their time. */
export function earliest({ subject_id, contacts, customers }: Subject): string {
  let least = Number.parseInt(subject_id.slice(0, 8), 16)
  // Not as arguments of one call: those of a customer with very many contacts would not fit on the stack.
  for (const id of [...contacts, ...customers]) least = Math.min(least, Number.parseInt(id.slice(0, 8), 16))
  return objectIdAt(new Date(least * 1000 - SLACK_MS))
}
