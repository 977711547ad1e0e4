/**
 * Reads calls of the mail system: an incoming mail, or a bounce of one of ours. docs/channels/email.md describes the
 * calls for implementers of the other side.
 *
 * Automatic replies (out of office, lists) are kept and marked with `auto_submitted`: a person may want to read them,
 * and automatic answerers must see the mark, or two programs would talk to each other for ever.
 */

import { isObjectId } from '../../../storage/mod.ts'
import { safeName } from '../../media/mod.ts'
import { parseUrl } from '../../outbound/mod.ts'
import { echoOf } from '../echo.ts'
import { ignoredField } from '../ignored.ts'
import { isObject, type Json, objects, parseCall, textOf } from '../json.ts'
import type {
  Account,
  Credentials,
  HookCall,
  HookResult,
  InboundEcho,
  InboundFile,
  InboundIgnored,
  InboundMessage,
  InboundStatus,
} from '../provider.ts'
import { verifyCall } from '../signed_call.ts'
import { normalAddress } from './address.ts'
import { cut, lineOf } from './lines.ts'
import { messageIdOf, messageIdsIn, parseMailbox } from './mailbox.ts'
import { peopleIn, personsIn, recipientOf } from './people.ts'
import { sealedIdIn } from './sealed_id.ts'

/** Longer HTML is left out, and longer text is cut, because every event and every list carries them. Characters. */
const MAX_HTML_LENGTH = 262_144
const MAX_TEXT_LENGTH = 200_000
/** Characters of base64. */
const MAX_ORIGINAL_LENGTH = 262_144
const MAX_DIAGNOSTIC_LENGTH = 500
const MAX_URL_LENGTH = 2_048
const MAX_ATTACHMENTS = 100
const MAX_REFERENCES = 50
const UNREADABLE = 'This mail could not be read.'

const refused = (status: number, body: string): HookResult => ({ status, body, items: [] })

export function readCall({ raw, signature }: HookCall, { credentials }: Account, now: Date): HookResult {
  if (!verifyCall(credentials.inbound_secret ?? '', raw, signature, now)) {
    return refused(401, 'the signature does not match, or its time is more than 5 minutes off')
  }
  const call = parseCall(raw)
  if (!isObject(call)) return refused(400, 'not a JSON object')
  const own = parseMailbox(credentials.from ?? '')?.address ?? ''
  const item = isObject(call.bounce) ? toBounce(call.bounce, credentials, now) : toMessage(call, own, now)
  if (typeof item === 'string') return refused(400, item)
  const news = item.kind === 'message' ? withOrigin(item, call, credentials) : item
  return { status: 200, body: 'ok', items: [news, ...unknownIn(call)] }
}

/**
 * The mail as an echo, where the channel's own address wrote it to somebody: one of ours, or one of a mail program. A stranger
 * may write the address into a mail: one that the mail system refutes, and that Parley has not sent, is a stranger's.
 */
function withOrigin(item: InboundMessage, mail: Json, credentials: Credentials): InboundMessage | InboundEcho {
  const own = parseMailbox(credentials.from ?? '')?.address ?? ''
  const recipient = own === '' ? undefined : recipientOf(mail, own)
  if (!recipient) return item
  const opaque = sealedIdIn(item.provider_message_id, credentials)
  const is_proven = mail.authentication === 'pass' || opaque !== null
  const is_refuted = mail.authentication === 'fail' || credentials.own_mail === 'proven'
  if (!is_proven && is_refuted) return item
  const { sender: _, reply_to: __, ...message } = item.message
  const user_id = normalAddress(recipient.address)
  const { name } = recipient
  const contacts = [{ profile: { name: name ?? user_id }, user_id }]
  const messages = objects(item.value.messages).map(({ sender: _, reply_to: __, ...rest }) => ({
    ...rest,
    from: user_id,
  }))
  const value = { ...item.value, contacts, messages }
  return echoOf({ ...item, user_id, name, message, value }, { origin: 'mail', opaque })
}

const FIELDS = new Set([
  ...[
    'message_id',
    'from',
    'reply_to',
    'other_senders',
    'to',
    'cc',
    'subject',
    'text',
    'html',
    'unreadable',
    'original',
  ],
  ...['in_reply_to', 'references', 'date', 'auto_submitted', 'authentication', 'attachments', 'bounce'],
])
const MAX_UNKNOWN = 20

/** Fields that the hook does not have: a mistake of the program that calls it. */
function unknownIn(call: Json): InboundIgnored[] {
  const names = Object.keys(call).filter((field) => !FIELDS.has(field))
  return names.slice(0, MAX_UNKNOWN).map((field) => ignoredField(field, null, call[field]))
}

/** Returns the message, or a description of the error. */
function toMessage(mail: Json, own: string, now: Date): InboundMessage | string {
  const provider_message_id = messageIdOf(withoutComment(textOf(mail.message_id)))
  if (provider_message_id === null) return 'message_id must be the Message-ID of the mail'
  const people = peopleIn(mail, own)
  if (!people) return 'from.address must be an e-mail address'
  const html = textOf(mail.html)
  const is_unreadable = mail.unreadable === true
  const original = is_unreadable ? textOf(mail.original) : null
  const text = textOf(mail.text) ?? (is_unreadable ? UNREADABLE : '')
  const body = text.length > MAX_TEXT_LENGTH ? `${cut(text, MAX_TEXT_LENGTH)}\n[…]` : text
  const { user_id, name: person, ...others } = people
  const at = timeOf(mail.date, now)
  const in_reply_to = firstIdOf(mail.in_reply_to) ?? lastOf(mail.references)
  const references = referencesOf(mail)
  const cc = personsIn(mail.cc)
  const subject = lineOf(mail.subject)
  const attached = objects(mail.attachments).slice(0, MAX_ATTACHMENTS)
  const attachments = attached.map(({ filename, mime_type, size, url, error }) => ({
    // Programs save files under these names.
    filename: safeName(textOf(filename) ?? undefined),
    mime_type: lineOf(mime_type),
    size: typeof size === 'number' ? size : null,
    url: webUrl(url),
    ...(lineOf(error) !== null && {
      media_status: 'failed',
      media_error: { code: 'refused', message: cut(lineOf(error)!, MAX_DIAGNOSTIC_LENGTH) },
    }),
  }))
  const files = attached.flatMap(fileOf)
  const auto_submitted = autoSubmitted(mail.auto_submitted)
  const marks = {
    ...(subject !== null && { subject }),
    ...others,
    ...(cc.length > 0 && { cc }),
    ...(attachments.length > 0 && { attachments }),
    ...(auto_submitted !== null && { auto_submitted }),
    ...(is_unreadable && { unreadable: true }),
    ...(mail.authentication === 'fail' && { authentication: 'fail' }),
  }
  const context = in_reply_to === null ? null : { message_id: in_reply_to }
  return {
    kind: 'message',
    account: null,
    provider_message_id,
    user_id,
    name: person,
    at,
    type: 'text',
    message: {
      type: 'text',
      body,
      ...marks,
      ...(references.length > 0 && { references }),
      ...(original !== null && original.length <= MAX_ORIGINAL_LENGTH && { original }),
      ...(html !== null && html.length <= MAX_HTML_LENGTH && { html }),
    },
    context,
    ...(files.length > 0 && { files }),
    value: {
      messaging_product: 'email',
      metadata: {},
      contacts: [{ profile: { name: person ?? user_id }, user_id }],
      messages: [
        {
          from: user_id,
          id: provider_message_id,
          timestamp: String(Math.floor(at.getTime() / 1000)),
          type: 'text',
          text: { body },
          ...marks,
          ...(context && { context: { id: context.message_id } }),
        },
      ],
    },
  }
}

/** The file of an attachment: stored before the mail came, or behind an address. */
function fileOf({ media_id, url }: Json, attachment: number): InboundFile[] {
  if (typeof media_id === 'string' && isObjectId(media_id))
    return [{ reference: { media_id }, is_here: true, attachment }]
  const link = webUrl(url)
  return link === null ? [] : [{ reference: { url: link }, attachment }]
}

/** Our mails have our own id in theirs: a bounce is matched even when it arrives before our own commit. */
function toBounce(
  { message_id, status, diagnostic }: Json,
  credentials: Credentials,
  now: Date,
): InboundStatus | string {
  const provider_message_id = messageIdOf(textOf(message_id))
  if (provider_message_id === null) return 'bounce.message_id must be the Message-ID of the mail that came back'
  const message = cut(textOf(diagnostic) ?? 'The mail came back.', MAX_DIAGNOSTIC_LENGTH)
  return {
    kind: 'status',
    account: null,
    status: 'failed',
    at: now,
    provider_message_id,
    opaque: sealedIdIn(provider_message_id, credentials),
    error: { code: lineOf(status) ?? 'bounced', message },
    raw: null,
  }
}

/** Servers that add an id say so in a comment behind it. */
function withoutComment(id: string | null): string | null {
  return id?.match(/^\s*<[^\s<>]+>/)?.[0] ?? id
}

/** Words without brackets around them are prose, unless the only one, or an address. */
function firstIdOf(value: unknown): string | null {
  const text = textOf(Array.isArray(value) ? value[0] : value)
  return messageIdOf(text) ?? messageIdsIn(text ?? '')[0] ?? null
}

/** The answered mail is last in `References`. */
function lastOf(references: unknown): string | null {
  const all = Array.isArray(references) ? references : [references]
  return all.flatMap((each) => messageIdsIn(textOf(each) ?? '')).at(-1) ?? null
}

/** The ids of the thread before this mail, the first and the last ones. */
function referencesOf({ references }: Json): string[] {
  const ids = [references].flat().flatMap((each) => messageIdsIn(textOf(each) ?? ''))
  return ids.length > MAX_REFERENCES ? [ids[0]!, ...ids.slice(1 - MAX_REFERENCES)] : ids
}

/** `no` is RFC 3834's value for a mail of a person. */
function autoSubmitted(value: unknown): string | null {
  if (value === true) return 'auto-generated'
  const word = lineOf(value)?.toLowerCase() ?? null
  return /^no(?:[\s;(]|$)/.test(word ?? '') ? null : word
}

function webUrl(value: unknown): string | null {
  const url = textOf(value) ?? ''
  const protocol = url.length <= MAX_URL_LENGTH ? parseUrl(url)?.protocol : undefined
  return protocol === 'https:' || protocol === 'http:' ? url : null
}

/** The sender's clock is ignored when it is ahead of ours. */
function timeOf(date: unknown, now: Date): Date {
  const at = new Date(textOf(date) ?? Number.NaN)
  return at.getTime() > 0 && at < now ? at : now
}
