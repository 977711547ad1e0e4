/** The slow work of a turn, as the actor of a conversation asks for it. */

import type { TurnStep } from '../../storage/mod.ts'
import type { AnswerVerdict, HandOver, Source } from '../assistants/mod.ts'
import type { ModelMessage, ModelToolCall } from '../models/mod.ts'

/** A turn as the work needs it. */
export type TurnQuestion = {
  project_id: string
  ticket_id: string
  assistant_id: string
  turn_id: string
  /** From 1. */
  step: number
  /** The version that the first step saw; null for that step. */
  version: number | null
  /** The calls of tools with their results, and what was to be mended, after the conversation itself. */
  exchange: ModelMessage[]
  sources: Source[]
  links: string[]
  is_repaired: boolean
  /** Milliseconds. */
  deadline_ms: number
}

/** The conversation as the model saw it. */
export type Seen = {
  segment: number
  version: number
  model: string
  blocks: { block_id: string; version_id: string | null }[]
  /** ISO 639-1 of the person's last message; null where it is too short to tell. */
  language: string | null
  is_outside_hours: boolean
  /** That of the model's price. Missing from nodes of the release before. */
  cost_currency?: string | null
}

export type Thought =
  /** A person has the conversation, or the ticket is closed. `is_gone`: it was erased, so that nothing of the turn may stay. */
  | { kind: 'not_held'; is_gone?: boolean }
  /** Something was said since the first step. */
  | { kind: 'outdated' }
  | {
      kind: 'failed'
      code: string
      message: string
      can_retry: boolean
      /** Seconds that the provider asked to wait. */
      retry_after_s?: number
      seen: Seen | null
      step: TurnStep | null
    }
  /** Another program writes, by all that can be seen. */
  | { kind: 'machine'; seen: Seen; step: null }
  | { kind: 'called'; text: string; tool_calls: ModelToolCall[]; seen: Seen; step: TurnStep }
  | { kind: 'said'; text: string; verdict: AnswerVerdict; seen: Seen; step: TurnStep }

export type ToolsQuestion = Pick<
  TurnQuestion,
  'project_id' | 'ticket_id' | 'assistant_id' | 'turn_id' | 'step' | 'deadline_ms'
> & {
  segment: number
  tool_calls: ModelToolCall[]
  /** Those of the turn so far. */
  steps: TurnStep[]
  /** The number of the next source, from 1. */
  first_source: number
}

export type ToolsRun = {
  results: { tool_call_id: string; tool_name: string; result: string }[]
  steps: TurnStep[]
  sources: Source[]
  links: string[]
  documents: { node_id: string; title: string; score: number }[]
  hand_over: HandOver | null
  /** The model called more tools than a turn may have. */
  is_endless: boolean
}

export interface AssistantAtWork {
  /** Asks the model. Rejects only when the database cannot be read. */
  think(question: TurnQuestion, signal: AbortSignal): Promise<Thought>
  /** Runs tools, one after the other. */
  runTools(question: ToolsQuestion, signal: AbortSignal): Promise<ToolsRun>
  /** Words to the person at a hand-over. */
  handOverWords(seen: Pick<Seen, 'language' | 'is_outside_hours'>, has_failed: boolean): string
}
