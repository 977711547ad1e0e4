import type * as v from 'valibot'
import { plainIdPattern } from '../../actors/mod.ts'
import type { ResponseWithHeaders } from '../server/route/response_with_headers.ts'
import type { Handler, Route } from '../server/route/route.ts'
import { route, type Shown, type TypedFacts, type TypedInput } from '../server/route/typed_route.ts'

/** A route of the operator API: adds the parts that all of them share. */
export function operatorRoute<
  const Path extends string,
  Query extends v.GenericSchema,
  Body extends v.GenericSchema,
  Answer extends v.GenericSchema,
>(
  definition: Omit<TypedFacts<Path, Query, Body, Answer>, 'auth' | 'params'> &
    Handler<
      TypedInput<Path, Query, v.InferOutput<Body>>,
      v.InferOutput<Body>,
      Shown<v.InferOutput<NoInfer<Answer>>> | ResponseWithHeaders
    >,
): Route {
  const params = definition.path.includes('/:id') ? { params: { id: plainIdPattern } } : {}
  return route({ ...definition, ...params, auth: 'operator' })
}
