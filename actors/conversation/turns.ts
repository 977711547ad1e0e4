/**
 * The turns of conversations: what each of them does next, and how it ends. Every step notes itself in the state, which the actor
 * saves in the same commit.
 */
import { objectId, type TurnOutcome } from '../../storage/mod.ts'
import type { AssistantAtWork, Thought, ToolsRun } from './assistant_at_work.ts'
import { Conclusions } from './conclusions.ts'
import { isOutdated, quietAt, retryPause, type Waits } from './pace.ts'
import { type ConversationTurn, move } from './phase.ts'
import { addRepair, addTools, newProgress } from './progress.ts'
import { type CurrentTurn, joined, newConversation } from './state.ts'
import { beginRecord, removeRecord, writeRecord } from './turn_record.ts'
import type { TypingPeople } from './typing_people.ts'

/** The pause while nothing may go out of the cluster. Milliseconds. */
const QUIET_CLUSTER_MS = 5000
export class ConversationTurns {
  readonly #assistants: AssistantAtWork
  readonly waits: Waits
  readonly conclusions: Conclusions
  readonly #turnEnded: (outcome: TurnOutcome) => void
  readonly #typing: TypingPeople | undefined

  constructor(
    assistants: AssistantAtWork,
    waits: Waits,
    turnEnded: (outcome: TurnOutcome) => void,
    typing?: TypingPeople,
  ) {
    this.#turnEnded = turnEnded
    this.#assistants = assistants
    this.waits = waits
    this.conclusions = new Conclusions(assistants, waits)
    this.#typing = typing
  }

  gather(turn: ConversationTurn): void {
    const { state } = turn
    if (!state.unanswered) return
    const { known } = state
    if (known?.place?.channel_type === 'web') this.#typing?.listen(known.project_id, known.chat_user)
    turn.timer('quiet', new Date(quietAt(state.unanswered, turn.now.getTime(), this.waits)), { type: 'quiet' })
  }

  /** True while the person types the next message of the burst: the quiet moment is yet to come. */
  isInterrupted(turn: ConversationTurn): boolean {
    const { known, unanswered } = turn.state
    const { quiet_ms, gather_ms } = this.waits
    if (!known || !unanswered || !this.#typing?.isTyping(known.project_id, known.chat_user)) return false
    const now = turn.now.getTime()
    const due = Math.min(now + quiet_ms, unanswered.first_at + gather_ms)
    if (due <= now) return false
    turn.timer('quiet', new Date(due), { type: 'quiet' })
    return true
  }

  /** A new segment begins: people had the conversation since, and answered what they answered. */
  forget(turn: ConversationTurn): void {
    const { state } = turn
    state.unanswered = null
    if (state.phase !== 'gathering') return
    turn.cancel('quiet')
    move(turn, 'taken_over')
  }

  begin(turn: ConversationTurn): void {
    const { state } = turn
    const { known, unanswered } = state
    if (!known || !unanswered) return
    move(turn, 'quiet')
    state.unanswered = null
    state.turn = {
      _id: objectId(),
      started_at: turn.now.getTime(),
      segment: known.segment,
      unanswered,
      step: 1,
      attempt: 0,
      failures: 0,
      seen: null,
      tool_calls: [],
      ...newProgress(),
    }
    this.think(turn, state.turn)
  }

  /** Milliseconds until the turn has to end. */
  left(turn: ConversationTurn, current: CurrentTurn): number {
    return current.started_at + this.waits.turn_ms - turn.now.getTime()
  }

  /** Begins a call: notes the attempt, and has a timer look after it. */
  #call(turn: ConversationTurn, current: CurrentTurn, deadline_ms: number): boolean {
    current.attempt++
    const due_ms = turn.is_quiet ? QUIET_CLUSTER_MS : deadline_ms + this.waits.lost_ms
    const due_at = new Date(turn.now.getTime() + due_ms)
    turn.timer('overdue', due_at, { type: 'overdue', turn_id: current._id, attempt: current.attempt })
    return !turn.is_quiet
  }

  /** Waits while nothing may go out of the cluster. That time, up to the next look, is none of the turn's. */
  pause(turn: ConversationTurn, current: CurrentTurn): void {
    if (turn.state.phase !== 'deciding') current.started_at = turn.now.getTime() + QUIET_CLUSTER_MS
    this.#call(turn, current, 0)
  }

  think(turn: ConversationTurn, current: CurrentTurn): void {
    const { project_id, assistant_id } = turn.state.known!
    const { _id: turn_id, step, exchange, sources, links, is_repaired } = current
    const deadline_ms = Math.max(1, Math.min(this.waits.model_ms, this.left(turn, current)))
    // A person who writes on and on is answered beside what comes in.
    const version = this.conclusions.isSteady(turn, current) ? null : (current.seen?.version ?? null)
    if (!this.#call(turn, current, deadline_ms)) return
    const question = {
      ...{ project_id, ticket_id: turn.key, assistant_id, turn_id, step, version },
      ...{ exchange, sources, links, is_repaired, deadline_ms },
    }
    turn.work(
      async (signal) => ({ type: 'thought', turn_id, step, thought: await this.#assistants.think(question, signal) }),
      { unbroken: true, outside: true },
    )
  }

  #runTools(turn: ConversationTurn, current: CurrentTurn): void {
    const { project_id, assistant_id } = turn.state.known!
    const { _id: turn_id, step, tool_calls, steps, sources } = current
    const deadline_ms = Math.max(1, Math.min(this.waits.tools_ms, this.left(turn, current)))
    if (!this.#call(turn, current, deadline_ms)) return
    const question = {
      ...{ project_id, ticket_id: turn.key, assistant_id, turn_id, step, deadline_ms, tool_calls, steps },
      ...{ segment: current.seen!.segment, first_source: sources.length + 1 },
    }
    turn.work(
      async (signal) => ({ type: 'tools_run', turn_id, step, run: await this.#assistants.runTools(question, signal) }),
      { unbroken: true, outside: true },
    )
  }

  /**
   * Answers what was said since together with what this turn was to answer. In a new segment the person may have had an answer of
   * people, and waits for none.
   */
  regather(turn: ConversationTurn, current: CurrentTurn): void {
    const { state } = turn
    const is_same = state.known!.segment === current.segment
    state.unanswered = joined(is_same ? current.unanswered : null, state.unanswered)
    state.turn = null
    turn.cancel('overdue')
    move(turn, state.unanswered ? 'outdated' : 'taken_over')
    this.gather(turn)
  }

  /** Ends a turn that did not reach the project. */
  #discard(turn: ConversationTurn, current: CurrentTurn, reason: string): void {
    this.#endDiscarded(turn, current, reason)
    this.regather(turn, current)
  }

  #endDiscarded(turn: ConversationTurn, current: CurrentTurn, reason: string): void {
    writeRecord(turn, current, { outcome: 'discarded', reason, ended_at: turn.now })
    if (current.seen) turn.after(() => this.#turnEnded('discarded'))
  }

  #loseConversation(turn: ConversationTurn, current: CurrentTurn, is_gone: boolean): void {
    const { state } = turn
    if (is_gone) {
      removeRecord(turn, current)
      turn.cancel('overdue')
      Object.assign(state, newConversation())
      return
    }
    // It was taken over and given back meanwhile.
    if (state.known!.segment > current.segment) {
      this.#discard(turn, current, 'taken_over')
      return
    }
    this.#endDiscarded(turn, current, 'taken_over')
    state.turn = null
    state.unanswered = null
    state.known = { ...state.known!, place: null }
    turn.cancel('overdue')
    move(turn, 'taken_over')
  }

  /** Asks again while there is time, and else leaves the conversation to people. */
  #fail(
    turn: ConversationTurn,
    current: CurrentTurn,
    {
      code,
      message,
      can_retry,
      retry_after_s,
    }: Pick<Extract<Thought, { kind: 'failed' }>, 'code' | 'message' | 'can_retry' | 'retry_after_s'>,
  ): void {
    current.failures++
    const pause_ms = retryPause(current.failures, retry_after_s, this.waits)
    if (
      !can_retry ||
      current.failures > this.waits.retries ||
      pause_ms + this.waits.least_ms > this.left(turn, current)
    ) {
      this.conclusions.handOver(turn, current, code, { note: message, has_failed: true })
      return
    }
    current.attempt++
    const due_at = new Date(turn.now.getTime() + pause_ms)
    turn.timer('overdue', due_at, { type: 'overdue', turn_id: current._id, attempt: current.attempt })
  }

  thought(turn: ConversationTurn, current: CurrentTurn, thought: Thought): void {
    const { state } = turn
    if (thought.kind === 'not_held') {
      this.#loseConversation(turn, current, thought.is_gone === true)
      return
    }
    if (thought.kind === 'outdated') {
      this.#discard(turn, current, 'newer')
      return
    }
    if (thought.step) current.steps.push(thought.step)
    if (thought.seen && !current.seen) beginRecord(turn, current, thought.seen)
    if (isOutdated(state, current, turn.now.getTime(), this.waits)) {
      this.#discard(turn, current, 'newer')
      return
    }
    if (thought.kind === 'failed') {
      this.#fail(turn, current, thought)
      return
    }
    if (thought.kind === 'machine') {
      this.conclusions.handOver(turn, current, 'another_machine')
      return
    }
    current.failures = 0
    if (thought.kind === 'called') {
      const { text, tool_calls } = thought
      current.exchange.push({ role: 'assistant', text, tool_calls })
      current.tool_calls = tool_calls
      move(turn, 'called_tools')
      this.#runTools(turn, current)
      return
    }
    const { verdict, text } = thought
    if (verdict.kind === 'hand_over') {
      this.conclusions.handOver(turn, current, verdict.reason)
      return
    }
    if (verdict.kind === 'repair') {
      addRepair(current, text, verdict.instruction)
      current.step++
      this.think(turn, current)
      return
    }
    this.conclusions.conclude(turn, current, {
      kind: 'answer',
      text: verdict.text,
      parts: verdict.parts,
      sources: verdict.sources,
    })
  }

  toolsEnded(turn: ConversationTurn, current: CurrentTurn, run: ToolsRun): void {
    addTools(current, run)
    current.tool_calls = []
    current.step++
    if (isOutdated(turn.state, current, turn.now.getTime(), this.waits)) {
      this.#discard(turn, current, 'newer')
      return
    }
    if (run.hand_over) {
      const { reason, summary, stage_texts } = run.hand_over
      this.conclusions.handOver(turn, current, 'asked', { note: reason, fields: { summary, stage_texts } })
      return
    }
    if (run.is_endless) {
      this.conclusions.handOver(turn, current, 'too_many_steps')
      return
    }
    move(turn, 'tools_ended')
    this.think(turn, current)
  }
}
