/** The message templates of the project's channels, as their providers hold them. */
import * as v from 'valibot'
import {
  composedText,
  maxCharacters,
  minCharacters,
  recordId,
  templateRecord,
  toTemplateRecord,
} from '../../../actors/mod.ts'
import { listTemplates } from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { limit, pageOf, recordCursor } from '../../server/schema/fields.ts'

const filterText = v.pipe(v.string(), composedText(), minCharacters(1), maxCharacters(512))

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
    response: pageOf(templateRecord),
    async read({ query: { limit, cursor, ...filter } }, { database, project_id }) {
      const page = await listTemplates(database, project_id, filter, { limit, cursor })
      return { ...page, data: page.data.map(toTemplateRecord) }
    },
  }),
]
