/** The in-memory state of a channel actor, and how it is loaded. */
import { Channel, type ChannelStatus, type Database, Dispatch, now, sql } from '../../storage/mod.ts'
import type { Credentials, Pace, Providers } from '../providers/mod.ts'
import { loadDueTimers } from '../timers/due_timer.ts'
import { type Announced, loadAnnounced } from './announced.ts'
import { Breaker } from './breaker.ts'
import { CallbackMonitor } from './callback_monitor.ts'
import { Pacer } from './pace.ts'
import { ResultBatcher } from './result_batcher.ts'
import { SendQueue } from './send_queue.ts'
import { StoredQueues } from './stored_queues.ts'

export type ChannelConfig = {
  id: string
  project_id: string
  channel_type: string
  provider: string
  is_active: boolean
  status: ChannelStatus
  status_reason: string | null
  messages_per_second: number | null
  callbacks_heard_at: Date | null
  credentials: Credentials
}

export type ChannelState = {
  /** Null when there is no such channel. */
  config: ChannelConfig | null
  queue: SendQueue
  /** This state has published a status since it was loaded. */
  has_told: boolean
  /** The row is being changed. */
  announced: Announced | undefined
  /** Time of the last change of the credentials since this state was loaded (`performance.now()`). */
  credentials_since: number
  /** False until the first turn after loading has placed the recipients of the messages that were loaded. */
  is_placed: boolean
  pacer: Pacer
  breaker: Breaker
  result_batcher: ResultBatcher
  callback_monitor: CallbackMonitor
  /** When this state was loaded (milliseconds). */
  loaded_at: number
  /** Start of each call under way (`performance.now()`), by message id; a call may outlive its item. */
  running: Map<string, number>
  next_number: number
  /** Rows that wait in the table alone. */
  stored_queues: StoredQueues
  /** Senders were asked to refuse more. Undefined until this state has announced either: a former one may have. */
  is_full: boolean | undefined
  /** Maximum items in memory. */
  max_items: number
  next_due: number | null
  /** Sending is paused until then (milliseconds): the provider asked for it, or does not answer. */
  paused_until: number
  /** Since when callbacks could be stored without a break, as far as this actor knows (`performance.now()`). */
  hears_since: number
  /** Time of the next probe (milliseconds), or null. */
  next_probe: number | null
  /** Consecutive probes that did not reach the provider. */
  unreachable: number
}

/** Maximum calls under way. */
export const CONCURRENCY = 128

/** Maximum items in memory, unless an option says otherwise. */
const ITEMS = 2000

/** A simulator has only the limits configured for it. */
const UNPACED: Pace = { per_second: Number.POSITIVE_INFINITY }

export function missingChannel(max_items = ITEMS): ChannelState {
  return {
    config: null,
    queue: new SendQueue(),
    has_told: false,
    announced: undefined,
    credentials_since: 0,
    is_placed: false,
    pacer: new Pacer(UNPACED),
    breaker: new Breaker(),
    result_batcher: new ResultBatcher(CONCURRENCY),
    callback_monitor: new CallbackMonitor(),
    loaded_at: now(),
    running: new Map(),
    next_number: 1,
    stored_queues: new StoredQueues(),
    is_full: undefined,
    max_items,
    next_due: null,
    paused_until: 0,
    hears_since: 0,
    next_probe: null,
    unreachable: 0,
  }
}

export async function loadChannels(
  ids: string[],
  database: Database,
  providers: Providers,
  max_items = ITEMS,
): Promise<Map<string, ChannelState>> {
  const plain = { disableIdentityMap: true }
  const [rows, due, probes, announced] = await Promise.all([
    database.em().find(Channel, { _id: { $in: ids } }, plain),
    loadDueTimers(database, 'channel', ids),
    loadDueTimers(database, 'channel', ids, 'probe'),
    loadAnnounced(database, ids),
  ])
  const states = new Map<string, ChannelState>()
  const load = async (id: string, row: Channel | undefined) => {
    const [waiting, attempting, last] = await Promise.all([
      readQueues(database, id),
      database.em().find(Dispatch, { channel_id: id, state: 'attempting' }, plain),
      database
        .em()
        .findOne(Dispatch, { channel_id: id }, { ...plain, orderBy: { number: 'desc' }, fields: ['number'] }),
    ])
    const state = missingChannel(max_items)
    if (row) {
      state.config = toConfig(row, database)
      state.pacer = new Pacer(paceOf(state.config, providers))
      state.callback_monitor = new CallbackMonitor(state.config.callbacks_heard_at !== null)
    }
    state.next_number = last ? Number(last.number) + 1 : 1
    for (const { recipient, ...queue } of waiting) state.stored_queues.load(recipient, queue)
    // A callback about one of them has to find it. Each is the first of its recipient.
    for (const dispatch of attempting) state.queue.add(dispatch)
    // Status callbacks of messages in doubt could not be received while the actor had no owner.
    state.hears_since = performance.now()
    state.next_due = due.get(id) ?? null
    state.next_probe = probes.get(id) ?? null
    state.announced = announced.get(id)
    states.set(id, state)
  }
  const present = new Set(rows.map(({ _id }) => _id))
  const deleted = await findDispatching(
    database,
    ids.filter((id) => !present.has(id)),
  )
  await Promise.all([...rows.map((row) => load(row._id, row)), ...deleted.map((id) => load(id, undefined))])
  return states
}

/** The deleted channels among these that still have messages: some came while their channel was being deleted. */
async function findDispatching(database: Database, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await database.execute<{ id: string }>(
    sql`select distinct channel_id as id from dispatch where channel_id in (${sql.list(ids)})`,
  )
  return rows.map(({ id }) => id)
}

/** The recipients with queued rows in the table, in the order of their first ones. */
function readQueues(database: Database, channel_id: string) {
  return database.execute<{ recipient: string; numbers: number[]; is_urgent: boolean; broadcast_id: string }>(
    sql`select recipient, json_agg(number order by number) as numbers, bool_or(not is_bulk) as is_urgent,
      coalesce((array_agg(broadcast_id order by number))[1], '') as broadcast_id
    from dispatch where channel_id = ${channel_id} and state = 'queued' group by recipient order by min(number)`,
  )
}

/** The rows with these numbers, in order. */
export function readDispatches(
  database: Database,
  channel_id: string,
  numbers: readonly number[],
): Promise<Dispatch[]> {
  const where = { channel_id, number: { $in: [...numbers] }, state: 'queued' as const }
  return database.em().find(Dispatch, where, { orderBy: { number: 'asc' }, disableIdentityMap: true })
}

/** The provider's usual speed, unless the channel has its own. */
export function paceOf(config: ChannelConfig, providers: Providers): Pace {
  const usual = config.provider === 'simulator' ? UNPACED : (providers.of(config)?.pace ?? UNPACED)
  return config.messages_per_second === null ? usual : { ...usual, per_second: config.messages_per_second }
}

export function toConfig(row: Channel, database: Database): ChannelConfig {
  return {
    id: row._id,
    project_id: row.project_id,
    channel_type: row.channel_type,
    provider: row.provider,
    is_active: row.is_active,
    status: row.status,
    status_reason: row.status_reason ?? null,
    messages_per_second: row.messages_per_second ?? null,
    callbacks_heard_at: row.callbacks_heard_at ?? null,
    credentials: row.credentials ? JSON.parse(database.vault.open(row._id, 'credentials', row.credentials)) : {},
  }
}
