import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** Tokens, and amounts in the currency of the models' prices as decimals. A missing limit is none. */
export type AssistantBudget = {
  conversation_tokens?: number
  conversation_cost?: string
  day_tokens?: number
  day_cost?: string
}

/** An AI assistant of a project. Its instructions are the blocks that are attached to it. */
export const Assistant = defineEntity({
  name: 'Assistant',
  tableName: 'assistant',
  properties: {
    _id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    name: p.text(),
    description: p.text().nullable(),
    avatar_url: p.text().nullable(),
    avatar_emoji: p.text().nullable(),
    model: p.text(),
    /** In the order given. Nodes may have been deleted since. */
    knowledge_node_ids: p.array<string>().columnType('text[]'),
    /** `priority`, `category`, `tag_ids`, or `custom_fields.` with a key. */
    settable_ticket_fields: p.array<string>().columnType('text[]'),
    is_active: p.boolean(),
    /** Changes of a ticket that the assistant hands over to people. */
    hand_over: p.json<{ assigned_to?: string; stage_id?: string; tag_ids?: string[] }>().columnType('json').nullable(),
    /** The most that it may spend in a conversation and in a day. Null: no bound. */
    budget: p.json<AssistantBudget>().columnType('json').nullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type Assistant = InferEntity<typeof Assistant>
