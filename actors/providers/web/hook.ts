/**
 * Messages and receipts of visitors. The node that holds the visitor's socket writes the call and signs it with the
 * channel's `visitor_secret`, so that all channels share one way in; no public address takes such a call.
 */
import type { VisitorBrowser } from '../../../storage/mod.ts'
import { isObject, type Json, parseCall, textOf } from '../json.ts'
import type { Account, HookCall, HookResult, Inbound, InboundMessage } from '../provider.ts'
import { verifyCall } from '../signed_call.ts'
import type { IdentityClaims } from './identity.ts'
import { readVisitorInput, type VisitorInput } from './visitor_input.ts'
import { refOf } from './visitor_message.ts'

/** One visitor's message, or receipts: `seen` are ids of messages (`msg_…`) that the page got. */
export type VisitorCall = {
  user_id: string
  /** ISO 8601. */
  at: string
  said?: VisitorInput
  /** The file of `said`. */
  file?: VisitorFile
  /** Facts about the person, signed by the site. */
  person?: IdentityClaims
  browser?: VisitorBrowser
  seen?: { status: 'delivered' | 'read'; ids: string[] }
  /** An address that the visitor left. */
  email?: string
}

/** A file that a visitor has uploaded, and the type of message that it is. */
export type VisitorFile = {
  media_id: string
  type: 'image' | 'video' | 'audio' | 'document'
  mime_type: string
  filename: string | null
  /** Bytes. */
  file_size: number
  /** Hex. */
  sha256: string
}

const refused = (status: number, body: string): HookResult => ({ status, body, items: [] })

export function readCall({ raw, signature }: HookCall, { credentials }: Account, now: Date): HookResult {
  if (!verifyCall(credentials.visitor_secret ?? '', raw, signature, now)) {
    return refused(401, 'the signature does not match')
  }
  const call = parseCall(raw)
  const user_id = isObject(call) ? textOf(call.user_id) : null
  if (!isObject(call) || user_id === null) return refused(400, 'not a call about a visitor')
  const said = call.said === undefined ? undefined : readVisitorInput(call.said)
  if (said && 'error' in said) return refused(400, said.error.message)
  const at = timeOf(call.at, now)
  // Node to node: what is signed was checked before.
  const { file, person, browser } = call as Partial<VisitorCall>
  if (said?.type === 'file' && !isObject(file)) return refused(400, 'the file is missing')
  const items = [
    ...(said ? [toMessage({ said, file, person, browser }, user_id, at)] : []),
    ...toStatuses(call.seen, at),
    ...toProfile(call.email, user_id, at),
  ]
  return { status: 200, body: 'ok', items }
}

/** The provider's id of a visitor's message: a repeat by the page is the same message. */
export function visitorRef(user_id: string, id: string): string {
  return `web-${user_id.replace('visitor-', '')}-${id}`
}

/** `{ type, … }` as it is stored. */
export function contentOf(said: VisitorInput, file?: VisitorFile): Json {
  switch (said.type) {
    case 'file':
      return { ...fileOf(file!), ...(said.caption !== undefined && { caption: said.caption }) }
    case 'text':
      return { type: 'text', body: said.body }
    case 'reaction':
      return { type: 'reaction', message_id: said.about, emoji: said.emoji }
    default:
      return { type: 'interactive', interactive_type: said.type, [said.type]: said.reply }
  }
}

export function contextOf(said: VisitorInput): string | null {
  return said.type === 'button_reply' || said.type === 'list_reply' ? said.about : null
}

function fileOf({ type, media_id, mime_type, filename, file_size, sha256 }: VisitorFile): Json {
  return { type, media_id, mime_type, ...(filename !== null && { filename }), file_size, sha256 }
}

type Said = {
  said: VisitorInput
  file: VisitorFile | undefined
  person: IdentityClaims | undefined
  browser: VisitorBrowser | undefined
}

function toMessage({ said, file, person, browser }: Said, user_id: string, at: Date): InboundMessage {
  const provider_message_id = visitorRef(user_id, said.id)
  const message = contentOf(said, file)
  const about = contextOf(said)
  return {
    kind: 'message',
    account: null,
    provider_message_id,
    user_id,
    name: person?.name ?? null,
    phone: person?.phone ?? null,
    ...(browser && { browser }),
    at,
    type: message.type as string,
    message,
    context: about === null ? null : { message_id: about },
    value: {
      messaging_product: 'web',
      metadata: {},
      contacts: [{ user_id, ...(person && profileOf(person)) }],
      messages: [
        {
          from: user_id,
          id: provider_message_id,
          timestamp: String(Math.floor(at.getTime() / 1000)),
          ...cloudContent(said, file),
          ...(about !== null && { context: { id: about } }),
        },
      ],
    },
  }
}

/** Facts that the site has signed: programs may believe them. */
function profileOf({ external_id, name, email, phone }: IdentityClaims): Json {
  const known = Object.entries({ name, email, phone }).filter(([, value]) => value !== null)
  return { external_id, ...(known.length > 0 && { profile: Object.fromEntries(known) }) }
}

/** In the format of WhatsApp's cloud webhooks. */
function cloudContent(said: VisitorInput, file?: VisitorFile): Json {
  switch (said.type) {
    case 'file': {
      const { type, ...node } = contentOf(said, file) as { type: string }
      return { type, [type]: node }
    }
    case 'text':
      return { type: 'text', text: { body: said.body } }
    case 'reaction':
      return { type: 'reaction', reaction: { message_id: said.about, emoji: said.emoji } }
    default:
      return { type: 'interactive', interactive: { type: said.type, [said.type]: said.reply } }
  }
}

function toStatuses(seen: unknown, at: Date): Inbound[] {
  if (!isObject(seen) || (seen.status !== 'delivered' && seen.status !== 'read')) return []
  const { status, ids } = seen
  return textsIn(ids).map((id) => ({
    kind: 'status',
    account: null,
    status,
    at,
    provider_message_id: refOf(id),
    opaque: id,
    error: null,
    raw: null,
  }))
}

function toProfile(email: unknown, user_id: string, at: Date): Inbound[] {
  return typeof email === 'string' ? [{ kind: 'profile', account: null, user_id, email, at }] : []
}

function textsIn(ids: unknown): string[] {
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []
}

function timeOf(at: unknown, now: Date): Date {
  const time = new Date(textOf(at) ?? Number.NaN)
  return time <= now ? time : now
}
