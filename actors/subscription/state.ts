/** The in-memory state of a subscription actor, and how it is loaded. */
import { type Database, type Recovery, Subscription } from '../../storage/mod.ts'
import { loadDueTimers } from '../due_timer.ts'
import type { SubscriptionHealth } from '../machines/mod.ts'
import { DeliveryQueue } from './delivery_queue.ts'
import { freshPace, type Pace } from './pace.ts'
import { Slots } from './slots.ts'

export type SubscriptionConfig = {
  id: string
  project_id: string
  url: string
  headers: Record<string, string> | null
  secret: string
  concurrency: number
  deleted: boolean
}

export type SubscriptionState = {
  /** Null when there is no such subscription. */
  config: SubscriptionConfig | null
  health: SubscriptionHealth
  queue: DeliveryQueue
  pace: Pace
  slots: Slots
  /** The highest delivery id read from the table: a message about a delivery up to it may concern one that is already known. */
  read_up_to: string
  recovery: Recovery | null
  /** Time of the timer (milliseconds), or null. */
  next_due: number | null
}

const NO_HEALTH: SubscriptionHealth = { is_active: false, failure_count: 0, disabled_reason: null }

export function missingSubscription(): SubscriptionState {
  return {
    config: null,
    health: NO_HEALTH,
    queue: new DeliveryQueue(),
    pace: freshPace(),
    slots: new Slots(),
    read_up_to: '',
    recovery: null,
    next_due: null,
  }
}

export async function loadSubscriptions(ids: string[], database: Database): Promise<Map<string, SubscriptionState>> {
  const [rows, due] = await Promise.all([
    database.em().find(Subscription, { id: { $in: ids } }, { disableIdentityMap: true }),
    loadDueTimers(database, 'subscription', ids),
  ])
  const states = new Map<string, SubscriptionState>()
  for (const row of rows) {
    const queue = new DeliveryQueue()
    // Deliveries announced before this actor was loaded are only in the table.
    queue.loose_more = true
    queue.keys_more = true
    states.set(row.id, {
      ...missingSubscription(),
      config: toConfig(row, database),
      health: toHealth(row),
      queue,
      recovery: row.recovery ?? null,
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
    concurrency: row.concurrency,
    deleted: row.deleted_at !== null,
  }
}

export function toHealth({ is_active, failure_count, disabled_reason }: Subscription): SubscriptionHealth {
  return { is_active, failure_count, disabled_reason: disabled_reason ?? null }
}

/** True when nothing more is sent. */
export function isOff(state: SubscriptionState, is_test: boolean): boolean {
  return state.config!.deleted || (!state.health.is_active && !is_test)
}
