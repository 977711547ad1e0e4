/**
 * The size of a regular expression once its repetitions are written out, an upper bound of the work and the memory that
 * compiling it takes. It is found before compiling: `(a{100}b){10}` has twelve characters and a size of a thousand.
 *
 * Two things cost more than their size. Case folding visits every character of a class: see `hasFlags`. A name such as
 * `\p{L}` stands for up to 700 ranges, which a class sorts and merges: see `unicodeNames`.
 */

const REPETITION = /\{(\d{1,5})(,(\d{0,5}))?\}/y
/** A letter in braces belongs to an escape: `\x{41}`, `\p{Greek}`. */
const ESCAPE_IN_BRACES = /[xpP]/
/** Every escape, so that the letter behind an escaped backslash is not taken for one. */
const ESCAPES = /\\./gs
/** Groups, names of groups and look-around begin otherwise. */
const FLAGS = /\(\?(?![:<=!>]|P<)/y

/**
 * True when the expression changes how it is matched, as with `(?i)`, or quotes operators with `\Q`. JSON Schema knows
 * neither, and the size of a quoted text is not found here.
 */
export function hasFlags(pattern: string): boolean {
  for (let at = 0; at < pattern.length; at = endOfPart(pattern, at)) {
    if (pattern.startsWith('\\Q', at)) return true
    FLAGS.lastIndex = at
    if (FLAGS.test(pattern)) return true
  }
  return false
}

/** The number of names such as `\p{L}` and `\PL`, in classes or not. Repetitions share the ranges of a name. */
export function unicodeNames(pattern: string): number {
  return (pattern.match(ESCAPES) ?? []).filter((pair) => pair === '\\p' || pair === '\\P').length
}

/** The size of an expression that is not correct is of no use. */
export function patternSize(pattern: string): number {
  /** Sizes of the open groups without their last parts, innermost last. */
  const groups = [0]
  /** Size of the part that a repetition would repeat. */
  let last = 0
  const close = () => {
    groups[groups.length - 1]! += last
    last = 0
  }
  for (let at = 0; at < pattern.length; ) {
    const repetition = repetitionAt(pattern, at)
    if (repetition) {
      last *= repetition.most
      at += repetition.length
      continue
    }
    close()
    const sign = pattern[at]!
    if (sign === '(') groups.push(0)
    // An empty group is repeated as well.
    if (sign === ')' && groups.length > 1) last = groups.pop()! + 1
    else last = 1
    at = endOfPart(pattern, at)
  }
  close()
  return groups.reduce((sum, size) => sum + size, 0)
}

function repetitionAt(pattern: string, at: number): { most: number; length: number } | undefined {
  if (pattern[at] !== '{') return undefined
  REPETITION.lastIndex = at
  const found = REPETITION.exec(pattern)
  if (!found) return undefined
  const [text, least, , most] = found
  return { most: Math.max(1, Number(least), Number(most ?? 0)), length: text.length }
}

/** The end of the character, the escape or the class that begins here. */
function endOfPart(pattern: string, at: number): number {
  if (pattern[at] === '\\') return endOfEscape(pattern, at)
  if (pattern[at] !== '[') return at + 1
  let end = at + 1
  if (pattern[end] === '^') end++
  // A bracket that comes first is a member of the class.
  if (pattern[end] === ']') end++
  while (end < pattern.length && pattern[end] !== ']') {
    // Two members, unless it begins a name such as `[:alpha:]`.
    if (pattern.startsWith('[:', end) && pattern.includes(':]', end)) end = after(pattern, ':]', end)
    else end = pattern[end] === '\\' ? endOfEscape(pattern, end) : end + 1
  }
  return end + 1
}

function endOfEscape(pattern: string, at: number): number {
  const is_long = ESCAPE_IN_BRACES.test(pattern[at + 1] ?? '') && pattern[at + 2] === '{'
  return is_long ? after(pattern, '}', at) : at + 2
}

function after(pattern: string, text: string, from: number): number {
  const found = pattern.indexOf(text, from)
  return found < 0 ? pattern.length : found + text.length
}
