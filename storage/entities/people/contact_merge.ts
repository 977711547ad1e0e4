import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { Consent } from './contact.ts'

/** `merging` and `undoing`: the records of a large contact are still being moved. */
export type ContactMergeStatus = 'merging' | 'merged' | 'undoing' | 'undone'

/** Where a merge came from: a request, or a call of the provider that has the ids of both contacts. */
export type ContactMergeReason = 'request' | 'proof'

/** What a merge changed in the contact that stays, and in the ticket of the other one, for the undo. */
export type MergeChanges = {
  /** Columns that the contact lacked. */
  filled: Partial<Record<'name' | 'phone' | 'email' | 'avatar' | 'customer_id', string>>
  custom_fields: Record<string, unknown>
  consent: { before: Consent | null; after: Consent | null }
  /** The customer of the contact that was merged. */
  customer_id: string | null
  /** The ticket that was closed, because the contact that stays has an open one, and what that one took over. */
  closed: {
    ticket_id: string
    into: string
    unread_count: number
    inbound_count: number
    /** `waiting_since` of the other one (ISO 8601), before and after. */
    waiting: { before: string | null; after: string | null }
  } | null
}

/** Two contacts that became one. */
export const ContactMerge = defineEntity({
  name: 'ContactMerge',
  tableName: 'contact_merge',
  properties: {
    _id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    /** The contact that stays. It may be merged itself later. */
    contact_id: p.text(),
    /** The contact that became part of it. */
    from_contact_id: p.text(),
    status: p.text().$type<ContactMergeStatus>(),
    reason: p.text().$type<ContactMergeReason>(),
    changes: p.json<MergeChanges>(),
    /** The user; null for a merge that a provider proved. */
    created_by: p.text().nullable(),
    created_at: p.datetime(3),
    undo_until: p.datetime(3),
    undone_at: p.datetime(3).nullable(),
    updated_at: p.datetime(3),
  },
})

export type ContactMerge = InferEntity<typeof ContactMerge>
