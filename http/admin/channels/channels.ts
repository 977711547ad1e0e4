import * as v from 'valibot'
import { channelTypes, exampleIds, named, type Providers } from '../../../actors/mod.ts'
import { Refusal, Unavailable } from '../../../runtime/mod.ts'
import {
  Channel,
  type ChannelStatus,
  type Credentials,
  changeChannel,
  credentialsOf,
  type Database,
  objectId as newId,
  removeChannel,
  storeChannel,
  withoutOrigin,
} from '../../../storage/mod.ts'
import { refuseInvalid } from '../../server/errors/invalid.ts'
import { listRecords } from '../../server/list_records.ts'
import type { Route } from '../../server/route/route.ts'
import { search } from '../../server/schema/fields.ts'
import { flag, name, objectId, recordList, recordsOf, timestamp } from '../fields.ts'
import { once } from '../once.ts'
import { announceChannelChange, refreshChannel, templatesTeller } from '../operations/refresh.ts'
import { operatorRoute } from '../operator_route.ts'
import { explained, findRecord } from '../records.ts'
import { checkChannel } from './channel_check.ts'
import { accountOf, credentialViolations, waysToConnect } from './channel_credentials.ts'

const ignoredCallback = named(
  'IgnoredCallback',
  v.object({
    kind: v.pipe(v.picklist(['field', 'account']), v.description('account: calls about one that no channel has')),
    name: v.pipe(v.string(), v.description('The field or the account')),
    count: v.number(),
    first_at: timestamp,
    last_at: timestamp,
    sample_fields: v.pipe(
      v.array(v.string()),
      v.description('Names of the fields in the last one of them, as paths, without contents'),
    ),
  }),
)

const record = named(
  'Channel',
  v.object({
    _id: objectId,
    company_id: objectId,
    project_id: objectId,
    channel_type: v.picklist(channelTypes),
    provider: v.picklist(waysToConnect),
    name: v.string(),
    provider_account_id: v.nullable(v.string()),
    credentials_set: v.pipe(
      v.array(v.string()),
      v.description('The names of the stored credentials; never their values'),
    ),
    webhook_path: v.pipe(
      v.nullable(v.string()),
      v.description("Path of the provider's webhook below the address of this API; null when there is none"),
    ),
    messages_per_second: v.nullable(v.number()),
    is_active: v.boolean(),
    status: v.pipe(
      v.picklist(['unverified', 'connected', 'disconnected']),
      v.description('unverified until the provider has accepted the credentials; messages are sent nevertheless'),
    ),
    status_reason: v.nullable(v.string()),
    created_at: timestamp,
    updated_at: timestamp,
  }),
)

function show(database: Database, channel: Channel) {
  return {
    _id: channel._id,
    company_id: channel.company_id,
    project_id: channel.project_id,
    channel_type: channel.channel_type,
    provider: channel.provider,
    name: channel.name,
    provider_account_id: channel.provider_account_id ?? null,
    credentials_set: Object.keys(credentialsOf(database, channel)),
    webhook_path: webhookPath(channel),
    messages_per_second: channel.messages_per_second ?? null,
    is_active: channel.is_active,
    status: channel.status,
    status_reason: channel.status_reason ?? null,
    created_at: channel.created_at,
    updated_at: channel.updated_at,
  }
}

function webhookPath({ _id, channel_type }: Channel): string | null {
  return channel_type === 'phone' || channel_type === 'web' ? null : `/providers/${channel_type}/${_id}`
}

const credentials = v.pipe(
  v.record(v.string(), v.unknown(), 'must be an object'),
  v.description(
    'Stored encrypted and never returned. Each channel type has its own; errors name the missing ones. WhatsApp (cloud, ' +
      'simulator): phone_number_id, business_account_id, access_token, app_secret, verify_token and, to replace the ' +
      'address of Meta, api_base_url.',
  ),
)

const messagesPerSecond = v.pipe(
  v.nullable(v.pipe(v.number(), v.integer('must be a whole number'), v.minValue(1), v.maxValue(100_000))),
  v.description('Messages a second that the account may send; null for the default of its provider'),
)

const creation = v.pipe(
  v.strictObject({
    project_id: objectId,
    channel_type: v.picklist(channelTypes, `must be one of ${channelTypes.join(', ')}`),
    name,
    provider: v.picklist(waysToConnect, `must be one of ${waysToConnect.join(', ')}`),
    credentials: v.optional(credentials, {}),
    messages_per_second: v.optional(messagesPerSecond, null),
    is_active: v.optional(flag, true),
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    const { channel_type, provider, credentials } = dataset.value as Record<string, unknown>
    const mistyped = dataset.issues?.some(({ path }) => path?.[0]?.key === 'credentials')
    if (mistyped || typeof channel_type !== 'string' || typeof provider !== 'string') return
    for (const { path, message } of credentialViolations(channel_type, provider, credentials)) {
      addIssue({ message, path: issuePath(dataset.value, path) })
    }
  }),
)

export const channelRoutes = (providers: Providers): Route[] => [
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/channels',
    operation: 'create_channel',
    example: {
      body: {
        project_id: exampleIds.project,
        channel_type: 'web',
        provider: 'simulator',
        credentials: { visitor_secret: 'a secret that only your pages know' },
        name: 'Web chat',
      },
    },
    summary: 'Connect a channel; the credentials are checked with the provider at once',
    status: 201,
    body: creation,
    response: record,
    errors: ['PROJECT_NOT_FOUND', 'CHANNEL_ALREADY_EXISTS'],
    async change({ body }, context) {
      const { database } = context
      const { credentials: input, ...fields } = body
      const credentials = input as Credentials
      const provider_account_id = accountOf(body.channel_type, credentials)
      const own = { ...fields, provider_account_id, ...firstStatus(providers, body) }
      const _id = newId()
      const is_announced = await announceChannelChange(context, body.project_id, _id)
      const store = (database: Database) => storeChannel(database, { ...own, _id }, credentials)
      const channel = await explained(once(context, store, (row) => show(database, row)))
      await checkChannel(providers, withoutOrigin(database), channel, credentials)
      await refreshChannel(context, channel.project_id, _id, { is_new: true, is_announced })
      return show(database, await findRecord(database, Channel, channel._id))
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/channels',
    operation: 'list_channels',
    summary: 'List channels, newest first',
    status: 200,
    query: recordList({
      project_id: v.optional(objectId),
      channel_type: v.optional(v.picklist(channelTypes)),
      search,
    }),
    response: recordsOf(record),
    read: ({ query: { limit, offset, cursor, ...filter } }, { database }) =>
      listRecords(database, Channel, filter, { limit, offset, cursor }, (channel) => show(database, channel)),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/channels/:id',
    operation: 'get_channel',
    summary: 'Get a channel',
    status: 200,
    response: record,
    errors: ['NOT_FOUND'],
    read: async ({ params }, { database }) => show(database, await findRecord(database, Channel, params.id)),
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/admin/v1/channels/:id',
    operation: 'update_channel',
    example: { body: { name: 'Support line', messages_per_second: 20 } },
    summary:
      'Change a channel; credentials not given keep their value, null removes one; all nodes use the change at once',
    status: 200,
    body: v.strictObject({
      name: v.optional(name),
      is_active: v.optional(flag),
      messages_per_second: v.optional(messagesPerSecond),
      credentials: v.optional(credentials),
    }),
    response: record,
    errors: ['NOT_FOUND', 'CHANNEL_ALREADY_EXISTS'],
    async change({ params, body: { credentials, ...fields } }, context) {
      const { database } = context
      let was: ChannelStatus | undefined
      const renew = (row: Channel, present: Credentials) => {
        was = row.status
        return { ...merged(row, present, credentials!), ...(providers.of(row) && UNVERIFIED) }
      }
      const { _id, project_id } = await findRecord(database, Channel, params.id)
      const is_announced = await announceChannelChange(context, project_id, _id)
      const channel = await explained(changeChannel(database, _id, fields, credentials && renew))
      if (credentials) {
        const changed = credentialsOf(database, channel)
        await checkChannel(providers, withoutOrigin(database), channel, changed, templatesTeller(context, channel))
      }
      await refreshChannel(context, project_id, _id, { was, is_announced })
      return show(database, await findRecord(database, Channel, _id))
    },
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/admin/v1/channels/:id',
    operation: 'delete_channel',
    summary: 'Delete a channel that has nothing left to send; its messages and contacts stay',
    status: 204,
    errors: ['NOT_FOUND', 'IN_USE'],
    async change({ params }, context) {
      const { _id, project_id } = await findRecord(context.database, Channel, params.id)
      const is_announced = await announceChannelChange(context, project_id, _id)
      await explained(removeChannel(context.database, _id))
      await refreshChannel(context, project_id, _id, { is_announced })
    },
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/channels/:id/check',
    operation: 'check_channel',
    role: 'support',
    summary: 'Check the credentials with the provider, and fetch its templates',
    status: 200,
    response: v.object({
      ok: v.boolean(),
      reason: v.nullable(v.string()),
      templates: v.object({ synced: v.number(), reason: v.nullable(v.string()) }),
      ignored_callbacks: v.pipe(
        v.array(ignoredCallback),
        v.description('Parts of webhook calls that were left out, the latest first; counts follow within 15 seconds'),
      ),
      channel: record,
    }),
    errors: ['NOT_FOUND', 'OPERATION_NOT_SUPPORTED_FOR_CHANNEL'],
    async change({ params }, context) {
      const { database } = context
      const channel = await findRecord(database, Channel, params.id)
      if (providers.is_quiet)
        throw new Unavailable('This cluster is quiet, so no provider is asked: run `parley resume` first.')
      const { _id, project_id } = channel
      const credentials = credentialsOf(database, channel)
      const is_announced = await announceChannelChange(context, project_id, _id)
      const result = await checkChannel(providers, database, channel, credentials, templatesTeller(context, channel))
      if (!result) {
        throw new Refusal('OPERATION_NOT_SUPPORTED_FOR_CHANNEL', {
          message: `A ${channel.channel_type} channel of provider ${channel.provider} cannot be checked.`,
        })
      }
      await refreshChannel(context, project_id, _id, { was: channel.status, is_announced })
      return { ...result, channel: show(database, await findRecord(database, Channel, _id)) }
    },
  }),
]

const UNVERIFIED = { status: 'unverified', status_reason: 'The provider has not been asked yet.' } as const

/** The status until the first check, which follows at once. */
function firstStatus(providers: Providers, channel: Pick<Channel, 'channel_type' | 'provider'>) {
  if (channel.provider === 'qr') return { status: 'disconnected', status_reason: 'not paired yet' } as const
  // A channel without a provider to ask counts as connected.
  return providers.of(channel) ? UNVERIFIED : ({ status: 'connected', status_reason: null } as const)
}

/** @throws {Refusal} VALIDATION_ERROR when the merged credentials are invalid for the channel's provider */
function merged({ channel_type, provider }: Channel, present: Credentials, changes: Record<string, unknown>) {
  const all = Object.entries({ ...present, ...changes }).filter(([, value]) => value !== null)
  const credentials = Object.fromEntries(all) as Credentials
  refuseInvalid(credentialViolations(channel_type, provider, credentials))
  return { credentials, provider_account_id: accountOf(channel_type, credentials) }
}

function issuePath(value: unknown, path: string): [v.IssuePathItem, ...v.IssuePathItem[]] {
  return path.split('.').map((key) => ({ type: 'object', origin: 'value', input: {}, key, value })) as never
}
