/** Subscriptions, as changed by commands and by their health. */
import { Subscription } from '../../../storage/mod.ts'
import { toWebhookRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Audited } from '../turn/audit.ts'
import type { ReadKind } from '../turn/records.ts'
import { toSubscription } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** Subscriptions by id, without deleted ones. */
export const subscriptionReads: ReadKind<Set<string>, Map<string, Subscription>> = {
  keys: () => new Set(),
  found: () => new Map(),
  async read(found, ids, { database, state: { project_id } }) {
    const where = { id: { $in: [...ids] }, project_id, deleted_at: null }
    for (const row of await database.em().find(Subscription, where, { disableIdentityMap: true }))
      found.set(row.id, row)
  },
}

/** The audit entry of a change of a subscription. */
export const auditedWebhook: Audited<{ type: string }> = {
  target: 'subscription',
  record(turn, id, database) {
    const row = turn.records.of(subscriptionReads).get(id)
    return row && toWebhookRecord(database, row)
  },
}

/** @throws {Refusal} WEBHOOK_NOT_FOUND */
export function findSubscription(turn: ProjectTurn, id: string): Subscription {
  const row = turn.records.of(subscriptionReads).get(id)
  if (!row) throw refuse('WEBHOOK_NOT_FOUND')
  return row
}

/** @throws {Refusal} WEBHOOK_INACTIVE */
export function mustBeActive({ is_active }: Subscription): void {
  if (!is_active) throw refuse('WEBHOOK_INACTIVE')
}

/** @throws {Refusal} WEBHOOK_POLLED */
export function mustBePushed({ mode }: Subscription): void {
  if (mode === 'poll') throw refuse('WEBHOOK_POLLED')
}

/** The actor of a subscription. */
export function addressOf(id: string) {
  return `subscription/${id}` as const
}

/** Writes some columns and makes the subscription's actor read its row again. */
export function changeSubscription(turn: ProjectTurn, row: Subscription, patch: Partial<Subscription>): void {
  const written = { ...patch, updated_at: turn.now }
  Object.assign(row, written)
  turn.update(Subscription, { id: row.id }, written)
  turn.state.subscriptions.set(row.id, toSubscription(row))
  turn.tell(addressOf(row.id), { type: 'changed' })
}
