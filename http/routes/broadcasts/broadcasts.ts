/** Bulk sends of a template: create, watch, cancel. Only numbers of WhatsApp's Cloud API support them. */
import * as v from 'valibot'
import {
  broadcastRecord,
  composedText,
  idPattern,
  maxCharacters,
  minCharacters,
  recipientRecord,
  recordId,
  toBroadcastRecord,
  toRecipientRecord,
  warnings,
} from '../../../actors/mod.ts'
import { listBroadcasts, listRecipients } from '../../../storage/mod.ts'
import { pageOfRecords } from '../../server/route/page_of_records.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { cursor, limit, pageOf, search } from '../../server/schema/fields.ts'
import { languageCode, templateName } from '../message_types/template.ts'
import { MAX_RECIPIENTS, recipients } from './recipients.ts'
import { broadcastOf, cancelBroadcast, recipientsFile, sendBulk } from './work.ts'

const BODY_LIMIT = 10 * 1024 * 1024

const campaignName = v.pipe(v.string(), composedText(), minCharacters(1), maxCharacters(200))

const bulk = v.strictObject({
  template_name: templateName,
  language: languageCode,
  recipients,
  channel_id: v.optional(recordId),
  phone_number_id: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[\w.-]{1,100}$/, "must be the provider's id of a number"),
      v.description('Instead of `channel_id`, for WhatsApp'),
    ),
  ),
  campaign_name: v.optional(campaignName),
})

const { id, status, pending_count: count } = broadcastRecord.entries

const shared = { auth: 'token', scope: 'messages:bulk' } as const
const one = { params: { id: idPattern('brd') }, missing: 'BROADCAST_NOT_FOUND' } as const

export const broadcastRoutes: Route[] = [
  route({
    ...shared,
    method: 'POST',
    path: '/v1/messages/bulk',
    operation: 'send_bulk',
    example: {
      body: {
        template_name: 'order_update',
        language: 'en_US',
        recipients: [{ phone: '+15550180000', variables: { '1': 'Ana', '2': 'A-1001' } }],
        campaign_name: 'Orders of May',
      },
    },
    audited: true,
    summary:
      'Send a template to up to 5000 people; the answer comes once the recipients are stored, and sending follows',
    body: bulk,
    body_limit: BODY_LIMIT,
    max_violations: MAX_RECIPIENTS,
    status: 202,
    response: v.object({
      broadcast_id: id,
      status: v.literal('queued'),
      total: count,
      warnings,
    }),
    errors: [
      'CHANNEL_REQUIRED',
      'CHANNEL_NOT_CONNECTED',
      'CHANNEL_NOT_FOUND',
      'OPERATION_NOT_SUPPORTED_FOR_CHANNEL',
      'TEMPLATE_NOT_FOUND',
    ],
    act: ({ body }, context) => sendBulk(context, body),
  }),
  route({
    ...shared,
    method: 'GET',
    path: '/v1/messages/bulk',
    operation: 'list_broadcasts',
    summary: "List bulk sends, newest first; search matches any part of a campaign's or a template's name",
    query: v.strictObject({
      status: v.optional(status),
      channel_id: v.optional(recordId),
      template_name: v.optional(templateName),
      campaign_name: v.optional(v.pipe(campaignName, v.description('The whole name'))),
      search,
      limit,
      cursor: cursor('brd'),
    }),
    status: 200,
    response: pageOf(broadcastRecord),
    async read({ query: { limit, cursor, ...filter } }, { database, project_id }) {
      return pageOfRecords(await listBroadcasts(database, project_id, filter, { limit, cursor }), toBroadcastRecord)
    },
  }),
  route({
    ...shared,
    ...one,
    method: 'GET',
    path: '/v1/messages/bulk/:id',
    operation: 'get_broadcast',
    summary: 'Get one bulk send with its counts',
    status: 200,
    response: broadcastRecord,
    errors: ['BROADCAST_NOT_FOUND'],
    read: async ({ params }, context) => toBroadcastRecord(await broadcastOf(context, params.id)),
  }),
  route({
    ...shared,
    ...one,
    method: 'GET',
    path: '/v1/messages/bulk/:id/recipients',
    operation: 'list_broadcast_recipients',
    summary: 'List the recipients of a bulk send in the order of the request, each with its result',
    query: v.strictObject({
      status: v.optional(recipientRecord.entries.status),
      limit,
      cursor: v.optional(
        v.pipe(v.string(), v.regex(/^\d{1,4}$/, 'must be the next_cursor of a page'), v.transform(Number)),
      ),
    }),
    status: 200,
    response: pageOf(recipientRecord),
    errors: ['BROADCAST_NOT_FOUND'],
    async read({ params, query: { status, limit, cursor } }, context) {
      await broadcastOf(context, params.id)
      return pageOfRecords(
        await listRecipients(context.database, params.id, status, { limit, cursor }),
        toRecipientRecord,
      )
    },
  }),
  route({
    ...shared,
    ...one,
    method: 'GET',
    path: '/v1/messages/bulk/:id/recipients.csv',
    operation: 'download_broadcast_recipients',
    response_type: 'text/csv',
    has_etag: false,
    summary: 'Download the recipients of a bulk send as a CSV file',
    status: 200,
    errors: ['BROADCAST_NOT_FOUND', 'RANGE_NOT_SATISFIABLE'],
    download: ({ params }, context) => recipientsFile(context, params.id),
  }),
  route({
    ...shared,
    ...one,
    method: 'POST',
    path: '/v1/messages/bulk/:id/cancel',
    operation: 'cancel_broadcast',
    audited: true,
    summary: 'Cancel a bulk send; messages that the provider already has still arrive',
    status: 200,
    response: broadcastRecord,
    errors: ['BROADCAST_NOT_FOUND', 'BROADCAST_FINISHED'],
    act: ({ params }, context) => cancelBroadcast(context, params.id),
  }),
]
