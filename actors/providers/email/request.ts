/** The mail for a message of our API, as it is stored until it is sent. */

import type { MediaFields, Payload } from '../payload.ts'
import type { BuildOptions } from '../provider.ts'
import { checkCarried, notAccepted } from '../unsupported_message.ts'
import { isAddress } from './address.ts'
import { type Mailbox, messageIdOf, parseMailbox } from './mailbox.ts'
import { sealed } from './sealed_id.ts'

export type EmailRequest = {
  to: string
  subject: string
  text: string
  html?: string
  attachment?: EmailAttachment
  cc?: Mailbox[]
  bcc?: Mailbox[]
  /** Id of the answered mail, with angle brackets. */
  in_reply_to?: string
  /** The ids of the thread, the answered one last. */
  references?: string[]
  /** The same for every attempt, so that mail systems recognise a repeat. With angle brackets. */
  message_id: string
  /** The header `Auto-Submitted` (RFC 3834). */
  auto_submitted?: 'auto-generated'
}

/** Without a filename it gets that of the upload, or of the link. */
export type EmailAttachment = { filename?: string } & ({ media_id: string } | { link: string })

/** The longest line that mail systems must take (RFC 5322). */
const MAX_SUBJECT_LENGTH = 998
const MAX_REFERENCES = 50
/** Recipients of CC, and of BCC. */
const MAX_COPIES = 50

/** The address that stands for a sender whom nobody can answer (`parley email deliver`). */
const NO_ADDRESS = /@without-(?:sender|domain)\.invalid$/

/** Pure. @throws {Refusal} for an invalid recipient address, and for a subject that a mail cannot have */
export function buildMail(message: Payload, options: BuildOptions): EmailRequest {
  checkCarried('email', message)
  const { to, account, context, opaque } = options
  if (!isAddress(to))
    throw notAccepted('email', 'to', 'The recipient must be one e-mail address such as ana@example.com.')
  if (NO_ADDRESS.test(to))
    throw notAccepted('email', 'to', 'The e-mail of this contact named no address that can be answered.')
  const in_reply_to = messageIdOf(context?.message_id ?? null)
  const domain = parseMailbox(account.credentials.from ?? '')?.address.split('@')[1] ?? 'parley.invalid'
  return {
    to,
    ...copiesOf(options),
    subject: subjectOf(options),
    ...contentOf(message, options),
    ...(in_reply_to !== null && threadOf(options, in_reply_to)),
    message_id: `<${sealed(opaque, account.credentials)}@${domain}>`,
    ...(options.is_automatic && { auto_submitted: 'auto-generated' }),
  }
}

/** The signs of an answer in the languages of mail programs. */
const ANSWER = /^(?:re|aw|antw|sv|vs|ref|rif|res|odp|ynt|回复|答复)(?:\[\d{1,3}\])?\s?[:：]/iu

/** `meta_data.subject` of the request, else that of the answered mail, else the channel's name, which is in the language of its people. */
function subjectOf({ meta_data, account, answered }: BuildOptions): string {
  const subject_text = meta_data?.subject
  const subject = (typeof subject_text === 'string' ? subject_text : '').replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
  if (subject.length > MAX_SUBJECT_LENGTH) {
    throw notAccepted('email', 'meta_data.subject', `The subject must have at most ${MAX_SUBJECT_LENGTH} characters.`)
  }
  return subject || answerTo(answered?.message.subject) || account.name
}

function answerTo(subject: unknown): string {
  if (typeof subject !== 'string' || subject.trim() === '') return ''
  return (ANSWER.test(subject) ? subject : `Re: ${subject}`).slice(0, MAX_SUBJECT_LENGTH).toWellFormed()
}

/** The thread begins with its first mail (RFC 5322), so the middle of a long one is left out. */
function threadOf({ answered }: BuildOptions, in_reply_to: string): Pick<EmailRequest, 'in_reply_to' | 'references'> {
  const { references, before } = { references: answered?.message.references, before: answered?.context?.message_id }
  const known = Array.isArray(references) ? references : [before]
  const ids = known.filter((id): id is string => typeof id === 'string' && /^<.*>$/.test(id) && id !== in_reply_to)
  if (ids.length === 0) return { in_reply_to }
  const kept = ids.length < MAX_REFERENCES ? ids : [ids[0]!, ...ids.slice(2 - MAX_REFERENCES)]
  return { in_reply_to, references: [...kept, in_reply_to] }
}

/** `meta_data.cc` and `.bcc`: an address, with or without a name, or a list of them. */
function copiesOf({ meta_data = {} }: BuildOptions): Pick<EmailRequest, 'cc' | 'bcc'> {
  const copies: Pick<EmailRequest, 'cc' | 'bcc'> = {}
  for (const field of ['cc', 'bcc'] as const) {
    const addresses = meta_data[field]
    if (addresses === undefined || addresses === null) continue
    const list = Array.isArray(addresses) ? addresses : [addresses]
    const mailboxes = list.map((one) => (typeof one === 'string' ? parseMailbox(one) : undefined))
    if (mailboxes.length > MAX_COPIES || mailboxes.includes(undefined)) {
      const message = `It must be an e-mail address or a list of at most ${MAX_COPIES}.`
      throw notAccepted('email', `meta_data.${field}`, message)
    }
    if (mailboxes.length > 0) copies[field] = mailboxes as Mailbox[]
  }
  return copies
}

function contentOf(message: Payload, { fileOf }: BuildOptions): Pick<EmailRequest, 'text' | 'html' | 'attachment'> {
  switch (message.type) {
    case 'text':
      return { text: message.body }
    case 'image':
    case 'video':
    case 'audio':
    case 'document':
      return { text: message.caption ?? '', attachment: attachmentOf(message, fileOf) }
    case 'cta_url': {
      const { body_text, display_text, url, footer_text = '' } = message
      const text = [body_text, `${display_text}: ${url}`, footer_text].filter(Boolean).join('\n\n')
      const link = `<a href="${escaped(url)}">${escaped(display_text)}</a>`
      const footer = footer_text && `<p><small>${escaped(footer_text)}</small></p>`
      return { text, html: `<p>${escaped(body_text).replaceAll('\n', '<br>')}</p><p>${link}</p>${footer}` }
    }
    default:
      throw new Error(`${message.type} is said to be carried by e-mail`)
  }
}

/** The filename of the request takes precedence over that of the upload. */
function attachmentOf({ media_id, link = '', filename }: MediaFields, fileOf: BuildOptions['fileOf']): EmailAttachment {
  const name = filename ?? (media_id === undefined ? undefined : (fileOf(media_id).filename ?? undefined))
  return { ...(media_id === undefined ? { link } : { media_id }), ...(name !== undefined && { filename: name }) }
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character]!)
}
