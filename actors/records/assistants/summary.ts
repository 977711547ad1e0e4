/** A summary of a conversation that nobody has stored yet, and the question for it. */
import * as v from 'valibot'
import type { AssistantTurn } from '../../../storage/mod.ts'
import { type InMemory, named, recordId } from '../../schema/mod.ts'
import { costOfTurn, turnCost } from './turn.ts'

const text = v.nullable(v.string())

/** The body that asks for a summary. */
export const summaryQuestion = v.strictObject({
  ticket_id: v.pipe(recordId, v.description('The ticket whose conversation is summarized')),
  language: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[a-z]{2}$/, 'must be a code of ISO 639-1, such as en'),
      v.description('Language of the summary, as in ISO 639-1; without it that of the person'),
    ),
  ),
})

export const assistantSummary = named(
  'AssistantSummary',
  v.object({
    turn_id: v.pipe(recordId, v.description('The record of the turn, which says more')),
    outcome: v.picklist(['answered', 'failed']),
    conversation_summary: v.pipe(
      v.nullable(v.object({ motivo: text, estado: text, proximos_pasos: text })),
      v.description('Can be saved in the ticket as it is. Null after a failure'),
    ),
    reason: v.pipe(text, v.description('A word for why it failed')),
    usage: v.object({ input_tokens: v.number(), output_tokens: v.number() }),
    cost: turnCost,
  }),
)

export type AssistantSummaryRecord = InMemory<v.InferOutput<typeof assistantSummary>>

export function toAssistantSummary(
  turn: AssistantTurn,
  conversation_summary: AssistantSummaryRecord['conversation_summary'],
): AssistantSummaryRecord {
  const { _id: turn_id, outcome, reason = null, input_tokens, output_tokens } = turn
  return {
    ...{ turn_id, outcome: outcome as AssistantSummaryRecord['outcome'], conversation_summary, reason },
    ...{ usage: { input_tokens, output_tokens }, cost: costOfTurn(turn) },
  }
}
