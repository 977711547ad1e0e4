/** The question of a turn: all that a model sees before it answers a conversation, as one reading. */

import type { ChannelType } from '../../message_types.ts'
import type { ModelMessage, ModelTool } from '../../models/mod.ts'
import type { TextLimit } from '../answer/split.ts'
import type { BoundPerson } from '../tools/tool.ts'

/** A file of the person that the model can take. Its data become a part of `messages[at]`, after the text. */
export type QuestionFile = {
  media_id: string
  message_id: string
  at: number
  kind: 'image' | 'audio' | 'pdf'
  media_type: string
  name: string | null
  bytes: number | null
}

/** A file that the model cannot take. The transcript says so in its place. */
export type UnreadableFile = {
  message_id: string
  media_id: string | null
  name: string | null
  media_type: string | null
  reason: 'not_read' | 'not_fetched' | 'too_many'
}

export type Question = {
  /** Those of `assistant_conversation`, as of the same moment as everything else here. Both 0 without a conversation. */
  segment: number
  version: number
  assistant: { _id: string; name: string; model: string; is_active: boolean; settable_ticket_fields: string[] }
  /** `version_id`: null where a content is tried. */
  blocks: { block_id: string; version_id: string | null }[]
  /** First the instructions as `system`, then the conversation, oldest first. */
  messages: ModelMessage[]
  tools: ModelTool[]
  /**
   * ISO 639-1 code of the last message of the person, or of the last ones together where it is too short. Null where it
   * is none in which answers are judged.
   */
  language: string | null
  person: BoundPerson
  /** The channel on which the person wrote last. */
  channel: { _id: string; channel_type: ChannelType; text_limit: TextLimit } | null
  /** The last message of the person. */
  last_message: { id: string; at: Date; text: string } | null
  /** The incoming messages look like those of another program. */
  is_machine: boolean
  /** The last answer of the assistant in this conversation. */
  last_answer: string | null
  /** Links of the instructions and of earlier answers, which an answer may have. */
  links: string[]
  files: QuestionFile[]
  unreadable: UnreadableFile[]
  /** Messages that did not fit. */
  left_out: number
}
