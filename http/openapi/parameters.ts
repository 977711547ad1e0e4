/** The parameters of an operation, from the patterns of its path and the schema of its query. */
import type * as v from 'valibot'
import {
  type AnySchema,
  type Converted,
  exampleIds,
  ignoringCase,
  type JsonSchema,
  type PipeItem,
} from '../../actors/mod.ts'
import type { Route } from '../server/route/route.ts'
import { formerNamesOf } from '../server/schema/former.ts'

export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description: string
  schema: JsonSchema
  deprecated?: true
  example?: unknown
}

/** Descriptions of path parameters whose name is not that of a record. */
const PATH_DESCRIPTIONS: Record<string, string> = {
  mediaId: 'The `media_id` of the file.',
  node: 'The id of the node.',
  traced_id: 'The id of the request, message or event.',
}

export function pathParameters({ path, params, operation }: Route): Parameter[] {
  const names = path.split('/').filter((segment) => segment.startsWith(':'))
  return names.map((segment) => {
    const name = segment.slice(1)
    const pattern = params?.[name]
    const source = pattern && (pattern.ignoreCase ? ignoringCase(pattern.source) : pattern.source)
    const record = recordIn(path, segment, operation)
    return {
      name,
      in: 'path',
      required: true,
      description: PATH_DESCRIPTIONS[name] ?? `The id of the ${record}.`,
      schema: { type: 'string', ...(source !== undefined && { pattern: source }) },
      example: exampleOf(pattern, record),
    }
  })
}

const PLAIN = '66f2a0c1d4e5f60718293a4b'

/** An id of the pattern; the same record has the same id in all examples, those of events included. */
function exampleOf(pattern: RegExp | undefined, record: string): string {
  const known = (exampleIds as Record<string, string>)[record.replaceAll(' ', '_')]
  const prefix = /^\^(\w+_)/.exec(pattern?.source ?? '')?.[1] ?? ''
  const candidates = [known, known && `${prefix}${known}`, `${prefix}${PLAIN}`, PLAIN.slice(0, 12), '17']
  return candidates.find((id) => id !== undefined && pattern?.test(id) !== false) ?? PLAIN
}

/** The noun of the path before the parameter: `ticket` of `/v1/crm/tickets/:id`. */
function recordIn(path: string, segment: string, operation: string): string {
  const before =
    path
      .slice(0, path.indexOf(`/${segment}`))
      .split('/')
      .at(-1) ?? operation
  if (segment.endsWith('_id') || segment.endsWith('Id')) {
    return segment
      .slice(1)
      .replace(/_?[iI]d$/, '')
      .replace(/_/g, ' ')
      .replace(/([A-Z])/g, ' $1')
      .toLowerCase()
      .trim()
  }
  const nouns: Record<string, string> = {
    bulk: 'broadcast',
    agents: 'assistant',
    deliveries: 'delivery',
    companies: 'company',
    audit: 'entry',
    'agent-tools': 'tool',
  }
  return nouns[before] ?? before.replace(/ies$/, 'y').replace(/s$/, '').replaceAll('-', ' ')
}

/** The parameters in the query's schema, each with the type that clients mean: texts that are read as numbers are numbers. */
export function queryParameters(query: v.GenericSchema | undefined, converted: Converted): Parameter[] {
  if (query === undefined) return []
  const object = converted.of(query)
  const properties = object.properties as Record<string, JsonSchema>
  const required = new Set((object.required as string[] | undefined) ?? [])
  const entries = (query as AnySchema).entries ?? {}
  const former = formerNamesOf(query)
  // A client that sends the former name need not send the name of now.
  for (const { use } of former.values()) required.delete(use)
  return Object.entries(properties).map(([name, schema]) => {
    const { description, ...rest } = asMeant(entries[name]!, schema)
    return {
      name,
      in: 'query',
      required: required.has(name),
      ...(former.has(name) && { deprecated: true as const }),
      description: sentence(
        replaced(former.get(name)?.use) ??
          (description as string | undefined) ??
          QUERY_DESCRIPTIONS[name] ??
          filterBy(name),
      ),
      schema: rest,
    }
  })
}

/** Parameters that mean the same in all lists. */
const QUERY_DESCRIPTIONS: Record<string, string> = {
  limit: 'Maximum records of the page.',
  offset: 'Records to leave out before the first one.',
  cursor: 'The `next_cursor` of the page before.',
  search: 'A text that the records contain. Case and accents do not matter.',
  phone: 'The exact phone number with its country code, such as +5215512345678.',
  since: 'Only records from this moment on.',
  until: 'Only records before this moment.',
  sort: 'The moment by which the list is ordered.',
  order: '`desc`: the latest first; `asc`: the earliest first.',
}

function replaced(use: string | undefined): string | undefined {
  return use && `Deprecated: use \`${use}\``
}

function filterBy(name: string): string {
  return `Only records with this \`${name}\`.`
}

/** Ends a description with a full stop. */
export function sentence(text: string): string {
  return /[.!?)]$/.test(text) ? text : `${text}.`
}

function asMeant(entry: AnySchema, schema: JsonSchema): JsonSchema {
  const { wrapped, default: fallback } = entry
  const inner = wrapped ?? entry
  const pipe = (inner.pipe ?? [inner]).flatMap((item): readonly PipeItem[] => item.pipe ?? [item])
  const { description } = schema
  const text = description === undefined ? {} : { description }
  if (pipe.some((item) => item.type === 'transform' && item.operation === Number)) {
    const bound = (type: string) => pipe.find((item) => item.type === type)?.requirement as number | undefined
    const [minimum = 0, maximum] = [bound('min_value'), bound('max_value')]
    return {
      type: 'integer',
      minimum,
      ...(maximum !== undefined && { maximum }),
      ...(fallback !== undefined && { default: Number(fallback) }),
      ...text,
    }
  }
  if (pipe[0]?.type === 'picklist' && String(pipe[0].options) === 'true,false') {
    return { type: 'boolean', ...(fallback !== undefined && { default: fallback === 'true' }), ...text }
  }
  return schema
}
