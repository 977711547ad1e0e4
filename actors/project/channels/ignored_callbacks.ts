/**
 * Parts of webhook calls that have no meaning here are counted, and kept with their channel by name, for its check. The
 * first of a kind is stored at once, later ones every 15 seconds: an app may call for many accounts without a channel.
 */
import { Channel, type IgnoredCallback, readRows } from '../../../storage/mod.ts'
import type { InboundIgnored } from '../../providers/mod.ts'
import type { InboundItem, Receiver } from '../turn/feature.ts'
import { Memory } from '../turn/memory.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** Milliseconds between two writes of a channel's list. */
const PAUSE_MS = 15_000
/** Names of a channel. Further ones are counted together. */
const MAX_NAMES = 50
const MAX_NAME_LENGTH = 100
const OTHERS = 'others'

type Kept = {
  /** The lists of channels, once they are read. */
  lists: Map<string, Map<string, IgnoredCallback>>
  /** Channels whose list was written since the last round. */
  written: Set<string>
  /** Those of them whose list has changed since. */
  changed: Set<string>
}

const memory = new Memory<Kept>(() => ({ lists: new Map(), written: new Set(), changed: new Set() }))

/** The stored lists of channels. Keys: their ids. */
const ignoredReads: ReadKind<Set<string>, Map<string, IgnoredCallback[]>> = {
  keys: () => new Set(),
  found: () => new Map(),
  async read(found, keys, { database }) {
    for (const { _id, ignored_callbacks } of await readRows(database, Channel, { _id: [...keys] })) {
      found.set(_id, ignored_callbacks ?? [])
    }
  },
}

export const ignoredPart: InboundItem<'ignored'> = {
  reads(reads, { channel }) {
    if (!memory.of(reads.state).lists.has(channel.id)) reads.of(ignoredReads).add(channel.id)
  },
  receive(turn, { channel, item }, { ignored }) {
    const { lists, written, changed } = memory.of(turn.state)
    const list = lists.get(channel.id) ?? toList(turn.records.of(ignoredReads).get(channel.id) ?? [])
    lists.set(channel.id, list)
    const is_new = count(list, item, turn.now)
    turn.after(() => ignored(channel, item))
    if (!is_new && written.has(channel.id)) changed.add(channel.id)
    else write(turn, channel.id)
  },
}

/** To itself: the next round. */
export const tellIgnored: Receiver<object> = {
  receive(turn) {
    const { written, changed } = memory.of(turn.state)
    const channel_ids = [...changed]
    written.clear()
    changed.clear()
    for (const channel_id of channel_ids) write(turn, channel_id)
  },
}

function write(turn: ProjectTurn, channel_id: string): void {
  const { lists, written, changed } = memory.of(turn.state)
  const ignored_callbacks = [...(lists.get(channel_id)?.values() ?? [])].map((one) => ({ ...one }))
  turn.update(Channel, { _id: channel_id }, { ignored_callbacks })
  changed.delete(channel_id)
  if (written.size === 0) turn.soon(PAUSE_MS, { type: 'tell_ignored' })
  written.add(channel_id)
}

function toList(stored: readonly IgnoredCallback[]): Map<string, IgnoredCallback> {
  return new Map(stored.map((one) => [`${one.kind} ${one.name}`, { ...one }]))
}

/** Returns true for the first of its name. */
function count(
  list: Map<string, IgnoredCallback>,
  { what: kind, name: full, sample_fields }: InboundIgnored,
  now: Date,
): boolean {
  const short = full.slice(0, MAX_NAME_LENGTH).toWellFormed()
  const name = list.has(`${kind} ${short}`) || list.size < MAX_NAMES ? short : OTHERS
  const key = `${kind} ${name}`
  const at = now.toISOString()
  const known = list.get(key)
  if (known) Object.assign(known, { count: known.count + 1, last_at: at, sample_fields })
  else list.set(key, { kind, name, count: 1, first_at: at, last_at: at, sample_fields })
  return !known
}
