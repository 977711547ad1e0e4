import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** `user`: a person who is signed in to the console. `system`: the service itself. */
export type AuditActorKind = 'operator' | 'token' | 'user' | 'system'

/** The record of one change. The table refuses changes of entries (migration 0035). */
export const AuditEntry = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entry',
  properties: {
    _id: p.text().primary(),
    created_at: p.datetime(3),
    actor_kind: p.text().$type<AuditActorKind>(),
    /** The id of the operator key, token or user. Null for the key of the settings, and for the service itself. */
    actor_id: p.text().nullable(),
    /** The actor's name at that time. */
    actor_name: p.text().nullable(),
    /** The client address. */
    address: p.text().nullable(),
    request_id: p.text().nullable(),
    /** The operation of the API, or the name of a change that the service makes itself. */
    action: p.text(),
    /** The kind of the changed record: the name of its table. */
    target_kind: p.text(),
    /** Null where an operation concerns many records. */
    target_id: p.text().nullable(),
    company_id: p.text().nullable(),
    project_id: p.text().nullable(),
    /** The fields that the change touched, without secrets. Null for a new record. */
    before: p.json<Record<string, unknown>>().columnType('jsonb').nullable(),
    /** The same after the change. Null for a deleted record. */
    after: p.json<Record<string, unknown>>().columnType('jsonb').nullable(),
    /** Time at which the personal data was removed. */
    erased_at: p.datetime(3).nullable(),
  },
})

export type AuditEntry = InferEntity<typeof AuditEntry>
