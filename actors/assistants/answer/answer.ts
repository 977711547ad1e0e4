/** The verdict on a text that a model wrote, before it may leave. */
import type { Source } from '../tools/tool.ts'
import type { TextLimit } from './split.ts'

export type AnswerQuestion = {
  text: string
  /** Sources of the turn, in the order of their numbers. */
  sources: readonly Source[]
  /** Those of the question, and of the results of tools (`links`). Others do not leave. */
  allowed_links: Iterable<string>
  /** The language in which the person writes; null is not judged. */
  language: string | null
  /** The last answer of the assistant in the conversation. */
  last_answer: string | null
  /** The model was already asked to mend this answer. It is not asked twice. */
  is_repaired: boolean
  /** The most that the channel takes in one message. */
  text_limit: TextLimit
  /** The hand-over tool was called in this turn, so the text may tell of it. */
  is_handed_over: boolean
}

/**
 * `ok`: the text may leave, as `parts`, each of which is a message. `repair`: ask the model once more, with `instruction`
 * behind its text. `hand_over`: the text does not leave; a person continues.
 */
export type AnswerVerdict =
  | { kind: 'ok'; text: string; parts: string[]; sources: Source[]; has_removed_links: boolean }
  | { kind: 'repair'; reason: 'links' | 'language' | 'empty' | 'too_long'; instruction: string }
  | { kind: 'hand_over'; reason: 'promised' | 'repeated' | 'empty' }
