/** Converts a mail of a mail system (RFC 822) to the format of the inbound hook (docs/channels/email.md). */
import { createHash } from 'node:crypto'
import { type Authentication, authenticationIn } from './authentication.ts'
import { automaticIn } from './automatic.ts'
import { decodeText } from './mime/charset.ts'
import { type Content, contentOf, isVisible, type Piece } from './mime/content.ts'
import { fieldOf, fieldsNamed } from './mime/head.ts'
import type { Mailbox } from './mime/mailboxes.ts'
import { type Part, parseTree } from './mime/tree.ts'
import { decodeHeader } from './mime/words.ts'
import { type Bounce, reportIn } from './report.ts'
import { type Sender, senderOf } from './sender.ts'

export type MailBody = {
  message_id: string
  from: Mailbox
  reply_to?: Mailbox[]
  other_senders?: Mailbox[]
  to: string
  cc?: Mailbox[]
  subject: string
  text: string
  html?: string
  in_reply_to?: string
  references: string[]
  date?: string
  auto_submitted?: string
  /** The mail system's verdict on the sender's address. */
  authentication?: Authentication
  /** Only a part of the mail could be read. */
  unreadable?: true
  /** The bytes of an unreadable mail in base64, or their beginning. */
  original?: string
  /** `media_id`: the file was brought before; `error`: it was refused. */
  attachments: { filename: string | null; mime_type: string; size: number; media_id?: string; error?: string }[]
}

/** The bytes of the attachments in their order; null where they are not known. */
export type MailFiles = (Uint8Array | null)[]

export type Parsed =
  /** `pieces`: the text and the HTML whose text is to be added, in their order. Empty when `text` is all. */
  | { body: MailBody; pieces: Piece[]; files?: MailFiles }
  | { bounce: Bounce }
  | { passed_over: string }
  | { unusable: string }

const MAX_TEXT_LENGTH = 200_000
const MAX_HTML_LENGTH = 200_000
/** The longest line that mail systems must take (RFC 5322). */
const MAX_LINE_LENGTH = 998
const MAX_NAME_LENGTH = 255
const MAX_ID_LENGTH = 998
const MAX_REFERENCES = 50
const MAX_ATTACHMENTS = 100
/** More of these than one in so many characters: bytes that are no text. */
const BROKEN = /(?![\t\n\f\r])\p{Cc}|\ufffd/gu

/**
 * `id`: for a mail that has none. `system`: the name of the mail system in its verdicts on senders. Rejects for mails that the
 * parser does not understand.
 */
export async function parseMail(bytes: Buffer, id = madeUpId(bytes), system?: string): Promise<Parsed> {
  const root = parseTree(bytesOf(bytes).toString('latin1'))
  const { fields } = root
  const hint = charsetIn(root) ?? ''
  const sender = senderOf(fields, hint)
  const report = reportIn(root)
  if (report) return report
  if (!sender) return { unusable: 'This is no e-mail: it has no sender.' }
  const content = contentOf(root, hint)
  const { pieces: said, unreadable } = readIn(root, content)
  const more = content.attachments.length - MAX_ATTACHMENTS
  const pieces = more > 0 ? [...said, { text: `[… ${more} more attachments]` }] : said
  const lineIn = (value = '') => lineOf(decodeHeader(value, hint))
  const [answered] = idsIn(fieldOf(fields, 'in-reply-to'))
  const auto_submitted = automaticIn(fields)
  const authentication = system && authenticationIn(fields, system, sender.from.address)
  const html = content.html.join('<br/>\n')
  const date = dateIn(fieldOf(fields, 'date'))
  const texts = pieces.every((piece) => 'text' in piece)
  const body: MailBody = {
    message_id: ownId(fieldOf(fields, 'message-id')) ?? id,
    ...peopleOf(sender),
    to: lineOf(sender.to.map(written).join(', ')),
    subject: lineIn(fieldOf(fields, 'subject')),
    text: joinedText(pieces),
    ...(html && html.length <= MAX_HTML_LENGTH && { html }),
    ...(answered && { in_reply_to: answered }),
    references: threadOf(idsIn(fieldsNamed(fields, 'references').join(' '))),
    ...(date && { date }),
    ...(auto_submitted && { auto_submitted: lineOf(auto_submitted) }),
    ...(authentication && { authentication }),
    ...(unreadable && { unreadable }),
    attachments: content.attachments.slice(0, MAX_ATTACHMENTS).map(({ filename, mime_type, size }) => ({
      filename: filename === null ? null : lineOf(filename, MAX_NAME_LENGTH),
      mime_type: lineOf(mime_type, MAX_NAME_LENGTH),
      size,
    })),
  }
  const files = content.attachments.slice(0, MAX_ATTACHMENTS).map(({ bytes = null }) => bytes)
  return { body, pieces: texts ? [] : pieces, files }
}

/** Some shells and editors save mails in UTF-16, with its mark at the beginning. */
function bytesOf(bytes: Buffer): Buffer {
  const mark = bytes.length > 1 ? bytes.readUInt16BE(0) : 0
  if (mark !== 0xfffe && mark !== 0xfeff) return bytes
  return Buffer.from(new TextDecoder(mark === 0xfffe ? 'utf-16le' : 'utf-16be').decode(bytes))
}

/** The same for every attempt at one mail. */
export function madeUpId(bytes: Buffer): string {
  return `<${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}@without-message-id.invalid>`
}

/** The texts alone, cut. */
export function joinedText(pieces: readonly Piece[]): string {
  const text = pieces
    .flatMap((piece) =>
      'text' in piece && isVisible(piece) ? [piece.text.replaceAll('\r\n', '\n').replace(/^\n{1,1000}|\n$/g, '')] : [],
    )
    .join('\n')
    .trimEnd()
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH).toWellFormed()}\n[…]` : text
}

/** As a header has it, decoded: a name may contain what divides addresses. */
function written({ address, name }: Mailbox): string {
  if (name === '') return address
  return `${/[",;:<>@()\\]/.test(name) ? `"${name.replaceAll(/["\\]/g, '')}"` : name} <${address}>`
}

function peopleOf({
  from,
  reply_to,
  other_senders,
  cc,
}: Sender): Pick<MailBody, 'from' | 'reply_to' | 'other_senders' | 'cc'> {
  const short = ({ address, name }: Mailbox) => ({ address, name: lineOf(name, MAX_NAME_LENGTH) })
  return {
    from: short(from),
    ...(cc.length > 0 && { cc: cc.map(short) }),
    ...(reply_to.length > 0 && { reply_to: reply_to.map(short) }),
    ...(other_senders.length > 0 && { other_senders: other_senders.map(short) }),
  }
}

/** A mail in which nothing was found, but which has more than a header, was not understood: its lines are the text. */
function readIn(root: Part, { pieces, attachments, encrypted }: Content): { pieces: Piece[]; unreadable?: true } {
  if (encrypted) {
    const text = `This e-mail is encrypted (${encrypted}). Only a mail program with the key can read it.`
    return { pieces: [...pieces, { text }], unreadable: true }
  }
  const text = joinedText(pieces)
  if (pieces.some(isVisible) || attachments.length > 0)
    return isBroken(text) ? { pieces, unreadable: true } : { pieces }
  const rest = linesLeft(root)
  if (rest.trim() === '') return { pieces }
  return isBroken(rest) ? { pieces: [], unreadable: true } : { pieces: [{ text: rest }] }
}

function isBroken(text: string): boolean {
  const start = text.slice(0, MAX_TEXT_LENGTH)
  const count = start.match(BROKEN)?.length ?? 0
  return count > 3 && count * 10 > start.length
}

/** Without the lines that divide and describe parts. */
function linesLeft({ body, parts, type }: Part): string {
  if (parts.length > 0) return parts.map(linesLeft).join('\n')
  if (!type.startsWith('text/')) return ''
  const lines = body.slice(0, MAX_TEXT_LENGTH).split(/\r?\n/)
  const kept = lines.filter((line) => !/^--\S/.test(line) && !/^content-[a-z-]{1,40}\s*:/i.test(line))
  return decodeText(Buffer.from(kept.join('\n'), 'latin1'))
}

/** The first one that a part names: the best guess for a header with raw bytes. */
function charsetIn({ params, parts }: Part): string | undefined {
  if (params.get('charset')) return params.get('charset')
  for (const part of parts) {
    const charset = charsetIn(part)
    if (charset) return charset
  }
  return undefined
}

/** The message ids of a header, in order: mail programs write commas, comments or nothing between them, and omit brackets. */
function idsIn(value = ''): string[] {
  const text = value.includes('=?') ? decodeHeader(value) : value
  const bare = text.includes('<') ? [] : text.split(/[\s,;]+/).filter((word) => /^[^@"]+@[^@"]+$/.test(word))
  return [
    ...(text.match(/<[^<>]+>/g) ?? []).map((id) => id.replaceAll(/\s/g, '')),
    ...bare.map((id) => `<${id}>`),
  ].filter((id) => Buffer.byteLength(id) <= MAX_ID_LENGTH)
}

/** A comment may follow. */
function ownId(value = ''): string | undefined {
  return idsIn(/^<[^\s<>]+>/.exec(value)?.[0] ?? /^[^\s<>@]+@[^\s<>@]+$/.exec(value)?.[0])[0]
}

/** The first one, with which the thread began, and the last ones. */
function threadOf(ids: string[]): string[] {
  return ids.length > MAX_REFERENCES ? [ids[0]!, ...ids.slice(1 - MAX_REFERENCES)] : ids
}

function dateIn(value = ''): string | undefined {
  const at = new Date(value.slice(0, 200))
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

function lineOf(text: string, longest = MAX_LINE_LENGTH): string {
  return text.slice(0, longest).toWellFormed()
}
