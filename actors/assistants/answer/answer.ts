/** What becomes of a text that a model wrote, before it may leave. */
import type { Source } from '../tools/tool.ts'

export type AnswerQuestion = {
  text: string
  /** Sources of the turn, in the order of their numbers. */
  sources: readonly Source[]
  /** Links of the instructions, of earlier answers and of the results of tools. Others do not leave. */
  allowed_links: Iterable<string>
  /** The language of the person's last message; null is not judged. */
  language: string | null
  /** Earlier answers of the assistant in the conversation. */
  last_answers: readonly string[]
  /** The model was already asked to mend this answer. It is not asked twice. */
  is_repaired: boolean
  /** Characters that the channel takes in one message. */
  max_length: number
  /** The hand-over tool was called in this turn, so the text may tell of it. */
  is_handed_over: boolean
}

/**
 * `ok`: the text may leave, as `parts` (at most three messages). `repair`: ask the model once more, with `instruction`
 * behind its text. `hand_over`: the text does not leave; a person continues.
 */
export type AnswerVerdict =
  | { kind: 'ok'; text: string; parts: string[]; sources: Source[]; removed_links: string[] }
  | { kind: 'repair'; reason: RepairReason; instruction: string }
  | { kind: 'hand_over'; reason: 'promised' | 'repeated' | 'empty' | 'too_long' }

export type RepairReason = 'links' | 'language' | 'empty' | 'too_long'
