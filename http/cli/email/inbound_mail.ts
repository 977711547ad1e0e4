/**
 * Prepares a mail for the inbound hook. It is parsed in a thread, within a time limit: strangers write mails, and the
 * mail system would deliver one that hangs again and again. When parsing fails, only the most important header fields
 * are sent, marked as unreadable.
 */
import { HtmlReader } from '../../../actors/mod.ts'
import { JobFailed, type JobFailure, ThreadPool } from '../../../runtime/mod.ts'
import { divide, fieldsOf } from './header_fields.ts'
import type { MailJob } from './mail_thread.ts'
import { type MailBody, madeUpId, type Parsed } from './parse_mail.ts'
import type { Bounce } from './report.ts'

export type HookBody = MailBody | { bounce: Bounce }

/** The result for a mail: a body to send, or the reason for sending none. */
export type InboundMail = { body: HookBody } | { passed_over: string } | { unusable: string }

type ReadOptions = {
  /** Maximum milliseconds for parsing it, and for reading its HTML. */
  limit_ms?: number | undefined
}

const LIMIT_MS = 10_000
const LIMIT_PER_MIB_MS = 500
const MIB = 1024 * 1024
const HEAP_MIB = 1024
/** Maximum bytes of a header that is read. */
const LONGEST_HEAD = MIB
/** Maximum bytes of a call to the hook, below the documented limit. */
const MOST_BYTES = 850_000

/** Rejects when a repeat may succeed: no thread was available. */
export async function readMail(bytes: Buffer, { limit_ms }: ReadOptions = {}): Promise<InboundMail> {
  const script = new URL('./mail_thread.ts', import.meta.url)
  const pool = new ThreadPool<MailJob, Parsed>({ script, threads: 1, waiting: 1, heap_mib: HEAP_MIB })
  const html = new HtmlReader({ limit_ms })
  const id = madeUpId(bytes)
  try {
    const enough_ms = limit_ms ?? LIMIT_MS + (bytes.length / MIB) * LIMIT_PER_MIB_MS
    const whole = await pool.run({ bytes, id }, enough_ms).catch(failedOn('timeout', 'broken'))
    if (whole) return await bringable(whole, html)
    const head = await pool.run({ bytes: headOf(bytes), id }, LIMIT_MS).catch(failedOn('broken'))
    if (!head) return { unusable: 'This is no mail: its header cannot be read.' }
    return 'body' in head ? { body: { ...head.body, unreadable: true } } : await bringable(head, html)
  } finally {
    await Promise.all([pool.close(), html.close()])
  }
}

/** The mail is at fault, not this machine. */
function failedOn(...reasons: JobFailure[]): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof JobFailed && reasons.includes(error.reason))) throw error
  }
}

async function bringable(parsed: Parsed, reader: HtmlReader): Promise<InboundMail> {
  if ('bounce' in parsed) return { body: parsed }
  if (!('body' in parsed)) return parsed
  const { body, html } = parsed
  if (html === undefined) return { body: fitted(body) }
  const words = await reader.read(html, '')
  // Without a text the mail is unreadable, even when other parts are known.
  if (words === undefined && body.text === '') return { body: { ...body, unreadable: true } }
  return { body: fitted({ ...body, text: [body.text, words].filter(Boolean).join('\n') }) }
}

/** Shortens the text so that the call is not too large: in some scripts a character has three bytes, and six when it is escaped. */
function fitted(body: MailBody): MailBody {
  if (sizeOf(body) <= MOST_BYTES) return body
  const { html: _, ...rest } = body
  let { text } = rest
  while (sizeOf({ ...rest, text }) > MOST_BYTES) text = `${text.slice(0, text.length / 2).toWellFormed()}\n[…]`
  return { ...rest, text }
}

function sizeOf(body: MailBody): number {
  return Buffer.byteLength(JSON.stringify(body))
}

const FIELDS = ['from', 'to', 'subject', 'message-id', 'in-reply-to', 'date', 'auto-submitted', 'precedence']

/** A mail reduced to the most important fields. */
function headOf(bytes: Buffer): Buffer {
  // One character for each byte; the parser detects the character set.
  const { head } = divide(bytes.toString('latin1', 0, LONGEST_HEAD))
  const fields = fieldsOf(head, 'last')
  const lines = FIELDS.flatMap((name) => (fields.has(name) ? [`${name}: ${fields.get(name)}\r\n`] : []))
  return Buffer.from(`${lines.join('')}\r\n`, 'latin1')
}
