/** HTML to Markdown. */
import { htmlCharset } from '../html_charset.ts'
import { warningsOf } from '../warnings.ts'
import { readPage } from './html/page.ts'
import { decodeText } from './legacy_text.ts'
import type { Parsed } from './parsed.ts'

/**
 * `url`: address of the page, to which its links relate. `charset`: the encoding that came with it.
 *
 * @throws {ConversionFailed} `unknown_charset`
 */
export function parseHtml(bytes: Uint8Array, { url, charset }: { url: string | null; charset: string | null }): Parsed {
  const { text, unreadable } = decodeText(bytes, [charset, htmlCharset(bytes)])
  const { warnings, ...page } = readPage(text, url)
  return { ...page, warnings: [...warnings, ...warningsOf({ letters_unreadable: unreadable })] }
}
