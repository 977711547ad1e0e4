import { blank, NO_ADDRESS, prefixedId, Subscription, sealHeaders } from '../../../storage/mod.ts'
import { storedEvents } from '../../event_types/patterns.ts'
import { mergeHeaders } from '../../kept_headers.ts'
import { toWebhookRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import { makeSecret, secretPrefix } from '../../webhook/mod.ts'
import type { Command } from '../turn/feature.ts'
import { toSubscription } from '../turn/state.ts'
import type { NewWebhookFields } from './fields.ts'
import { ensureSigningKey, signingKeyReads } from './signing_keys.ts'
import { addressOf, auditedWebhook, subscriptionReads } from './subscription.ts'

export type CreateWebhook = { type: 'create_webhook' } & NewWebhookFields

/** Maximum webhooks of a project: an event makes a delivery for each that is pushed, in the turn that it belongs to. */
const MAX_WEBHOOKS = 1000

/** `POST /v1/webhooks`. Only this answer shows the secret. @throws {Refusal} WEBHOOK_LIMIT_REACHED, VALIDATION_ERROR */
export const createWebhook = {
  audit: auditedWebhook,
  answers_secret: true,
  reads(reads, { ed25519 }) {
    if (ed25519) reads.of(signingKeyReads).all = true
  },
  run(turn, command, { user_id, database }) {
    if (turn.state.subscriptions.size >= MAX_WEBHOOKS) throw refuse('WEBHOOK_LIMIT_REACHED', { limit: MAX_WEBHOOKS })
    const id = prefixedId('wh')
    const secret = makeSecret()
    const is_polled = command.mode === 'poll'
    const row = blank(Subscription, {
      id,
      company_id: turn.state.company_id,
      project_id: turn.state.project_id,
      name: command.name,
      url: is_polled ? NO_ADDRESS : command.url!,
      events: storedEvents(command.events),
      headers: sealHeaders(database, id, mergeHeaders(database, undefined, command.headers)),
      is_active: command.is_active,
      secret: database.vault.seal(id, 'secret', secret),
      secret_prefix: secretPrefix(secret),
      // A position in the order of all deliveries is the cursor of a poll.
      ordering: is_polled ? 'subscription' : command.ordering,
      concurrency: command.concurrency,
      mode: command.mode,
      payload: command.payload,
      format: command.format,
      ed25519: command.ed25519,
      disable_on_410: command.disable_on_410,
      user_id,
      failure_count: 0,
      created_at: turn.now,
      updated_at: turn.now,
    })
    if (row.ed25519) ensureSigningKey(turn, database)
    turn.insert(Subscription, row)
    turn.state.subscriptions.set(id, toSubscription(row))
    turn.records.of(subscriptionReads).set(id, row)
    // Its actor is loaded by its first message, and needs the row. This one comes after the commit, and events of this
    // turn come behind it.
    turn.tell(addressOf(id), { type: 'changed' })
    return { body: { ...toWebhookRecord(database, row), secret } }
  },
} satisfies Command<CreateWebhook>
