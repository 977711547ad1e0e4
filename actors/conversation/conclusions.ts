/** The conclusions of turns, which the project stores or throws away. It is told again where it says nothing. */
import type { AssistantAtWork } from './assistant_at_work.ts'
import { isSteady, type Waits } from './pace.ts'
import { type ConversationTurn, move } from './phase.ts'
import type { Conclusion } from './protocol.ts'
import { type CurrentTurn, joined } from './state.ts'
import { writeRecord } from './turn_record.ts'

type HandOverOptions = Partial<Pick<Extract<Conclusion, { kind: 'hand_over' }>, 'note' | 'fields' | 'has_failed'>>

/** The longest pause before the project is told again what a turn concluded. */
const MAX_DECIDE_MS = 3_600_000

export class Conclusions {
  readonly #assistants: Pick<AssistantAtWork, 'handOverWords'>
  readonly #waits: Waits

  constructor(assistants: Pick<AssistantAtWork, 'handOverWords'>, waits: Waits) {
    this.#assistants = assistants
    this.#waits = waits
  }

  conclude(turn: ConversationTurn, current: CurrentTurn, conclusion: Conclusion): void {
    move(turn, 'concluded')
    current.failures = 0
    writeRecord(turn, current)
    this.#tellProject(turn, current, conclusion)
  }

  /** Leaves the conversation to people. `reason`: a word of ours, or the code of what failed. */
  handOver(turn: ConversationTurn, current: CurrentTurn, reason: string, options: HandOverOptions = {}): void {
    this.conclude(turn, current, this.#handOverOf(current, reason, options))
  }

  /** The project has not stored what the turn concluded: it could not, or could not yet. */
  concludeAgain(turn: ConversationTurn, current: CurrentTurn): void {
    current.failures++
    const note = 'What the assistant concluded could not be stored.'
    this.#tellProject(turn, current, this.#handOverOf(current, 'not_stored', { note, has_failed: true }))
  }

  /** True while the person writes on and on, and is answered beside what comes in. */
  isSteady({ state, now }: ConversationTurn, current: CurrentTurn): boolean {
    return isSteady(joined(current.unanswered, state.unanswered)!, now.getTime(), this.#waits)
  }

  #handOverOf(
    { seen }: CurrentTurn,
    reason: string,
    { note = null, fields = null, has_failed = false }: HandOverOptions,
  ): Conclusion {
    const words = this.#assistants.handOverWords(seen ?? { language: null, is_outside_hours: false }, has_failed)
    return { kind: 'hand_over', reason, note, words, fields, has_failed }
  }

  #tellProject(turn: ConversationTurn, current: CurrentTurn, conclusion: Conclusion): void {
    const known = turn.state.known!
    current.attempt++
    const due_ms = Math.min(this.#waits.decide_ms * 2 ** current.failures, MAX_DECIDE_MS)
    const due_at = new Date(turn.now.getTime() + due_ms)
    turn.timer('overdue', due_at, { type: 'overdue', turn_id: current._id, attempt: current.attempt })
    turn.tell(`project/${known.project_id}`, {
      type: 'assistant_concluded',
      ticket_id: turn.key,
      turn_id: current._id,
      assistant_id: known.assistant_id,
      chat_user: known.chat_user,
      segment: current.seen?.segment ?? known.segment,
      version: current.seen?.version ?? known.version,
      place: known.place,
      is_steady: this.isSteady(turn, current),
      ...(current.failures > 0 && { is_again: true }),
      conclusion,
    })
  }
}
