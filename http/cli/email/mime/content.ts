/** The content of a mail: its texts in their order, its HTML and its files. */
import type { Attachment } from './attachment.ts'
import { calendarText } from './calendar.ts'
import { charsetInHtml, decodeText } from './charset.ts'
import { enrichedText } from './enriched.ts'
import { unflowed } from './flowed.ts'
import { fieldOf } from './head.ts'
import { rtfText } from './rtf.ts'
import { signedContent } from './signed.ts'
import { readTnef } from './tnef.ts'
import { decodeTransfer, isBinary, uuencoded } from './transfer.ts'
import { type Part, parseNested } from './tree.ts'
import { decodeHeader } from './words.ts'

export type Piece = { text: string } | { html: string }
export type Content = {
  pieces: Piece[]
  html: string[]
  attachments: Attachment[]
  /** The form of encryption, for a mail whose text is encrypted. */
  encrypted?: 'PGP' | 'S/MIME'
}

/** A text that is a file beside other text, and the text of the mail when there is no other. */
type Spare = { piece: Piece; attachment: Attachment; is_calendar: boolean }
type Collected = Content & { spares: Spare[] }

/** Mails inside mails. */
const MAX_DEPTH = 20
/** Forms of HTML for devices; the other alternatives say the same. */
const DEVICES = /^text\/(?:x-amp-html|watch-html)$/
const MAILS = /^message\/(?:rfc822|global|news|partial)$/
const TNEF = /^application\/(?:vnd\.)?ms-tnef$/
const CMS = /^application\/(?:x-)?pkcs7-mime$/

/** `hint`: the charset of the mail, for parts that name none. */
export function contentOf(root: Part, hint = ''): Content {
  const { spares, ...content } = new Reader(hint).collect(root, 0)
  if (!content.pieces.some(isVisible) && content.encrypted === undefined) {
    const [first] = [...spares.filter(({ is_calendar }) => !is_calendar), ...spares]
    if (first) return { ...content, ...promoted(content, first) }
  }
  return content
}

function promoted({ html, attachments }: Content, { piece, attachment }: Spare) {
  const pages = 'html' in piece ? [...html, piece.html] : html
  return { pieces: [piece], html: pages, attachments: attachments.filter((one) => one !== attachment) }
}

/** Programs that write HTML alone often send a text of spaces with it. */
export function isVisible(piece: Piece): boolean {
  return 'html' in piece || /[^\s\p{Cf}]/u.test(piece.text)
}

class Reader {
  readonly #hint: string

  constructor(hint: string) {
    this.#hint = hint
  }

  collect(part: Part, depth: number): Collected {
    const { type, parts } = part
    if (type === 'multipart/encrypted') return { ...joined(parts.map((one) => file(one))), encrypted: 'PGP' }
    if (type === 'multipart/alternative') return alternative(parts.map((one) => this.collect(one, depth)))
    if (parts.length > 0) return joined(parts.map((one) => this.collect(one, depth)))
    if (MAILS.test(type)) return this.#forwarded(part, depth)
    if (type.startsWith('text/')) return this.#text(part)
    if (type === 'application/pgp-encrypted') return { ...file(part), encrypted: 'PGP' }
    const bytes = decodeTransfer(part.body, part.encoding, 'file')
    if (TNEF.test(type) || /^winmail\.dat$/i.test(part.filename ?? '')) return this.#tnef(part, bytes)
    if (CMS.test(type)) return this.#signed(part, bytes, depth)
    return other(part, bytes, this.#hint)
  }

  #text(part: Part): Collected {
    const { type, params, disposition, filename, encoding, body } = part
    const bytes = decodeTransfer(body, encoding, disposition === 'attachment' ? 'text file' : 'text')
    const attachment = { filename, mime_type: type, size: bytes.length, bytes }
    // Text with control characters is broken text; with an encoding, it is a file.
    if (encoding.toLowerCase() === 'base64' && isBinary(bytes)) return { ...nothing(), attachments: [attachment] }
    const declared = params.get('charset') ?? ''
    const is_page = type === 'text/html' || DEVICES.test(type)
    const text = decodeText(bytes, declared || (is_page ? charsetInHtml(bytes) : ''), this.#hint)
    const is_calendar = type === 'text/calendar'
    if (disposition === 'attachment') {
      return {
        ...nothing(),
        attachments: [attachment],
        spares: is_calendar ? [spare(calendarText(text), attachment)] : [],
      }
    }
    if (is_page && filename === null) return { ...nothing(), pieces: [{ html: text }], html: [text] }
    if (filename === null && BODIES.has(type)) return bodyOf(type, text, params)
    const piece = is_page ? { html: text } : { text: readable(type, text) }
    return { ...nothing(), attachments: [attachment], spares: [{ piece, attachment, is_calendar }] }
  }

  #forwarded(part: Part, depth: number): Collected {
    if (depth >= MAX_DEPTH) return file(part)
    const bytes = decodeTransfer(part.body, part.encoding, 'file')
    const mail = parseNested(bytes.toString('latin1'), depth)
    const charset = mail.params.get('charset') ?? this.#hint
    const lines = ['From', 'Date', 'Subject', 'To'].flatMap((name) => {
      const value = fieldOf(mail.fields, name.toLowerCase())
      return value ? [`${name}: ${decodeHeader(value, charset)}`] : []
    })
    const inner = this.collect(mail, depth + 1)
    const head = { ...nothing(), pieces: [{ text: `${[titleOf(part), ...lines].join('\n')}\n\n` }] }
    const is_file = part.disposition === 'attachment' || part.filename !== null
    const named = part.filename === null ? { ...part, filename: nameOfMail(mail, charset) } : part
    return joined([...(is_file ? [file(named)] : []), head, inner])
  }

  #tnef(part: Part, bytes: Buffer): Collected {
    const found = readTnef(bytes)
    if (!found) return file(part)
    const { text, html, attachments } = found
    const piece = text !== undefined ? { text } : html !== undefined ? { html } : undefined
    // Beside a text, the same text is inside.
    const whole = { filename: part.filename, mime_type: part.type, size: bytes.length, bytes }
    const spares = piece ? [{ piece, attachment: whole, is_calendar: false }] : []
    return { ...nothing(), attachments: attachments.length > 0 ? attachments : [whole], spares }
  }

  #signed(part: Part, bytes: Buffer, depth: number): Collected {
    const content = depth < MAX_DEPTH ? signedContent(bytes) : undefined
    if (content) return this.collect(parseNested(content.toString('latin1'), depth), depth + 1)
    return {
      ...file(part),
      ...(!/compressed|certs/.test(part.params.get('smime-type') ?? '') && { encrypted: 'S/MIME' as const }),
    }
  }
}

/** Mail programs leave the name out, and show the subject. */
function nameOfMail({ fields }: Part, charset: string): string {
  return `${decodeHeader(fieldOf(fields, 'subject') ?? '', charset).replaceAll(/[/\\]/g, '-') || 'mail'}.eml`
}

/** Some programs send a long mail in pieces, each of which is a mail. */
function titleOf({ type, params }: Part): string {
  if (type !== 'message/partial') return '---------- Forwarded message ----------'
  const [number = '?', total = '?'] = [params.get('number'), params.get('total')]
  return `---------- Piece ${number} of ${total} of a message ----------`
}

const BODIES = new Set([
  'text/plain',
  'text/enriched',
  'text/richtext',
  'text/markdown',
  'text/x-markdown',
  'text/calendar',
])

function bodyOf(type: string, text: string, params: Part['params']): Collected {
  if (type === 'text/calendar') {
    const bytes = Buffer.from(text)
    const attachment = { filename: params.get('name') ?? null, mime_type: type, size: bytes.length, bytes }
    return { ...nothing(), attachments: [attachment], spares: [spare(calendarText(text), attachment)] }
  }
  const is_flowed = params.get('format')?.toLowerCase() === 'flowed'
  const lines = is_flowed ? unflowed(text, params.get('delsp')?.toLowerCase() === 'yes') : readable(type, text)
  const files = uuencoded(lines)
  if (files.length === 0) return { ...nothing(), pieces: [{ text: lines }] }
  let words = ''
  let end = 0
  for (const found of files) {
    words += lines.slice(end, found.begin)
    end = found.end
  }
  const attachments = files.map(({ filename, bytes }) => ({ filename, mime_type: OCTETS, size: bytes.length, bytes }))
  return { ...nothing(), pieces: [{ text: words + lines.slice(end) }], attachments }
}

const OCTETS = 'application/octet-stream'

function readable(type: string, text: string): string {
  if (type === 'text/enriched' || type === 'text/richtext') return enrichedText(text)
  if (type === 'text/calendar') return calendarText(text)
  return type === 'text/rtf' ? rtfText(text) : text
}

/** Unnamed bytes that are text may be the text of the mail. */
function other(part: Part, bytes: Buffer, hint: string): Collected {
  const collected = file(part)
  const [attachment] = collected.attachments
  if (part.filename !== null || part.disposition === 'attachment' || !/^(?:application|message)\//.test(part.type))
    return collected
  if (bytes.length === 0 || isBinary(bytes)) return collected
  const text = decodeText(bytes, part.params.get('charset'), hint)
  const piece = { text: part.type === 'application/rtf' ? rtfText(text) : text }
  return { ...collected, spares: [{ piece, attachment: attachment!, is_calendar: false }] }
}

function file(part: Part): Collected {
  const { filename, type, body, encoding } = part
  const bytes = decodeTransfer(body, encoding, 'file')
  return { ...nothing(), attachments: [{ filename, mime_type: type, size: bytes.length, bytes }] }
}

function spare(text: string, attachment: Attachment): Spare {
  return { piece: { text }, attachment, is_calendar: true }
}

function nothing(): Collected {
  return { pieces: [], html: [], attachments: [], spares: [] }
}

function joined(all: Collected[]): Collected {
  const encrypted = all.find((one) => one.encrypted)?.encrypted
  return {
    pieces: all.flatMap(({ pieces }) => pieces),
    html: all.flatMap(({ html }) => html),
    attachments: all.flatMap(({ attachments }) => attachments),
    spares: all.flatMap(({ spares }) => spares),
    ...(encrypted && { encrypted }),
  }
}

/** Text goes before HTML, because it needs no conversion; the HTML is kept beside it. Programs misuse it for different texts. */
function alternative(all: Collected[]): Collected {
  const whole = joined(all)
  const plain = all.filter(({ pieces, html }) => html.length === 0 && pieces.some(isVisible))
  const page = all.findLast(({ html }) => html.length > 0)
  const pieces = plain.length > 0 ? plain.flatMap((one) => one.pieces) : (page?.pieces ?? [])
  return { ...whole, pieces: withoutRepeats(pieces), html: page?.html ?? [] }
}

function withoutRepeats(pieces: Piece[]): Piece[] {
  const seen = new Set<string>()
  return pieces.filter((piece) => 'html' in piece || (!seen.has(piece.text.trim()) && seen.add(piece.text.trim())))
}
