/** The project's set-up as agents need it: one request for all choices of a page. */
import * as v from 'valibot'
import { composingFor, messageTypes, named, recordId } from '../../actors/mod.ts'
import { Channel, CrmEventType, CustomField, listStages, Pipeline, readRows, Tag, User } from '../../storage/mod.ts'
import type { Route } from '../server/route/route.ts'
import { route } from '../server/route/typed_route.ts'

const withName = { _id: recordId, name: v.string() }
const text = v.nullable(v.string())

const definitions = named(
  'Definitions',
  v.object({
    pipelines: v.array(
      v.object({
        ...withName,
        is_default: v.boolean(),
        stages: v.array(v.object({ ...withName, position: v.number(), rules: v.record(v.string(), v.unknown()) })),
      }),
    ),
    tags: v.array(v.object({ ...withName, color: text })),
    custom_fields: v.array(
      v.object({
        ...withName,
        owner: v.string(),
        key: v.string(),
        type: v.string(),
        options: v.nullable(v.array(v.string())),
      }),
    ),
    users: v.array(
      v.object({
        _id: recordId,
        full_name: v.string(),
        email: v.string(),
        is_active: v.boolean(),
        is_agent: v.boolean(),
      }),
    ),
    channels: v.array(
      v.object({
        ...withName,
        channel_type: v.string(),
        provider: v.string(),
        provider_account_id: text,
        is_active: v.boolean(),
        status: v.string(),
        status_reason: text,
        composing: v.object({
          message_types: v.partial(v.object(v.entriesFromList(messageTypes, v.string()))),
          text_limit: v.object({ most: v.number(), unit: v.picklist(['characters', 'bytes']) }),
          has_captions: v.boolean(),
          file_types: v.nullable(v.array(v.object({ mime_type: v.string(), max_bytes: v.number() }))),
          most_file_bytes: v.number(),
        }),
        messages_per_second: v.nullable(v.number()),
      }),
    ),
    event_types: v.array(
      v.object({
        ...withName,
        key: v.string(),
        is_system: v.boolean(),
        fields: v.array(v.object({ key: v.string(), type: v.string(), required: v.boolean() })),
      }),
    ),
  }),
)

const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name)

export const definitionRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/console/projects/:project_id/definitions',
    operation: 'console_list_definitions',
    summary: 'Pipelines with their stages, tags, custom fields, users, channels and event types, each list by name',
    auth: 'agent',
    pool: 'exempt',
    status: 200,
    response: definitions,
    errors: ['NOT_FOUND'],
    async read(_, { database, project_id, company_id }) {
      // One after the other, because a read has one connection.
      const pipelines = await readRows(database, Pipeline, { project_id })
      const ids = pipelines.map(({ _id }) => _id)
      const stages = await listStages(database, ids)
      const tags = await readRows(database, Tag, { project_id })
      const custom_fields = await readRows(database, CustomField, { company_id })
      const users = await readRows(database, User, { company_id })
      const channels = await readRows(database, Channel, { project_id })
      const event_types = await readRows(database, CrmEventType, { company_id })
      return {
        pipelines: pipelines.sort(byName).map(({ _id, name, is_default }) => ({
          _id,
          name,
          is_default,
          stages: (stages.get(_id) ?? []).map(({ _id, name, position, rules }) => ({ _id, name, position, rules })),
        })),
        tags: tags.sort(byName).map(({ _id, name, color = null }) => ({ _id, name, color })),
        custom_fields: custom_fields
          .sort(byName)
          .map(({ _id, name, owner, key, type, options = null }) => ({ _id, name, owner, key, type, options })),
        users: users
          .sort((a, b) => a.full_name.localeCompare(b.full_name))
          .map(({ _id, full_name, email, is_active, permissions }) => {
            return { _id, full_name, email, is_active, is_agent: is_active && permissions.includes('console.agent') }
          }),
        channels: channels.sort(byName).map((channel) => {
          const { _id, name, channel_type, provider, provider_account_id = null } = channel
          const { is_active, status, status_reason = null, messages_per_second = null } = channel
          const state = { is_active, status, status_reason, messages_per_second }
          const composing = composingFor(channel)
          return { _id, name, channel_type, provider, provider_account_id, ...state, composing }
        }),
        event_types: event_types.sort(byName).map(({ _id, name, key, is_system, fields }) => {
          const field_records = fields.map(({ key, type, required }) => ({ key, type, required }))
          return { _id, name, key, is_system, fields: field_records }
        }),
      }
    },
  }),
]
