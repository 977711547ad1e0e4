/** Header values as text: encoded words (RFC 2047), raw bytes, parameters (RFC 2231). */
import { decodeText } from './charset.ts'

/** Maximum characters of a value that is decoded. */
const MAX_LENGTH = 65_536
const WORD = /=\?([^?\s]{1,80})\?([bq])\?([^?]{0,20000})\?=/gi

/** One line. `hint`: the charset of the mail's text, for raw bytes that are not UTF-8. */
export function decodeHeader(value: string, hint = ''): string {
  const raw = value.slice(0, MAX_LENGTH)
  if (!raw.includes('=?')) return lineOf(decodeText(Buffer.from(raw, 'latin1'), '', hint))
  let text = ''
  let end = 0
  /** Words of one charset are decoded together: programs cut inside characters. */
  let open: { charset: string; chunks: Buffer[] } | undefined
  const close = () => {
    if (open) text += decodeText(Buffer.concat(open.chunks), open.charset, hint)
    open = undefined
  }
  for (const { 0: word, 1: charset, 2: form, 3: content, index } of raw.matchAll(WORD)) {
    const between = raw.slice(end, index)
    end = index + word.length
    if (between.trim() !== '' || !open) {
      close()
      text += decodeText(Buffer.from(between, 'latin1'), '', hint)
    }
    const bytes = bytesOf(form!, content!)
    if (open?.charset !== charset!.toLowerCase()) close()
    open ??= { charset: charset!.toLowerCase(), chunks: [] }
    open.chunks.push(bytes)
  }
  close()
  return lineOf(text + decodeText(Buffer.from(raw.slice(end), 'latin1'), '', hint))
}

function bytesOf(form: string, content: string): Buffer {
  if (form.toLowerCase() === 'b') return Buffer.from(content, 'base64')
  const characters = content
    .replaceAll('_', ' ')
    .replaceAll(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(characters, 'latin1')
}

function lineOf(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
}

export type Parameters = { value: string; params: ReadonlyMap<string, string> }

const PARAMETER = /;\s*([\w!#$%&'+^`{}~.-]{1,60}?)(\*\d{1,3})?(\*)?\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|([^;]*))/g
const MAX_PARAMETERS = 100
/** Programs forget the quotes around `Invoice (1).pdf`: what follows is no comment. */
const BRACKETS_IN_NAME = /;\s*(?:file)?name\s*=\s*[^\s";(][^";(]*\(/i

/** A value in the form of RFC 2231 has pieces with numbers, or is `coded`. */
type Section = { number: number | undefined; coded: boolean; text: string }

/** `text/plain; charset=utf-8`: value in lower case, parameters decoded, their names in lower case. */
export function readParameters(field = '', hint = ''): Parameters {
  const whole = field.slice(0, MAX_LENGTH)
  const text = BRACKETS_IN_NAME.test(whole) ? whole : withoutComments(whole)
  const sections = new Map<string, Section[]>()
  for (const [, name, place, star, quoted, bare = ''] of take(text.matchAll(PARAMETER), MAX_PARAMETERS)) {
    const value = quoted?.replaceAll(/\\(["\\])/g, '$1') ?? bare.trim()
    const number = place === undefined ? undefined : Number(place.slice(1))
    const key = name!.toLowerCase()
    sections.set(key, [...(sections.get(key) ?? []), { number, coded: star !== undefined, text: value }])
  }
  const params = new Map([...sections].map(([name, all]) => [name, chosen(all, hint)] as const))
  return { value: (withoutComments(text).split(';', 1)[0] ?? '').trim().toLowerCase(), params }
}

/** Programs write a name twice, plainly for older ones: the coded value counts, then the one in pieces. */
function chosen(sections: Section[], hint: string): string {
  const coded = sections.find(({ number, coded }) => number === undefined && coded)
  const pieces = sections.filter(({ number }) => number !== undefined).sort((a, b) => a.number! - b.number!)
  const plain = sections.find(({ number, coded }) => number === undefined && !coded)
  for (const form of [coded ? [coded] : [], pieces, plain ? [plain] : []]) {
    const value = joined(form, hint)
    if (value !== '') return value
  }
  return ''
}

function joined(parts: Section[], hint: string): string {
  if (!parts.some(({ coded }) => coded)) return decodeHeader(parts.map(({ text }) => text).join(''), hint)
  let charset = ''
  const chunks = parts.map(({ coded, text }, index) => {
    if (!coded) return Buffer.from(text, 'latin1')
    const [, named, rest] = (index === 0 && /^([^']{0,60})'[^']{0,60}'(.*)$/s.exec(text)) || []
    charset = named ?? charset
    const bytes = (rest ?? text).replaceAll(/%([0-9a-f]{2})/gi, (_, hex) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
    return Buffer.from(bytes, 'latin1')
  })
  return lineOf(decodeText(Buffer.concat(chunks), charset, hint))
}

/** Without text in brackets, unless it is quoted. Unclosed brackets are text. */
export function withoutComments(text: string): string {
  if (!text.includes('(')) return text
  let result = ''
  let depth = 0
  let begin = 0
  let is_quoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '\\') at += 1
    else if (character === '"' && depth === 0) is_quoted = !is_quoted
    else if (is_quoted) continue
    else if (character === '(') {
      if (depth === 0) {
        result += text.slice(begin, at)
        begin = at
      }
      depth += 1
    } else if (character === ')' && depth > 0) {
      depth -= 1
      if (depth === 0) begin = at + 1
    }
  }
  return result + text.slice(begin)
}

function take<T>(values: Iterable<T>, most: number): T[] {
  const taken: T[] = []
  for (const value of values) {
    if (taken.length === most) break
    taken.push(value)
  }
  return taken
}
