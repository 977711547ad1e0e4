/** The OpenAPI 3.1.1 document of a described API. Its order is that of the table of routes, so releases can be compared. */
import { STATUS_CODES } from 'node:http'
import { errorCatalogue, errorDetails, type JsonSchema } from '../../actors/mod.ts'
import type { DescribedApi, DescribedOperation } from './describe.ts'
import type { DescribedError } from './error_codes.ts'
import {
  errorHeadersOf,
  isKept,
  requestHeaders,
  requestHeadersOf,
  responseHeaders,
  successHeadersOf,
} from './headers.ts'
import { samplesOf } from './samples/samples.ts'
import { webhooksOf } from './webhooks.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document is JSON
export type Document = { openapi: string; [field: string]: any }

export type DocumentInfo = {
  title: string
  description: string
  /** The address at which the API is reached. */
  base_url: string
  security: { name: string; description: string }
  /** Responses that a node gave to the examples, by operation. */
  recorded: Readonly<Record<string, unknown>>
  /** The event types, where the API has webhooks. */
  webhooks: boolean
}

const EVENTS = { name: 'Events', description: 'What subscriptions are sent.' }

/** The version of the API is the prefix of its paths; that of the description grows with each release. */
const VERSION = '1.0.0'

export function openapi(api: DescribedApi, info: DocumentInfo): Document {
  const shared = new SharedResponses()
  const components: Record<string, JsonSchema> = { ...api.components }
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of api.operations) {
    paths[operation.path] ??= {}
    paths[operation.path]![operation.method.toLowerCase()] = operationObject(operation, info, shared)
  }
  const webhooks = info.webhooks ? webhooksOf(components) : undefined
  const document: Document = {
    openapi: '3.1.1',
    info: {
      title: info.title,
      version: VERSION,
      description: info.description,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
      contact: { name: 'The operator of this service' },
    },
    servers: [{ url: info.base_url }],
    security: [{ [info.security.name]: [] }],
    tags: [...api.sections, ...(webhooks === undefined ? [] : [EVENTS])],
    paths,
    ...(webhooks !== undefined && { webhooks: webhooks.items }),
    components: {
      securitySchemes: {
        [info.security.name]: { type: 'http', scheme: 'bearer', description: info.security.description },
      },
      schemas: { ...components, ...webhooks?.schemas, Error: errorSchema(), Unauthorized: unauthorizedSchema },
      responses: shared.responses,
      headers: {},
      parameters: {},
    },
  }
  return withUsedHeaders(document)
}

function operationObject(operation: DescribedOperation, info: DocumentInfo, shared: SharedResponses) {
  const { id, section, summary, description, parameters, body, auth, scope, role, errors } = operation
  const security = auth === 'none' ? [] : [{ [info.security.name]: [] }]
  const query = operation.example.query ?? {}
  return {
    operationId: id,
    tags: [section.name],
    summary,
    description,
    security,
    // Not within `security`: several linters take scopes there for those of OAuth.
    ...(scope !== undefined && { 'x-required-scopes': [scope] }),
    ...(role !== undefined && { 'x-required-role': role }),
    ...(operation.route.lasts_ms !== undefined && { 'x-lasts-ms': operation.route.lasts_ms }),
    'x-error-codes': [...new Set(errors.map(({ code }) => code))],
    parameters: [
      ...parameters.map((one) =>
        one.name in query ? { ...one, example: exampleOf(one.schema, query[one.name]!) } : one,
      ),
      ...requestHeadersOf(operation).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ],
    ...(body !== undefined && {
      requestBody: {
        required: body.is_required,
        content: {
          [body.media_type]: {
            schema: body.schema,
            ...(operation.example.body !== undefined && { example: bodyExample(operation) }),
          },
        },
      },
    }),
    responses: { ...successes(operation, info), ...failures(operation, shared) },
    'x-codeSamples': samplesOf(operation, info.base_url),
  }
}

/** The example of the body. That of a form has a file, too. */
function bodyExample({ body, example }: DescribedOperation): unknown {
  const is_form = body?.media_type === 'multipart/form-data'
  return is_form ? { file: 'the bytes of the file', ...(example.body as object) } : example.body
}

/** A value of a query as its schema has it. */
function exampleOf({ type }: JsonSchema, text: string): unknown {
  if (type === 'integer') return Number(text)
  return type === 'boolean' ? text === 'true' : text
}

function headersOf(names: string[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function successes(operation: DescribedOperation, { recorded }: DocumentInfo) {
  const { status, other_statuses, response, is_download, has_etag, method, summary, id } = operation
  const example = recorded[id]
  const content = response && {
    [response.media_type]: {
      ...(response.schema !== undefined ? { schema: response.schema } : {}),
      ...(example !== undefined && { example }),
    },
    ...(operation.route.streams && { 'text/event-stream': { schema: { type: 'string' } } }),
  }
  const one = (at: number, description: string, has_content = true) => ({
    description,
    headers: headersOf(successHeadersOf(operation, at)),
    ...(has_content && content !== undefined && { content }),
  })
  const is_known = has_etag && method === 'GET'
  return {
    [status]: one(status, status === 204 ? 'Done. There is no body.' : summary),
    ...Object.fromEntries(
      Object.entries(other_statuses).map(([at, text]) => [at, one(Number(at), text, !WITHOUT_BODY.includes(at))]),
    ),
    ...(is_download && { 206: one(206, 'The part of the file that `Range` names.') }),
    ...(is_known && { 304: one(304, 'The client has this version already.', false) }),
  }
}

function failures(operation: DescribedOperation, shared: SharedResponses) {
  const by_status = Map.groupBy(operation.errors, ({ status }) => status)
  for (const status of Object.keys(operation.route.own_errors ?? {})) {
    if (!by_status.has(Number(status))) by_status.set(Number(status), [])
  }
  return Object.fromEntries([...by_status].map(([status, errors]) => [status, shared.of(operation, status, errors)]))
}

/** Statuses of success whose answers have no body. */
const WITHOUT_BODY = ['202', '304']

/** Responses with more codes than this are rarely the same for two operations. */
const MAX_SHARED = 2

/** Responses of errors. Those with few codes are shared between all operations. */
class SharedResponses {
  readonly responses: Record<string, unknown> = {}

  of(operation: DescribedOperation, status: number, errors: DescribedError[]): unknown {
    const response = errorResponse(operation, status, errors)
    if (errors.length > MAX_SHARED || operation.route.own_errors?.[status] !== undefined) return response
    const { pool } = operation
    const budget = pool === undefined ? 'Unlimited' : pool === 'shared' ? '' : `Of${pascal(pool)}`
    const kept = isKept(operation, status) ? 'OrReplayed' : ''
    const name = errors.map(({ entry }) => pascal(entry)).join('Or') + kept + budget
    this.responses[name] ??= response
    return { $ref: `#/components/responses/${name}` }
  }
}

/** `NOT_FOUND` becomes `NotFound`. */
function pascal(code: string): string {
  return code.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function errorResponse(operation: DescribedOperation, status: number, errors: DescribedError[]) {
  const codes = [...new Set(errors.map(({ code }) => code))]
  const own = operation.route.own_errors?.[status]
  const examples: Record<string, { summary: string; value: unknown }> = Object.fromEntries(
    errors.map(({ entry }) => [entry, { summary: errorCatalogue[entry].message, value: exampleOfError(entry) }]),
  )
  if (own !== undefined) examples.OWN = { summary: own.message, value: { jsonrpc: '2.0', id: null, error: own } }
  const schema = status === 401 ? { $ref: '#/components/schemas/Unauthorized' } : errorSchema(codes)
  const schemas = [...(errors.length > 0 ? [schema] : []), ...(own !== undefined ? [operation.response!.schema!] : [])]
  return {
    description: descriptionOf(status, errors, own?.message),
    headers: headersOf(errorHeadersOf(operation, status)),
    content: {
      'application/json': {
        schema: schemas.length === 1 ? schemas[0]! : { anyOf: schemas },
        examples,
      },
    },
  }
}

function descriptionOf(status: number, errors: DescribedError[], own: string | undefined): string {
  const codes = [...new Set(errors.map(({ code }) => code))]
  const texts: string[] = codes.length === 1 ? [errorCatalogue[errors[0]!.entry].message] : []
  if (codes.length > 1) texts.push(`${STATUS_CODES[status]}: one of ${codes.join(', ')}.`)
  if (own !== undefined) texts.push(own)
  return texts.join(' Or: ')
}

/** The body of every error except 401. */
function errorSchema(codes?: string[]): JsonSchema {
  return {
    type: 'object',
    properties: {
      error: {
        type: 'object',
        properties: {
          code: {
            type: 'string',
            ...(codes && { enum: codes }),
            description: 'Branch on the code, not on the message.',
          },
          message: { type: 'string', description: 'A sentence for people. Its wording may change.' },
          details: { type: 'object', description: 'Facts of this case, by code.' },
        },
        required: ['code', 'message'],
      },
    },
    required: ['error'],
  }
}

const unauthorizedSchema: JsonSchema = {
  type: 'object',
  description: 'The answer to every failed authentication, whatever its cause.',
  properties: {
    message: { const: 'Unauthorized' },
    error: { const: 'Unauthorized' },
    statusCode: { const: 401 },
  },
  required: ['message', 'error', 'statusCode'],
}

/** The body that the code is answered with. */
function exampleOfError(entry: DescribedError['entry']): unknown {
  if (entry === 'UNAUTHENTICATED') return { message: 'Unauthorized', error: 'Unauthorized', statusCode: 401 }
  const { message, ...rest } = errorCatalogue[entry]
  const details = errorDetails[entry]
  return { error: { code: 'code' in rest ? rest.code : entry, message, ...(details !== undefined && { details }) } }
}

/** Adds the headers that something refers to: a component without a use is a mistake to readers of descriptions. */
function withUsedHeaders(document: Document): Document {
  const text = JSON.stringify(document)
  const used = (kind: string, name: string) => text.includes(`"#/components/${kind}/${name}"`)
  const pick = <Value>(kind: string, all: Record<string, Value>) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => used(kind, name)))
  document.components.headers = pick('headers', responseHeaders)
  document.components.parameters = pick('parameters', requestHeaders)
  document.components.schemas = pick('schemas', document.components.schemas)
  return document
}
