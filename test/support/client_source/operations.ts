/** Reads the operations of a description as methods of a client. */
import type { Document } from '../../../http/openapi/document.ts'
import { pascal, resolved, type Schema } from './types.ts'

export type Method = {
  /** The `operationId`. */
  id: string
  /** `list`, in the group `contacts`. */
  name: string
  group: string
  verb: string
  path: string
  summary: string
  description: string
  path_parameters: string[]
  query: Schema[]
  body: { media_type: string; schema: Schema; is_required: boolean } | undefined
  /** The schema of the successful answer. Undefined when it has no body; `stream` for a file. */
  answer: Schema | 'stream' | undefined
  paging: 'list' | 'queue' | undefined
  takes_key: boolean
  is_versioned: boolean
  pool: 'shared' | 'ingest' | 'poll' | undefined
  /** Milliseconds for which the server may work, where that is more than clients wait for. */
  lasts_ms: number | undefined
  codes: string[]
}

/** @throws {Error} when two operations would have one name */
export function methodsOf(document: Document): Method[] {
  const methods = Object.entries(document.paths as Record<string, Record<string, Schema>>).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => !isStreamed(operation))
      .map(([verb, operation]) => methodOf(document, path, verb, operation)),
  )
  const names = methods.map(({ group, name }) => `${group}.${name}`)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw new Error(`two operations would be ${twice}`)
  return methods
}

/** True for a protocol with clients of its own, which may answer with events. */
function isStreamed({ responses }: Schema): boolean {
  return responses[200]?.content?.['text/event-stream'] !== undefined
}

function methodOf(document: Document, path: string, verb: string, operation: Schema): Method {
  const { operationId: id, tags, summary, description, requestBody, responses } = operation
  const parameters: Schema[] = operation.parameters.map((one: Schema) => resolved(document, one))
  const query = parameters.filter((one) => one.in === 'query')
  const headers = parameters.filter((one) => one.in === 'header').map(({ name }) => name)
  const [status] = Object.keys(responses)
  const success = responses[status!]
  const [content] = Object.entries<Schema>(requestBody?.content ?? {})
  const answer = answerOf(success)
  const limits = Object.keys(success.headers ?? {}).filter((name) => name.startsWith('X-RateLimit-Limit-'))
  return {
    ...{ id, verb: verb.toUpperCase(), path, summary, description, query, answer },
    group: lower(pascal(tags[0])),
    name: nameOf(id, tags[0]),
    path_parameters: parameters.filter((one) => one.in === 'path').map(({ name }) => name),
    body: content && { media_type: content[0], schema: content[1].schema, is_required: requestBody.required === true },
    paging:
      verb === 'get'
        ? pagingOf(
            query.map(({ name }) => name),
            answer,
          )
        : undefined,
    takes_key: headers.includes('Idempotency-Key'),
    is_versioned: headers.includes('If-Match'),
    pool:
      limits.length === 0
        ? undefined
        : ((['ingest', 'poll'] as const).find((pool) => limits[0]!.endsWith(pool)) ?? 'shared'),
    lasts_ms: operation['x-lasts-ms'],
    codes: operation['x-error-codes'],
  }
}

function answerOf({ content = {} }: Schema): Method['answer'] {
  const [entry] = Object.entries<Schema>(content)
  if (entry === undefined) return undefined
  return entry[0] === 'application/json' ? entry[1].schema : 'stream'
}

function pagingOf(query: string[], answer: Method['answer']): Method['paging'] {
  if (answer === 'stream' || answer?.properties?.data?.type !== 'array') return undefined
  if (query.includes('wait')) return 'queue'
  return query.includes('limit') ? 'list' : undefined
}

/**
 * The operation without the words of its group: `list_contacts` is `contacts.list`, `list_webhook_deliveries` is
 * `webhooks.listDeliveries`.
 */
function nameOf(id: string, tag: string): string {
  const [verb, ...words] = id.split('_')
  const nouns = tag
    .toLowerCase()
    .split(' ')
    .flatMap((word) => [word, word.replace(/ies$/, 'y').replace(/s$/, '')])
  return lower(pascal([verb, ...words.filter((word) => !nouns.includes(word))].join('_')))
}

function lower(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1)
}
