import type { Origin } from '../database/origin.ts'
import type { AuditEntry } from '../entities/mod.ts'
import { objectId } from '../values/ids.ts'
import { newDate } from '../values/time.ts'
import { auditDifference } from './shown.ts'

/** The changed record. */
export type AuditChange = {
  /** The name of the record's table. */
  target_kind: string
  /** Left out where an operation concerns many records; `after` then says which. */
  target_id?: string | null | undefined
  company_id?: string | null | undefined
  project_id?: string | null | undefined
  /** The record before the change, as stored or as the API shows it. Left out for a new record. */
  before?: object | null | undefined
  /** The record after the change. Left out for a deleted record. */
  after?: object | null | undefined
}

/**
 * The row for a change, to be inserted in the transaction of that change: `turn.insert(AuditEntry, row)` in the turn of
 * an actor, `writeAudit` in a transaction. Of a record before and after, only the fields that differ are kept. Secrets
 * are hidden, and long values are cut (`shown.ts`).
 *
 * @returns undefined when the record before equals the record after
 */
export function auditEntry(origin: Origin, change: AuditChange): AuditEntry | undefined {
  const { target_kind, target_id = null, company_id = null, project_id = null } = change
  const difference = auditDifference(change.before ?? null, change.after ?? null)
  if (!difference) return undefined
  return {
    _id: objectId(),
    created_at: newDate(),
    ...origin,
    target_kind,
    target_id,
    company_id,
    project_id,
    ...difference,
    erased_at: null,
  }
}
