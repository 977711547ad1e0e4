import { Channel, type Database } from '../../../storage/mod.ts'
import type { Refresh } from '../turn/feature.ts'
import type { ReadKind } from '../turn/records.ts'
import { toChannel } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** Rows of channels by id. A deleted channel is missing. */
export const channelReads: ReadKind<Set<string>, Map<string, Channel>> = {
  keys: () => new Set(),
  found: () => new Map(),
  async read(found, ids, { database, state: { project_id } }) {
    const where = { _id: { $in: [...ids] }, project_id }
    for (const row of await database.em().find(Channel, where, { disableIdentityMap: true })) found.set(row._id, row)
  },
}

/** A channel was added, changed or removed. */
export const refreshChannel: Refresh = {
  reads(reads, id) {
    reads.of(channelReads).add(id)
  },
  refresh(turn, id, { database }) {
    takeChannel(turn, id, database)
    // The channels are among the definitions that consoles keep.
    turn.live(turn.key, () => ({ type: 'definitions.changed', data: {} }))
  },
}

/** Takes the row that was read for this turn into memory. */
export function takeChannel({ state, records }: ProjectTurn, id: string, database: Database): void {
  const row = records.of(channelReads).get(id)
  if (row) state.channels.set(id, toChannel(row, database))
  else state.channels.delete(id)
}
