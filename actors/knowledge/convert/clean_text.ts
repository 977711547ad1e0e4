import { plainName } from '../../values/plain_name.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced
const CONTROL = /[\x00-\x08\x0b\x0e-\x1f\x7f]/g

/**
 * Text as the database and readers take it: well-formed, without control characters, with `\n` as the only line end,
 * and without a blank start or end.
 */
export function cleanText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(/[\r\f]/g, '\n')
    .replaceAll(CONTROL, '')
    .toWellFormed()
    .trim()
}

/** Maximum characters of a title; as long as the name of a node may be. */
const MAX_TITLE_LENGTH = 200

/** A title on one line, cut to the length of a name. Null when nothing printable remains. */
export function cleanTitle(text: string | null | undefined): string | null {
  // A title is short: the slice only bounds the work for one that is not.
  const line = plainName(cleanText((text ?? '').slice(0, 10 * MAX_TITLE_LENGTH)).replaceAll(/\s+/g, ' '))
  const title = [...line].slice(0, MAX_TITLE_LENGTH).join('').trim()
  return title === '' ? null : title
}
