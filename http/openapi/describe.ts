/**
 * Describes a table of routes as data. Everything in it comes from the routes that serve the requests, so nothing can be
 * described that is not served. `document.ts` makes an OpenAPI document of it; other readers of the API (tools, pages,
 * clients) start here, too.
 */
import type * as v from 'valibot'
import { convertSchemas, type JsonSchema, type Pool, type Scope } from '../../actors/mod.ts'
import type { OperatorRole } from '../../storage/mod.ts'
import { takesIfMatch } from '../server/input/precondition.ts'
import { roleOf } from '../server/route/operator_role.ts'
import type { Example, Route, Section } from '../server/route/route.ts'
import { type DescribedError, errorsOf, takesKey } from './error_codes.ts'
import { type Parameter, pathParameters, queryParameters, sentence } from './parameters.ts'

export type DescribedOperation = {
  /** The name of the route's operation. */
  id: string
  method: Route['method']
  /** With parameters in braces: `/v1/crm/tickets/{id}`. */
  path: string
  section: Section
  summary: string
  description: string
  auth: Route['auth']
  scope: Scope | undefined
  /** The role of operators, on their routes. */
  role: OperatorRole | undefined
  /** The rate budget. Undefined on routes without one. */
  pool: Pool | undefined
  parameters: Parameter[]
  takes_key: boolean
  is_versioned: boolean
  is_download: boolean
  /** A client may name the version that it knows. */
  has_etag: boolean
  body: DescribedBody | undefined
  status: number
  /** Further statuses of success, with their meaning. */
  other_statuses: Readonly<Record<number, string>>
  response: DescribedResponse | undefined
  errors: DescribedError[]
  example: Example
  route: Route
}

export type DescribedBody = { media_type: string; schema: JsonSchema; is_required: boolean; limit: number | undefined }
export type DescribedResponse = { media_type: string; schema: JsonSchema | undefined }

export type DescribedApi = {
  operations: DescribedOperation[]
  sections: Section[]
  /** The named schemas of requests and responses. */
  components: Record<string, JsonSchema>
}

/** Describes all routes that have a section, in the order of the table. */
export function describeApi(routes: readonly Route[]): DescribedApi {
  const described = routes.filter(({ section }) => section !== undefined)
  const sent = described.flatMap(({ query, body, form_fields }) => [query, body, form_fields].filter(isThere))
  const requests = convertSchemas(sent, 'request')
  const responses = convertSchemas(described.map(({ response }) => response).filter(isThere), 'response')
  const components = merged(requests.components, responses.components)
  const operations = described.map((route): DescribedOperation => {
    const { operation, method, section, summary, auth, scope, query, status, example = {} } = route
    const role = auth === 'operator' ? roleOf(route) : undefined
    const pool = auth === 'token' && route.pool !== 'exempt' ? (route.pool ?? 'shared') : undefined
    return {
      ...{
        id: operation,
        method,
        path: pathOf(route),
        section: section!,
        auth,
        scope,
        role,
        pool,
        status,
        example,
        route,
      },
      summary: sentence(summary),
      description: descriptionOf(route, role, pool),
      parameters: [...pathParameters(route), ...queryParameters(query, requests)],
      takes_key: takesKey(route),
      is_versioned: takesIfMatch(route),
      is_download: route.download !== undefined,
      has_etag: route.versioned !== undefined || (route.download !== undefined && route.has_etag !== false),
      body: bodyOf(route, (schema) => requests.of(schema)),
      other_statuses: route.other_statuses ?? {},
      response: responseOf(route, (schema) => responses.of(schema)),
      errors: errorsOf(route),
    }
  })
  return {
    operations,
    sections: [...new Map(operations.map(({ section }) => [section.name, section])).values()],
    components,
  }
}

function isThere<Value>(value: Value | undefined): value is Value {
  return value !== undefined
}

/** @throws {Error} for a name that requests and responses give to different schemas */
function merged(requests: Record<string, JsonSchema>, responses: Record<string, JsonSchema>) {
  for (const name in requests) {
    if (!(name in responses) || JSON.stringify(requests[name]) === JSON.stringify(responses[name])) continue
    throw new Error(`a request and a response have different schemas of the name ${name}`)
  }
  return { ...requests, ...responses }
}

function pathOf({ path }: Route): string {
  return path.replace(/:(\w+)/g, '{$1}')
}

const POOLS: Record<string, string> = {
  shared: "Counts against the project's rate limits.",
  poll: "Counts against the project's budget for polls, not against its other rate limits.",
  ingest: "Counts against the project's budget for event ingest, not against its other rate limits.",
}

function descriptionOf(route: Route, role: OperatorRole | undefined, pool: Pool | undefined): string {
  const { description, auth, scope, versioned, method, download } = route
  const kind = method === 'GET' ? 'read' : takesIfMatch(route) ? 'change' : 'create'
  const sentences = [
    description,
    scope !== undefined ? `Needs the scope \`${scope}\`.` : undefined,
    auth === 'token' && scope === undefined ? 'Every token may do this.' : undefined,
    role !== undefined ? `Needs an operator key with the role \`${role}\`.` : undefined,
    auth === 'none' ? 'Needs no token.' : undefined,
    pool === undefined ? undefined : POOLS[pool],
    takesKey(route)
      ? 'A repeated request with the same `Idempotency-Key` is answered with the first answer for 24 hours.'
      : undefined,
    versioned === undefined && kind !== 'change' ? undefined : VERSIONED[kind],
    download === undefined ? undefined : 'Parts of the file are served for `Range`.',
  ]
  return sentences.filter(isThere).join(' ')
}

const VERSIONED = {
  create: 'The `ETag` is the version of the record.',
  read: 'The `ETag` is the version of the record; with `If-None-Match` an unchanged record is answered 304.',
  change: 'With `If-Match` the change applies only to this version of the record, else the answer is 412.',
}

function bodyOf(
  { body, form, form_fields, body_limit, optional_body }: Route,
  convert: Convert,
): DescribedBody | undefined {
  if (form !== undefined) {
    const { properties = {}, ...fields } = form_fields === undefined ? { type: 'object' } : convert(form_fields)
    const file = { type: 'string', contentMediaType: 'application/octet-stream', description: 'The file itself.' }
    const schema = { ...fields, properties: { file, ...(properties as object) }, required: ['file'] }
    return { media_type: 'multipart/form-data', schema, is_required: true, limit: body_limit }
  }
  if (body === undefined) return undefined
  return { media_type: 'application/json', schema: convert(body), is_required: !optional_body, limit: body_limit }
}

type Convert = (schema: v.GenericSchema) => JsonSchema

function responseOf(
  { response, response_type, download, raw }: Route,
  convert: Convert,
): DescribedResponse | undefined {
  if (response !== undefined) return { media_type: response_type ?? 'application/json', schema: convert(response) }
  if (download === undefined && raw === undefined) return undefined
  return { media_type: response_type ?? 'application/octet-stream', schema: undefined }
}
