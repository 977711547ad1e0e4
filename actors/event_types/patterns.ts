/** The patterns of a subscription's list and the types of the catalogue that they stand for. */
import { covers, isPattern } from '../../storage/mod.ts'
import { eventTypeNames } from '../event_types.ts'

/** A pattern ends with a whole part: `crm.*` and `crm.ticket.*`, not `crm.tick*`. */
const PATTERN = /^(?:[a-z_]+\.){0,4}\*$/

const known = new Set(eventTypeNames)

/** Continues the name of the entry; undefined for a type of the catalogue and for a pattern that includes one. */
export function eventEntryProblem(entry: string): string | undefined {
  if (known.has(entry)) return undefined
  if (!entry.includes('*')) return 'is not an event type; GET /v1/webhooks/event-types lists them'
  if (!PATTERN.test(entry)) {
    return 'is not a pattern: write * alone, or as the last part after a dot, such as crm.ticket.*'
  }
  if (typesIn(entry).length > 0) return undefined
  const first = entry.slice(0, entry.indexOf('.'))
  const near = eventTypeNames.filter((type) => type.startsWith(`${first}.`))
  const advice = near.length > 0 ? `${first}.* has ${near.join(', ')}` : `the types begin with ${families()}`
  return `is a pattern that no event type matches: ${advice}`
}

/** The set that decides which events a subscription gets. Types that a release adds match the patterns of old rows. */
export function matchedTypes(stored: readonly string[]): Set<string> {
  return new Set(stored.flatMap((entry) => (isPattern(entry) ? typesIn(entry) : [entry])))
}

/** The list to store: as given, then the types that its patterns stand for. */
export function storedEvents(names: readonly string[]): string[] {
  return [...new Set([...names, ...names.filter(isPattern).flatMap(typesIn)])]
}

function typesIn(pattern: string): string[] {
  return eventTypeNames.filter((type) => covers(pattern, type))
}

function families(): string {
  return [...new Set(eventTypeNames.map((type) => `${type.slice(0, type.indexOf('.'))}.`))].join(', ')
}
