import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { ChannelType } from '../values/channel_types.ts'

/**
 * `unverified` until the provider has answered for the credentials, `connected` when it accepted them last time;
 * otherwise `status_reason` has the reason.
 */
export type ChannelStatus = 'unverified' | 'connected' | 'disconnected'

/**
 * Parts of webhook calls of one kind that were left out: a `field` without a meaning here, or calls for another
 * `account`. `name`: the field or the account. Times are ISO 8601.
 */
export type IgnoredCallback = {
  kind: 'field' | 'account'
  name: string
  count: number
  first_at: string
  last_at: string
  /** Names of fields in the last one of them, as paths, without contents. Missing in those of earlier versions. */
  sample_fields?: string[]
}

/** A connected account of a provider, e.g. one WhatsApp number. */
export const Channel = defineEntity({
  name: 'Channel',
  tableName: 'channel',
  properties: {
    _id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    channel_type: p.text().$type<ChannelType>(),
    /** The kind of access to the account: `cloud`, `qr`, `simulator`, … */
    provider: p.text(),
    name: p.text(),
    /** The provider's own id of the account, e.g. a phone number id. */
    provider_account_id: p.text().nullable(),
    /** An encrypted JSON object (`vault/credentials.ts`), or null when the provider needs none. */
    credentials: p.text().nullable(),
    is_active: p.boolean(),
    status: p.text().$type<ChannelStatus>(),
    status_reason: p.text().nullable(),
    /** The throughput of the account where it differs from the provider's usual one. */
    messages_per_second: p.integer().nullable(),
    /**
     * A time at which a webhook call of the provider arrived, exact to a day. Null while none has arrived, and again when
     * calls stop. Only where calls arrive does a missing one prove anything.
     */
    callbacks_heard_at: p.datetime(3).nullable(),
    /** Parts of webhook calls that were left out. Written by the project. Null for none. */
    ignored_callbacks: p.json<IgnoredCallback[]>().columnType('json').nullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type Channel = InferEntity<typeof Channel>
