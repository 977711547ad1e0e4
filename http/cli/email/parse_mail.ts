/** Converts a mail of a mail system (RFC 822) to the format of the inbound hook (docs/channels/email.md). */
import { createHash } from 'node:crypto'
import { type ParsedMail, simpleParser } from 'mailparser'
import { type Bounce, reportIn } from './report.ts'

export type MailBody = {
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
  /** Only the header of the mail could be read. */
  unreadable?: true
  attachments: { filename: string | null; mime_type: string; size: number }[]
}

export type Parsed =
  /** `html`: HTML whose text is to be added. */
  { body: MailBody; html?: string } | { bounce: Bounce } | { passed_over: string } | { unusable: string }

const LONGEST_TEXT = 200_000
const LONGEST_HTML = 200_000
/** The longest line that mail systems must take (RFC 5322). */
const LONGEST_LINE = 998
const LONGEST_NAME = 255
const LONGEST_ID = 998
const MOST_REFERENCES = 20
const MOST_ATTACHMENTS = 100

/** `id`: for a mail that has none. Rejects for mails that the parser does not understand. */
export async function parseMail(bytes: Buffer, id = madeUpId(bytes)): Promise<Parsed> {
  const skip = { skipHtmlToText: true, skipTextToHtml: true, skipImageLinks: true, skipTextLinks: true }
  const mail = await simpleParser(bytes, skip)
  const report = reportIn(mail.headers?.get('content-type'), bytes)
  if (report) return report
  const [sender] = mail.from?.value ?? []
  if (!sender?.address) return { unusable: 'The mail has no sender in From.' }
  const { html, date, references = [] } = mail
  const [answered] = idsIn(mail.inReplyTo)
  // Mail programs that write HTML alone often send a text of spaces with it.
  const text = /[^\s\p{Cf}]/u.test(mail.text ?? '') ? mail.text! : ''
  const auto_submitted = autoSubmitted(mail)
  const body = {
    message_id: idsIn(mail.messageId?.match(/^<[^\s<>]+>/)?.[0])[0] ?? id,
    from: { address: sender.address, name: lineOf(sender.name, LONGEST_NAME) },
    to: lineOf(
      [mail.to ?? []]
        .flat()
        .map(({ text }) => text)
        .join(', '),
    ),
    subject: lineOf(mail.subject ?? ''),
    text: text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT).toWellFormed()}\n[…]` : text,
    ...(html && html.length <= LONGEST_HTML && { html }),
    ...(answered && { in_reply_to: answered }),
    references: idsIn([references].flat().join(' ')).slice(-MOST_REFERENCES),
    ...(date && { date: date.toISOString() }),
    ...(auto_submitted && { auto_submitted: lineOf(auto_submitted) }),
    attachments: mail.attachments.slice(0, MOST_ATTACHMENTS).map(({ filename, contentType, size }) => ({
      filename: filename === undefined ? null : lineOf(filename, LONGEST_NAME),
      mime_type: lineOf(contentType, LONGEST_NAME),
      size,
    })),
  }
  const is_in_text = text !== '' && bytes.includes('multipart/alternative')
  return { body, ...(html && !is_in_text && { html }) }
}

/** The same for every attempt at one mail. */
export function madeUpId(bytes: Buffer): string {
  return `<${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}@without-message-id.invalid>`
}

/** The message ids of a header, in order: mail programs write commas, comments or nothing between them. */
function idsIn(text = ''): string[] {
  return (text.match(/<[^\s<>]+>/g) ?? []).filter((id) => Buffer.byteLength(id) <= LONGEST_ID)
}

function lineOf(text: string, longest = LONGEST_LINE): string {
  return text.slice(0, longest).toWellFormed()
}

/** Automatic mails have `Auto-Submitted` (RFC 3834); lists and older programs use `Precedence`. */
function autoSubmitted({ headers }: ParsedMail): string | undefined {
  const said = wordOf(headers.get('auto-submitted'))
  if (said) return said === 'no' ? undefined : said
  const precedence = wordOf(headers.get('precedence'))
  return precedence && /^(?:bulk|list|junk|auto_reply)$/.test(precedence) ? precedence : undefined
}

function wordOf(header: unknown): string | undefined {
  const value = typeof header === 'object' && header !== null && 'value' in header ? header.value : header
  return typeof value === 'string' ? value.split(';', 1)[0]!.trim().toLowerCase() : undefined
}
