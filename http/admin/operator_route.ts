import type * as v from 'valibot'
import type { ErrorCode } from '../../actors/mod.ts'
import type { OperatorRole } from '../../storage/mod.ts'
import type { Example, RequestContext, Route } from '../server/route.ts'
import { plainIdPattern } from '../server/schema/fields.ts'

type Definition<Query extends v.GenericSchema, Body extends v.GenericSchema> = {
  method: Route['method']
  path: string
  operation: string
  summary: string
  description?: string
  example?: Example
  status: number
  /** Default: `read` where the route reads, else `admin`. */
  role?: OperatorRole
  query?: Query
  body?: Body
  /** Maximum bytes of the body. Default 1 MiB. */
  body_limit?: number
  response?: v.GenericSchema
  versioned?: Route['versioned']
  takes_if_match?: Route['takes_if_match']
  response_headers?: Route['response_headers']
  answers_secret?: Route['answers_secret']
  errors?: ErrorCode[]
} & ({ read: Handle<Query, Body>; change?: undefined } | { change: Handle<Query, Body>; read?: undefined })

type Handle<Query extends v.GenericSchema, Body extends v.GenericSchema> = (
  input: {
    params: Record<string, string>
    query: v.InferOutput<Query>
    body: v.InferOutput<Body>
    if_match?: string[]
  },
  context: RequestContext,
) => Promise<unknown>

/** A route of the operator API: adds the parts that all of them share, and types the handler's input by its schemas. */
export function operatorRoute<Query extends v.GenericSchema, Body extends v.GenericSchema>(
  definition: Definition<Query, Body>,
): Route {
  const params = definition.path.includes('/:id') ? { params: { id: plainIdPattern } } : {}
  return { ...definition, ...params, auth: 'operator' }
}
