/**
 * The dead-letters actor: the only one that takes letters out of the table for operators. It is one actor for the whole
 * cluster, so two operators, or two requests to two nodes, take turns; and what it does with a letter commits together with
 * the removal of that letter. So a letter is told again once or dropped, whatever crashes meanwhile.
 */
import { type ActorKind, type Address, defineActor, type Log } from '../runtime/mod.ts'
import {
  AuditEntry,
  auditEntry,
  DeadLetter,
  type DeadLetterFilter,
  type KeptMessage,
  type Origin,
  readDeadLetterIds,
  readKeptMessages,
  type WriteSet,
} from '../storage/mod.ts'

/** The oldest letters that fit the filter, at most so many of them, and no more than one turn takes. */
type Selection = { filter: DeadLetterFilter; limit: number; origin?: Origin | undefined }

/** A reply says how many letters it was; 0 when none fits any more. */
export type DeadLettersProtocol = {
  /** Tells the messages again, each to its address, in the order in which they were parked, in the name of their senders. */
  replay: { message: Selection; reply: number }
  /** Forgets them. */
  drop: { message: Selection; reply: number }
}

export const DEAD_LETTERS: Address<DeadLettersProtocol> = 'dead_letters/all'

/** The kinds of actors of this version. Letters may be for kinds of another version. */
export const actorKinds: ReadonlySet<string> = new Set([
  'broadcast',
  'channel',
  'conversation',
  'data_erasure',
  'data_export',
  'dead_letters',
  'mail',
  'project',
  'sign_in',
  'subscription',
  'test_runs',
])

type Records = { kept: KeptMessage[]; dropped: string[] }

/** Messages told again in one turn, and the bytes after which no further one is. */
const MAX_REPLAYED = 100
const MAX_BYTES = 1024 * 1024
const MAX_DROPPED = 1000
/** Operators are few. */
const MAILBOX = 1000

export function deadLettersActor({ log }: { log: Log }): ActorKind<DeadLettersProtocol, null, Records> {
  return defineActor<DeadLettersProtocol, null, Records>({
    kind: 'dead_letters',
    create: () => null,
    mailbox_limit: MAILBOX,
    // A letter that one message takes must not be read for the next before that is committed.
    turn_limit: 1,

    async read([message], { database }) {
      const records: Records = { kept: [], dropped: [] }
      if (!message) return records
      const { type, filter, limit } = message
      if (type === 'drop') records.dropped = await readDeadLetterIds(database, filter, Math.min(limit, MAX_DROPPED))
      else {
        const most = { limit: Math.min(limit, MAX_REPLAYED), bytes: MAX_BYTES }
        records.kept = await readKeptMessages(database, filter, most)
      }
      return records
    },

    receive: {
      replay(turn, { origin }) {
        const { kept } = turn.records
        for (const { id, address, sender, message } of kept) {
          turn.remove(DeadLetter, { id })
          turn.forward(address, message, sender)
        }
        const ids = kept.map(({ id }) => id)
        audit(turn, origin, { replayed: ids })
        if (ids.length > 0) turn.after(() => log.info({ ids }, 'an operator replayed dead letters'))
        return ids.length
      },

      drop(turn, { origin }) {
        const { dropped: ids } = turn.records
        for (const id of ids) turn.remove(DeadLetter, { id })
        audit(turn, origin, { dropped: ids })
        if (ids.length > 0) turn.after(() => log.info({ ids }, 'an operator dropped dead letters'))
        return ids.length
      },
    },
  })
}

/** One entry for the letters of a turn. */
function audit(turn: WriteSet, origin: Origin | undefined, done: { replayed: string[] } | { dropped: string[] }): void {
  const ids = Object.values(done).flat()
  if (!origin || ids.length === 0) return
  const target_id = ids.length === 1 ? ids[0] : null
  const entry = auditEntry(origin, { target_kind: 'dead_letter', target_id, after: { count: ids.length, ...done } })
  if (entry) turn.insert(AuditEntry, entry)
}
