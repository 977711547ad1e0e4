/** The messages of a conversation's actor, and what it tells the project. */
import type { HandOver, Source } from '../assistants/mod.ts'
import type { ChannelType } from '../message_types.ts'
import type { Thought, ToolsRun } from './assistant_at_work.ts'

/** The address of the person, where an answer goes. */
export type Place = { channel_id: string; channel_type: ChannelType; address: string }

export type ConversationProtocol = {
  /**
   * Told by the project, in the commit of the change. `is_question`: a message of the person waits for an answer. `place`: where the
   * person wrote last. `at`: Unix milliseconds.
   */
  changed: { message: ConversationChange; reply: void }
  /** The timer: the person has been quiet for a moment. */
  quiet: { message: object; reply: void }
  /** The outcome of a question to the model; also from a former owner. */
  thought: { message: { turn_id: string; step: number; thought: Thought }; reply: void }
  /** The outcome of the tools that the model called; also from a former owner. */
  tools_run: { message: { turn_id: string; step: number; run: ToolsRun }; reply: void }
  /** The timer: a failed call is due again, or nothing was heard of one. */
  overdue: { message: { turn_id: string; attempt: number }; reply: void }
  /** Told by the project, which stored what the turn concluded, or threw it away. */
  decided: { message: { turn_id: string; outcome: 'stored' | 'outdated'; is_held: boolean }; reply: void }
}

export type ConversationChange = {
  company_id: string
  chat_user: string
  project_id: string
  assistant_id: string
  segment: number
  version: number
  place: Place | null
  is_question: boolean
  at: number
}

/** The conclusion of a turn, for the project to decide on. */
export type Conclusion =
  | { kind: 'answer'; text: string; parts: string[]; sources: Source[] }
  | {
      kind: 'hand_over'
      /** A word of ours: `asked`, `promised`, `repeated`, `failed`, … */
      reason: string
      /** To the people who continue: a sentence of the model, or about what failed. */
      note: string | null
      /** To the person, in the person's language. Null: nothing is said. */
      words: string | null
      fields: Pick<HandOver, 'summary' | 'stage_texts'> | null
      /** The model or its provider failed. */
      has_failed: boolean
    }

/** The message to the project: the conclusion with the state of the conversation that it belongs to. */
export type AssistantConcluded = {
  ticket_id: string
  turn_id: string
  assistant_id: string
  chat_user: string
  segment: number
  version: number
  place: Place | null
  /** The person writes without a pause: what came since the model saw the conversation is for the next turn. */
  is_steady: boolean
  /** The turn concluded before, and has not heard from the project: it counts only where that was not stored. */
  is_again?: boolean
  conclusion: Conclusion
}
