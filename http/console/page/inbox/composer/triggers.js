/** The words in a field that offer something while they are typed: `/` a canned response, `@` a colleague. No DOM. */

/** @typedef {{ kind: '/' | '@', query: string, start: number, end: number }} Trigger */

const MAX_QUERY = 50

/**
 * The word before the caret that offers something, if there is one: it begins a line or follows a space.
 *
 * @param {string} text
 * @param {number} caret
 * @param {'/' | '@'} kind
 * @returns {Trigger | undefined}
 */
export function triggerAt(text, caret, kind) {
  // A name has spaces, a shortcut has none.
  const pattern =
    kind === '/' ? /(?:^|\s)\/([\p{L}\p{N}_-]*)$/u : /(?:^|\s)@([\p{L}\p{N}._-]*(?: [\p{L}\p{N}._-]*){0,2})$/u
  const found = pattern.exec(text.slice(0, caret))
  const query = found?.[1]
  if (query === undefined || query.length > MAX_QUERY) return undefined
  return { kind, query, start: caret - query.length - 1, end: caret }
}

/**
 * The text with another in the place of a trigger, and the caret behind it.
 *
 * @param {string} text
 * @param {Pick<Trigger, 'start' | 'end'>} trigger
 * @param {string} inserted
 * @returns {{ text: string, caret: number }}
 */
export function insertAt(text, { start, end }, inserted) {
  return { text: text.slice(0, start) + inserted + text.slice(end), caret: start + inserted.length }
}

/**
 * The agents whose names are in a text after an `@`. Of names that begin alike, the longest counts.
 *
 * @param {string} text
 * @param {readonly { _id: string, full_name: string }[]} agents
 * @returns {string[]} their ids
 */
export function mentionsIn(text, agents) {
  const longest_first = [...agents].sort((one, other) => other.full_name.length - one.full_name.length)
  const found = new Set()
  let rest = text
  for (const { _id, full_name } of longest_first) {
    const mention = `@${full_name}`
    if (!rest.includes(mention)) continue
    found.add(_id)
    rest = rest.replaceAll(mention, '')
  }
  return [...found]
}

/**
 * Agents whose name or e-mail address has a word that begins with each word of the query.
 *
 * @template {{ full_name: string, email: string }} Agent
 * @param {readonly Agent[]} agents
 * @param {string} query
 * @returns {Agent[]}
 */
export function agentsFor(agents, query) {
  const wanted = plain(query).split(/\s+/).filter(Boolean)
  return agents.filter(({ full_name, email }) => {
    const words = [...plain(full_name).split(/\s+/), plain(email)]
    return wanted.every((one) => words.some((word) => word.startsWith(one)))
  })
}

/** Without accents, in lower case. @param {string} text */
function plain(text) {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}
