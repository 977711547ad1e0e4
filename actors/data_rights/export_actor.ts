/**
 * The export actor: one per subject, so that a subject is exported once at a time. It writes the archive outside its
 * turns (`write_export.ts`). An attempt that is cut off is begun anew, from another snapshot.
 */

import { type ActorKind, defineActor, FairSlots, type Log, type Turn } from '../../runtime/mod.ts'
import {
  AuditEntry,
  auditEntry,
  blank,
  DataExport,
  ExportMoved,
  failExport,
  type Origin,
  objectId,
  type RightsKind,
  readRows,
} from '../../storage/mod.ts'
import { type ExportPlace, writeExport } from './write_export.ts'

export type ExportProtocol = {
  /** From the operator API: begins the export of the actor's key, unless one is running. The reply is its id. */
  begin: {
    message: { kind: RightsKind; company_id: string; project_id: string | null; origin: Origin }
    reply: string
  }
  /** An attempt has ended: the export is over, unless `again`. */
  worked: { message: { _id: string; again: boolean }; reply: void }
  go_on: { message: object; reply: void }
  wake: { message: object; reply: void }
}

type State = { row: DataExport | null; is_working: boolean; failures: number }
/** `is_running`: false when the export of the state was stopped; its attempt notices that a little later. */
type Records = { is_running: boolean }
type ExportTurn = Turn<State, Records>

const RETRY_MS = 1000
const MAX_FAILURES = 3

/**
 * Exports of a node that are being written at the same time; companies take turns. Each holds a connection and a
 * snapshot.
 */
const AT_ONCE = 1

export function exportActor(place: ExportPlace & { log: Log }): ActorKind<ExportProtocol, State, Records> {
  const { database, log } = place
  const slots = new FairSlots(AT_ONCE)

  function proceed(turn: ExportTurn): void {
    const { state } = turn
    const { row } = state
    if (!row || state.is_working) return
    state.is_working = true
    turn.work(async (signal) => {
      let attempt = 0
      const begun = (number: number) => {
        attempt = number
      }
      try {
        const free = await slots.take(row.company_id, signal)
        try {
          await writeExport(place, row, signal, begun)
        } finally {
          free()
        }
        return { type: 'worked', _id: row._id, again: false }
      } catch (error) {
        if (signal.aborted) throw error
        if (error instanceof ExportMoved) return { type: 'worked', _id: row._id, again: await isRunning(row) }
        state.failures++
        const { message } = error as Error
        log.warn({ export: row._id, error: message }, 'an export failed')
        const again = state.failures < MAX_FAILURES
        if (!again) {
          await failExport(database, { _id: row._id, attempt }, message).catch((moved) => {
            if (!(moved instanceof ExportMoved)) throw moved
          })
        }
        return { type: 'worked', _id: row._id, again }
      }
    })
  }

  async function isRunning({ _id }: DataExport): Promise<boolean> {
    const [row] = await readRows(database, DataExport, { _id, ended_at: null })
    return row !== undefined
  }

  return defineActor<ExportProtocol, State, Records>({
    kind: 'data_export',

    async load(subject_ids, database) {
      const rows = await readRows(database, DataExport, { subject_id: subject_ids, ended_at: null })
      return new Map(rows.map((row) => [row.subject_id, { row, is_working: false, failures: 0 }]))
    },
    create: () => ({ row: null, is_working: false, failures: 0 }),

    async read(messages, { state: { row } }) {
      const is_asked = row !== null && messages.some(({ type }) => type === 'begin')
      return { is_running: is_asked && (await isRunning(row)) }
    },

    receive: {
      begin(turn, { kind, company_id, project_id, origin }) {
        const { state, records } = turn
        if (state.row && records.is_running) return state.row._id
        const row = blank(DataExport, {
          _id: objectId(),
          kind,
          subject_id: turn.key,
          company_id,
          project_id,
          requested_by: origin.actor_name ?? origin.actor_id ?? origin.actor_kind,
          status: 'running',
          attempt: 0,
          counts: {},
          created_at: turn.now,
          updated_at: turn.now,
        })
        turn.insert(DataExport, row)
        const after = { kind, subject_id: turn.key }
        const change = { target_kind: 'data_export', target_id: row._id, company_id, project_id, after }
        turn.insert(AuditEntry, auditEntry(origin, change)!)
        Object.assign(state, { row, failures: 0 })
        records.is_running = true
        turn.awake(true)
        proceed(turn)
        return row._id
      },

      worked(turn, { _id, again }) {
        const { state } = turn
        state.is_working = false
        // Another one has begun since this one was stopped.
        if (state.row?._id !== _id) return proceed(turn)
        if (again) {
          turn.soon(RETRY_MS, { type: 'go_on' })
          return
        }
        state.row = null
        turn.awake(false)
      },

      go_on: proceed,

      wake(turn) {
        turn.awake(turn.state.row !== null)
        proceed(turn)
      },
    },
  })
}
