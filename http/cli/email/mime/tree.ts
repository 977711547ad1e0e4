/** The parts of a mail. What is broken is repaired as mail programs do, so that no text is lost. */
import { type Divided, divideHead, type Fields, fieldOf } from './head.ts'
import { type Parameters, readParameters, withoutComments } from './words.ts'

export type Part = {
  fields: Fields
  /** In lower case, such as `text/plain`. */
  type: string
  params: Parameters['params']
  disposition: string
  filename: string | null
  encoding: string
  /** One character for each byte, still encoded. Empty for a multipart with parts. */
  body: string
  parts: Part[]
}

const MAX_PARTS = 1_000
const MAX_DEPTH = 64
const MAX_BOUNDARY_LENGTH = 200
/** Lines that may be a boundary nobody announced. */
const MAX_CANDIDATES = 50
const DISCRETE = /^(?:text|image|audio|video|application|font|model|message|multipart|chemical|x-[\w.+-]+)\/[^\s/;,]+$/

/** @throws for a mail of too many parts, and for a header that is too long */
export function parseTree(text: string): Part {
  return partOf(divideHead(text), { count: 0, depth: 0 }, 'text/plain')
}

/** A mail inside a part, such as one that is forwarded. */
export function parseNested(text: string, depth: number): Part {
  return partOf(divideHead(text), { count: 0, depth }, 'text/plain')
}

type Counted = { count: number; depth: number }

function partOf({ fields, body }: Divided, counted: Counted, fallback: string): Part {
  const { value, params } = readParameters(fieldOf(fields, 'content-type'))
  const { value: disposition, params: placed } = readParameters(fieldOf(fields, 'content-disposition'))
  const part: Part = {
    fields,
    type: typeOf(value, fallback),
    params,
    disposition: disposition.match(/^[a-z-]+/)?.[0] ?? '',
    filename: placed.get('filename') || params.get('name') || placed.get('name') || params.get('filename') || null,
    encoding: withoutComments(fieldOf(fields, 'content-transfer-encoding') ?? '').trim(),
    body,
    parts: [],
  }
  if (!part.type.startsWith('multipart/')) return part
  const boundary = params.get('boundary') ?? ''
  const pieces = splitAt(body, boundary) ?? splitAt(body, announcedNowhere(body) ?? '')
  if (!pieces) return { ...part, type: 'text/plain' }
  if (pieces.length === 0) return { ...part, type: 'text/plain', body: body.replaceAll(`--${boundary}--`, '') }
  if (counted.depth >= MAX_DEPTH) throw new Error('The mail has too many child nodes inside one another.')
  const inner = part.type === 'multipart/digest' ? 'message/rfc822' : 'text/plain'
  counted.depth += 1
  for (const piece of pieces) {
    counted.count += 1
    if (counted.count > MAX_PARTS) throw new Error('The mail has too many child nodes.')
    part.parts.push(partOf(divideHead(piece, true), counted, inner))
  }
  counted.depth -= 1
  return { ...part, body: '' }
}

/** A type that no program knows holds text, if it says so or says nothing that can be understood. */
function typeOf(value: string, fallback: string): string {
  if (value === '') return fallback
  const type = value.match(/^[^\s,;]+/)?.[0] ?? ''
  if (/^text\/(?:text|plain\b.*)$/.test(type)) return 'text/plain'
  if (DISCRETE.test(type)) return type
  if (/^(?:text\/)?html?$/.test(type)) return 'text/html'
  if (/^multipart\b/.test(type)) return 'multipart/mixed'
  return /text|plain|^[^/]*$/.test(type) ? 'text/plain' : type
}

/** The pieces between the lines of a boundary, without what stands before the first and after the end. Undefined when there is none. */
function splitAt(body: string, boundary: string): string[] | undefined {
  if (boundary === '' || boundary.length > MAX_BOUNDARY_LENGTH) return undefined
  const mark = `--${boundary}`
  const pieces: string[] = []
  let begin = -1
  let is_ended = false
  for (let at = body.indexOf(mark); at >= 0; at = body.indexOf(mark, at + mark.length)) {
    if (at > 0 && body[at - 1] !== '\n' && body[at - 1] !== '\r') continue
    const feed = endOfLine(body, at)
    const rest = body.slice(at + mark.length, Math.min(feed, at + mark.length + 100)).trimEnd()
    if (rest !== '' && rest !== '--') continue
    if (begin >= 0 && !is_ended) pieces.push(withoutLineEnd(body.slice(begin, at)))
    if (pieces.length > MAX_PARTS) return pieces
    is_ended = rest === '--'
    begin = nextLine(body, feed)
  }
  if (begin < 0) return undefined
  if (!is_ended) pieces.push(body.slice(begin))
  return pieces
}

/** The boundary that the lines of the body show. */
function announcedNowhere(body: string): string | undefined {
  let at = body.startsWith('--') ? 0 : body.indexOf('\n--') + 1
  for (let tried = 0; tried < MAX_CANDIDATES; tried++) {
    if (at === 0 && !body.startsWith('--')) return undefined
    const feed = endOfLine(body, at)
    const token = body.slice(at + 2, Math.min(feed, at + 2 + MAX_BOUNDARY_LENGTH)).trimEnd()
    if (token !== '' && !/^[\s-]*$/.test(token)) {
      const next = nextLine(body, feed)
      const is_part = /^content-[a-z-]{1,40}[ \t]*:/i.test(body.slice(next, next + 60))
      if (is_part || body.includes(`\n--${token}--`)) return token
    }
    at = body.indexOf('\n--', at + 2) + 1
  }
  return undefined
}

function endOfLine(text: string, at: number): number {
  for (let end = at; end < text.length && end < at + MAX_LINE_LENGTH; end++) {
    if (text[end] === '\n' || text[end] === '\r') return end
  }
  return Math.min(text.length, at + MAX_LINE_LENGTH)
}

/** Lines of boundaries are shorter. */
const MAX_LINE_LENGTH = 1_000

function nextLine(text: string, end: number): number {
  return text[end] === '\r' && text[end + 1] === '\n' ? end + 2 : Math.min(end + 1, text.length)
}

function withoutLineEnd(text: string): string {
  return text.endsWith('\r\n') ? text.slice(0, -2) : /[\r\n]$/.test(text) ? text.slice(0, -1) : text
}
