/** People on channels. */
import * as v from 'valibot'
import {
  channelTypes,
  composedText,
  customFields,
  exampleIds,
  isAddress,
  isUrl,
  MAX_NAME_LENGTH,
  maxCharacters,
  minCharacters,
  named,
  phone,
  plainIdPattern,
  recordId,
  timestamp,
} from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { findContact, listContacts, newDate } from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import {
  beginOnce,
  followedPageOf,
  limit,
  offset,
  phoneQuery,
  recordCursor,
  search,
} from '../../server/schema/fields.ts'
import { inOrder, range } from '../../server/schema/instant.ts'

const MARKETING = ['granted', 'stopped', 'unknown'] as const

const contact = named(
  'Contact',
  v.object({
    _id: recordId,
    channel_type: v.picklist(channelTypes),
    user_id: v.string(),
    channel_id: v.nullable(recordId),
    name: v.nullable(v.string()),
    phone: v.nullable(v.string()),
    avatar: v.nullable(v.string()),
    custom_fields: v.record(v.string(), v.unknown()),
    customer_id: v.nullable(recordId),
    bsuid: v.nullable(v.string()),
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
    consent: v.pipe(
      v.object({
        marketing: v.picklist(MARKETING),
        changed_at: v.nullable(timestamp),
        source: v.nullable(v.picklist(['provider', 'api'])),
      }),
      v.description(
        'Wish about marketing messages, as the person told the provider or a client told Parley. Bulk sends of marketing templates leave out who stopped them',
      ),
    ),
    windows: v.pipe(
      v.array(v.object({ channel_id: recordId, expires_at: timestamp, is_open: v.boolean() })),
      v.description(
        'End of the time in which a channel may send the person any message; after it, only what the provider allows',
      ),
    ),
    first_seen_at: timestamp,
    last_seen_at: timestamp,
    created_at: timestamp,
    updated_at: timestamp,
  }),
)

const name = v.pipe(v.string(), composedText(), minCharacters(1), maxCharacters(MAX_NAME_LENGTH))
const avatar = v.pipe(
  v.string(),
  maxCharacters(2048),
  v.check(isWebAddress, 'must be the URL of a picture, such as https://example.com/ana.jpg'),
)

function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && isUrl(text)
}

const WA_ID = /^[1-9]\d{6,14}$/

const newContact = named(
  'NewContact',
  v.pipe(
    v.strictObject({
      channel_type: v.picklist(channelTypes),
      user_id: v.pipe(
        v.string(),
        minCharacters(1),
        maxCharacters(256),
        v.check((text) => text === text.trim(), 'must not begin or end with a space'),
        v.description(
          'Id of the person within the channel. whatsapp: the digits of the phone number, without +. email: the address',
        ),
      ),
      channel_id: v.optional(recordId),
      name: v.optional(name),
      phone: v.optional(phone),
      avatar: v.optional(avatar),
      custom_fields: v.optional(customFields),
    }),
    v.forward(
      v.partialCheck(
        [['channel_type'], ['user_id']],
        ({ channel_type, user_id }) => channel_type !== 'whatsapp' || WA_ID.test(user_id),
        'must be the digits of the phone number with its country code on whatsapp, without + and spaces, such as 5215512345678',
      ),
      ['user_id'],
    ),
    v.forward(
      v.partialCheck(
        [['channel_type'], ['user_id']],
        ({ channel_type, user_id }) => channel_type !== 'email' || isAddress(user_id),
        'must be one e-mail address on email, without a name, such as ana@example.com',
      ),
      ['user_id'],
    ),
  ),
)

const patch = named(
  'ContactPatch',
  v.strictObject({
    name: v.optional(v.nullable(name)),
    phone: v.optional(v.nullable(phone)),
    avatar: v.optional(v.nullable(avatar)),
    custom_fields: v.optional(customFields),
    customer_id: v.optional(v.nullable(recordId)),
    consent: v.optional(v.strictObject({ marketing: v.picklist(MARKETING) })),
  }),
)

export const contactRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/v1/contacts',
    operation: 'create_contact',
    example: {
      body: { channel_type: 'whatsapp', user_id: '5215512345679', name: 'Ana Torres', phone: '+5215512345679' },
    },
    summary: 'Create a contact of a channel, or of a channel type when no channel is named',
    auth: 'token',
    scope: 'contacts:write',
    body: newContact,
    status: 201,
    response: contact,
    errors: ['CHANNEL_NOT_FOUND', 'CONTACT_ALREADY_EXISTS'],
    command: ({ body }) => ({ type: 'create_contact', ...body }),
  }),
  route({
    method: 'GET',
    path: '/v1/contacts',
    operation: 'list_contacts',
    summary: 'List contacts, newest first; search matches any part of a name, phone or user_id',
    auth: 'token',
    scope: 'contacts:read',
    query: v.pipe(
      v.strictObject({
        channel_type: v.optional(v.picklist(channelTypes)),
        search,
        phone: phoneQuery,
        customer_id: v.optional(recordId),
        ...range,
        limit,
        offset,
        cursor: recordCursor,
      }),
      inOrder(),
      beginOnce(),
    ),
    status: 200,
    response: followedPageOf(contact),
    async read({ query: { limit, offset, cursor, ...filter } }, { database, project_id }) {
      const page = await listContacts(database, project_id, filter, { limit, offset, cursor }, newDate())
      return { ...page, limit, offset }
    },
  }),
  route({
    method: 'GET',
    path: '/v1/contacts/:id',
    operation: 'get_contact',
    summary: 'Get a contact, with the window of each channel it wrote to',
    auth: 'token',
    scope: 'contacts:read',
    params: { id: plainIdPattern },
    status: 200,
    response: contact,
    errors: ['NOT_FOUND'],
    async read({ params }, { database, project_id }) {
      const found = await findContact(database, project_id, params.id, newDate())
      if (!found) throw new Refusal('NOT_FOUND')
      return found
    },
  }),
  route({
    method: 'PATCH',
    path: '/v1/contacts/:id',
    operation: 'update_contact',
    example: { body: { name: 'Ana Torres', customer_id: exampleIds.customer } },
    summary: 'Change a contact; only the fields in the request change, and custom_fields is replaced as a whole',
    auth: 'token',
    scope: 'contacts:write',
    params: { id: plainIdPattern },
    body: patch,
    status: 200,
    response: contact,
    errors: ['NOT_FOUND', 'CUSTOMER_NOT_FOUND'],
    command: ({ params, body }) => ({ type: 'update_contact', id: params.id, patch: body }),
  }),
]
