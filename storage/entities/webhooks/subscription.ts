import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** `contact`: events of one contact one after the other; `subscription`: all of them. */
export type WebhookOrdering = 'none' | 'subscription' | 'contact'
/** `push`: events are sent to `url`; `poll`: the receiver fetches them. */
export type WebhookMode = 'push' | 'poll'
/** `thin`: instead of the record, `data` has the addresses of the event and of the record. */
export type WebhookPayload = 'full' | 'thin'
/** `cloudevents`: CloudEvents 1.0 in structured mode. */
export type WebhookFormat = 'standard' | 'cloudevents'

/** The address of a polled subscription. No name server knows it (RFC 6761). */
export const NO_ADDRESS = 'https://poll.invalid/'

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

/** An outbound webhook. `secret`, `previous_secret` and `headers` are encrypted (`vault/credentials.ts`); a deleted one keeps its row for its deliveries. */
export const Subscription = defineEntity({
  name: 'Subscription',
  tableName: 'subscription',
  properties: {
    id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    name: p.text(),
    url: p.text(),
    /** Types and patterns as given, and the types that the patterns stood for when they were stored. */
    events: p.array<string>().columnType('text[]'),
    headers: p.text().nullable(),
    is_active: p.boolean(),
    secret: p.text(),
    secret_prefix: p.text(),
    ordering: p.text().$type<WebhookOrdering>(),
    /** Maximum requests in flight. */
    concurrency: p.integer(),
    mode: p.text().$type<WebhookMode>(),
    payload: p.text().$type<WebhookPayload>(),
    format: p.text().$type<WebhookFormat>(),
    /** Deliveries are signed with the project's key, too. */
    ed25519: p.boolean(),
    /** The answer 410 disables the subscription. */
    disable_on_410: p.boolean(),
    /** The secret before the last rotation, which signs too until `previous_secret_until`. */
    previous_secret: p.text().nullable(),
    previous_secret_until: p.datetime(3).nullable(),
    /** The user who created it, and who is notified when it is disabled. */
    user_id: p.text().nullable(),
    recovery: p.json<Recovery>().columnType('jsonb').nullable(),
    /** Consecutive dead deliveries. */
    failure_count: p.integer(),
    disabled_reason: p.text().nullable(),
    last_delivery_at: p.datetime(3).nullable(),
    /** The reason why the last attempt of a delivery failed; null when it succeeded. */
    last_error: p.text().nullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
    deleted_at: p.datetime(3).nullable(),
  },
})

export type Subscription = InferEntity<typeof Subscription>
