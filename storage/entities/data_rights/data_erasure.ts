import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

export type RightsKind = 'contact' | 'customer' | 'project'
export type ErasureStatus = 'running' | 'done'

/**
 * The erasure of a contact, a customer or a project; afterwards the proof of it, without data of the person.
 *
 * The actor of the erasure writes `status`, `phase`, `waits_for` and `remark`; the batches write `cursor` and `counts`
 * in the transactions that delete.
 */
export const DataErasure = defineEntity({
  name: 'DataErasure',
  tableName: 'data_erasure',
  properties: {
    _id: p.text().primary(),
    kind: p.text().$type<RightsKind>(),
    /** Id of the contact, customer or project. */
    subject_id: p.text(),
    company_id: p.text(),
    /** Null for a customer, who belongs to the company. */
    project_id: p.text().nullable(),
    requested_by: p.text(),
    reason: p.text().nullable(),
    status: p.text().$type<ErasureStatus>(),
    /** Index of the phase under way (`storage/data_rights/phases.ts`). */
    phase: p.integer(),
    /** Place within the phase. */
    cursor: p.text(),
    /** Addresses of actors whose answer the phase waits for. */
    waits_for: p.json<string[]>(),
    /** Erased rows by kind of record. */
    counts: p.json<Record<string, number>>(),
    /** Why it does not go on, if it does not. */
    remark: p.text().nullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
    ended_at: p.datetime(3).nullable(),
  },
})

export type DataErasure = InferEntity<typeof DataErasure>
