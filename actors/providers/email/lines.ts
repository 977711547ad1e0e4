import { textOf } from '../json.ts'

/** The longest line that mail systems must take (RFC 5322). */
const MAX_LINE_LENGTH = 998

/** Line breaks and other control characters become spaces. Null when nothing is left. */
export function lineOf(value: unknown, longest = MAX_LINE_LENGTH): string | null {
  const line = textOf(value)
    ?.replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
  return line ? cut(line, longest) : null
}

/** Never cuts inside a character, because PostgreSQL could not store the rest. */
export function cut(text: string, longest: number): string {
  return text.length > longest ? text.slice(0, longest).toWellFormed() : text
}
