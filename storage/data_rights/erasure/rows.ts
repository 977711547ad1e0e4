/** Batches over the records of the subject, kind by kind. */
import type { EntityManager } from '../../database/entity_manager.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { deleteBatch, deleteNamed, type RecordKind } from '../record_kind.ts'
import { recordKinds } from '../records/list.ts'
import { namesRecords, type Subject } from '../subject.ts'
import { addParts } from './parts.ts'
import type { BatchContext, Progress } from './transaction.ts'
import { type Walk, walkAll } from './walk.ts'
import { earliest } from './webhook_rows.ts'

/** Records that refer to others go first. */
const backwards = recordKinds.toReversed()

function conditionOf({ person, indexed = person, project }: RecordKind, subject: Subject): Sql | undefined {
  return (subject.kind === 'project' ? project : indexed)?.(subject)
}

/** Erases one batch of the first kind that has records left. The cursor is the index of the kind. */
export function eraseRows(context: BatchContext): Promise<Progress> {
  return context.transaction(async (em) => {
    for (let at = Number(context.cursor || 0); at < backwards.length; at++) {
      const kind = backwards[at]!
      const where = kind.erase === false ? undefined : conditionOf(kind, context.subject)
      if (where === undefined) continue
      const count = await eraseBatch(em, kind, where, context)
      if (count > 0) return { cursor: String(at), counts: { [kind.type]: count } }
    }
    return { cursor: null }
  })
}

/**
 * Walks through the timelines of the projects for events whose ticket is gone, and through the audit for appointments and
 * memberships that were deleted before: webhook events and further entries name the person by their ids.
 */
export function eraseTimeline({ erasure, subject, cursor, transaction }: BatchContext): Promise<Progress> {
  const from = earliest(subject)
  const timelines: Walk[] = [...new Set(subject.known.map(({ project_id }) => project_id))].map((project_id) => ({
    table: 'crm_event',
    key: ['_id'],
    among: sql`project_id = ${project_id}`,
    from,
    hits: sql`chat_user = any (${subject.contacts})`,
  }))
  const named = [sql`before`, sql`after`].map((column) => namesRecords(sql`coalesce(${column}, '{}')`, subject))
  const deleted: Walk = {
    table: 'audit_entry',
    key: ['_id', 'target_id'],
    among: sql`company_id = ${subject.company_id}`,
    from,
    hits: sql`target_kind in ('appointment', 'loyalty_membership') and (${sql.join(named, ' or ')})`,
    keeps: true,
    note: (em, keys) =>
      addParts(
        em,
        erasure._id,
        'record',
        keys.map(([, id]) => ({ value: String(id) })),
      ),
  }
  return transaction((em) => walkAll(em, [...timelines, deleted], cursor))
}

/** The ids of deleted records are noted: webhook events, answers and audit entries name the person by them. */
async function eraseBatch(em: EntityManager, kind: RecordKind, where: Sql, context: BatchContext): Promise<number> {
  const { table, named_by, erase } = kind
  if (erase) return erase(em, where, context)
  if (named_by === undefined || context.subject.kind === 'project') return deleteBatch(em, table, where)
  const ids = await deleteNamed(em, table, where, named_by)
  await addParts(
    em,
    context.erasure._id,
    'record',
    ids.map((value) => ({ value })),
  )
  return ids.length
}
