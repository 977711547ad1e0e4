/** Routes whose handlers get the types that the path and the schemas say. */
import type * as v from 'valibot'
import type { Violation } from '../errors/api_error.ts'
import type { ResponseWithHeaders } from './response_with_headers.ts'
import type { Handler, RequestContext, Route, RouteFacts } from './route.ts'

/** The parameters that a path names by `:name`. */
type ParamsOf<Path extends string> = string extends Path
  ? Record<string, string>
  : { [Segment in Split<Path> as Segment extends `:${infer Name}` ? Name : never]: string }

/** A segment that is not known beforehand is none with a name. */
type Split<Path extends string> = string extends Path
  ? never
  : Path extends `${infer Segment}/${infer Rest}`
    ? Segment | Split<Rest>
    : Path

/** The input of a handler, by the path and the schemas of its route. */
export type TypedInput<Path extends string, Query extends v.GenericSchema, Body> = {
  params: ParamsOf<Path>
  query: v.InferOutput<Query>
  body: Body
  /** On a route with versions: the versions of which the record must have one. Undefined when any will do. */
  if_match?: string[] | undefined
}

/** All of a route but its handler. */
export type TypedFacts<Path extends string, Query, Body extends v.GenericSchema, Answer extends v.GenericSchema> = Omit<
  RouteFacts,
  'path' | 'query' | 'body' | 'examine' | 'response'
> & {
  response?: Answer
  path: Path
  query?: Query
  body?: Body
  examine?: (body: v.InferOutput<Body>, context: RequestContext) => Promise<Violation[]> | undefined
}

/** A value that becomes this one when it is written as JSON: a timestamp may still be a `Date`. */
export type Shown<Value> = unknown extends Value
  ? Value
  : Value extends string
    ? Value extends v.Flavor<'timestamp'>
      ? Value | Date
      : Value
    : Value extends object
      ? { readonly [Key in keyof Value]: Shown<Value[Key]> }
      : Value

/** A route. A form takes the place of the body, so a route has one of the two. */
export function route<
  const Path extends string,
  Query extends v.GenericSchema,
  Body extends v.GenericSchema,
  Answer extends v.GenericSchema,
  Form = v.InferOutput<Body>,
>(
  definition: TypedFacts<Path, Query, Body, Answer> &
    Handler<TypedInput<Path, Query, Form>, Form, Shown<v.InferOutput<NoInfer<Answer>>> | ResponseWithHeaders>,
): Route {
  // Dispatch gives each handler what its schemas let through.
  return definition as unknown as Route
}
