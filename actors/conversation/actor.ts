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
 *  C4 Whatever fails, the turn ends within its time: with an answer or with a hand-over to people. A conclusion that the project
 *     could not store is followed by a hand-over.
 *  C5 Each segment begins anew: what the person said before it is answered only where the project says that the person waits.
 */
import { type ActorKind, defineActor } from '../../runtime/mod.ts'
import type { TurnOutcome } from '../../storage/mod.ts'
import type { AssistantAtWork } from './assistant_at_work.ts'
import type { Waits } from './pace.ts'
import { move } from './phase.ts'
import type { ConversationProtocol } from './protocol.ts'
import { type ConversationState, joined, newConversation } from './state.ts'
import { ConversationTurns } from './turns.ts'
import type { TypingPeople } from './typing_people.ts'

export type ConversationOptions = {
  assistants: AssistantAtWork
  waits: Waits
  /** Defers answers while people type; without it nobody is heard. */
  typing?: TypingPeople
  /** Told of each turn that ended without the project, after the commit. */
  turnEnded?: (outcome: TurnOutcome) => void
}

const LOST =
  'The call was interrupted. It may have had its effect. Do not repeat it; tell the person that it is unclear.'

export function conversationActor({
  assistants,
  waits,
  typing,
  turnEnded = () => {},
}: ConversationOptions): ActorKind<ConversationProtocol, ConversationState> {
  const turns = new ConversationTurns(assistants, waits, turnEnded, typing)

  return defineActor<ConversationProtocol, ConversationState>({
    kind: 'conversation',
    create: newConversation,

    receive: {
      changed(turn, { is_question, at, ...known }) {
        const { state } = turn
        if (state.known && known.version <= state.known.version) return
        const { segment, version } = known
        if (state.known && segment > state.known.segment) turns.forget(turn)
        state.known = { ...known, place: known.place ?? state.known?.place ?? null }
        if (is_question) {
          state.unanswered = joined(state.unanswered, {
            first_at: at,
            last_at: at,
            count: 1,
            version,
            cause: turn.cause,
          })
          move(turn, 'asked')
          if (state.phase === 'gathering') turns.gather(turn)
        }
        turn.save()
      },

      quiet(turn) {
        if (turn.state.phase !== 'gathering') return
        turn.cause = turn.state.unanswered?.cause
        if (!turns.isInterrupted(turn)) turns.begin(turn)
        turn.save()
      },

      thought(turn, { turn_id, step, thought }) {
        const { turn: current, phase } = turn.state
        if (phase !== 'thinking' || current?._id !== turn_id || current.step !== step) return
        turn.cause = current.unanswered.cause
        turns.thought(turn, current, thought)
        turn.save()
      },

      tools_run(turn, { turn_id, step, run }) {
        const { turn: current, phase } = turn.state
        if (phase !== 'using_tools' || current?._id !== turn_id || current.step !== step) return
        turn.cause = current.unanswered.cause
        turns.toolsEnded(turn, current, run)
        turn.save()
      },

      overdue(turn, { turn_id, attempt }) {
        const { turn: current, phase } = turn.state
        if (current?._id !== turn_id || current.attempt !== attempt) return
        turn.cause = current.unanswered.cause
        if (turn.is_quiet) turns.pause(turn, current)
        else if (phase === 'deciding') turns.conclusions.concludeAgain(turn, current)
        else if (phase === 'using_tools') {
          const results = current.tool_calls.map(({ id, name }) => ({
            tool_call_id: id,
            tool_name: name,
            result: LOST,
          }))
          const nothing = { steps: [], sources: [], links: [], documents: [], hand_over: null, is_endless: false }
          turns.toolsEnded(turn, current, { ...nothing, results })
        } else if (phase === 'thinking') {
          if (turns.left(turn, current) < turns.waits.least_ms) {
            turns.conclusions.handOver(turn, current, 'timeout', {
              note: 'The model did not answer in time.',
              has_failed: true,
            })
          } else turns.think(turn, current)
        }
        turn.save()
      },

      decided(turn, { turn_id, outcome, is_held }) {
        const { state } = turn
        const { turn: current } = state
        if (state.phase !== 'deciding' || current?._id !== turn_id) return
        turn.cancel('overdue')
        if (outcome === 'outdated' && is_held) turns.regather(turn, current)
        else {
          state.turn = null
          if (outcome === 'outdated') move(turn, 'taken_over')
          else move(turn, is_held ? 'answered' : 'handed_over')
          if (!is_held) Object.assign(state, { unanswered: null, known: { ...state.known!, place: null } })
          // The model may have read a message before it was told here; others came meanwhile.
          if (state.unanswered && state.unanswered.version <= (current.seen?.version ?? 0)) state.unanswered = null
          if (state.unanswered) {
            move(turn, 'asked')
            turns.gather(turn)
          }
        }
        turn.save()
      },
    },
  })
}
