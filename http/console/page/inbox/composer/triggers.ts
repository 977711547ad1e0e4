/** The words in a field that offer something while they are typed: `/` a canned response, `@` a colleague. No DOM. */

export type Trigger = { kind: '/' | '@'; query: string; start: number; end: number }

const MAX_QUERY = 50

/** The word before the caret that offers something, if there is one: it begins a line or follows a space. */
export function triggerAt(text: string, caret: number, kind: '/' | '@'): Trigger | undefined {
  // A name has spaces, a shortcut has none.
  const pattern =
    kind === '/' ? /(?:^|\s)\/([\p{L}\p{N}_-]*)$/u : /(?:^|\s)@([\p{L}\p{N}._-]*(?: [\p{L}\p{N}._-]*){0,2})$/u
  const found = pattern.exec(text.slice(0, caret))
  const query = found?.[1]
  if (query === undefined || query.length > MAX_QUERY) return undefined
  return { kind, query, start: caret - query.length - 1, end: caret }
}

/** The text with another in the place of a trigger, and the caret behind it. */
export function insertAt(
  text: string,
  { start, end }: Pick<Trigger, 'start' | 'end'>,
  inserted: string,
): { text: string; caret: number } {
  return { text: text.slice(0, start) + inserted + text.slice(end), caret: start + inserted.length }
}

/**
 * The agents whose names are in a text after an `@`. Of names that begin alike, the longest counts.
 *
 * @returns their ids
 */
export function mentionsIn(text: string, agents: readonly { _id: string; full_name: string }[]): string[] {
  const longest_first = [...agents].sort((one, other) => other.full_name.length - one.full_name.length)
  const found = new Set<string>()
  let rest = text
  for (const { _id, full_name } of longest_first) {
    const mention = `@${full_name}`
    if (!rest.includes(mention)) continue
    found.add(_id)
    rest = rest.replaceAll(mention, '')
  }
  return [...found]
}

/** Agents whose name or e-mail address has a word that begins with each word of the query. */
export function agentsFor<Agent extends { full_name: string; email: string }>(
  agents: readonly Agent[],
  query: string,
): Agent[] {
  const parts = plain(query).split(/\s+/).filter(Boolean)
  return agents.filter(({ full_name, email }) => {
    const words = [...plain(full_name).split(/\s+/), plain(email)]
    return parts.every((one) => words.some((word) => word.startsWith(one)))
  })
}

/** Without accents, in lower case. */
function plain(text: string) {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}
