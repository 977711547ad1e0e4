/** Commands on webhook subscriptions. This actor alone writes what the API may change; the subscription writes its health. */
import type { Database } from '../../storage/mod.ts'
import { prefixedId, Subscription, toWebhookRecord } from '../../storage/mod.ts'
import { eventTypes } from '../event_types.ts'
import { nextSubscription } from '../machines/mod.ts'
import { subscriptionDisabledMail } from '../mail/mod.ts'
import { refuse } from '../refuse.ts'
import { makeSecret, secretPrefix, testData } from '../webhook/mod.ts'
import { emitTest, type ProjectTurn } from './events.ts'
import type {
  CommandResult,
  CreateWebhook,
  DeleteWebhook,
  RecoverWebhook,
  RedeliverWebhook,
  RotateWebhookSecret,
  TestWebhook,
  UpdateWebhook,
} from './request.ts'
import { toSubscription } from './state.ts'

function address(id: string): string {
  return `subscription/${id}`
}

function known(turn: ProjectTurn, id: string): Subscription {
  const row = turn.records.subscriptions.get(id)
  if (!row) throw refuse('WEBHOOK_NOT_FOUND')
  return row
}

/** Writes some columns and tells the subscription to read itself again. */
function change(turn: ProjectTurn, row: Subscription, patch: Partial<Subscription>): void {
  const written = { ...patch, updated_at: turn.now }
  Object.assign(row, written)
  turn.update(Subscription, { id: row.id }, written)
  turn.state.subscriptions.set(row.id, toSubscription(row))
  turn.tell(address(row.id), { type: 'changed' })
}

export function createWebhook(
  turn: ProjectTurn,
  command: CreateWebhook,
  token_id: string,
  database: Database,
): CommandResult {
  const id = prefixedId('wh')
  const secret = makeSecret()
  const row: Subscription = {
    id,
    company_id: turn.state.company_id,
    project_id: turn.state.project_id,
    name: command.name,
    url: command.url,
    events: command.events,
    headers: sealHeaders(database, id, command.headers),
    is_active: command.is_active,
    secret: database.vault.seal(id, 'secret', secret),
    secret_prefix: secretPrefix(secret),
    ordering: command.ordering,
    concurrency: command.concurrency,
    user_id: turn.state.tokens.get(token_id)!.user_id,
    recovery: null,
    failure_count: 0,
    disabled_reason: null,
    last_delivery_at: null,
    created_at: turn.now,
    updated_at: turn.now,
    deleted_at: null,
  }
  turn.insert(Subscription, row)
  turn.state.subscriptions.set(id, toSubscription(row))
  turn.records.subscriptions.set(id, row)
  return { body: { ...toWebhookRecord(database, row), secret } }
}

export function updateWebhook(turn: ProjectTurn, { id, patch }: UpdateWebhook, database: Database): CommandResult {
  const row = known(turn, id)
  const { headers, ...plain } = patch
  const written: Partial<Subscription> = { ...plain }
  if (headers) written.headers = sealHeaders(database, id, headers)
  if (patch.is_active !== undefined && patch.is_active !== row.is_active) {
    Object.assign(written, nextSubscription(healthOf(row), patch.is_active ? 'enabled' : 'disabled').health)
  }
  change(turn, row, written)
  return { body: toWebhookRecord(database, row) }
}

export function deleteWebhook(turn: ProjectTurn, { id }: DeleteWebhook): CommandResult {
  const row = known(turn, id)
  change(turn, row, { deleted_at: turn.now, is_active: false })
  turn.state.subscriptions.delete(id)
  turn.records.subscriptions.delete(id)
  return {}
}

export function rotateWebhookSecret(turn: ProjectTurn, { id }: RotateWebhookSecret, database: Database): CommandResult {
  const row = known(turn, id)
  const secret = makeSecret()
  change(turn, row, { secret: database.vault.seal(id, 'secret', secret), secret_prefix: secretPrefix(secret) })
  return { body: { ...toWebhookRecord(database, row), secret } }
}

export function testWebhook(turn: ProjectTurn, { id, event_type }: TestWebhook): CommandResult {
  const row = known(turn, id)
  const example = eventTypes.find((one) => one.type === event_type)!.example
  const event_id = emitTest(turn, toSubscription(row), event_type, testData(example))
  return { body: { accepted: true, event_id } }
}

export function redeliverWebhook(turn: ProjectTurn, { id, delivery_id }: RedeliverWebhook): CommandResult {
  const row = known(turn, id)
  const delivery = turn.records.deliveries.get(delivery_id)
  if (delivery?.subscription_id !== id) throw refuse('DELIVERY_NOT_FOUND')
  if (!delivery.is_test) mustBeActive(row)
  turn.tell(address(id), { type: 'redeliver', delivery_id })
  return { body: { accepted: true, delivery_id } }
}

export function recoverWebhook(turn: ProjectTurn, { id, since, until }: RecoverWebhook): CommandResult {
  mustBeActive(known(turn, id))
  const range = { since, until: until ?? turn.now.toISOString() }
  turn.tell(address(id), { type: 'recover', ...range })
  return { body: { accepted: true, ...range } }
}

function mustBeActive({ is_active }: Subscription): void {
  if (!is_active) throw refuse('WEBHOOK_INACTIVE')
}

/** From the subscription: too many dead deliveries in a row. It is switched off, and its owner told, once. */
export function disableWebhook(turn: ProjectTurn, id: string): void {
  const row = turn.records.subscriptions.get(id)
  if (!row?.is_active) return
  change(turn, row, { is_active: false, disabled_reason: 'excessive_failures' })
  const failing = turn.records.failing.get(id)
  if (!failing) return
  const { since: failing_since, last_error } = failing.streak
  const { name, url, failure_count } = row
  const facts = { id, name, url, failing_since, failure_count, last_error, base_url: turn.state.base_url }
  // Named after what it is about: said twice, it is sent once.
  const mail = `mail/${id}.${failing_since.getTime()}`
  turn.tell(mail, { type: 'send', to: failing.owner.email, ...subscriptionDisabledMail(facts) })
}

function healthOf({ is_active, failure_count, disabled_reason }: Subscription) {
  return { is_active, failure_count, disabled_reason: disabled_reason ?? null }
}

function sealHeaders(database: Database, id: string, headers: Record<string, string>): string | null {
  return Object.keys(headers).length === 0 ? null : database.vault.seal(id, 'headers', JSON.stringify(headers))
}
