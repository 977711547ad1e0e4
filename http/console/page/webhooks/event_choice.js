/**
 * The events of a subscription: types, and patterns such as `crm.ticket.*`. The server refuses a type beside a pattern that
 * includes it, so choosing a pattern takes the place of what it includes. No DOM.
 */

/** @typedef {{ pattern: string, types: string[] }} Group */
/** @typedef {{ name: string, pattern: string, groups: Group[] }} Area */

export const EVERYTHING = '*'

/**
 * True when the entry matches the type, or includes all that another pattern matches.
 *
 * @param {string} entry
 * @param {string} type
 */
export function covers(entry, type) {
  if (entry === EVERYTHING) return true
  return entry === type || (entry.endsWith('.*') && type.startsWith(entry.slice(0, -1)))
}

/**
 * The entry that includes this type or pattern, if there is one other than itself.
 *
 * @param {readonly string[]} entries
 * @param {string} one
 */
export function includedIn(entries, one) {
  return entries.find((entry) => entry !== one && covers(entry, one))
}

/**
 * The types that the entries match.
 *
 * @param {readonly string[]} entries
 * @param {readonly string[]} types
 */
export function matched(entries, types) {
  return types.filter((type) => entries.some((entry) => covers(entry, type)))
}

/**
 * The entries with one more, or without one.
 *
 * @param {readonly string[]} entries
 * @param {string} one
 * @param {boolean} is_on
 */
export function choose(entries, one, is_on) {
  if (!is_on) return entries.filter((entry) => entry !== one)
  return [...entries.filter((entry) => !covers(one, entry)), one]
}

/**
 * The types by their first word, and within it by all words but the last.
 *
 * @param {readonly string[]} types
 * @returns {Area[]}
 */
export function areasOf(types) {
  return [...Map.groupBy(types, (type) => type.split('.')[0] ?? '')].map(([name, of_area]) => ({
    name,
    pattern: `${name}.*`,
    groups: [...Map.groupBy(of_area, (type) => type.slice(0, type.lastIndexOf('.')))].map(([group, of_group]) => ({
      pattern: `${group}.*`,
      types: of_group,
    })),
  }))
}

/**
 * `3 types`, `crm.ticket.* and 2 more`, `everything`.
 *
 * @param {readonly string[]} entries
 */
export function eventsText(entries) {
  if (entries.includes(EVERYTHING)) return 'every event'
  const [first = '', ...others] = [...entries].sort((a, b) => Number(b.endsWith('*')) - Number(a.endsWith('*')))
  return others.length === 0 ? first : `${first} and ${others.length} more`
}
