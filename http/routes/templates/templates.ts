/** The message templates of the project's channels, as their providers hold them. */
import * as v from 'valibot'
import {
  composedText,
  maxCharacters,
  minCharacters,
  plainIdPattern,
  recordId,
  templateRecord,
  toTemplateRecord,
} from '../../../actors/mod.ts'
import { listTemplates } from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { limit, pageOf, recordCursor } from '../../server/schema/fields.ts'
import { templateComponents, templateExamples, templateRules } from './components.ts'
import type { TemplateWork } from './example_files.ts'
import { changeTemplate, createTemplate, deleteTemplate, templateOf } from './work.ts'

/** The permission of agents to submit, edit and delete templates. */
export const MANAGES_TEMPLATES = 'console.manage_templates'

const BODY_LIMIT = 256 * 1024

const filterText = v.pipe(v.string(), composedText(), minCharacters(1), maxCharacters(512))

const category = v.picklist(['MARKETING', 'UTILITY', 'AUTHENTICATION'])

const creation = v.pipe(
  v.strictObject({
    channel_id: v.optional(recordId),
    name: v.pipe(
      v.string(),
      maxCharacters(512),
      v.regex(/^[a-z0-9_]+$/, 'must consist of small letters a to z, digits and _'),
    ),
    language: v.pipe(
      v.string(),
      v.regex(/^[a-z]{2,3}(_[A-Z]{2})?$/, 'must be a language of Meta, such as en_US or es'),
    ),
    category,
    components: templateComponents,
    examples: templateExamples,
  }),
  templateRules(),
)

const edit = v.pipe(
  v.strictObject({
    category: v.optional(category),
    components: v.optional(templateComponents),
    examples: templateExamples,
  }),
  v.check(({ category, components }) => (category ?? components) !== undefined, 'must have components or category'),
  templateRules(),
)

const reads = { auth: 'token', scope: 'messages:read' } as const
const writes = { auth: 'token', scope: 'templates:write', audited: true, outside: true } as const
const one = { path: '/v1/messages/templates/:id', params: { id: plainIdPattern }, missing: 'NOT_FOUND' } as const

const fileErrors = ['MEDIA_NOT_FOUND', 'MEDIA_NOT_ACCEPTED'] as const
const providerErrors = ['CHANNEL_NOT_CONNECTED', 'PROVIDER_REFUSED', 'WHATSAPP_UPSTREAM_ERROR'] as const

export function templateRoutes(work: TemplateWork): Route[] {
  return [
    route({
      ...reads,
      method: 'GET',
      path: '/v1/messages/templates',
      operation: 'list_templates',
      summary: 'List message templates with their variables, newest first',
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
    route({
      ...writes,
      method: 'POST',
      path: '/v1/messages/templates',
      operation: 'create_template',
      example: {
        body: {
          name: 'order_ready',
          language: 'en_US',
          category: 'UTILITY',
          components: [
            { type: 'BODY', text: 'Your order can be collected.' },
            { type: 'FOOTER', text: 'Open from 9 to 18' },
          ],
        },
      },
      summary: 'Submit a template to the provider, which reviews it',
      body: creation,
      body_limit: BODY_LIMIT,
      status: 201,
      response: templateRecord,
      errors: [
        'CHANNEL_REQUIRED',
        'CHANNEL_NOT_FOUND',
        'OPERATION_NOT_SUPPORTED_FOR_CHANNEL',
        'TEMPLATE_ALREADY_EXISTS',
        ...fileErrors,
        ...providerErrors,
      ],
      act: ({ body }, context, operation) => createTemplate(work, context, body, operation),
    }),
    route({
      ...reads,
      ...one,
      method: 'GET',
      operation: 'get_template',
      summary: 'Get one message template',
      status: 200,
      response: templateRecord,
      errors: ['NOT_FOUND'],
      read: async ({ params }, context) => toTemplateRecord(await templateOf(context, params.id)),
    }),
    route({
      ...writes,
      ...one,
      method: 'PATCH',
      operation: 'update_template',
      example: { body: { components: [{ type: 'BODY', text: 'Your order is ready. Thank you!' }] } },
      summary: 'Edit a template at the provider, which reviews it again',
      body: edit,
      body_limit: BODY_LIMIT,
      status: 200,
      response: templateRecord,
      errors: ['NOT_FOUND', ...fileErrors, ...providerErrors],
      act: ({ params, body }, context, operation) => changeTemplate(work, context, params.id, body, operation),
    }),
    route({
      ...writes,
      ...one,
      method: 'DELETE',
      operation: 'delete_template',
      summary: 'Delete a template in its language, here and at the provider',
      status: 204,
      errors: ['NOT_FOUND', ...providerErrors],
      act: ({ params }, context, operation) => deleteTemplate(work.templates, context, params.id, operation),
    }),
  ]
}
