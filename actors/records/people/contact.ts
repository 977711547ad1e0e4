/** The contact as the API shows it, and as clients write it. */
import * as v from 'valibot'
import { type Consent, type Contact, channelTypes, type Thread, threadHolders } from '../../../storage/mod.ts'
import { isUrl } from '../../outbound/mod.ts'
import {
  type InMemory,
  jsonTimestamp,
  maxCharacters,
  named,
  phone,
  recordId,
  text,
  timestamp,
  valuesOf,
  writtenText,
} from '../../schema/mod.ts'
import { customFields } from '../custom_fields.ts'
import { exampleIds as ids } from '../example_ids.ts'

/** Characters of a contact's `name`. */
const MAX_NAME_LENGTH = 256

/** Characters of a contact's `avatar`. */
export const MAX_AVATAR_LENGTH = 2048

const avatar = v.pipe(
  v.string(),
  maxCharacters(MAX_AVATAR_LENGTH),
  v.check(isWebAddress, 'must be the URL of a picture, such as https://example.com/ana.jpg'),
)

function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && isUrl(text)
}

const marketing = v.picklist(['granted', 'stopped', 'unknown'])

/** Columns that clients and recorded events write, within their bounds. `null` clears them. */
export const contactWritable = v.strictObject({
  name: v.nullable(writtenText(text(MAX_NAME_LENGTH))),
  phone: v.nullable(writtenText(phone)),
  avatar: v.nullable(writtenText(avatar)),
})

/** Columns that the record shows as they are stored. */
export const contactColumns = v.object({
  _id: recordId,
  channel_type: v.picklist(channelTypes),
  user_id: v.string(),
  channel_id: v.nullable(recordId),
  ...contactWritable.entries,
  custom_fields: v.record(v.string(), v.unknown()),
  customer_id: v.nullable(recordId),
  bsuid: v.nullable(v.string()),
  email: v.pipe(
    v.nullable(v.string()),
    v.description('The address that a visitor of a web chat left; nothing proves that it is theirs'),
  ),
  browser: v.pipe(
    v.nullable(
      v.object({
        page_url: v.nullable(v.string()),
        referrer: v.nullable(v.string()),
        language: v.nullable(v.string()),
        user_agent: v.nullable(v.string()),
      }),
    ),
    v.description(
      'On a web chat: the page on which the person wrote last, the page before it, and the browser, by its own account',
    ),
  ),
  first_seen_at: timestamp,
  last_seen_at: timestamp,
  created_at: timestamp,
  updated_at: timestamp,
})

export const contactRecord = named(
  'Contact',
  v.object({
    ...contactColumns.entries,
    send_to: v.pipe(
      v.string(),
      v.description(
        '`to` of a message to the person: where the person wrote last, which after a merge may be another id than `user_id`',
      ),
    ),
    consent: v.pipe(
      v.object({
        marketing,
        changed_at: v.nullable(jsonTimestamp),
        source: v.nullable(v.picklist(['provider', 'message', 'api'])),
      }),
      v.description(
        'Wish about marketing messages, as the person told the provider, wrote in a message, or a client told Parley. Bulk sends of marketing templates leave out who stopped them',
      ),
    ),
    windows: v.pipe(
      v.array(v.object({ channel_id: recordId, expires_at: jsonTimestamp, is_open: v.boolean() })),
      v.description(
        'End of the time in which a channel may send the person any message; after it, only what the provider allows',
      ),
    ),
    threads: v.pipe(
      v.array(
        v.object({ channel_id: recordId, holder: v.picklist([...threadHolders, 'nobody']), since: jsonTimestamp }),
      ),
      v.description(
        'The app that answers the person on a channel that several apps of the business share: Parley, the own agent of Meta, another app, or nobody until the person writes. Empty until the provider tells of another app',
      ),
    ),
  }),
)

type ContactRecord = InMemory<v.InferOutput<typeof contactRecord>>

/** The body of a PATCH. `custom_fields` replaces all of them. */
export const contactPatch = named(
  'ContactPatch',
  v.partial(
    v.strictObject({
      ...contactWritable.entries,
      custom_fields: customFields,
      customer_id: v.nullable(recordId),
      consent: v.strictObject({ marketing }),
    }),
  ),
)

export type ContactPatch = v.InferOutput<typeof contactPatch>

const NOTHING_SAID: Consent = { marketing: 'unknown', changed_at: null, source: null }

/** `to` of a send to the very ids of the contact: on WhatsApp a phone, or a business-scoped id. */
export function ownAddressOf({
  channel_type,
  user_id,
  bsuid,
}: Pick<Contact, 'channel_type' | 'user_id' | 'bsuid'>): string {
  return channel_type === 'whatsapp' && user_id !== bsuid ? `+${user_id}` : user_id
}

/** `now` determines which windows are open. */
export function toContactRecord(contact: Contact, now: Date): ContactRecord {
  return {
    ...valuesOf(contactColumns, contact),
    send_to: contact.send_to?.to ?? ownAddressOf(contact),
    consent: contact.consent ?? NOTHING_SAID,
    windows: Object.entries(contact.send_to?.windows ?? contact.windows).map(([channel_id, expires_at]) => ({
      channel_id,
      expires_at,
      is_open: new Date(expires_at) > now,
    })),
    threads: Object.entries(contact.threads ?? {}).map(([channel_id, thread]) => ({
      channel_id,
      ...heldBy(thread, now),
    })),
  }
}

/** The holder is `nobody` after the person has been silent for a day. */
function heldBy({ holder, since, ends_at }: Thread, now: Date): Pick<Thread, 'holder' | 'since'> {
  return new Date(ends_at) > now ? { holder, since } : { holder: 'nobody', since: ends_at }
}

export const contactExample: v.InferOutput<typeof contactRecord> = {
  _id: ids.contact,
  channel_type: 'whatsapp',
  user_id: '5215512345678',
  channel_id: ids.channel,
  name: 'Ana',
  phone: '+5215512345678',
  avatar: null,
  custom_fields: {},
  customer_id: null,
  bsuid: null,
  email: null,
  browser: null,
  send_to: '+5215512345678',
  consent: NOTHING_SAID,
  windows: [],
  threads: [],
  first_seen_at: '2026-09-21T14:13:20.000Z',
  last_seen_at: '2026-09-21T14:13:20.000Z',
  created_at: '2026-09-21T14:13:20.000Z',
  updated_at: '2026-09-21T14:13:20.000Z',
}
