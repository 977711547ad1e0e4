/** Arguments that are facts of the person: the model does not see them, and the server fills them. */
import { BIND, type Binding } from '../../agent_tools/mod.ts'
import { isObject } from '../../values/is_object.ts'
import type { BoundPerson } from './tool.ts'

type Schema = Record<string, unknown>

export type BoundArgument = { path: string[]; from: Binding }

/** Keywords by which a schema may take names that its `properties` lack. */
const OPEN = [
  'additionalProperties',
  'patternProperties',
  'unevaluatedProperties',
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  '$ref',
]

/**
 * The schema that takes no other names beside bound arguments, unless it says that it does: a tool might read `phone[]` as it
 * reads `phone`.
 */
export function closedWhereBound(schema: Schema): Schema {
  const { properties } = schema
  if (!isObject(properties)) return schema
  const parts = Object.entries(properties).map(([name, part]) => [name, isObject(part) ? closedWhereBound(part) : part])
  const is_closed = Object.values(properties).some(isBound) && !OPEN.some((keyword) => Object.hasOwn(schema, keyword))
  return { ...schema, properties: Object.fromEntries(parts), ...(is_closed && { additionalProperties: false }) }
}

function isBound(part: unknown): boolean {
  return isObject(part) && Object.hasOwn(part, BIND)
}

/** The schema without its bound arguments, and these. The given schema stays as it is. */
export function withoutBound(parameters: Schema): { parameters: Schema; bound: BoundArgument[] } {
  const bound: BoundArgument[] = []
  return { parameters: strip(parameters, [], bound), bound }
}

function strip(schema: Schema, path: string[], bound: BoundArgument[]): Schema {
  const { properties, required } = schema
  if (!isObject(properties)) return schema
  const kept: [string, unknown][] = []
  const taken = new Set<string>()
  for (const [name, part] of Object.entries(properties)) {
    if (isBound(part)) {
      bound.push({ path: [...path, name], from: (part as Schema)[BIND] as Binding })
      taken.add(name)
    } else kept.push([name, isObject(part) ? strip(part, [...path, name], bound) : part])
  }
  const needed = Array.isArray(required) && { required: required.filter((name) => !taken.has(name)) }
  return { ...schema, properties: Object.fromEntries(kept), ...needed }
}

/** The value of each binding; null where nobody knows it. */
function factOf({ contact, ticket_id }: BoundPerson, from: Binding): string | null {
  switch (from) {
    case 'contact.id':
      return contact.id
    case 'contact.name':
      return contact.name
    case 'contact.phone':
      return contact.phone
    case 'contact.email':
      return contact.email
    case 'contact.external_id':
      return contact.external_id
    case 'ticket.id':
      return ticket_id
    default:
      return null
  }
}

/**
 * The arguments with the facts of the person in their places. What the model gave there is dropped, also where the fact is
 * unknown. `values` is changed.
 */
export function fillBound(values: Schema, bound: readonly BoundArgument[], person: BoundPerson): void {
  for (const { path, from } of bound) {
    const fact = factOf(person, from)
    const place = placeOf(values, path.slice(0, -1), fact !== null)
    const name = path.at(-1)!
    if (!place) continue
    delete place[name]
    if (fact !== null)
      Object.defineProperty(place, name, { value: fact, enumerable: true, configurable: true, writable: true })
  }
}

/** The object at the path. One that is missing, or is none, is made where `is_made`. */
function placeOf(values: Schema, path: readonly string[], is_made: boolean): Schema | undefined {
  let place = values
  for (const name of path) {
    const next = Object.hasOwn(place, name) ? place[name] : undefined
    if (isObject(next)) {
      place = next
      continue
    }
    if (!is_made) return undefined
    const made: Schema = {}
    Object.defineProperty(place, name, { value: made, enumerable: true, configurable: true, writable: true })
    place = made
  }
  return place
}
