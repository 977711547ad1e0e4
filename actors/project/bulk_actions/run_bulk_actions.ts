/** Fetches the next slices of running actions. Also on a timer, which outlives the node. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, nextBulkSlice } from '../../../storage/mod.ts'
import type { Foreground } from '../../foreground.ts'
import type { ProjectContext, Receiver } from '../turn/feature.ts'
import { Memory } from '../turn/memory.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { bulkActionReads } from './reads.ts'

const TIMER = 'bulk_actions'
/** Time after which running actions are looked for, whatever else brings the actor to them. */
const LOOK_MS = 5000
/** Time until a slice is fetched again that could not be read. */
const RETRY_MS = 1000
/** The pause between two slices of an action while clients write or people send messages. */
const BUSY_MS = 100

/** Actions whose next slice is being fetched on this node. */
export const fetchedBulkActions = new Memory<Set<string>>(() => new Set())

/** `failed`: the action whose slice could not be read. */
export const runBulkActions: Receiver<{ failed?: string | undefined }> = {
  reads(reads) {
    reads.of(bulkActionReads).running = true
  },
  receive(turn, { failed }, context) {
    if (failed !== undefined) {
      fetchedBulkActions.of(turn.state).delete(failed)
      turn.soon(RETRY_MS, { type: 'run_bulk_actions' })
      return
    }
    const running = [...turn.records.of(bulkActionReads).by_id.values()].filter(({ status }) => status === 'running')
    for (const { id } of running) fetchSlice(turn, id, context)
    if (running.length > 0) turn.timer(TIMER, new Date(turn.now.getTime() + LOOK_MS), { type: 'run_bulk_actions' })
    else turn.cancel(TIMER)
  },
}

/** Has the actor look for actions, now and if this node dies. */
export function runSoon(turn: ProjectTurn): void {
  turn.timer(TIMER, new Date(turn.now.getTime() + LOOK_MS), { type: 'run_bulk_actions' })
  turn.soon(0, { type: 'run_bulk_actions' })
}

/** Fetches the next slice of the action, unless it is being fetched. It comes back as a message. */
export function fetchSlice(
  turn: ProjectTurn,
  id: string,
  { database, foreground }: Pick<ProjectContext, 'database' | 'foreground'>,
): void {
  const fetched = fetchedBulkActions.of(turn.state)
  if (fetched.has(id)) return
  fetched.add(id)
  turn.work((signal) => nextSlice(id, database, foreground, signal))
}

async function nextSlice(id: string, database: Database, foreground: Foreground, signal: AbortSignal) {
  try {
    if (foreground.isBusy(performance.now())) await sleep(BUSY_MS, undefined, { signal })
    const slice = await nextBulkSlice(database, id)
    return { type: 'bulk_action_slice', id, ...slice }
  } catch {
    return { type: 'run_bulk_actions', failed: id }
  }
}
