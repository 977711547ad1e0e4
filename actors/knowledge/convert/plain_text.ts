/** Markdown and plain text. Both stay as they are, so no parser runs over them. */
import { hasAtMost } from '../../values/characters.ts'
import { cleanText, cleanTitle } from './clean_text.ts'
import type { Converted } from './converted.ts'
import { type Decoded, decodeUnicode } from './decode.ts'
import { ConversionFailed, MAX_DOCUMENT_LENGTH } from './failure.ts'
import { warningsOf } from './warnings.ts'

/** Bytes that a text of the maximum length may take; a character has at most four. */
export const MAX_TEXT_BYTES = 4 * MAX_DOCUMENT_LENGTH + 4

/** Bytes of control that a text has not, apart from an end mark. Escape, form feed and back space occur in texts from terminals and printers. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const BINARY = /[\x00-\x07\x0e-\x1a\x1c-\x1f]/g
/** One wrong character may be in so many. */
const CHARACTERS_FOR_A_FLAW = 200
/** Lines in which a title is looked for. */
const TITLE_LINES = 50
const MAX_LINE_LENGTH = 1_000

/**
 * Undefined for a text that is not in Unicode.
 *
 * @throws {ConversionFailed} `not_text`, `too_long`, `no_text`
 */
export function convertText(bytes: Uint8Array): Converted | undefined {
  if (bytes.length > MAX_TEXT_BYTES) throw new ConversionFailed('too_long')
  const decoded = decodeUnicode(bytes)
  return decoded && { type: 'text/plain', ...contentOf(decoded) }
}

/** @throws {ConversionFailed} `not_text`, `too_long`, `no_text` */
export function contentOf({ text, unreadable }: Decoded): Omit<Converted, 'type'> {
  const flaws = flawsOf(text)
  const content = cleanText(text)
  if (content === '') throw new ConversionFailed('no_text')
  if (!hasAtMost(content, MAX_DOCUMENT_LENGTH)) throw new ConversionFailed('too_long')
  return { title: titleOf(content), content, warnings: warningsOf({ letters_unreadable: unreadable + flaws }) }
}

/**
 * The characters of control in a text.
 * @throws {ConversionFailed} `not_text` when there are many, or several together, as in binary data
 */
function flawsOf(text: string): number {
  let flaws = 0
  let last = -2
  for (const { index } of withoutEnd(text).matchAll(BINARY)) {
    if (index === last + 1) throw new ConversionFailed('not_text')
    last = index
    flaws++
  }
  if (flaws > Math.max(1, text.length / CHARACTERS_FOR_A_FLAW)) throw new ConversionFailed('not_text')
  return flaws
}

/** The text without the end mark of DOS. */
function withoutEnd(text: string): string {
  let end = text.length
  while (end > 0 && (text[end - 1] === '\x1a' || text[end - 1]!.trim() === '')) end--
  return text.slice(0, end)
}

/** The title in the front matter, else the first heading of the first two levels, if either is near the start. */
function titleOf(text: string): string | null {
  const lines = text.slice(0, TITLE_LINES * MAX_LINE_LENGTH).split('\n', TITLE_LINES)
  const [first] = lines
  let at = 0
  if (first === '---') {
    const end = lines.indexOf('---', 1)
    for (const line of lines.slice(1, Math.max(end, 1))) {
      if (/^title\s*:/i.test(line)) return cleanTitle(unquoted(line.slice(line.indexOf(':') + 1).trim()))
    }
    if (end > 0) at = end + 1
  }
  let is_code = false
  for (; at < lines.length; at++) {
    const line = lines[at]!
    if (/^(?:```|~~~)/.test(line)) is_code = !is_code
    if (is_code) continue
    if (/^##?\s/.test(line)) return cleanTitle(withoutClosing(line.slice(line.indexOf(' ') + 1)))
    const under = lines[at + 1] ?? ''
    if (line.trim() !== '' && under.length >= 3 && isAll(under, '=')) return cleanTitle(line)
  }
  return null
}

function unquoted(text: string): string {
  const [quote] = text
  return (quote === '"' || quote === "'") && text.endsWith(quote) && text.length > 1 ? text.slice(1, -1) : text
}

/** A heading may be closed by as many signs as it likes. */
function withoutClosing(text: string): string {
  let end = text.trimEnd().length
  while (end > 0 && text[end - 1] === '#') end--
  return text.slice(0, end)
}

function isAll(line: string, sign: string): boolean {
  for (const one of line.trimEnd()) if (one !== sign) return false
  return true
}
