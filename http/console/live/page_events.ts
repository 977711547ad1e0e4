/**
 * The events that a page may send, with their schemas. Each is answered: with its answer, or as a request of the API
 * that is refused, with `{ error: { code, message, details } }`.
 */
import * as v from 'valibot'
import { maxCharacters, recordId } from '../../../actors/mod.ts'
import { type ApiError, apiErrorOf, envelope, invalid } from '../../server/errors/api_error.ts'
import { check } from '../../server/parse/validation.ts'

/** Anything that is no id of a project is an unknown project. */
const project_id = v.pipe(v.string(), maxCharacters(100))

const pageEvents = {
  watch: v.strictObject({ project_id, after: v.optional(v.pipe(v.string(), maxCharacters(100))) }),
  unwatch: v.strictObject({ project_id }),
  presence: v.strictObject({
    project_id,
    ticket_id: recordId,
    state: v.picklist(['viewing', 'replying', 'away', 'gone']),
  }),
}

export type PageEvents = { [Name in keyof typeof pageEvents]: v.InferOutput<(typeof pageEvents)[Name]> }
export type PageEventName = keyof PageEvents

/** Refuses an event of a page. */
export class EventRefused extends Error {
  readonly error: ApiError

  constructor(error: ApiError) {
    super(error.message ?? error.code)
    this.error = error
  }
}

export function isPageEvent(name: string): name is PageEventName {
  return Object.hasOwn(pageEvents, name)
}

/** @throws {EventRefused} VALIDATION_ERROR */
export function readEvent<Name extends PageEventName>(name: Name, said: unknown): PageEvents[Name] {
  const checked = check(pageEvents[name], said)
  if ('violations' in checked) throw new EventRefused(invalid(checked.violations))
  return checked.value as PageEvents[Name]
}

/** The answer to a refused event. Faults of ours are answered like a service that is away. */
export function refusalOf(error: unknown): object {
  const known = error instanceof EventRefused ? error.error : apiErrorOf(error)
  return JSON.parse(envelope(known ?? { code: 'SERVICE_UNAVAILABLE' }))
}
