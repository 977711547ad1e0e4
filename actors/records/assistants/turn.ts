/** A turn of an assistant, as the API shows it: all that led to one answer, or to none. */
import * as v from 'valibot'
import type { AssistantTurnSummary, ShownTurn } from '../../../storage/mod.ts'
import { type InMemory, jsonTimestamp, named, recordId, timestamp, valuesOf } from '../../schema/mod.ts'

export const turnOutcomes = ['answered', 'handed_over', 'failed', 'discarded'] as const

const text = v.nullable(v.string())

/** Columns that the list shows as they are stored. */
const columns = v.object({
  _id: recordId,
  assistant_id: recordId,
  origin: v.pipe(
    v.picklist(['conversation', 'reply', 'summary']),
    v.description('reply and summary: asked for by a client, and sent by nobody but the client'),
  ),
  ticket_id: v.nullable(recordId),
  chat_user: v.nullable(recordId),
  channel_id: v.nullable(recordId),
  model: v.string(),
  outcome: v.pipe(
    v.nullable(v.picklist(turnOutcomes)),
    v.description('Null while it is under way. discarded: something newer came before the answer was stored'),
  ),
  reason: v.pipe(text, v.description('A word for why it ended')),
  answer: text,
  message_id: v.pipe(text, v.description('The message that was sent')),
  input_tokens: v.number(),
  output_tokens: v.number(),
  started_at: timestamp,
  ended_at: v.nullable(timestamp),
})

export const turnCost = v.pipe(
  v.nullable(v.object({ amount: v.number(), currency: v.string() })),
  v.description('Cost of the model; null where its prices are not known'),
)

/** A turn in a list: without its steps, which may be long. */
export const assistantTurnSummary = named('AssistantTurnSummary', v.object({ ...columns.entries, cost: turnCost }))

/** A call of the model or of a tool. */
export const turnStep = v.object({
  kind: v.picklist(['model', 'tool']),
  name: v.pipe(v.string(), v.description('The model or the tool')),
  started_at: jsonTimestamp,
  ms: v.number(),
  error: v.optional(v.object({ code: v.string(), message: v.string() })),
  arguments: v.optional(v.pipe(v.string(), v.description('Those of a tool, as the model wrote them'))),
  result: v.optional(v.pipe(v.string(), v.description('The answer of a tool to the model'))),
  input_tokens: v.optional(v.number()),
  output_tokens: v.optional(v.number()),
  cost: v.optional(v.pipe(v.string(), v.description('A decimal in the currency of the cost of the turn'))),
})

export const turnSource = v.object({ title: v.string(), node_id: v.nullable(recordId), url: text })

const details = v.object({
  sources: v.array(turnSource),
  blocks: v.pipe(
    v.array(
      v.object({
        block_id: recordId,
        version_id: v.pipe(v.nullable(recordId), v.description('Null where a content was tried that is no version')),
      }),
    ),
    v.description('The versions of the blocks in the prompt'),
  ),
  documents: v.pipe(
    v.array(v.object({ node_id: recordId, title: v.string(), score: v.number() })),
    v.description('Documents that were found'),
  ),
  steps: v.pipe(v.array(turnStep), v.description('Calls of the model and of tools, in their order')),
})

export const assistantTurnRecord = named(
  'AssistantTurn',
  v.object({ ...assistantTurnSummary.entries, ...details.entries }),
)

export type AssistantTurnSummaryRecord = InMemory<v.InferOutput<typeof assistantTurnSummary>>
export type AssistantTurnRecord = InMemory<v.InferOutput<typeof assistantTurnRecord>>

export function toAssistantTurnSummary(row: AssistantTurnSummary): AssistantTurnSummaryRecord {
  return { ...valuesOf(columns, row), cost: costOfTurn(row) }
}

export function costOfTurn({ cost, cost_currency: currency }: Pick<ShownTurn, 'cost' | 'cost_currency'>) {
  return cost == null || !currency ? null : { amount: Number(cost), currency }
}

export function toAssistantTurnRecord(row: ShownTurn): AssistantTurnRecord {
  return { ...toAssistantTurnSummary(row), ...valuesOf(details, row) }
}
