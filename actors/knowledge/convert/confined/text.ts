/** Text that is not in Unicode. */
import { contentOf } from '../plain_text.ts'
import { decodeText } from './legacy_text.ts'
import type { Parsed } from './parsed.ts'

/**
 * `charset`: the encoding that came with it.
 *
 * @throws {ConversionFailed} `unknown_charset`, `not_text`, `too_long`, `no_text`
 */
export function parseText(bytes: Uint8Array, { charset }: { charset: string | null }): Parsed {
  return contentOf(decodeText(bytes, [charset]))
}
