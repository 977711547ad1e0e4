import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

export type BroadcastStatus = 'queued' | 'sending' | 'completed' | 'failed' | 'cancelled'

export type PausedReason = 'marketing_cap_reached'

/** A bulk send of one template. Its five counts are exclusive and add up to `total` (a check of the table). */
export const Broadcast = defineEntity({
  name: 'Broadcast',
  tableName: 'broadcast',
  properties: {
    id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    channel_id: p.text(),
    template_name: p.text(),
    language: p.text(),
    campaign_name: p.text().nullable(),
    /** The agent who sent it; null for a token. */
    user_id: p.text().nullable(),
    /** The name of the agent or the token, as it was then. */
    sender_name: p.text().nullable(),
    status: p.text().$type<BroadcastStatus>(),
    total: p.integer(),
    pending_count: p.integer(),
    sent_count: p.integer(),
    delivered_count: p.integer(),
    read_count: p.integer(),
    failed_count: p.integer(),
    /** Recipients before this index have rows of their own; the others are still in slices. */
    taken_up: p.integer(),
    /** Recipients before this index were taken by the project. */
    handed_on: p.integer(),
    /** The reason why it waits. */
    paused_reason: p.text().$type<PausedReason>().nullable(),
    /** Sum of its charged messages, in the currency of the first one. */
    cost: p.decimal('number').columnType('numeric').nullable(),
    cost_currency: p.text().nullable(),
    created_at: p.datetime(3),
    /** The request that started it, and its trace where traces are on. */
    request_id: p.text().nullable(),
    traceparent: p.text().nullable(),
    started_at: p.datetime(3).nullable(),
    completed_at: p.datetime(3).nullable(),
    updated_at: p.datetime(3),
  },
})

export type Broadcast = InferEntity<typeof Broadcast>
