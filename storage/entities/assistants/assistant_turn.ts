import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** `answered`, `handed_over` and `failed` reached the person or the agents; `discarded` had become old. */
export type TurnOutcome = 'answered' | 'handed_over' | 'failed' | 'discarded'

/** One call of the model, or of a tool, within a turn. */
export type TurnStep = {
  kind: 'model' | 'tool'
  /** The model or the tool. */
  name: string
  started_at: string
  ms: number
  /** Absent when it went well. */
  error?: { code: string; message: string }
  /** The arguments of a tool as the model gave them, and the answer that it got. */
  arguments?: string
  result?: string
  input_tokens?: number
  output_tokens?: number
  /** A decimal in the currency of the model's price. */
  cost?: string
}

/** A turn of an assistant: all that led to one answer, or to none. */
export const AssistantTurn = defineEntity({
  name: 'AssistantTurn',
  tableName: 'assistant_turn',
  properties: {
    _id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    assistant_id: p.text(),
    origin: p.text().$type<'conversation' | 'reply' | 'summary' | 'playground' | 'test'>(),
    ticket_id: p.text().nullable(),
    chat_user: p.text().nullable(),
    channel_id: p.text().nullable(),
    /** Those of the conversation that the model saw. */
    segment: p.integer(),
    version: p.integer(),
    model: p.text(),
    /** Null while the turn is under way. */
    outcome: p.text().$type<TurnOutcome>().nullable(),
    /** A word for why it ended. */
    reason: p.text().nullable(),
    answer: p.text().nullable(),
    /** The message that was sent. */
    message_id: p.text().nullable(),
    sources: p.json<{ title: string; node_id: string | null; url: string | null }[]>().columnType('json'),
    /** The blocks of the prompt. `version_id`: null where a content was tried that is no version. */
    blocks: p.json<{ block_id: string; version_id: string | null }[]>().columnType('json'),
    /** Documents that were found. */
    documents: p.json<{ node_id: string; title: string; score: number }[]>().columnType('json'),
    steps: p.json<TurnStep[]>().columnType('json'),
    input_tokens: p.integer(),
    output_tokens: p.integer(),
    cost: p.decimal('string').columnType('numeric').nullable(),
    cost_currency: p.text().nullable(),
    started_at: p.datetime(3),
    ended_at: p.datetime(3).nullable(),
  },
})

export type AssistantTurn = InferEntity<typeof AssistantTurn>
