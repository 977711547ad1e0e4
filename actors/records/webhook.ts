/** Subscriptions, their signing keys and their deliveries as the API shows them. */
import * as v from 'valibot'
import {
  type Attempt,
  type Database,
  type Delivery,
  openHeaders,
  patternsOf,
  type Subscription,
  type WebhookKey,
} from '../../storage/mod.ts'
import {
  composedText,
  type InMemory,
  idWithPrefix,
  jsonTimestamp,
  maxCharacters,
  minCharacters,
  named,
  timestamp,
  valuesOf,
  writtenText,
} from '../schema/mod.ts'

const name = v.pipe(
  v.string(),
  composedText(),
  minCharacters(3),
  maxCharacters(120),
  v.check((text) => text.trim() !== '', 'must not be blank'),
  v.check((text) => !/\p{Cc}/u.test(text.trim()), 'must be one line, without control characters'),
)

const concurrency = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(64), v.number())

/** Columns that clients write, within their bounds. */
export const webhookFields = v.strictObject({
  name: writtenText(name),
  payload: v.picklist(['full', 'thin']),
  format: v.picklist(['standard', 'cloudevents']),
  is_active: v.boolean(),
  ordering: v.picklist(['none', 'subscription', 'contact']),
  concurrency,
  ed25519: v.boolean(),
  disable_on_410: v.boolean(),
})

export const webhookMode = v.picklist(['push', 'poll'])

const recovery = named(
  'WebhookRecovery',
  v.object({
    since: jsonTimestamp,
    until: jsonTimestamp,
    status: v.picklist(['running', 'completed', 'cancelled']),
    total: v.nullable(v.number()),
    requeued: v.number(),
    started_at: jsonTimestamp,
    completed_at: v.nullable(jsonTimestamp),
  }),
)

/** Columns that the record shows as they are stored. */
const webhookColumns = v.object({
  id: idWithPrefix('wh'),
  mode: webhookMode,
  ...webhookFields.entries,
  secret_prefix: v.string(),
  previous_secret_until: v.nullable(timestamp),
  failure_count: v.number(),
  disabled_reason: v.nullable(v.string()),
  last_delivery_at: v.nullable(timestamp),
  last_error: v.pipe(
    v.nullable(v.string()),
    v.description('The reason why the last attempt of a delivery failed; null when it succeeded'),
  ),
  created_at: timestamp,
  updated_at: timestamp,
})

export const webhookRecord = named(
  'Webhook',
  v.object({
    ...webhookColumns.entries,
    url: v.nullable(v.string()),
    events: v.array(v.string()),
    headers: v.pipe(
      v.record(v.string(), v.string()),
      v.description('The values are shown as [redacted] to those who may not manage webhooks'),
    ),
    recovery: v.nullable(recovery),
  }),
)

export type WebhookRecord = InMemory<v.InferOutput<typeof webhookRecord>>

/** Creation and rotation alone show the secret. */
export const webhookWithSecret = named(
  'WebhookWithSecret',
  v.object({ ...webhookRecord.entries, secret: v.pipe(v.string(), v.startsWith('whsec_')) }),
)

/** Opens the headers of the row. */
export function toWebhookRecord(database: Database, row: Subscription): WebhookRecord {
  return {
    ...valuesOf(webhookColumns, row),
    url: row.mode === 'poll' ? null : row.url,
    events: patternsOf(row.events),
    headers: openHeaders(database, row.id, row.headers),
    recovery: row.recovery ? valuesOf(recovery, row.recovery) : null,
  }
}

/** The notation of Standard Webhooks for the key of a receiver. */
export const PUBLIC_KEY_SCHEME = 'whpk_'

export const signingKeyRecord = named(
  'WebhookSigningKey',
  v.object({
    id: v.string(),
    public_key: v.pipe(v.string(), v.startsWith(PUBLIC_KEY_SCHEME)),
    created_at: timestamp,
    valid_until: v.nullable(timestamp),
  }),
)

/** Without the private half. */
export function toSigningKeyRecord(row: WebhookKey): InMemory<v.InferOutput<typeof signingKeyRecord>> {
  return { ...valuesOf(signingKeyRecord, row), public_key: PUBLIC_KEY_SCHEME + row.public_key }
}

export const deliveryStatus = v.picklist(['pending', 'success', 'failed', 'dead'])

export const deliveryRecord = named(
  'WebhookDelivery',
  v.object({
    id: idWithPrefix('dlv'),
    event_id: idWithPrefix('evt'),
    event_type: v.string(),
    status: deliveryStatus,
    status_code: v.nullable(v.number()),
    attempts: v.number(),
    duration_ms: v.nullable(v.number()),
    last_error: v.nullable(v.string()),
    next_attempt_at: v.nullable(timestamp),
    delivered_at: v.nullable(timestamp),
    is_test: v.boolean(),
    request_id: v.pipe(
      v.nullable(v.string()),
      v.description('The request from which the event came; each attempt sends it as `X-Request-Id`'),
    ),
    created_at: timestamp,
  }),
)

export function toDeliveryRecord(row: Delivery): InMemory<v.InferOutput<typeof deliveryRecord>> {
  return valuesOf(deliveryRecord, row)
}

const attemptRecord = named(
  'WebhookAttempt',
  v.object({
    attempt: v.number(),
    started_at: timestamp,
    status_code: v.nullable(v.number()),
    duration_ms: v.number(),
    error: v.nullable(v.string()),
    headers_sent: v.record(v.string(), v.string()),
    excerpt: v.nullable(v.string()),
  }),
)

export const deliveryWithAttempts = v.object({ ...deliveryRecord.entries, attempt_records: v.array(attemptRecord) })

export function toDeliveryWithAttempts(row: Delivery, attempts: Attempt[]) {
  return { ...toDeliveryRecord(row), attempt_records: attempts.map((attempt) => valuesOf(attemptRecord, attempt)) }
}
