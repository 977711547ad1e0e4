/** People on channels. */
import * as v from 'valibot'
import {
  channelTypes,
  contactMergeRecord,
  contactPatch,
  contactRecord,
  exampleIds,
  newContact,
  newContactMerge,
  type Providers,
  plainIdPattern,
  recordId,
  toContactMergeRecord,
  toContactRecord,
} from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { findContact, listContacts, listMerges, newDate } from '../../../storage/mod.ts'
import { pageOfRecords } from '../../server/route/page_of_records.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import {
  beginOnce,
  followedPageOf,
  limit,
  offset,
  pageOf,
  phoneQuery,
  recordCursor,
  search,
} from '../../server/schema/fields.ts'
import { inOrder, range } from '../../server/schema/instant.ts'
import { moveThread } from './thread_work.ts'

const thread = {
  method: 'POST',
  auth: 'token',
  scope: 'messages:write',
  params: { id: plainIdPattern },
  optional_body: true,
  outside: true,
  status: 200,
  response: contactRecord,
  errors: [
    'NOT_FOUND',
    'CHANNEL_NOT_FOUND',
    'CHANNEL_NOT_CONNECTED',
    'CHANNEL_REQUIRED',
    'OPERATION_NOT_SUPPORTED_FOR_CHANNEL',
    'PROVIDER_REFUSED',
    'PROVIDER_UPSTREAM_ERROR',
  ],
} as const

export const contactRoutes = (providers: Providers): Route[] => [
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
    response: contactRecord,
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
    response: followedPageOf(contactRecord),
    async read({ query: { limit, offset, cursor, ...filter } }, { database, project_id }) {
      const page = await listContacts(database, project_id, filter, { limit, offset, cursor })
      const now = newDate()
      return { ...pageOfRecords(page, (contact) => toContactRecord(contact, now)), limit, offset }
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
    response: contactRecord,
    errors: ['NOT_FOUND'],
    async read({ params }, { database, project_id }) {
      const found = await findContact(database, project_id, params.id)
      if (!found) throw new Refusal('NOT_FOUND')
      return toContactRecord(found, newDate())
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
    body: contactPatch,
    status: 200,
    response: contactRecord,
    errors: ['NOT_FOUND', 'CUSTOMER_NOT_FOUND'],
    command: ({ params, body }) => ({ type: 'update_contact', id: params.id, patch: body }),
  }),
  route({
    method: 'POST',
    path: '/v1/contacts/:id/merge',
    operation: 'merge_contacts',
    example: { body: { from_contact_id: exampleIds.merged_contact } },
    summary:
      'Make another contact of the same person a part of this one, which keeps its id and its values; it can be undone for 30 days',
    auth: 'token',
    scope: 'contacts:write',
    audited: true,
    params: { id: plainIdPattern },
    body: newContactMerge,
    status: 200,
    response: contactMergeRecord,
    errors: [
      'NOT_FOUND',
      'NO_CONTACT',
      'RECORD_ERASED',
      'CONTACTS_ALREADY_MERGED',
      'CONTACT_MERGE_RUNNING',
      'CONTACTS_OF_DIFFERENT_CHANNELS',
      'CONTACTS_OF_DIFFERENT_CUSTOMERS',
      'CONTACT_MERGE_TOO_LARGE',
    ],
    command: ({ params, body }) => ({ type: 'merge_contacts', id: params.id, ...body }),
  }),
  route({
    method: 'GET',
    path: '/v1/contacts/:id/merges',
    operation: 'list_contact_merges',
    summary: 'List the merges of a contact, newest first, also those that were undone',
    auth: 'token',
    scope: 'contacts:read',
    params: { id: plainIdPattern },
    query: v.strictObject({ limit, cursor: recordCursor }),
    status: 200,
    response: pageOf(contactMergeRecord),
    errors: ['NOT_FOUND'],
    async read({ params, query }, { database, project_id }) {
      const found = await listMerges(database, project_id, params.id, query)
      if (!found) throw new Refusal('NOT_FOUND')
      return { ...found, data: found.data.map(({ merge, former }) => toContactMergeRecord(merge, former)) }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/contacts/:id/merges/:merge_id/undo',
    operation: 'undo_contact_merge',
    summary: 'Separate contacts again; what came under the ids of the merged one since then goes to it',
    auth: 'token',
    scope: 'contacts:write',
    audited: true,
    params: { id: plainIdPattern, merge_id: plainIdPattern },
    status: 200,
    response: contactMergeRecord,
    errors: ['NOT_FOUND', 'RECORD_ERASED', 'CONTACT_MERGE_RUNNING', 'CONTACT_MERGE_FINAL'],
    command: ({ params }) => ({ type: 'undo_contact_merge', id: params.id, merge_id: params.merge_id }),
  }),
  route({
    ...thread,
    errors: [...thread.errors],
    path: '/v1/contacts/:id/take-thread',
    operation: 'take_thread',
    example: { body: {} },
    summary: 'Take over the conversation with a person that another app of the business holds',
    body: v.strictObject({ channel_id: v.optional(recordId) }),
    act: ({ params, body }, context, operation) =>
      moveThread(providers, context, { ...params, ...body, move: { action: 'take' } }, operation),
  }),
  route({
    ...thread,
    errors: [...thread.errors],
    path: '/v1/contacts/:id/release-thread',
    operation: 'release_thread',
    example: { body: {} },
    summary: 'Give back the conversation with a person, to a named app or to the one that the provider chooses',
    body: v.strictObject({
      channel_id: v.optional(recordId),
      to: v.optional(
        v.pipe(
          v.string(),
          v.regex(/^[\w-]{1,100}$/, 'must be a role on WhatsApp, such as ai_agent, or the id of an app'),
          v.description('On WhatsApp a role such as `ai_agent`, on Messenger and Instagram the id of an app'),
        ),
      ),
    }),
    act: ({ params, body: { channel_id, to } }, context, operation) => {
      const move = to === undefined ? ({ action: 'release' } as const) : ({ action: 'pass', to } as const)
      return moveThread(providers, context, { ...params, channel_id, move }, operation)
    },
  }),
]
