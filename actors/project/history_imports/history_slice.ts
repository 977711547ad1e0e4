/** Stores the next parts of an import. */
import { HistoryPart } from '../../../storage/mod.ts'
import type { HistoryItem, Providers } from '../../providers/mod.ts'
import { withoutEvents } from '../turn/events.ts'
import type { Receiver } from '../turn/feature.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectChannel } from '../turn/state.ts'
import { ImportTurn } from './import_turn.ts'
import { wantImported } from './imported_message.ts'
import { changeImport, completionOf, historyReads } from './reads.ts'
import { readImports, readSlice } from './run_history_imports.ts'
import { wantName } from './taken_name.ts'

/** The parts that were read last. */
type Slice = { id: string; parts: HistoryPart[] }

/** A part whose channel is gone has no items. */
type ReadPart = { part: HistoryPart; channel: ProjectChannel | undefined; items: HistoryItem[] }

/** The contents of the parts of a slice, read once. */
const sliceReads: ReadKind<Map<Slice, ReadPart[]>, { slices: Map<Slice, ReadPart[]> }> = {
  keys: () => new Map(),
  found: () => ({ slices: new Map() }),
  read(found, slices) {
    found.slices = slices
    return undefined
  },
}

export const historySlice: Receiver<Slice> = {
  reads(reads, slice, { providers }) {
    const keys = reads.of(historyReads)
    keys.ids.add(slice.id)
    const read = slice.parts.map((part) => readPart(part, reads.state.channels, providers, reads.now))
    reads.of(sliceReads).set(slice, read)
    for (const { part, channel, items } of read) {
      keys.part_ids.add(part._id)
      for (const item of items) {
        if (!channel || item.kind === 'unreadable') continue
        if (item.kind === 'name') wantName(reads, channel, item)
        else wantImported(reads, channel, item)
      }
    }
  },
  receive(turn, slice, context) {
    readImports.of(turn.state).delete(slice.id)
    const { by_id, part_ids } = turn.records.of(historyReads)
    const row = by_id.get(slice.id)
    if (!row) return
    const read = turn.records.of(sliceReads).slices.get(slice) ?? []
    const one = new ImportTurn(turn, row, context.providers)
    const storeAll = () => {
      for (const { part, channel, items } of read) {
        // Stored by another owner meanwhile, or erased.
        if (!part_ids.delete(part._id)) continue
        turn.remove(HistoryPart, { _id: part._id })
        one.waiting_count -= part.count
        if (channel) for (const item of items) one.take(channel, item)
      }
      one.end()
    }
    if (row.webhooks) storeAll()
    else withoutEvents(turn, storeAll)
    // The import is at its end: parts that were erased are not counted.
    const waiting_count = slice.parts.length === 0 ? 0 : Math.max(0, one.waiting_count)
    const { message_count, known_count, unreadable_count, name_count } = one
    const counts = { waiting_count, message_count, known_count, unreadable_count, name_count }
    changeImport(turn, row, { ...counts, ...completionOf({ ...row, ...counts }, turn.now) })
    if (waiting_count > 0) readSlice(turn, slice.id, context)
  },
}

function readPart(
  part: HistoryPart,
  channels: ReadonlyMap<string, ProjectChannel>,
  providers: Providers,
  now: Date,
): ReadPart {
  const channel = channels.get(part.channel_id)
  const history = channel && providers.of(channel)?.history
  return { part, channel, items: history?.read(part.content, now) ?? [] }
}
