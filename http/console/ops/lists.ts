/** Lists over all companies, for operators: each with the names that people look for, page by page. */
import * as v from 'valibot'
import { type ChannelProtocol, recordId, timestamp } from '../../../actors/mod.ts'
import type { Address, Runtime } from '../../../runtime/mod.ts'
import {
  type ChannelHealthRow,
  groupDeadLetters,
  hideSecretsInText,
  listChannelHealth,
  listDisabledWebhooks,
  listRecentDeadLetters,
  listTokensByState,
  listUsers,
  searchTenants,
} from '../../../storage/mod.ts'
import { pageOfRecords } from '../../server/route/page_of_records.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { cursor, flagQuery, limit, pageOf, recordCursor, search } from '../../server/schema/fields.ts'

const named = v.object({ _id: recordId, name: v.string() })
const text = v.nullable(v.string())
const at = v.nullable(timestamp)
const common = { method: 'GET', auth: 'agent', status: 200 } as const

/** Milliseconds to wait for what a channel says of itself. */
const HEALTH_MS = 1500

const channel = v.object({
  ...named.entries,
  channel_type: v.string(),
  provider: v.string(),
  project: named,
  company: named,
  is_active: v.boolean(),
  status: v.string(),
  status_reason: text,
  updated_at: timestamp,
  waiting: v.number(),
  oldest_s: v.number(),
  last_error: v.nullable(v.object({ code: v.string(), message: v.string() })),
  last_check: v.nullable(v.object({ at: timestamp, by: text })),
  sending: v.nullable(
    v.object({
      paused_until: at,
      is_trying: v.boolean(),
      running: v.number(),
      unanswered_probes: v.number(),
    }),
  ),
})

const webhook = v.object({
  id: v.string(),
  name: v.string(),
  url: v.string(),
  project: named,
  company: named,
  disabled_reason: v.string(),
  failure_count: v.number(),
  last_delivery_at: at,
  updated_at: timestamp,
})

const token = v.object({
  ...named.entries,
  prefix: v.string(),
  scopes: v.array(v.string()),
  project: named,
  company: named,
  user: v.object({ _id: recordId, full_name: v.string(), is_active: v.boolean() }),
  expires_at: at,
  revoked_at: at,
  last_used_at: at,
  created_at: timestamp,
})

const user = v.object({
  _id: recordId,
  full_name: v.string(),
  email: v.string(),
  company: named,
  permissions: v.array(v.string()),
  is_active: v.boolean(),
  has_password: v.boolean(),
  created_at: timestamp,
})

const letter = {
  id: v.string(),
  parked_at: timestamp,
  kind: v.string(),
  address: v.string(),
  type: text,
  sender: text,
  error: v.string(),
}

const word = v.optional(v.pipe(v.string(), v.regex(/^\P{Cc}{1,200}$/u, 'must have 1 to 200 characters')))

const tokenCursor = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^\d{1,15}-[0-9a-f]{24}$/, 'must be the next_cursor of a page'),
    v.transform((cursor) => ({ end: Number(cursor.split('-')[0]), _id: cursor.split('-')[1]! })),
  ),
)

export const listRoutes: Route[] = [
  route({
    ...common,
    path: '/console/ops/channels',
    operation: 'ops_list_channels',
    summary: 'List the channels of all projects, newest first, with what waits for them',
    query: v.strictObject({
      view: v.optional(v.picklist(['unwell', 'waiting', 'all']), 'all'),
      project_id: v.optional(recordId),
      limit,
      cursor: recordCursor,
    }),
    response: pageOf(channel),
    async read({ query: { limit, cursor, ...filter } }, { database, runtime }) {
      const { data, ...page } = await listChannelHealth(database, filter, { limit, cursor })
      return { ...page, data: await Promise.all(data.map((row) => withHealth(runtime, row))) }
    },
  }),
  route({
    ...common,
    path: '/console/ops/webhooks',
    operation: 'ops_list_webhooks',
    summary: 'List the subscriptions that were disabled because their receivers failed too long, newest first',
    query: v.strictObject({ limit, cursor: cursor('wh') }),
    response: pageOf(webhook),
    async read({ query }, { database }) {
      const page = await listDisabledWebhooks(database, query)
      return pageOfRecords(page, (row) => ({ ...row, url: hideSecretsInText(row.url) }))
    },
  }),
  route({
    ...common,
    path: '/console/ops/tokens',
    operation: 'ops_list_tokens',
    summary: 'List the tokens of all projects by their state',
    query: v.strictObject({
      state: v.optional(v.picklist(['active', 'expiring', 'expired', 'revoked']), 'active'),
      project_id: v.optional(recordId),
      user_id: v.optional(recordId),
      limit,
      cursor: tokenCursor,
    }),
    response: pageOf(token),
    read: ({ query: { limit, cursor, ...filter } }, { database }) =>
      listTokensByState(database, filter, { limit, cursor }),
  }),
  route({
    ...common,
    path: '/console/ops/users',
    operation: 'ops_list_users',
    summary: 'List the users of all companies, newest first; search finds the beginning of an address or name',
    query: v.strictObject({
      search,
      company_id: v.optional(recordId),
      is_operator: v.optional(flagQuery),
      limit,
      cursor: recordCursor,
    }),
    response: pageOf(user),
    read: ({ query: { limit, cursor, ...filter } }, { database }) => listUsers(database, filter, { limit, cursor }),
  }),
  route({
    ...common,
    path: '/console/ops/tenants',
    operation: 'ops_search_tenants',
    summary: 'Find companies by a part of their name or of that of a project: at most 20, each with 50 projects',
    query: v.strictObject({ search }),
    response: v.object({ data: v.array(v.object({ ...named.entries, projects: v.array(named) })) }),
    read: async ({ query }, { database }) => ({ data: await searchTenants(database, query.search ?? '') }),
  }),
  route({
    ...common,
    path: '/console/ops/dead-letters',
    operation: 'ops_list_dead_letters',
    summary: 'List parked messages among the newest 10,000, newest first',
    query: v.strictObject({
      kind: v.optional(v.pipe(v.string(), v.regex(/^[a-z_]{1,32}$/, 'must be such as "channel"'))),
      type: word,
      limit,
      cursor: v.optional(v.pipe(v.string(), v.regex(/^[1-9]\d{0,17}$/, 'must be the next_cursor of a page'))),
    }),
    response: pageOf(v.object(letter)),
    async read({ query: { limit, cursor, ...filter } }, { database }) {
      return pageOfRecords(await listRecentDeadLetters(database, filter, { limit, cursor }), withoutSecrets)
    },
  }),
  route({
    ...common,
    path: '/console/ops/dead-letters/types',
    operation: 'ops_group_dead_letters',
    summary: 'Count parked messages by type, among the newest 10,000',
    response: v.object({
      groups: v.array(
        v.object({
          kind: v.string(),
          type: text,
          count: v.number(),
          newest_at: timestamp,
          oldest_at: timestamp,
          error: v.string(),
        }),
      ),
      counted: v.number(),
      is_complete: v.boolean(),
    }),
    async read(_, { database }) {
      const { groups, ...rest } = await groupDeadLetters(database)
      return { groups: groups.map(withoutSecrets), ...rest }
    },
  }),
]

function withoutSecrets<Row extends { error: string }>(row: Row): Row {
  return { ...row, error: hideSecretsInText(row.error) }
}

/**
 * Adds how sending goes. Only channels with waiting messages are asked: they are in memory anyway. Null where nothing
 * waits, and where the owner does not answer.
 */
async function withHealth(runtime: Runtime, row: ChannelHealthRow) {
  const last_error = row.last_error && { ...row.last_error, message: hideSecretsInText(row.last_error.message) }
  return { ...row, last_error, sending: row.waiting === 0 ? null : await healthOf(runtime, row._id) }
}

async function healthOf(runtime: Runtime, channel_id: string) {
  const address: Address<ChannelProtocol> = `channel/${channel_id}`
  try {
    const options = { deadline_ms: HEALTH_MS, repeatable: true }
    const { paused_until, ...rest } = await runtime.ask(address, { type: 'health' }, options)
    return { ...rest, paused_until: paused_until === null ? null : new Date(paused_until).toISOString() }
  } catch {
    return null
  }
}
