import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { ChannelType } from '../../values/channel_types.ts'

/**
 * The conversation of a ticket that an assistant holds, or held. The ticket's `handled_by` says whose turn it is. An answer of the
 * assistant is stored only by a turn that finds `segment` and `version` as the model saw them.
 */
export const AssistantConversation = defineEntity({
  name: 'AssistantConversation',
  tableName: 'assistant_conversation',
  properties: {
    ticket_id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    chat_user: p.text(),
    assistant_id: p.text(),
    /** The channel on which the person wrote last, and the person's address there. */
    channel_id: p.text().nullable(),
    channel_type: p.text().$type<ChannelType>().nullable(),
    address: p.text().nullable(),
    /** Rises whenever the assistant gets the conversation, or loses it. */
    segment: p.integer(),
    /** Rises with all that the model should have seen before it answers. */
    version: p.integer(),
    /** Messages of the person that no answer followed. */
    unanswered_count: p.integer(),
    /** Arrival of the first of them. */
    unanswered_since: p.datetime(3).nullable(),
    /** The last answer of the assistant, which it must not repeat. */
    last_answer: p.text().nullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type AssistantConversation = InferEntity<typeof AssistantConversation>
