/** Interactive Flows: forms that people fill in within WhatsApp. */
import * as v from 'valibot'
import {
  across,
  composedText,
  dictionary,
  flowRecord,
  isUrl,
  itemsOf,
  maxCharacters,
  minCharacters,
  named,
  plainIdPattern,
  recordId,
  repeated,
  toFlowRecord,
  type WhatsAppFlows,
} from '../../../actors/mod.ts'
import { listFlows } from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { countedPage, countedPageOf, limit, offset } from '../../server/schema/fields.ts'
import { former } from '../../server/schema/former.ts'
import { cloudChannelOf } from '../cloud_channel.ts'
import { createFlow, deleteFlow, flowOf, publishFlow } from './work.ts'

const BODY_LIMIT = 10 * 1024 * 1024

/** Meta's categories of Flows. */
const categories = [
  'SIGN_UP',
  'SIGN_IN',
  'APPOINTMENT_BOOKING',
  'LEAD_GENERATION',
  'SHOPPING',
  'CONTACT_US',
  'CUSTOMER_SUPPORT',
  'SURVEY',
  'OTHER',
] as const

const creation = named(
  'NewFlow',
  v.strictObject({
    name: v.pipe(v.string(), composedText(), minCharacters(1), maxCharacters(200)),
    categories: v.pipe(
      v.array(v.picklist(categories)),
      v.minLength(1, 'must name at least one category'),
      v.maxLength(categories.length),
      across((list, say) => {
        if (repeated(itemsOf(list)).length > 0) say('must name each category once')
      }),
    ),
    flow_json: v.pipe(
      v.union(
        [dictionary(v.unknown()), v.pipe(v.string(), minCharacters(1))],
        'must be the Flow JSON, as an object or as text',
      ),
      v.description('The screens, as an object or as its JSON text'),
    ),
    channel_id: v.optional(recordId),
    endpoint_uri: v.optional(
      v.pipe(
        v.string(),
        maxCharacters(2048),
        v.check((url) => /^https:\/\/[^\s/]/i.test(url) && isUrl(url), 'must be an https:// address'),
      ),
    ),
  }),
)

const channelErrors = [
  'CHANNEL_REQUIRED',
  'CHANNEL_NOT_CONNECTED',
  'CHANNEL_NOT_FOUND',
  'OPERATION_NOT_SUPPORTED_FOR_CHANNEL',
] as const
const providerErrors = ['CHANNEL_NOT_CONNECTED', 'PROVIDER_REFUSED', 'WHATSAPP_UPSTREAM_ERROR'] as const

const reads = { auth: 'token', scope: 'flows:read' } as const
const writes = { auth: 'token', scope: 'flows:write' } as const
const one = { params: { id: plainIdPattern }, missing: 'FLOW_NOT_FOUND' } as const

export function flowRoutes(flows: WhatsAppFlows): Route[] {
  return [
    route({
      ...writes,
      method: 'POST',
      path: '/v1/flows',
      operation: 'create_flow',
      example: {
        body: { name: 'Plan a visit', categories: ['APPOINTMENT_BOOKING'], flow_json: { version: '7.0', screens: [] } },
      },
      audited: true,
      summary: 'Register a Flow with the provider and upload its Flow JSON; it starts as a draft',
      body: creation,
      body_limit: BODY_LIMIT,
      status: 201,
      response: flowRecord,
      errors: [...channelErrors, 'PROVIDER_REFUSED', 'WHATSAPP_UPSTREAM_ERROR'],
      outside: true,
      act: ({ body }, context, operation) => createFlow(flows, context, body, operation),
    }),
    route({
      ...reads,
      method: 'GET',
      path: '/v1/flows',
      operation: 'list_flows',
      summary: 'List the Flows of a channel, newest first',
      query: v.strictObject({
        channel_id: v.optional(recordId),
        limit,
        offset,
        skip: former('offset', offset, '2026-11-29'),
      }),
      status: 200,
      response: v.object({
        ...countedPageOf(flowRecord).entries,
        skip: v.pipe(v.number(), v.description('Deprecated: use `offset`')),
      }),
      errors: [...channelErrors],
      async read({ query: { channel_id, limit, offset } }, context) {
        const { _id } = await cloudChannelOf(context, { channel_id })
        const { database, project_id } = context
        const { data, total } = await listFlows(database, project_id, _id, { limit, offset })
        return { ...countedPage(data.map(toFlowRecord), total, { limit, offset }), skip: offset }
      },
    }),
    route({
      ...reads,
      ...one,
      method: 'GET',
      path: '/v1/flows/:id',
      operation: 'get_flow',
      summary: 'Get one Flow',
      status: 200,
      response: flowRecord,
      errors: ['FLOW_NOT_FOUND'],
      read: async ({ params }, context) => toFlowRecord(await flowOf(context, params.id)),
    }),
    route({
      ...writes,
      ...one,
      method: 'POST',
      path: '/v1/flows/:id/publish',
      operation: 'publish_flow',
      audited: true,
      summary: 'Publish a draft, so that it can be sent to anybody; this is final',
      status: 200,
      response: flowRecord,
      errors: ['FLOW_NOT_FOUND', 'FLOW_ALREADY_PUBLISHED', 'FLOW_INVALID', ...providerErrors],
      outside: true,
      act: ({ params }, context, operation) => publishFlow(flows, context, params.id, operation),
    }),
    route({
      ...writes,
      ...one,
      method: 'DELETE',
      path: '/v1/flows/:id',
      operation: 'delete_flow',
      audited: true,
      summary: 'Delete a draft, here and at the provider',
      status: 204,
      errors: ['FLOW_NOT_FOUND', 'FLOW_PUBLISHED', ...providerErrors],
      outside: true,
      act: ({ params }, context, operation) => deleteFlow(flows, context, params.id, operation),
    }),
  ]
}
