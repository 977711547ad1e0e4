/**
 * Decodes texts that are not in Unicode: by the encoding that they name or that came with them, else by statistics. A text
 * whose letters make no words in any encoding is refused: a text of wrong letters would be found by nobody.
 */
import iconv from 'iconv-lite'
import { detectAll } from 'jschardet'
import { type Decoded, decodeAs, decodeUnicode } from '../decode.ts'
import { ConversionFailed } from '../failure.ts'

/** Bytes that statistics are made of: those around the first characters beyond ASCII. */
const SAMPLE = 65_536
/** ASCII that is kept before and after them. A script before a text says nothing of its letters. */
const AROUND = 24
/** A named encoding stays when at most this part of the characters has no meaning in it. */
const MAX_WRONG = 0.05
/** A text of which a larger part makes no words is in another encoding. */
const MAX_ODD = 0.34
/** The same for an encoding that somebody has named. */
const MAX_ODD_CLAIMED = 0.6
/** Encodings that the platform does not know. */
const OTHERS = new Set(['cp437', 'cp850', 'cp852', 'cp857', 'cp737', 'maccenteuro'])

/**
 * Encodings that the library detects, in lower case, with the decoder's name and how likely it is among texts of today, where the
 * letters alone do not tell.
 */
const DETECTED: Record<string, [encoding: string, prior: number]> = {
  'windows-1252': ['windows-1252', 1.2],
  'iso-8859-1': ['windows-1252', 1.2],
  'iso8859-15': ['iso-8859-15', 1.1],
  'windows-1250': ['windows-1250', 1],
  'iso-8859-2': ['iso-8859-2', 1],
  'windows-1251': ['windows-1251', 1.1],
  'windows-1253': ['windows-1253', 1.1],
  'iso-8859-7': ['iso-8859-7', 1],
  'windows-1254': ['windows-1254', 1],
  'iso-8859-9': ['windows-1254', 1],
  'windows-1255': ['windows-1255', 1],
  'iso-8859-8': ['iso-8859-8', 1],
  'windows-1256': ['windows-1256', 1],
  'iso-8859-6': ['iso-8859-6', 1],
  'windows-1257': ['windows-1257', 1],
  'iso8859-13': ['iso-8859-13', 0.9],
  'iso8859-4': ['iso-8859-4', 0.8],
  cp1258: ['windows-1258', 1],
  'iso-8859-5': ['iso-8859-5', 1],
  'koi8-r': ['koi8-r', 1],
  'koi8-u': ['koi8-u', 1],
  ibm866: ['ibm866', 1],
  maccyrillic: ['x-mac-cyrillic', 1],
  macroman: ['macintosh', 0.9],
  maclatin2: ['maccenteuro', 0.8],
  cp437: ['cp437', 0.8],
  cp850: ['cp850', 0.85],
  cp852: ['cp852', 0.8],
  cp857: ['cp857', 0.8],
  cp737: ['cp737', 0.8],
  cp874: ['windows-874', 1],
  'tis-620': ['windows-874', 1],
  cp932: ['shift_jis', 1],
  shift_jis_2004: ['shift_jis', 1],
  'euc-jp': ['euc-jp', 1],
  cp949: ['euc-kr', 1],
  'euc-kr': ['euc-kr', 1],
  gb18030: ['gb18030', 1],
  big5: ['big5', 1],
  big5hkscs: ['big5', 1],
}
/** Characters beyond ASCII of which statistics say nothing. */
const FEW = 3

/**
 * Names that servers and programs give to everything, because their authors knew no other.
 */
const WEAK = new Set(['windows-1252'])

/**
 * `names`: encodings that came with the text or stand in it, the strongest claim first.
 *
 * @throws {ConversionFailed} `unknown_charset`
 */
export function decodeText(bytes: Uint8Array, names: readonly (string | null | undefined)[]): Decoded {
  const known = decodeUnicode(bytes)
  if (known) return known
  const labels = names.map(labelOf).filter((label) => label !== undefined)
  // A claim that is made of everything yields to one that is made of this text.
  const claims = [...labels.filter((label) => !WEAK.has(label)), ...labels.filter((label) => WEAK.has(label))]
  for (const label of claims) {
    const decoded = decode(bytes, label)
    if (isReadable(decoded) && oddness(decoded.text.slice(0, SAMPLE)) <= MAX_ODD_CLAIMED) return decoded
  }
  const best = bestOf(bytes)
  if (!best) throw new ConversionFailed('unknown_charset')
  return best
}

function decode(bytes: Uint8Array, label: string): Decoded {
  if (!OTHERS.has(label)) return decodeAs(bytes, label)
  const text = iconv.decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), label)
  return { text, unreadable: text.split('\ufffd').length - 1 }
}

function isReadable({ text, unreadable }: Decoded): boolean {
  return unreadable <= MAX_WRONG * text.length
}

/** The platform's name of an encoding; undefined for Unicode, which was tried, and for names of none. */
function labelOf(name: string | null | undefined): string | undefined {
  if (!name) return undefined
  try {
    const { encoding } = new TextDecoder(name.trim())
    return encoding.startsWith('utf-') ? undefined : encoding === 'gbk' ? 'gb18030' : encoding
  } catch {
    return undefined
  }
}

/** The encoding that statistics and the look of its words speak for most. */
function bestOf(bytes: Uint8Array): Decoded | undefined {
  const sample = sampleOf(bytes)
  const is_few = sample.reduce((sum, byte) => sum + (byte > 0x7f ? 1 : 0), 0) <= FEW
  // Windows has letters there; so has no ISO encoding.
  const has_controls = sample.some((byte) => byte >= 0x80 && byte < 0xa0)
  let best: { score: number; label: string } | undefined
  for (const { encoding, confidence } of detectAll(sample, { minimumThreshold: 0 })) {
    const known = DETECTED[(encoding ?? '').toLowerCase()]
    if (!known) continue
    const [named, prior] = known
    // The sign for any currency is written by nobody; the newer of the two has the euro in its place.
    const is_euro = named === 'windows-1252' && !has_controls && sample.includes(0xa4)
    const label = is_euro ? 'iso-8859-15' : named
    const decoded = decode(sample, label)
    const odd = oddness(decoded.text)
    if (!isReadable(decoded) || odd > MAX_ODD) continue
    const is_iso = label.startsWith('iso-')
    const fit = is_iso === has_controls ? 0.95 : 1
    const usual = is_few && label === 'windows-1252' ? 10 : 1
    const score = confidence * prior * fit * usual * (1 - 2 * odd)
    if (!best || score > best.score) best = { score, label }
  }
  return best && decode(bytes, best.label)
}

/** The characters beyond ASCII with what stands around them, so that much else does not outweigh them. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  const sample = new Uint8Array(SAMPLE)
  let length = 0
  let end = 0
  for (let at = 0; at < bytes.length && length < SAMPLE; at++) {
    if (bytes[at]! <= 0x7f) continue
    const from = Math.max(end, at - AROUND)
    // Parts that were apart stay apart.
    if (from > end) sample[length++] = 0x0a
    let to = at + 1
    while (to < bytes.length && (bytes[to]! > 0x7f || to - at < AROUND)) {
      if (bytes[to]! > 0x7f) at = to
      to++
    }
    const part = bytes.subarray(from, Math.min(to, from + SAMPLE - length))
    sample.set(part, length)
    length += part.length
    end = to
    at = to - 1
  }
  return sample.subarray(0, length)
}

/** Letters and signs beyond ASCII, together with letters of ASCII. */
const WORD = /[a-z\u0080-\u{10ffff}]+/giu
/** So many letters prove nothing. */
const FEW_LETTERS = 16
/** Scripts whose words have no Latin letters in them. */
const SCRIPTS = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Thai}]/u
/** Signs beside letters in ordinary texts: quotes, dashes, dots, those of East Asia. */
const USUAL =
  /[\u00a0\u00ab\u00ad\u00b0\u00b4\u00b7\u00bb\u00bf\u00a1\u2010-\u201f\u2022\u2026\u2039\u203a\u2122\u00a9\u00ae\u3000-\u303f\u30fb-\u30fc\uff00-\uff65]/g

/**
 * The part of the words beyond ASCII that are none, 0 to 1: those with signs or capitals in them, with letters of two
 * scripts, or in a Latin script with hardly a letter of ASCII.
 */
function oddness(text: string): number {
  let [odd, all] = [0, 0]
  for (const [word] of text.matchAll(WORD)) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what is taken out
    const beyond = word.replaceAll(/[\x00-\x7f]/g, '')
    if (beyond === '') continue
    const letters = word.replaceAll(/[^\p{L}]/gu, '').length
    const latin = word.replaceAll(/\P{Script=Latin}/gu, '').length
    all += letters
    const signs = beyond.replaceAll(USUAL, '').replaceAll(/[\p{L}\p{M}]/gu, '')
    const is_latin = latin === letters
    if (
      signs !== '' ||
      (latin > 0 && SCRIPTS.test(word)) ||
      (is_latin && /\p{Ll}(?=\p{Lu})[\u0080-\uffff]/u.test(word)) ||
      (is_latin && /\p{L}(?:[\u2013\u2014\u201d]\p{Ll}|[\u201e\u201a])/u.test(word)) ||
      (is_latin && beyond.length > 2 && beyond.length > 0.6 * letters)
    )
      odd += letters
  }
  const controls = (text.match(/[\x80-\x9f]/g) ?? []).length
  return Math.min(1, (odd + 5 * controls) / Math.max(all, FEW_LETTERS))
}
