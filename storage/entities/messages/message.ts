import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { ChannelType } from '../../values/channel_types.ts'

/** Outbound: `queued` → `sent` → `delivered` → `read`, or `failed`. Inbound: `received` → `read`. */
export type MessageStatus = 'queued' | 'sent' | 'delivered' | 'read' | 'failed' | 'received'

/** Times up to which the recipient has received or read everything (Unix milliseconds, the provider's clock). */
export type Watermarks = { delivered?: number; read?: number }

/** The provider's error, or one of ours. */
export type MessageError = { code: unknown; message: unknown; [field: string]: unknown }

/** `amount` and `currency` are null where no rate is known. */
export type Price = { amount: number | null; currency: string | null; category: string; billable: boolean }

/** Where the business wrote a message that was not sent through Parley. */
export const messageOrigins = ['phone', 'app', 'meta_agent', 'mail'] as const
export type MessageOrigin = (typeof messageOrigins)[number]

/** A message in either direction. A `failed` one always has `failed_at` (a check of the table; the list by status relies on it). */
export const Message = defineEntity({
  name: 'Message',
  tableName: 'message',
  properties: {
    id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    /** The channel type, named as in the API. */
    channel: p.text().$type<ChannelType>(),
    channel_id: p.text(),
    direction: p.text().$type<'inbound' | 'outbound'>(),
    to: p.text().nullable(),
    from: p.text().nullable(),
    /** Where the business wrote it elsewhere. Null for messages of people, and for those that Parley sends. */
    origin: p.text().$type<MessageOrigin>().nullable(),
    /** The contact the message went to or came from. */
    chat_user: p.text().nullable(),
    type: p.text(),
    message: p.json<Record<string, unknown>>().columnType('json'),
    context: p.json<Record<string, unknown>>().columnType('json').nullable(),
    meta_data: p.json<Record<string, unknown>>().columnType('json').nullable(),
    status: p.text().$type<MessageStatus>(),
    provider_message_id: p.text().nullable(),
    error: p.json<MessageError>().columnType('json').nullable(),
    /** False for a `sent` one that the provider may have taken without saying so: its outcome is unknown. */
    confirmed: p.boolean().default(true),
    created_at: p.datetime(3),
    sent_at: p.datetime(3).nullable(),
    delivered_at: p.datetime(3).nullable(),
    read_at: p.datetime(3).nullable(),
    failed_at: p.datetime(3).nullable(),
    /** The time at which its author last changed the text. */
    edited_at: p.datetime(3).nullable(),
    /** The time at which its author withdrew it. `message` has no content any more. */
    deleted_at: p.datetime(3).nullable(),
    /** The time at which it came from the history of a phone. Null for messages that came when they were written. */
    imported_at: p.datetime(3).nullable(),
    /** The broadcast of a bulk message, and the index of its recipient. */
    broadcast_id: p.text().nullable(),
    broadcast_index: p.integer().nullable(),
    /** The assistant whose answer it is. */
    assistant_id: p.text().nullable(),
    /** The request from which it came, and its trace where traces are on. Null for what Parley does by itself. */
    request_id: p.text().nullable(),
    traceparent: p.text().nullable(),
    updated_at: p.datetime(3),
    /** What the provider says about its price; null until a status says it, and for a message that failed. */
    price: p.json<Price>().columnType('json').nullable(),
    /** The time at which it was charged: the provider reported its delivery and its price. */
    charged_at: p.datetime(3).nullable(),
    /** Reserved of the monthly cap, until it is charged or fails. */
    reserved: p.decimal('number').columnType('numeric').nullable(),
    /** The failed message that this one repeats. */
    retry_of: p.text().nullable(),
    /** The message that repeats this one. */
    retried_as: p.text().nullable(),
    /**
     * The earliest time at which the provider can have taken it, by the provider's clock; watermarks are compared with
     * it. Only for channels whose provider reports watermarks.
     */
    taken_after: p.datetime(3).nullable(),
    /** True for one that takes the conversation over from another app, when the provider accepts it. */
    takes_thread: p.boolean().nullable(),
    /** Watermarks that arrived while it was `queued`, until the provider's answer shows which of them cover it. */
    watermarks: p.json<Watermarks>().columnType('json').nullable(),
  },
})

export type Message = InferEntity<typeof Message>
