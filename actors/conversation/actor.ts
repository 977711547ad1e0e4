/**
 * The actor of a conversation that an assistant holds: one per ticket. It waits for a quiet moment, asks the model, runs the tools
 * that the model calls, and tells the project what came of it. The project alone decides: it compares the conversation with what
 * the model saw, in the commit that stores the answer.
 *
 *  C1 One turn at a time, and one answer to a burst of messages. A turn that has become outdated ends, and the next one answers
 *     all that was said.
 *  C2 The outcome of a call is stored before it is used, and each call has a timer, so a conversation goes on after any crash. An
 *     outcome that comes late, from whatever node, is used as long as its step is under way: an answered call is not paid twice.
 *  C3 Calls of tools are not repeated when their outcome is lost: the model is told that it is unknown.
 *  C4 Whatever fails, the turn ends within its time: with an answer or with a hand-over to people.
 */
import { type ActorKind, defineActor, type Turn } from '../../runtime/mod.ts'
import { AssistantTurn, blank, objectId } from '../../storage/mod.ts'
import { type ConversationEvent, nextConversationPhase } from '../machines/mod.ts'
import { decimalOf, trillionthsOf } from '../models/mod.ts'
import type { AssistantAtWork, Thought, ToolsRun } from './assistant_at_work.ts'
import { isOutdated, isSteady, quietAt, retryPause, type Waits } from './pace.ts'
import type { Conclusion, ConversationProtocol } from './protocol.ts'
import { type ConversationState, type CurrentTurn, joined, newConversation } from './state.ts'

type ConversationTurn = Turn<ConversationState>

export type ConversationOptions = {
  assistants: AssistantAtWork
  waits: Waits
}

/** The pause while nothing may go out of the cluster. Milliseconds. */
const QUIET_CLUSTER_MS = 5000
const LOST =
  'The call was interrupted. It may have had its effect. Do not repeat it; tell the person that it is unclear.'

export function conversationActor({
  assistants,
  waits,
}: ConversationOptions): ActorKind<ConversationProtocol, ConversationState> {
  function move(turn: ConversationTurn, event: ConversationEvent): void {
    turn.state.phase = nextConversationPhase(turn.state.phase, event)
  }

  function gather(turn: ConversationTurn): void {
    const { state } = turn
    if (!state.unanswered) return
    turn.timer('quiet', new Date(quietAt(state.unanswered, turn.now.getTime(), waits)), { type: 'quiet' })
  }

  function begin(turn: ConversationTurn): void {
    const { state } = turn
    const { known, unanswered } = state
    if (!known || !unanswered) return
    move(turn, 'quiet')
    state.unanswered = null
    state.turn = {
      _id: objectId(),
      started_at: turn.now.getTime(),
      unanswered,
      step: 1,
      attempt: 0,
      failures: 0,
      seen: null,
      exchange: [],
      tool_calls: [],
      sources: [],
      links: [],
      documents: [],
      steps: [],
      is_repaired: false,
      conclusion: null,
    }
    think(turn, state.turn)
  }

  /** Milliseconds until the turn has to end. */
  function left(turn: ConversationTurn, current: CurrentTurn): number {
    return current.started_at + waits.turn_ms - turn.now.getTime()
  }

  /** Begins a call: notes the attempt, and has a timer look after it. */
  function call(turn: ConversationTurn, current: CurrentTurn, deadline_ms: number): boolean {
    current.attempt++
    const due_ms = turn.is_quiet ? QUIET_CLUSTER_MS : deadline_ms + waits.lost_ms
    const due_at = new Date(turn.now.getTime() + due_ms)
    turn.timer('overdue', due_at, { type: 'overdue', turn_id: current._id, attempt: current.attempt })
    return !turn.is_quiet
  }

  function think(turn: ConversationTurn, current: CurrentTurn): void {
    const { project_id, assistant_id } = turn.state.known!
    const { _id: turn_id, step, seen, exchange, sources, links, is_repaired } = current
    const deadline_ms = Math.max(1, Math.min(waits.model_ms, left(turn, current)))
    if (!call(turn, current, deadline_ms)) return
    const question = {
      ...{ project_id, ticket_id: turn.key, assistant_id, turn_id, step, version: seen?.version ?? null },
      ...{ exchange, sources, links, is_repaired, deadline_ms },
    }
    turn.work(
      async (signal) => ({ type: 'thought', turn_id, step, thought: await assistants.think(question, signal) }),
      { unbroken: true, outside: true },
    )
  }

  function runTools(turn: ConversationTurn, current: CurrentTurn): void {
    const { project_id, assistant_id } = turn.state.known!
    const { _id: turn_id, step, tool_calls, steps, sources } = current
    const deadline_ms = Math.max(1, Math.min(waits.tools_ms, left(turn, current)))
    call(turn, current, deadline_ms)
    const question = {
      ...{ project_id, ticket_id: turn.key, assistant_id, turn_id, step, deadline_ms, tool_calls, steps },
      ...{ segment: current.seen!.segment, first_source: sources.length + 1 },
    }
    turn.work(
      async (signal) => ({ type: 'tools_run', turn_id, step, run: await assistants.runTools(question, signal) }),
      { unbroken: true, outside: true },
    )
  }

  /** What was said since is answered together with what this turn was to answer. */
  function regather(turn: ConversationTurn, current: CurrentTurn): void {
    const { state } = turn
    state.unanswered = joined(current.unanswered, state.unanswered)
    state.turn = null
    turn.cancel('overdue')
    move(turn, 'outdated')
    gather(turn)
  }

  /** Ends a turn that did not reach the project. */
  function discard(turn: ConversationTurn, current: CurrentTurn, reason: string): void {
    writeTurn(turn, current, { outcome: 'discarded', reason, ended_at: turn.now })
    regather(turn, current)
  }

  function loseConversation(turn: ConversationTurn, current: CurrentTurn): void {
    const { state } = turn
    const segment = current.seen?.segment ?? 0
    // It was taken over and given back meanwhile.
    if (current.seen && state.known!.segment > segment) return discard(turn, current, 'taken_over')
    writeTurn(turn, current, { outcome: 'discarded', reason: 'taken_over', ended_at: turn.now })
    state.turn = null
    state.unanswered = null
    // The ticket may have been erased.
    state.known = { ...state.known!, place: null }
    turn.cancel('overdue')
    move(turn, 'taken_over')
  }

  function conclude(turn: ConversationTurn, current: CurrentTurn, conclusion: Conclusion): void {
    const { state } = turn
    const known = state.known!
    move(turn, 'concluded')
    turn.cancel('overdue')
    current.conclusion = conclusion
    writeTurn(turn, current, {})
    turn.tell(`project/${known.project_id}`, {
      type: 'assistant_concluded',
      ticket_id: turn.key,
      turn_id: current._id,
      assistant_id: known.assistant_id,
      chat_user: known.chat_user,
      segment: current.seen?.segment ?? known.segment,
      version: current.seen?.version ?? known.version,
      place: known.place,
      is_steady: isSteady(joined(current.unanswered, state.unanswered)!, turn.now.getTime(), waits),
      conclusion,
    })
  }

  function handOver(
    turn: ConversationTurn,
    current: CurrentTurn,
    reason: string,
    { note = null, fields = null, has_failed = false }: Partial<Extract<Conclusion, { kind: 'hand_over' }>> = {},
  ): void {
    const seen = current.seen ?? { language: null, is_outside_hours: false }
    const words = assistants.handOverWords(seen, has_failed)
    conclude(turn, current, { kind: 'hand_over', reason, note, words, fields, has_failed })
  }

  /** Asks again while there is time, and else leaves the conversation to people. */
  function fail(
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
    const pause_ms = retryPause(current.failures, retry_after_s, waits)
    if (!can_retry || current.failures > waits.retries || pause_ms + waits.least_ms > left(turn, current)) {
      return handOver(turn, current, code, { note: message, has_failed: true })
    }
    current.attempt++
    const due_at = new Date(turn.now.getTime() + pause_ms)
    turn.timer('overdue', due_at, { type: 'overdue', turn_id: current._id, attempt: current.attempt })
  }

  function thoughtOf(turn: ConversationTurn, current: CurrentTurn, thought: Thought): void {
    const { state } = turn
    if (thought.kind === 'not_held') return loseConversation(turn, current)
    if (thought.kind === 'outdated') return discard(turn, current, 'newer')
    if (thought.step) current.steps.push(thought.step)
    if (thought.seen) noteSeen(turn, current, thought.seen)
    if (isOutdated(state, current, turn.now.getTime(), waits)) return discard(turn, current, 'newer')
    if (thought.kind === 'failed') return fail(turn, current, thought)
    current.failures = 0
    if (thought.kind === 'called') {
      const { text, tool_calls } = thought
      current.exchange.push({ role: 'assistant', text, tool_calls })
      current.tool_calls = tool_calls
      move(turn, 'called_tools')
      return runTools(turn, current)
    }
    const { verdict, text } = thought
    if (verdict.kind === 'hand_over') return handOver(turn, current, verdict.reason)
    if (verdict.kind === 'repair') {
      current.is_repaired = true
      current.step++
      current.exchange.push(
        { role: 'assistant', text, tool_calls: [] },
        { role: 'user', parts: [{ type: 'text', text: verdict.instruction }] },
      )
      return think(turn, current)
    }
    conclude(turn, current, { kind: 'answer', text: verdict.text, parts: verdict.parts, sources: verdict.sources })
  }

  /** The first step fixes what the turn is about. */
  function noteSeen(turn: ConversationTurn, current: CurrentTurn, seen: CurrentTurn['seen']): void {
    if (current.seen || !seen) return
    current.seen = seen
    const { company_id, project_id, assistant_id, chat_user, place } = turn.state.known!
    turn.insert(
      AssistantTurn,
      blank(AssistantTurn, {
        _id: current._id,
        company_id,
        project_id,
        assistant_id,
        origin: 'conversation',
        ticket_id: turn.key,
        chat_user,
        channel_id: place?.channel_id ?? null,
        segment: seen.segment,
        version: seen.version,
        model: seen.model,
        sources: [],
        blocks: seen.blocks,
        documents: [],
        steps: [],
        input_tokens: 0,
        output_tokens: 0,
        started_at: new Date(current.started_at),
      }),
    )
  }

  function writeTurn(turn: ConversationTurn, current: CurrentTurn, more: Partial<AssistantTurn>): void {
    if (!current.seen) return
    const { _id, steps, sources, documents } = current
    const sum = (field: 'input_tokens' | 'output_tokens') => steps.reduce((all, step) => all + (step[field] ?? 0), 0)
    const tokens = { input_tokens: sum('input_tokens'), output_tokens: sum('output_tokens') }
    const costs = steps.flatMap((step) => step.cost ?? [])
    const cost = costs.length > 0 ? decimalOf(costs.reduce((all, one) => all + trillionthsOf(one), 0n)) : null
    turn.update(AssistantTurn, { _id }, { steps, sources, documents, ...tokens, cost, ...more })
  }

  function toolsEnded(turn: ConversationTurn, current: CurrentTurn, run: ToolsRun): void {
    current.steps.push(...run.steps)
    current.sources.push(...run.sources)
    current.links.push(...run.links)
    current.documents.push(...run.documents)
    for (const result of run.results) current.exchange.push({ role: 'tool', ...result })
    current.tool_calls = []
    current.step++
    if (isOutdated(turn.state, current, turn.now.getTime(), waits)) return discard(turn, current, 'newer')
    if (run.hand_over) {
      const { reason, summary, stage_texts } = run.hand_over
      return handOver(turn, current, 'asked', { note: reason, fields: { summary, stage_texts } })
    }
    if (run.is_endless) return handOver(turn, current, 'too_many_steps')
    move(turn, 'tools_ended')
    think(turn, current)
  }

  return defineActor<ConversationProtocol, ConversationState>({
    kind: 'conversation',
    create: newConversation,

    receive: {
      changed(turn, { is_question, at, ...known }) {
        const { state } = turn
        if (state.known && known.version <= state.known.version) return
        state.known = { ...known, place: known.place ?? state.known?.place ?? null }
        if (is_question) {
          state.unanswered = joined(state.unanswered, { first_at: at, last_at: at, count: 1 })
          move(turn, 'asked')
          if (state.phase === 'gathering') gather(turn)
        }
        turn.save()
      },

      quiet(turn) {
        if (turn.state.phase !== 'gathering') return
        begin(turn)
        turn.save()
      },

      thought(turn, { turn_id, step, thought }) {
        const { turn: current, phase } = turn.state
        if (phase !== 'thinking' || current?._id !== turn_id || current.step !== step) return
        thoughtOf(turn, current, thought)
        turn.save()
      },

      tools_run(turn, { turn_id, step, run }) {
        const { turn: current, phase } = turn.state
        if (phase !== 'using_tools' || current?._id !== turn_id || current.step !== step) return
        toolsEnded(turn, current, run)
        turn.save()
      },

      overdue(turn, { turn_id, attempt }) {
        const { turn: current, phase } = turn.state
        if (current?._id !== turn_id || current.attempt !== attempt) return
        if (phase === 'using_tools') {
          const results = current.tool_calls.map(({ id, name }) => ({
            tool_call_id: id,
            tool_name: name,
            result: LOST,
          }))
          const nothing = { steps: [], sources: [], links: [], documents: [], hand_over: null, is_endless: false }
          toolsEnded(turn, current, { ...nothing, results })
        } else if (phase === 'thinking') {
          if (left(turn, current) < waits.least_ms) {
            handOver(turn, current, 'timeout', { note: 'The model did not answer in time.', has_failed: true })
          } else think(turn, current)
        }
        turn.save()
      },

      decided(turn, { turn_id, outcome, is_held }) {
        const { state } = turn
        const { turn: current } = state
        if (state.phase !== 'deciding' || current?._id !== turn_id) return
        if (outcome === 'outdated' && is_held) regather(turn, current)
        else {
          state.turn = null
          if (outcome === 'outdated') move(turn, 'taken_over')
          else move(turn, is_held ? 'answered' : 'handed_over')
          if (!is_held) Object.assign(state, { unanswered: null, known: { ...state.known!, place: null } })
          // What came meanwhile.
          if (state.unanswered) {
            move(turn, 'asked')
            gather(turn)
          }
        }
        turn.save()
      },
    },
  })
}
