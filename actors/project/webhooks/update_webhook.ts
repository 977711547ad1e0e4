import { type Subscription, sealHeaders } from '../../../storage/mod.ts'
import { storedEvents } from '../../event_types/patterns.ts'
import { mergeHeaders } from '../../kept_headers.ts'
import { nextSubscription } from '../../machines/mod.ts'
import { toWebhookRecord } from '../../records/mod.ts'
import type { Command } from '../turn/feature.ts'
import type { WebhookFields } from './fields.ts'
import { ensureSigningKey, signingKeyReads } from './signing_keys.ts'
import {
  auditedWebhook,
  changeSubscription,
  findSubscription,
  mustBePushed,
  subscriptionReads,
} from './subscription.ts'

/** Changes only the given fields. */
export type UpdateWebhook = { type: 'update_webhook'; id: string; patch: Partial<WebhookFields> }

/** Fields of requests to an address. */
const PUSHED = ['url', 'headers', 'ordering', 'concurrency', 'ed25519', 'disable_on_410'] as const

/** `PATCH /v1/webhooks/{id}`. @throws {Refusal} WEBHOOK_NOT_FOUND, WEBHOOK_POLLED, VALIDATION_ERROR */
export const updateWebhook = {
  audit: auditedWebhook,
  reads(reads, { id, patch }) {
    reads.of(subscriptionReads).add(id)
    if (patch.ed25519) reads.of(signingKeyReads).all = true
  },
  run(turn, { id, patch }, { database }) {
    const row = findSubscription(turn, id)
    if (PUSHED.some((name) => patch[name] !== undefined)) mustBePushed(row)
    const { headers, events, ...plain } = patch
    const written: Partial<Subscription> = { ...plain }
    if (events) written.events = storedEvents(events)
    if (headers) {
      const holder = { _id: id, headers: row.headers ?? null }
      written.headers = sealHeaders(database, id, mergeHeaders(database, holder, headers))
    }
    if (patch.is_active !== undefined && patch.is_active !== row.is_active) {
      Object.assign(written, nextSubscription(healthOf(row), patch.is_active ? 'enabled' : 'disabled').health)
    }
    if (patch.ed25519) ensureSigningKey(turn, database)
    changeSubscription(turn, row, written)
    return { body: toWebhookRecord(database, row) }
  },
} satisfies Command<UpdateWebhook>

function healthOf({ is_active, failure_count, disabled_reason }: Subscription) {
  return { is_active, failure_count, disabled_reason: disabled_reason ?? null }
}
