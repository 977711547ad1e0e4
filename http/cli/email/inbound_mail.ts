/** A mail as it lies in a mail system (RFC 822), in the words of the inbound hook (docs/channels/email.md). */
import { createHash } from 'node:crypto'
import { type ParsedMail, simpleParser } from 'mailparser'

export type HookBody =
  | {
      message_id: string
      from: { address: string; name: string }
      to: string
      subject: string
      text: string
      html?: string
      in_reply_to?: string
      references: string[]
      date?: string
      auto_submitted?: string
      attachments: { filename: string | null; mime_type: string; size: number }[]
    }
  | { bounce: { message_id: string; status: string; diagnostic: string } }

/** What to do with a mail: bring it, or nothing, and why. */
export type InboundMail = { body: HookBody } | { passed_over: string } | { unusable: string }

/** So that the whole call stays well below what one message between nodes may have, 1 MB. */
const LONGEST_TEXT = 200_000
const LONGEST_HTML = 200_000

export async function readMail(bytes: Buffer): Promise<InboundMail> {
  const mail = await simpleParser(bytes, { skipTextToHtml: true, skipImageLinks: true })
  const report = reportIn(mail, bytes)
  if (report) return report
  const [sender] = mail.from?.value ?? []
  if (!sender?.address) return { unusable: 'The mail has no sender in From.' }
  const { text = '', html, inReplyTo, date, references = [] } = mail
  const auto_submitted = autoSubmitted(mail)
  return {
    body: {
      message_id: mail.messageId ?? madeUpId(bytes),
      from: { address: sender.address, name: sender.name },
      to: [mail.to ?? []]
        .flat()
        .map(({ text }) => text)
        .join(', '),
      subject: mail.subject ?? '',
      text: text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT).toWellFormed()}\n[…]` : text,
      ...(html && html.length <= LONGEST_HTML && { html }),
      ...(inReplyTo && { in_reply_to: inReplyTo }),
      references: [references].flat(),
      ...(date && { date: date.toISOString() }),
      ...(auto_submitted && { auto_submitted }),
      attachments: mail.attachments.map(({ filename, contentType, size }) => ({
        filename: filename ?? null,
        mime_type: contentType,
        size,
      })),
    },
  }
}

/** The same for every attempt at one mail. */
function madeUpId(bytes: Buffer): string {
  return `<${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}@without-message-id.invalid>`
}

/** Machines say so in `Auto-Submitted` (RFC 3834); lists and older programs in `Precedence`. */
function autoSubmitted({ headers }: ParsedMail): string | undefined {
  const said = wordOf(headers.get('auto-submitted'))
  if (said) return said === 'no' ? undefined : said
  const precedence = wordOf(headers.get('precedence'))
  return precedence && /^(?:bulk|list|junk|auto_reply)$/.test(precedence) ? precedence : undefined
}

function wordOf(header: unknown): string | undefined {
  const value = typeof header === 'object' && header !== null && 'value' in header ? header.value : header
  return typeof value === 'string' ? value.split(';')[0]!.trim().toLowerCase() : undefined
}

/**
 * A report of a mail system about one of ours (RFC 3464). Undefined when it is none, or does not say about which. Its parts
 * are looked up in the mail as it came: the parser takes them for text.
 */
function reportIn({ headers }: ParsedMail, bytes: Buffer): InboundMail | undefined {
  const { value, params } = (headers.get('content-type') ?? {}) as { value?: string; params?: { boundary?: string } }
  if (value !== 'multipart/report' || !params?.boundary) return undefined
  const parts = bytes.toString('utf8').split(`--${params.boundary}`)
  const part = (type: string) =>
    parts.find((text) => field(headOf(text), 'Content-Type')?.toLowerCase().startsWith(type))
  const report = part('message/delivery-status')
  const about = part('text/rfc822-headers') ?? part('message/rfc822')
  const message_id = field(about && bodyOf(about), 'Message-ID')
  if (report === undefined || message_id === undefined) return undefined
  const said = bodyOf(report)
  const action = field(said, 'Action')?.toLowerCase() ?? ''
  if (action !== 'failed') return { passed_over: `A report that the mail was ${action || 'handled'} changes nothing.` }
  const status = field(said, 'Status')?.split(' ')[0] ?? '5.0.0'
  const diagnostic = field(said, 'Diagnostic-Code')?.replace(/^smtp;\s*/i, '') ?? 'The mail could not be delivered.'
  return { body: { bounce: { message_id, status, diagnostic } } }
}

const BLANK = /\r?\n\r?\n/

function headOf(part: string): string {
  return part.trimStart().split(BLANK, 1)[0] ?? ''
}

function bodyOf(part: string): string {
  const whole = part.trimStart()
  const blank = BLANK.exec(whole)
  return blank ? whole.slice(blank.index + blank[0].length) : ''
}

/** Folded lines are one. */
function field(text: string | undefined, name: string): string | undefined {
  const found = new RegExp(`^${name}:[ \\t]*((?:.|\\r?\\n[ \\t])*)`, 'im').exec(text ?? '')?.[1]
  return found?.replaceAll(/\s+/g, ' ').trim() || undefined
}
