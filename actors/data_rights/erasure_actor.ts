/**
 * The erasure actor: one per subject, so that a subject is erased once at a time. It does batch after batch outside its
 * turns (`storage/data_rights/erasure`), and asks the actors that hold the subject in memory to forget it.
 *
 *  E1 The row tells the phase and the place in it. A batch stores its place in the transaction that erases, and the turn
 *     stores the phase. So a new owner goes on where the last one ended, and nothing is counted twice.
 *  E2 A batch of a former owner changes nothing: its transaction finds another phase or place.
 *  E4 An actor that has not answered is asked again each minute: a question may have been parked as a dead letter.
 *     Actors answer every repetition, and forgetting again changes nothing.
 *  E3 After each batch the actor rests for longer than the batch took. The actors of a node share `AT_ONCE` batches, so
 *     that any number of erasures leaves connections to requests.
 */

import { type ActorKind, defineActor, FairSlots, type Log, type Turn } from '../../runtime/mod.ts'
import {
  type AskedActors,
  AuditEntry,
  auditEntry,
  type BlobStore,
  blank,
  type Database,
  DataErasure,
  ErasureMoved,
  isErased,
  objectId,
  type PhaseResult,
  readRows,
  runPhase,
} from '../../storage/mod.ts'
import type { EraseMessage, ErasureProtocol } from './protocol.ts'

/** `is_working`: a batch is under way. */
type State = { row: DataErasure | null; is_working: boolean }
type ErasureTurn = Turn<State>
type Worked = ErasureProtocol['worked']['message']

/** `ask_ms`: milliseconds after which actors without an answer are asked again. */
export type ErasureOptions = { database: Database; blobs: BlobStore; log: Log; ask_ms?: number | undefined }

/** Shortest pause between batches, and the pause as a multiple of the batch's duration. */
const PAUSE_MS = 5
const REST = 2
const MAX_PAUSE_MS = 2000
/** Pauses after a batch that has to wait for other actors, and after one that failed. */
const WAIT_MS = 500
const RETRY_MS = 5000
const ASK_MS = 60_000
/**
 * Batches of a node under way at the same time; companies take turns. One alone would let a batch that waits for a lock
 * stop the others.
 */
const AT_ONCE = 2
/** The durable timer for the next question. */
const ASK_AGAIN = 'ask_again'

export function erasureActor(options: ErasureOptions): ActorKind<ErasureProtocol, State> {
  const { database, blobs, log, ask_ms = ASK_MS } = options
  const slots = new FairSlots(AT_ONCE)

  function proceed(turn: ErasureTurn): void {
    if (turn.state.row?.waits_for.length === 0) work(turn)
  }

  /** Does one batch of the phase; of a phase that asks, finds the actors to ask. */
  function work(turn: ErasureTurn): void {
    const { state } = turn
    const { row } = state
    if (!row || state.is_working) return
    state.is_working = true
    const { phase } = row
    turn.work(async (signal) => {
      const free = await slots.take(row.company_id, signal)
      const began = performance.now()
      const worked: Omit<Worked, 'took_ms'> = { phase }
      try {
        worked.result = await runPhase(database, blobs, row)
      } catch (error) {
        if (!(error instanceof ErasureMoved)) worked.error = (error as Error).message
      } finally {
        free()
      }
      return { type: 'worked', ...worked, took_ms: performance.now() - began }
    })
  }

  function enter(turn: ErasureTurn, row: DataErasure, phase: number): void {
    if (row.waits_for.length > 0) turn.cancel(ASK_AGAIN)
    change(turn, row, { phase, cursor: '', waits_for: [], remark: null })
    if (isErased(row)) end(turn, row)
    else turn.soon(0, { type: 'go_on' })
  }

  function end(turn: ErasureTurn, row: DataErasure): void {
    change(turn, row, { status: 'done', ended_at: turn.now })
    turn.state.row = null
    turn.awake(false)
    const { _id, kind, subject_id } = row
    // Channels and broadcasts on other nodes may have published until they forgot.
    if (kind === 'project') turn.dropLive(subject_id)
    turn.after(() => log.info({ erasure: _id, kind, subject_id }, 'an erasure has ended'))
  }

  function ask(turn: ErasureTurn, row: DataErasure, asked: AskedActors): void {
    const { asks, waits_for } = questionsOf(turn.address, row, asked)
    // Asked again: the others have answered.
    const left = row.waits_for.length === 0 ? waits_for : waits_for.filter((one) => row.waits_for.includes(one))
    if (left.length === 0) {
      enter(turn, row, row.phase + 1)
      return
    }
    change(turn, row, { waits_for: left })
    for (const { address, message, answers } of asks) {
      if (answers.some((one) => left.includes(one))) turn.tell(address, message)
    }
    turn.timer(ASK_AGAIN, new Date(turn.now.getTime() + ask_ms), { type: 'ask_again' })
  }

  return defineActor<ErasureProtocol, State>({
    kind: 'data_erasure',

    async load(subject_ids, database) {
      const rows = await readRows(database, DataErasure, { subject_id: subject_ids, ended_at: null })
      return new Map(rows.map((row) => [row.subject_id, { row, is_working: false }]))
    },
    create: () => ({ row: null, is_working: false }),

    receive: {
      begin(turn, { kind, company_id, project_id, origin, reason }) {
        if (turn.state.row) return turn.state.row._id
        const row = blank(DataErasure, {
          _id: objectId(),
          kind,
          subject_id: turn.key,
          company_id,
          project_id,
          requested_by: origin.actor_name ?? origin.actor_id ?? origin.actor_kind,
          reason,
          status: 'running',
          phase: 0,
          cursor: '',
          waits_for: [],
          counts: {},
          created_at: turn.now,
          updated_at: turn.now,
        })
        turn.insert(DataErasure, row)
        const after = { kind, subject_id: turn.key, reason }
        const change = { target_kind: 'data_erasure', target_id: row._id, company_id, project_id, after }
        turn.insert(AuditEntry, auditEntry(origin, change)!)
        turn.state.row = row
        turn.awake(true)
        proceed(turn)
        return row._id
      },

      worked(turn, { phase, result, error, took_ms }) {
        const { state } = turn
        state.is_working = false
        const { row } = state
        if (row?.phase !== phase) {
          // The last answer came while the actors were asked again, and the next phase could not begin.
          proceed(turn)
          return
        }
        if (error !== undefined) {
          change(turn, row, { remark: `A batch failed and is tried again: ${error}` })
          turn.after(() => log.warn({ erasure: row._id, error }, 'a batch of an erasure failed, trying again'))
          turn.soon(RETRY_MS, { type: row.waits_for.length > 0 ? 'ask_again' : 'go_on' })
          return
        }
        const found = result as PhaseResult | undefined
        if (!found) turn.soon(RETRY_MS, { type: 'go_on' })
        else if ('asks' in found) ask(turn, row, found.asks)
        else if (found.next_phase !== undefined) enter(turn, row, found.next_phase)
        else {
          const remark = found.waits ?? null
          if (remark !== row.remark) change(turn, row, { remark })
          const rest_ms = Math.min(MAX_PAUSE_MS, Math.max(PAUSE_MS, REST * took_ms))
          turn.soon(remark === null ? rest_ms : WAIT_MS, { type: 'go_on' })
        }
      },

      settled(turn, { address, round }) {
        const { row } = turn.state
        if (!row || round !== roundOf(row)) return
        const waits_for = row.waits_for.filter((one) => one !== address)
        if (waits_for.length === row.waits_for.length) return
        if (waits_for.length === 0) enter(turn, row, row.phase + 1)
        else change(turn, row, { waits_for })
      },

      go_on: proceed,

      ask_again(turn) {
        if (turn.state.row && turn.state.row.waits_for.length > 0) work(turn)
      },

      wake(turn) {
        const { row } = turn.state
        if (!row) return
        turn.awake(true)
        // An owner of an earlier version has set no timer.
        if (row.waits_for.length === 0) proceed(turn)
        else turn.timer(ASK_AGAIN, new Date(turn.now.getTime() + ask_ms), { type: 'ask_again' })
      },
    },
  })
}

/** Writes these columns. `cursor` and `counts` belong to the batches, but a new phase begins at its beginning. */
function change(turn: ErasureTurn, row: DataErasure, patch: Partial<DataErasure>): void {
  Object.assign(row, patch, { updated_at: turn.now })
  turn.update(DataErasure, { _id: row._id }, { ...patch, updated_at: turn.now })
}

/** Tells the answers to this phase from late ones to an earlier phase. */
function roundOf({ _id, phase }: DataErasure): string {
  return `${_id}/${phase}`
}

/** The questions of this phase, each with the addresses that answer it, and all these addresses. */
function questionsOf(reply_to: string, row: DataErasure, { projects, others }: AskedActors) {
  const ask = { reply_to, round: roundOf(row) }
  const all = row.kind === 'project'
  const erase: { type: string } & EraseMessage = { type: 'erase', ...ask, all, contacts: [] }
  const asks = [
    ...projects.map(({ project_id, contacts, told }) => {
      const message = { type: all ? 'erase_project' : 'erase_people', ...ask, erasure_id: row._id, contacts, told }
      const address = `project/${project_id}`
      return { address, message, answers: [address, ...told] }
    }),
    ...others.map((address) => ({ address, message: erase, answers: [address] })),
  ]
  return { asks, waits_for: asks.flatMap(({ answers }) => answers) }
}
