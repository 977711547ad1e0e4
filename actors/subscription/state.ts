/** The in-memory state of a subscription actor, and how it is loaded. */
import type { KeyObject } from 'node:crypto'
import {
  type Database,
  type Recovery,
  readRows,
  Subscription,
  WebhookKey,
  type WebhookMode,
} from '../../storage/mod.ts'
import type { SubscriptionHealth } from '../machines/mod.ts'
import { loadDueTimers } from '../timers/due_timer.ts'
import { contentTypeOf, type FurtherSigners, openSigningKey, type Present, presenterFor } from '../webhook/mod.ts'
import { DeliveryQueue } from './delivery_queue.ts'
import { freshPace, type Pace } from './pace.ts'
import { Slots } from './slots.ts'

export type SubscriptionConfig = {
  id: string
  project_id: string
  mode: WebhookMode
  url: string
  headers: Record<string, string> | null
  secret: string
  concurrency: number
  /** Undefined where envelopes go out as they are stored. */
  present: Present | undefined
  content_type: string | undefined
  /** The former secret, which signs too until a time in milliseconds. */
  previous: { secret: string; until: number } | null
  /** The project's keys, where they sign too, each until a time in milliseconds. */
  keys: readonly { key: KeyObject; until: number }[]
  disable_on_410: boolean
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
  /** Undelivered deliveries of a subscription that is off are being ended, a page at a time. */
  is_giving_up: boolean
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
    is_giving_up: false,
    next_due: null,
  }
}

/** `base_url`: the public address of the API. */
export async function loadSubscriptions(
  ids: string[],
  database: Database,
  base_url: string,
): Promise<Map<string, SubscriptionState>> {
  const [rows, due] = await Promise.all([
    database.em().find(Subscription, { id: { $in: ids } }, { disableIdentityMap: true }),
    loadDueTimers(database, 'subscription', ids),
  ])
  const keys = await readSigningKeys(database, rows)
  const states = new Map<string, SubscriptionState>()
  for (const row of rows) {
    const queue = new DeliveryQueue()
    // Deliveries announced before this actor was loaded are only in the table.
    queue.loose_more = row.mode === 'push'
    queue.keys_more = row.mode === 'push'
    states.set(row.id, {
      ...missingSubscription(),
      config: toConfig(row, database, base_url, keys),
      health: toHealth(row),
      queue,
      recovery: row.recovery ?? null,
      next_due: due.get(row.id) ?? null,
    })
  }
  return states
}

/** The keys of the projects whose keys sign deliveries of these subscriptions. */
export async function readSigningKeys(database: Database, rows: Subscription[]): Promise<WebhookKey[]> {
  const project_id = rows.filter(({ ed25519 }) => ed25519).map((row) => row.project_id)
  return project_id.length === 0 ? [] : readRows(database, WebhookKey, { project_id })
}

/** `keys`: those of its project, and perhaps others. */
export function toConfig(
  row: Subscription,
  database: Database,
  base_url: string,
  keys: readonly WebhookKey[],
): SubscriptionConfig {
  return {
    id: row.id,
    project_id: row.project_id,
    mode: row.mode,
    url: row.url,
    headers: row.headers ? JSON.parse(database.vault.open(row.id, 'headers', row.headers)) : null,
    secret: database.vault.open(row.id, 'secret', row.secret),
    concurrency: row.concurrency,
    present: presenterFor(row, base_url),
    content_type: contentTypeOf(row),
    previous: previousOf(row, database),
    keys: row.ed25519 ? openKeys(row, database, keys) : [],
    disable_on_410: row.disable_on_410,
    deleted: row.deleted_at !== null,
  }
}

function previousOf(row: Subscription, database: Database): SubscriptionConfig['previous'] {
  const { id, previous_secret, previous_secret_until } = row
  if (!previous_secret || !previous_secret_until) return null
  const secret = database.vault.open(id, 'previous_secret', previous_secret)
  return { secret, until: previous_secret_until.getTime() }
}

function openKeys({ project_id }: Subscription, database: Database, keys: readonly WebhookKey[]) {
  return keys
    .filter((key) => key.project_id === project_id)
    .sort((one, other) => other.number - one.number)
    .map(({ id, public_key, sealed, valid_until }) => ({
      key: openSigningKey(public_key, database.vault.open(id, 'sealed', sealed)),
      until: valid_until?.getTime() ?? Number.POSITIVE_INFINITY,
    }))
}

/** Returns further secrets and keys that sign at `now`, in milliseconds; undefined for nearly every subscription. */
export function furtherSigners({ previous, keys }: SubscriptionConfig, now: number): FurtherSigners | undefined {
  if (!previous && keys.length === 0) return undefined
  const secrets = previous && previous.until > now ? [previous.secret] : []
  return { secrets, keys: keys.filter(({ until }) => until > now).map(({ key }) => key) }
}

export function toHealth({ is_active, failure_count, disabled_reason }: Subscription): SubscriptionHealth {
  return { is_active, failure_count, disabled_reason: disabled_reason ?? null }
}

/** True when nothing more is sent. */
export function isOff(state: SubscriptionState, is_test: boolean): boolean {
  return state.config!.deleted || (!state.health.is_active && !is_test)
}
