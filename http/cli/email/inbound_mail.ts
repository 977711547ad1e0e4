/**
 * Prepares a mail for the inbound hook. It is parsed in a thread, within a time limit: strangers write mails, and the
 * mail system would deliver one that hangs again and again. When parsing fails, only the most important header fields
 * are sent, marked as unreadable.
 */
import { HtmlReader } from '../../../actors/mod.ts'
import { JobFailed, type JobFailure, ThreadPool } from '../../../runtime/mod.ts'
import type { MailJob } from './mail_thread.ts'
import type { Piece } from './mime/content.ts'
import { divideHead, fieldsNamed } from './mime/head.ts'
import { joinedText, type MailBody, type MailFiles, madeUpId, type Parsed } from './parse_mail.ts'
import type { Bounce } from './report.ts'

export type HookBody = MailBody | { bounce: Bounce }

/** The result for a mail: a body to send, or the reason for sending none. */
export type InboundMail = { body: HookBody; files?: MailFiles } | { passed_over: string } | { unusable: string }

type ReadOptions = {
  /** Maximum milliseconds for parsing it, and for reading its HTML. */
  limit_ms?: number | undefined
  /** The name of the mail system in its verdicts on senders. Without it none counts. */
  system?: string | undefined
}

const LIMIT_MS = 10_000
const LIMIT_PER_MIB_MS = 500
const MIB = 1024 * 1024
const HEAP_MIB = 1024
/** Bytes of an unreadable mail that are kept. */
const MAX_ORIGINAL_LENGTH = 150_000
/** Maximum bytes of a header that is read, and characters of a field. */
const MAX_HEAD_LENGTH = MIB
const MAX_FIELD_LENGTH = 4_096
/** Texts between HTML that keep their place. */
const MAX_PIECES = 20
/** Maximum bytes of a call to the hook, below the documented limit. */
const MAX_BYTES = 850_000

/** Rejects when a repeat may succeed: no thread was available. */
export async function readMail(bytes: Buffer, { limit_ms, system }: ReadOptions = {}): Promise<InboundMail> {
  const script = new URL('./mail_thread.ts', import.meta.url)
  const pool = new ThreadPool<MailJob, Parsed>({ script, threads: 1, waiting: 1, heap_mib: HEAP_MIB })
  const html = new HtmlReader({ limit_ms })
  const id = madeUpId(bytes)
  try {
    const enough_ms = limit_ms ?? LIMIT_MS + (bytes.length / MIB) * LIMIT_PER_MIB_MS
    const whole = await pool.run({ bytes, id, system }, enough_ms).catch(failedOn('timeout', 'broken'))
    if (whole)
      return { ...withOriginal(await bringable(whole, html), bytes), ...('files' in whole && { files: whole.files }) }
    const head = await pool.run({ bytes: headOf(bytes), id, system }, LIMIT_MS).catch(failedOn('broken'))
    if (!head) return { unusable: 'This is no mail: its header cannot be read.' }
    return withOriginal(
      'body' in head ? { body: { ...head.body, unreadable: true } } : await bringable(head, html),
      bytes,
    )
  } finally {
    await Promise.all([pool.close(), html.close()])
  }
}

/** Keeps the bytes of a mail that could not be read as a whole. */
function withOriginal(mail: InboundMail, bytes: Buffer): InboundMail {
  if (!('body' in mail) || !('unreadable' in mail.body)) return mail
  const room = Math.floor(((MAX_BYTES - sizeOf(mail.body)) * 3) / 4)
  const kept = bytes.subarray(0, Math.min(MAX_ORIGINAL_LENGTH, Math.max(0, room)))
  return kept.length > 0 ? { body: { ...mail.body, original: kept.toString('base64') } } : mail
}

/** The mail is at fault, not this machine. */
function failedOn(...reasons: JobFailure[]): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof JobFailed && reasons.includes(error.reason))) throw error
  }
}

/** Adds the text of HTML. */
export async function bringable(parsed: Parsed, reader: Pick<HtmlReader, 'read'>): Promise<InboundMail> {
  if ('bounce' in parsed) return { body: parsed }
  if (!('body' in parsed)) return parsed
  const { body, pieces } = parsed
  if (pieces.length === 0) return { body: fitted(body) }
  const { texts, is_whole } = await readPieces(pieces, reader)
  return { body: fitted({ ...body, text: joinedText(texts), ...(!is_whole && { unreadable: true }) }) }
}

/** HTML that follows HTML is read together, and all of it when there is much. */
async function readPieces(pieces: Piece[], reader: Pick<HtmlReader, 'read'>) {
  const texts: { text: string }[] = []
  let is_whole = true
  for (let at = 0; at < pieces.length; at++) {
    const piece = pieces[at]!
    if ('text' in piece) {
      texts.push(piece)
      continue
    }
    const pages = [piece.html]
    const follows = (next: Piece | undefined) => next && ('html' in next || at > MAX_PIECES)
    while (follows(pieces[at + 1])) {
      const next = pieces[++at]!
      if ('html' in next) pages.push(next.html)
      else texts.push(next)
    }
    const words = await reader.read(pages.join('<br>\n'), '')
    if (words === undefined) is_whole = false
    else texts.push({ text: words })
  }
  return { texts, is_whole }
}

/** Shortens the text so that the call is not too large: in some scripts a character has three bytes, and six when it is escaped. */
function fitted(body: MailBody): MailBody {
  if (sizeOf(body) <= MAX_BYTES) return body
  const { html: _, ...rest } = body
  let { text } = rest
  while (sizeOf({ ...rest, text }) > MAX_BYTES) text = `${text.slice(0, text.length / 2).toWellFormed()}\n[…]`
  return { ...rest, text }
}

function sizeOf(body: MailBody): number {
  return Buffer.byteLength(JSON.stringify(body))
}

const FIELDS =
  /^(?:from|sender|reply-to|return-path|to|cc|subject|message-id|in-reply-to|references|date|auto-submitted|x-original-from|x-original-sender|precedence|list-id|list-post)$/

const VERDICT = 'authentication-results'
const MAX_VERDICTS = 20

/** A mail reduced to the most important fields. */
function headOf(bytes: Buffer): Buffer {
  // One character for each byte; the parser detects the character set.
  const { fields } = divideHead(bytes.toString('latin1', 0, MAX_HEAD_LENGTH))
  const written = (name: string, value: string) => `${name}: ${value.slice(0, MAX_FIELD_LENGTH)}\r\n`
  const lines = new Map(
    fields.filter(([name]) => FIELDS.test(name)).map(([name, value]) => [name, written(name, value)]),
  )
  // A system may write several, and others stand below its own.
  const verdicts = fieldsNamed(fields, VERDICT).slice(0, MAX_VERDICTS)
  const kept = [...verdicts.map((value) => written(VERDICT, value)), ...lines.values()]
  return Buffer.from(`${kept.join('')}\r\n`, 'latin1')
}
