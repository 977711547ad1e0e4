/**
 * The depth of JSON that others send. Code that walks, copies or writes a value calls itself for each level, and the stack
 * ends after some thousands of them. JSON.parse alone has no such end, so the text is looked at before it is parsed.
 */

/** Maximum levels of lists and objects in one another. The deepest calls of providers have about thirty. */
export const MAX_LEVELS = 128

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** True for a JSON text whose values nest deeper than `MAX_LEVELS`. One pass; does not check the syntax. */
export function nestsTooDeep(text: string): boolean {
  // Shorter texts have no room for that many levels.
  if (text.length <= MAX_LEVELS) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at)
        break
      case 0x5b:
      case 0x7b:
        if (++depth > MAX_LEVELS) return true
        break
      case 0x5d:
      case 0x7d:
        depth--
    }
  }
  return false
}

/** The place of the quote that ends the string; that of the text's end where none does. */
function endOfString(text: string, begin: number): number {
  for (let end = text.indexOf('"', begin + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end
    while (text.charCodeAt(before - 1) === BACKSLASH) before--
    if ((end - before) % 2 === 0) return end
  }
  return text.length
}
