import { Channel } from '../../../storage/mod.ts'
import type { Refresh } from '../turn/feature.ts'
import type { ReadKind } from '../turn/records.ts'
import { toChannel } from '../turn/state.ts'

/** Rows of channels by id. A deleted channel is missing. */
const channelReads: ReadKind<Set<string>, Map<string, Channel>> = {
  wanted: () => new Set(),
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
  refresh({ state, records }, id, { database }) {
    const row = records.of(channelReads).get(id)
    if (row) state.channels.set(id, toChannel(row, database))
    else state.channels.delete(id)
  },
}
