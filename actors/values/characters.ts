/**
 * Lengths of texts in Unicode characters (code points), as PostgreSQL and JSON Schema count them. A character takes one or
 * two of the units that `length` counts, so most texts need no counting at all: a megabyte costs what a word costs.
 */

/** True when the text has at most so many characters. */
export function hasAtMost(text: string, most: number): boolean {
  if (text.length <= most) return true
  return text.length <= 2 * most && count(text) <= most
}

/** True when the text has at least so many characters. */
export function hasAtLeast(text: string, least: number): boolean {
  if (text.length < least) return false
  return text.length >= 2 * least || count(text) >= least
}

function count(text: string): number {
  let characters = 0
  for (const _ of text) characters++
  return characters
}
