/** Recognises texts in UTF-16 and UTF-32, whose letters have bytes that no other text has. */

/** Bytes in which UTF-16 without a mark is looked for. */
const SAMPLE = 65_536
/** Characters for each space or line end at most, in any language. */
const MAX_WORD_LENGTH = 12
/** Characters that no text has. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const NONE = /[\x00-\x08\x0e-\x19\x1c-\x1f\ufffd\ufffe\uffff]/

/** The encoding of a text with a byte order mark. */
export function encodingOfMark(bytes: Uint8Array): string | undefined {
  const [first, second, third, fourth] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? 'utf-32le' : 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0 && second === 0 && third === 0xfe && fourth === 0xff ? 'utf-32be' : undefined
}

/** True for UTF-16 and UTF-32 that say so with a mark, and mean it. */
export function isMarkedWide(bytes: Uint8Array): boolean {
  const encoding = encodingOfMark(bytes)
  if (encoding === 'utf-32le' || encoding === 'utf-32be') return bytes.length % 4 === 0
  if (encoding !== 'utf-16le' && encoding !== 'utf-16be') return false
  const text = new TextDecoder(encoding).decode(bytes.subarray(0, SAMPLE))
  return !NONE.test(text.slice(0, -1))
}

/** UTF-16 of a text in which every second byte is mostly 0, as in Latin, or small, as in Cyrillic. */
export function wideWithoutMark(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const length = Math.min(bytes.length, SAMPLE) & ~1
  if (length < 8 || bytes.length % 2 !== 0) return undefined
  const zeros = [0, 0]
  for (let at = 0; at < length; at++) if (bytes[at] === 0) zeros[at % 2]!++
  const [even, odd] = zeros as [number, number]
  const encoding = odd > even ? 'utf-16le' : 'utf-16be'
  // Spaces and line ends are enough: their second byte is 0 in every script.
  if (Math.max(even, odd) < length / 2 / MAX_WORD_LENGTH || Math.min(even, odd) > 0) return undefined
  const text = new TextDecoder(encoding).decode(bytes.subarray(0, length))
  // The sample may end within a character.
  return NONE.test(text.slice(0, -1)) ? undefined : encoding
}
