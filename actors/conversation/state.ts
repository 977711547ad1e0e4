/** The state of a conversation's actor. All of it is stored with each turn, so that a new owner goes on where it is. */
import type { Cause } from '../../runtime/mod.ts'
import type { AssistantTurn, TurnStep } from '../../storage/mod.ts'
import type { Source } from '../assistants/mod.ts'
import type { ConversationPhase } from '../machines/mod.ts'
import type { ModelMessage, ModelToolCall } from '../models/mod.ts'
import type { Seen } from './assistant_at_work.ts'
import type { ConversationChange } from './protocol.ts'

/**
 * Messages of the person that no answer followed. Times in Unix milliseconds. `version`: of the conversation with the last of
 * them. `cause`: the request that brought the last of them.
 */
export type Unanswered = {
  first_at: number
  last_at: number
  count: number
  version: number
  cause?: Cause | undefined
}

/** A turn of the assistant under way. */
export type CurrentTurn = {
  _id: string
  started_at: number
  /** The segment that the project had told when the turn began. */
  segment: number
  /** The messages that it answers. */
  unanswered: Unanswered
  /** Questions to the model that had an outcome, and one. */
  step: number
  /** Calls begun, so that timers of earlier ones do nothing. */
  attempt: number
  /** Calls of this step that failed. */
  failures: number
  seen: Seen | null
  exchange: ModelMessage[]
  tool_calls: ModelToolCall[]
  sources: Source[]
  links: string[]
  documents: AssistantTurn['documents']
  steps: TurnStep[]
  is_repaired: boolean
}

export type ConversationState = {
  phase: ConversationPhase
  /** The change that the project told last. */
  known: Omit<ConversationChange, 'is_question' | 'at'> | null
  /** Messages that came since the turn began, or that wait for one. */
  unanswered: Unanswered | null
  turn: CurrentTurn | null
}

export function newConversation(): ConversationState {
  return { phase: 'idle', known: null, unanswered: null, turn: null }
}

/** Both together, in the order of arrival. */
export function joined(one: Unanswered | null, other: Unanswered | null): Unanswered | null {
  if (!one || !other) return one ?? other
  return {
    first_at: Math.min(one.first_at, other.first_at),
    last_at: Math.max(one.last_at, other.last_at),
    count: one.count + other.count,
    version: Math.max(one.version, other.version),
    cause: (other.last_at >= one.last_at ? other : one).cause,
  }
}
