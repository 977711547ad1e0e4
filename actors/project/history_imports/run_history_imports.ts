/** Reads the next parts of imports. Also on a timer, which outlives the node. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, nextHistoryParts } from '../../../storage/mod.ts'
import type { Foreground } from '../../foreground.ts'
import type { ProjectContext, Receiver } from '../turn/feature.ts'
import { Memory } from '../turn/memory.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { historyReads } from './reads.ts'

const TIMER = 'history_imports'
/** Time after which imports are looked for, whatever else brings the actor to them. */
const LOOK_MS = 5_000
/** Time until parts are read again that could not be read. */
const RETRY_MS = 1_000
/** The pause between two slices while clients write or people send messages. */
const BUSY_MS = 100
/** Messages and names that are stored in a turn. */
const MAX_SLICE = 100

/** Imports whose next parts are being read on this node. */
export const readImports = new Memory<Set<string>>(() => new Set())

/** `failed`: the import whose parts could not be read. */
export const runHistoryImports: Receiver<{ failed?: string | undefined }> = {
  reads(reads) {
    reads.of(historyReads).waiting = true
  },
  receive(turn, { failed }, context) {
    if (failed !== undefined) {
      readImports.of(turn.state).delete(failed)
      turn.soon(RETRY_MS, { type: 'run_history_imports' })
      return
    }
    const waiting = [...turn.records.of(historyReads).by_id.values()].filter(({ waiting_count }) => waiting_count > 0)
    for (const { _id } of waiting) readSlice(turn, _id, context)
    if (waiting.length === 0) turn.cancel(TIMER)
    else turn.timer(TIMER, new Date(turn.now.getTime() + LOOK_MS), { type: 'run_history_imports' })
  },
}

/** Has the actor look for imports, now and if this node dies. */
export function runSoon(turn: ProjectTurn): void {
  turn.timer(TIMER, new Date(turn.now.getTime() + LOOK_MS), { type: 'run_history_imports' })
  turn.soon(0, { type: 'run_history_imports' })
}

/** Reads the next parts of the import, unless they are being read. They come back as a message. */
export function readSlice(
  turn: ProjectTurn,
  id: string,
  { database, foreground }: Pick<ProjectContext, 'database' | 'foreground'>,
): void {
  const under_way = readImports.of(turn.state)
  if (under_way.has(id)) return
  under_way.add(id)
  turn.work((signal) => nextSlice(id, database, foreground, signal))
}

async function nextSlice(id: string, database: Database, foreground: Foreground, signal: AbortSignal) {
  try {
    if (foreground.isBusy(performance.now())) await sleep(BUSY_MS, undefined, { signal })
    return { type: 'history_slice', id, parts: await nextHistoryParts(database, id, MAX_SLICE) }
  } catch {
    return { type: 'run_history_imports', failed: id }
  }
}
