/** Signatures of the functions that make questions, run tools and check answers. */
import type { Database } from '../../storage/mod.ts'
import type { ModelDescription } from '../models/mod.ts'
import type { Languages } from './language/languages.ts'
import type { Question } from './question/question.ts'

export type QuestionOptions = {
  project_id: string
  assistant_id: string
  ticket_id: string
  /** Tokens for instructions and conversation. */
  up_to_context: number
  /** Says what the assistant's model reads. */
  findModel(name: string): ModelDescription | undefined
  languages: Languages
}

/** Undefined when the project has no such assistant or ticket. */
export type ReadQuestion = (database: Database, options: QuestionOptions) => Promise<Question | undefined>
