import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { ChannelType } from '../../values/channel_types.ts'

/** The account of a visitor's browser about itself, with the last message. Anyone may say anything. */
export type VisitorBrowser = {
  page_url: string | null
  referrer: string | null
  /** BCP 47. */
  language: string | null
  user_agent: string | null
}

/** A person's wish about marketing messages. `unknown`: nothing has been said. `changed_at` is ISO 8601. */
export type Consent = {
  marketing: 'granted' | 'stopped' | 'unknown'
  changed_at: string | null
  /** `provider`: the person told the provider. `message`: the person wrote a word for it. `api`: a client of ours. */
  source: 'provider' | 'message' | 'api' | null
}

/** Apps of the business that may answer a conversation; the provider lets one of them hold it. */
export const threadHolders = ['parley', 'meta_agent', 'app'] as const
export type ThreadHolder = (typeof threadHolders)[number]

/**
 * The conversation with a person on a channel that several apps of the business share, as the provider told it last. Times are
 * ISO 8601. `told_at`: the time of the latest news of it. At `ends_at` nobody holds it any more, unless the person writes.
 * `is_guess`: the provider tells of another app, and not of which. `other`: the other app that held it last. `contact_id`: the
 * contact under whose ids it is, where that one was merged into this one.
 */
export type Thread = {
  holder: ThreadHolder | 'nobody'
  since: string
  told_at: string
  ends_at: string
  is_guess?: boolean
  other?: Exclude<ThreadHolder, 'parley'>
  contact_id?: string
}
/**
 * The id under which a person wrote last, of a contact that was merged into this one. `to`: of a message to it. `windows`: as
 * in a contact.
 */
export type SendTo = { contact_id: string; to: string; windows: Record<string, string> }

/** A person on a channel. One row per company, channel type, channel and `user_id`. */
export const Contact = defineEntity({
  name: 'Contact',
  tableName: 'contact',
  properties: {
    _id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    channel_type: p.text().$type<ChannelType>(),
    /** The person's id inside the channel; on WhatsApp the phone digits without `+`. */
    user_id: p.text(),
    channel_id: p.text().nullable(),
    name: p.text().nullable(),
    /** The name in the address book of the business's phone. `name` is the same as long as nobody gave a better one. */
    address_book_name: p.text().nullable(),
    phone: p.text().nullable(),
    avatar: p.text().nullable(),
    custom_fields: p.json<Record<string, unknown>>(),
    customer_id: p.text().nullable(),
    /** WhatsApp's business-scoped user id, the only key of people who hide their number. */
    bsuid: p.text().nullable(),
    /** Only on contacts of a web chat: the address that the visitor left. Nothing proves that it is the visitor's. */
    email: p.text().nullable(),
    /** Only on contacts of a web chat. */
    browser: p.json<VisitorBrowser>().nullable(),
    /** Null until something is said. */
    consent: p.json<Consent>().nullable(),
    /** The time until which any message may be sent (ISO 8601), by channel. Only for providers that close a window. */
    windows: p.json<Record<string, string>>(),
    /** By channel. Null until the provider tells of another app. */
    threads: p.json<Record<string, Thread>>().nullable(),
    /**
     * The contact that this one was merged into, which is never merged itself. Then this row only says who the person of
     * its ids is, and nothing refers to it but its merges.
     */
    merged_into: p.text().nullable(),
    /** Null while the person writes under the ids of this very row. */
    send_to: p.json<SendTo>().nullable(),
    first_seen_at: p.datetime(3),
    last_seen_at: p.datetime(3),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type Contact = InferEntity<typeof Contact>
