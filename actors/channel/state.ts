/** What a channel actor keeps in memory, and how it is loaded. */
import { Channel, type Database, Dispatch } from '../../storage/mod.ts'
import { loadDueTimers } from '../due_timer.ts'
import type { Credentials } from '../providers/mod.ts'

export type ChannelConfig = {
  id: string
  project_id: string
  channel_type: string
  provider: string
  status: 'connected' | 'disconnected'
  credentials: Credentials
}

/**
 * A message on its way out.
 *
 * queued → attempting (a call is under way) → gone, when the provider answered for good;
 * attempting → queued with `next_attempt_at`, when it certainly was not taken and may be tried again;
 * attempting → doubtful (no call under way, outcome unknown), until a status callback proves that it was taken or
 * `next_attempt_at` passes without one. Stored as `attempting`: after a crash every such row is doubtful.
 */
export type Item = {
  dispatch: Dispatch
  phase: 'queued' | 'attempting' | 'doubtful'
  /** Why it is doubtful, as far as this node knows. */
  failure?: { code: string; message: string }
}

export type ChannelState = {
  /** Null when there is no such channel. */
  config: ChannelConfig | null
  /** By recipient, in the order accepted; only the head of a queue is ever attempted. */
  queues: Map<string, Item[]>
  items: Map<string, Item>
  /** Ids of the messages with a call under way; a call may outlive its item. */
  running: Set<string>
  next_number: number
  /** Rows beyond `last_loaded` wait in the table. */
  overflow: boolean
  last_loaded: number
  /** The last row that went into the table alone. */
  last_stored: number
  next_due: number | null
  /** The provider asked the whole account to slow down until then (milliseconds). */
  paused_until: number
  /** Since when callbacks could be stored without a break, as far as this actor knows (milliseconds). */
  hears_since: number
}

/** Most items in memory. */
export const ITEMS = 2000

export function missingChannel(): ChannelState {
  return {
    config: null,
    queues: new Map(),
    items: new Map(),
    running: new Set(),
    next_number: 1,
    overflow: false,
    last_loaded: 0,
    last_stored: 0,
    next_due: null,
    paused_until: 0,
    hears_since: 0,
  }
}

export async function loadChannels(ids: string[], database: Database): Promise<Map<string, ChannelState>> {
  const plain = { disableIdentityMap: true }
  const [rows, due] = await Promise.all([
    database.em().find(Channel, { _id: { $in: ids } }, plain),
    loadDueTimers(database, 'channel', ids),
  ])
  const states = new Map<string, ChannelState>()
  await Promise.all(
    rows.map(async (row) => {
      const [waiting, attempting, last] = await Promise.all([
        readDispatches(database, row._id, 0),
        database.em().find(Dispatch, { channel_id: row._id, state: 'attempting' }, plain),
        database
          .em()
          .findOne(Dispatch, { channel_id: row._id }, { ...plain, orderBy: { number: 'desc' }, fields: ['number'] }),
      ])
      const state: ChannelState = { ...missingChannel(), config: toConfig(row, database) }
      state.next_number = last ? Number(last.number) + 1 : 1
      for (const dispatch of waiting) keepItem(state, dispatch)
      state.last_loaded = Number(waiting.at(-1)?.number ?? 0)
      state.overflow = waiting.length === ITEMS
      // A callback about one of them has to find it, however far back in the table it stands.
      for (const dispatch of attempting) if (!state.items.has(dispatch.message_id)) keepItem(state, dispatch)
      // While nobody was here, nobody heard the status callbacks of messages in doubt.
      state.hears_since = Date.now()
      state.next_due = due.get(row._id) ?? null
      states.set(row._id, state)
    }),
  )
  return states
}

/** The next rows after a number, in order. */
export function readDispatches(database: Database, channel_id: string, after: number): Promise<Dispatch[]> {
  const where = { channel_id, number: { $gt: after } }
  return database.em().find(Dispatch, where, { orderBy: { number: 'asc' }, limit: ITEMS, disableIdentityMap: true })
}

export function keepItem(state: ChannelState, dispatch: Dispatch): Item {
  const item: Item = { dispatch, phase: dispatch.state === 'attempting' ? 'doubtful' : 'queued' }
  const queue = state.queues.get(dispatch.recipient)
  if (queue) queue.push(item)
  else state.queues.set(dispatch.recipient, [item])
  state.items.set(dispatch.message_id, item)
  return item
}

export function toConfig(row: Channel, database: Database): ChannelConfig {
  return {
    id: row._id,
    project_id: row.project_id,
    channel_type: row.channel_type,
    provider: row.provider,
    status: row.status,
    credentials: row.credentials ? JSON.parse(database.vault.open(row._id, 'credentials', row.credentials)) : {},
  }
}
