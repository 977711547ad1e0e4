import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** `contact`: events of one contact one after the other; `subscription`: all of them. */
export type WebhookOrdering = 'none' | 'subscription' | 'contact'

/** Sending again what was not delivered since a moment: how far it is. */
export type Recovery = {
  since: string
  /** Deliveries made after the recovery was asked for are not its business. */
  until: string
  status: 'running' | 'completed' | 'cancelled'
  /** How many there were to queue again at the start, once that is known, and how many were so far. */
  total: number | null
  requeued: number
  /** The last delivery looked at; an id, or what stands before all ids of its time. */
  cursor: string
  started_at: string
  completed_at: string | null
}

/** An outbound webhook. `secret` and `headers` are encrypted (`credentials.ts`); a deleted one keeps its row for its deliveries. */
export const Subscription = defineEntity({
  name: 'Subscription',
  tableName: 'subscription',
  properties: {
    id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    name: p.text(),
    url: p.text(),
    events: p.array<string>().columnType('text[]'),
    headers: p.text().nullable(),
    is_active: p.boolean(),
    secret: p.text(),
    secret_prefix: p.text(),
    ordering: p.text().$type<WebhookOrdering>(),
    /** Most requests in flight. */
    concurrency: p.integer(),
    /** Who made it, and hears when it is switched off. */
    user_id: p.text().nullable(),
    recovery: p.json<Recovery>().columnType('jsonb').nullable(),
    /** Consecutive dead deliveries. */
    failure_count: p.integer(),
    disabled_reason: p.text().nullable(),
    last_delivery_at: p.datetime(3).nullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
    deleted_at: p.datetime(3).nullable(),
  },
})

export type Subscription = InferEntity<typeof Subscription>
