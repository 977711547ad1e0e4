/** What a subscription actor keeps in memory, and how it is loaded. */

import { type Database, type Delivery, Subscription } from '../../storage/mod.ts'
import { loadDueTimers } from '../due_timer.ts'
import type { SubscriptionHealth } from '../machines/mod.ts'

export type SubscriptionConfig = {
  id: string
  project_id: string
  url: string
  headers: Record<string, string> | null
  secret: string
  deleted: boolean
}

/** A delivery that is being attempted, or is next in line; `body` is the envelope. */
export type Waiting = { delivery: Delivery; body: string }

export type SubscriptionState = {
  /** Null when there is no such subscription. */
  config: SubscriptionConfig | null
  health: SubscriptionHealth
  running: Map<string, Waiting>
  /** Due and in memory, oldest first; bounded, what does not fit waits in the table. */
  line: Waiting[]
  /** Due deliveries may wait in the table. */
  backlog: boolean
  /** For when the timer is set (milliseconds), or null. */
  next_due: number | null
}

const NO_HEALTH: SubscriptionHealth = { is_active: false, failure_count: 0, disabled_reason: null }

export function missingSubscription(): SubscriptionState {
  return { config: null, health: NO_HEALTH, running: new Map(), line: [], backlog: false, next_due: null }
}

export async function loadSubscriptions(ids: string[], database: Database): Promise<Map<string, SubscriptionState>> {
  const [rows, due] = await Promise.all([
    database.em().find(Subscription, { id: { $in: ids } }, { disableIdentityMap: true }),
    loadDueTimers(database, 'subscription', ids),
  ])
  const states = new Map<string, SubscriptionState>()
  for (const row of rows) {
    states.set(row.id, {
      ...missingSubscription(),
      config: toConfig(row, database),
      health: toHealth(row),
      next_due: due.get(row.id) ?? null,
    })
  }
  return states
}

export function toConfig(row: Subscription, database: Database): SubscriptionConfig {
  return {
    id: row.id,
    project_id: row.project_id,
    url: row.url,
    headers: row.headers ? JSON.parse(database.vault.open(row.id, 'headers', row.headers)) : null,
    secret: database.vault.open(row.id, 'secret', row.secret),
    deleted: row.deleted_at !== null,
  }
}

export function toHealth({ is_active, failure_count, disabled_reason }: Subscription): SubscriptionHealth {
  return { is_active, failure_count, disabled_reason: disabled_reason ?? null }
}
