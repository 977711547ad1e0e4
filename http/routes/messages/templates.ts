/** The message templates of the project's channels, as their providers hold them. */
import * as v from 'valibot'
import {
  composedText,
  maxCharacters,
  minCharacters,
  named,
  recordId,
  templateVariables,
  timestamp,
} from '../../../actors/mod.ts'
import { listTemplates } from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { limit, pageOf, recordCursor } from '../../server/schema/fields.ts'

const filterText = v.pipe(v.string(), composedText(), minCharacters(1), maxCharacters(512))

const template = named(
  'Template',
  v.object({
    _id: recordId,
    channel_id: recordId,
    name: v.string(),
    language: v.string(),
    status: v.string(),
    category: v.string(),
    components: v.array(v.record(v.string(), v.unknown())),
    variables: v.pipe(v.array(v.string()), v.description('Names that `message.variables` of a send must have')),
    synced_at: timestamp,
  }),
)

export const templateRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/v1/messages/templates',
    operation: 'list_templates',
    summary: 'List message templates with their variables, newest first',
    auth: 'token',
    scope: 'messages:read',
    query: v.strictObject({
      channel_id: v.optional(recordId),
      name: v.optional(filterText),
      language: v.optional(filterText),
      limit,
      cursor: recordCursor,
    }),
    status: 200,
    response: pageOf(template),
    async read({ query: { limit, cursor, ...filter } }, { database, project_id }) {
      const page = await listTemplates(database, project_id, filter, { limit, cursor })
      return { ...page, data: page.data.map((row) => ({ ...row, variables: templateVariables(row.components) })) }
    },
  }),
]
