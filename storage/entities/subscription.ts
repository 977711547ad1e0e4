import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** `contact`: events of one contact one after the other; `subscription`: all of them. */
export type WebhookOrdering = 'none' | 'subscription' | 'contact'

/** Progress of a recovery, which sends undelivered events again from a given time on. */
export type Recovery = {
  since: string
  /** The recovery ignores deliveries made after it was requested. */
  until: string
  status: 'running' | 'completed' | 'cancelled'
  /** Deliveries to be queued again at the start, once they are counted, and deliveries queued so far. */
  total: number | null
  requeued: number
  /** The last delivery examined; an id, or a prefix that sorts before all ids of its time. */
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
    /** Maximum requests in flight. */
    concurrency: p.integer(),
    /** The user who created it, and who is notified when it is disabled. */
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
