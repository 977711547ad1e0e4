/**
 * The events of a subscription: types, and patterns such as `crm.ticket.*`. The server refuses a type beside a pattern that
 * includes it, so choosing a pattern takes the place of what it includes. No DOM.
 */

type Group = { pattern: string; types: string[] }
type Area = { name: string; pattern: string; groups: Group[] }

export const EVERYTHING = '*'

/** True when the entry matches the type, or includes all that another pattern matches. */
export function covers(entry: string, type: string) {
  if (entry === EVERYTHING) return true
  return entry === type || (entry.endsWith('.*') && type.startsWith(entry.slice(0, -1)))
}

/** The entry that includes this type or pattern, if there is one other than itself. */
export function includedIn(entries: readonly string[], one: string) {
  return entries.find((entry) => entry !== one && covers(entry, one))
}

/** The types that the entries match. */
export function matched(entries: readonly string[], types: readonly string[]) {
  return types.filter((type) => entries.some((entry) => covers(entry, type)))
}

/** The entries with one more, or without one. */
export function choose(entries: readonly string[], one: string, is_on: boolean) {
  if (!is_on) return entries.filter((entry) => entry !== one)
  return [...entries.filter((entry) => !covers(one, entry)), one]
}

/** The types by their first word, and within it by all words but the last. */
export function areasOf(types: readonly string[]): Area[] {
  return [...Map.groupBy(types, (type) => type.split('.')[0] ?? '')].map(([name, of_area]) => ({
    name,
    pattern: `${name}.*`,
    groups: [...Map.groupBy(of_area, (type) => type.slice(0, type.lastIndexOf('.')))].map(([group, of_group]) => ({
      pattern: `${group}.*`,
      types: of_group,
    })),
  }))
}

/** `3 types`, `crm.ticket.* and 2 more`, `everything`. */
export function eventsText(entries: readonly string[]) {
  if (entries.includes(EVERYTHING)) return 'every event'
  const [first = '', ...others] = [...entries].sort((a, b) => Number(b.endsWith('*')) - Number(a.endsWith('*')))
  return others.length === 0 ? first : `${first} and ${others.length} more`
}
