/** Signatures of the functions that make questions, run tools and check answers. */
import type { Database, TurnStep } from '../../storage/mod.ts'
import type { ModelDescription, ModelToolCall } from '../models/mod.ts'
import type { AnswerQuestion, AnswerVerdict } from './answer/answer.ts'
import type { Question } from './question/question.ts'
import type { ToolContext, ToolResult } from './tools/tool.ts'

export type QuestionOptions = {
  project_id: string
  assistant_id: string
  ticket_id: string
  /** Tokens for instructions and conversation. */
  up_to_context: number
  /** Says what the assistant's model reads. */
  findModel(name: string): ModelDescription | undefined
}

/** Undefined when the project has no such assistant or ticket. */
export type ReadQuestion = (database: Database, options: QuestionOptions) => Promise<Question | undefined>

/** Never rejects because of what the model wrote. Rejects when the database cannot be read: then repeat the call. */
export type RunTool = (call: ModelToolCall, context: ToolContext) => Promise<ToolResult>

/** `steps`: those of the turn so far. */
export type MayCall = (
  steps: readonly Pick<TurnStep, 'kind' | 'name' | 'arguments'>[],
  call: ModelToolCall,
) => { may: true } | { may: false; code: 'too_many_steps' | 'too_many_alike'; message: string }

export type CheckAnswer = (question: AnswerQuestion) => AnswerVerdict

/** Words of ours to the person at a hand-over. A language that is not known gets English. */
export type HandOverWords = (language: string | null, at: { is_outside_hours: boolean; has_failed?: boolean }) => string

/** `message`: the stored message of an inbound mail. */
export type IsAutomaticMail = (message: Record<string, unknown>) => boolean

/** Messages of the conversation, oldest first. */
export type LooksLikeBot = (recent: readonly { direction: 'inbound' | 'outbound'; at: Date; text: string }[]) => boolean
