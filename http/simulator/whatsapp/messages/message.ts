import { waIdOf } from '../numbers.ts'
import {
  invalid,
  type Json,
  list,
  missing,
  number,
  object,
  oneOf,
  optionalBoolean,
  optionalObject,
  optionalText,
  text,
  webUrl,
} from '../requests/check.ts'
import { GraphError } from '../requests/errors.ts'
import { checkInteractive } from './interactive.ts'
import type { MessageContext } from './message_context.ts'

export type CheckedMessage = {
  /** Digits of the phone number, or the business-scoped user id. */
  recipient: string
  /** The recipient as the client wrote it. */
  input: string
  is_user_id: boolean
  type: string
  opaque_data: string | null
  /** A refusal that Meta would report only later. */
  late_failure?: number
}

type Checker = (node: Json, context: MessageContext) => number | undefined

const MEDIA_CAPTION = 1024

const CHECKERS: Record<string, Checker> = {
  text: (node) => {
    text(node, 'body', "text['body']", 4096)
    optionalBoolean(node, 'preview_url', "text['preview_url']")
    return undefined
  },
  image: (node, context) => media(node, 'image', context, true),
  video: (node, context) => media(node, 'video', context, true),
  audio: (node, context) => {
    optionalBoolean(node, 'voice', "audio['voice']")
    return media(node, 'audio', context, false)
  },
  document: (node, context) => {
    optionalText(node, 'filename', "document['filename']", 240)
    return media(node, 'document', context, true)
  },
  sticker: (node, context) => media(node, 'sticker', context, false),
  location: (node) => {
    number(node, 'latitude', "location['latitude']", -90, 90)
    number(node, 'longitude', "location['longitude']", -180, 180)
    optionalText(node, 'name', "location['name']", 1000)
    optionalText(node, 'address', "location['address']", 1000)
    return undefined
  },
  reaction: (node) => {
    text(node, 'message_id', "reaction['message_id']", 512)
    if (optionalText(node, 'emoji', "reaction['emoji']", 64) === undefined) throw missing("reaction['emoji']")
    return undefined
  },
  template: (node, context) => {
    context.checkTemplate(node)
    return undefined
  },
  interactive: checkInteractive,
}

const TYPES = [...Object.keys(CHECKERS), 'contacts']

/** Checks the body of POST /{phone-number-id}/messages against Meta's documented fields and limits. Throws GraphError. */
export function checkMessage(body: Json, context: MessageContext): CheckedMessage {
  const type = body.type === undefined || body.type === null ? 'text' : body.type
  if (typeof type !== 'string' || !TYPES.includes(type))
    throw new GraphError(100, {
      message: `(#100) Param type must be one of {${TYPES.map((known) => known.toUpperCase())
        .sort()
        .join(', ')}} - got "${String(type)}".`,
    })
  const addressed = checkRecipient(body)
  const late_failure = type === 'contacts' ? checkContacts(body) : CHECKERS[type]?.(node(body, type), context)
  const reply_to = optionalObject(body, 'context', 'context')
  if (reply_to) text(reply_to, 'message_id', "context['message_id']", 512)
  const opaque_data = optionalText(body, 'biz_opaque_callback_data', 'biz_opaque_callback_data', 512) ?? null
  const checked: CheckedMessage = { ...addressed, type, opaque_data }
  if (late_failure !== undefined) checked.late_failure = late_failure
  return checked
}

function node(body: Json, type: string): Json {
  if (body[type] === undefined || body[type] === null)
    throw new GraphError(100, { message: `(#100) The parameter ${type} is required.` })
  return object(body, type, type)
}

function checkRecipient(body: Json): Pick<CheckedMessage, 'recipient' | 'input' | 'is_user_id'> {
  const kind = body.recipient_type
  if (kind !== undefined && kind !== null && kind !== 'individual' && kind !== 'group')
    throw invalid('recipient_type must be one of {individual, group}.')
  if (typeof body.to === 'string' || typeof body.to === 'number') {
    const input = String(body.to)
    if (kind === 'group') return { recipient: input, input, is_user_id: false }
    const recipient = input.replace(/[\s()+\-.]/g, '')
    if (!/^\d{5,20}$/.test(recipient)) throw new GraphError(131009, { details: `to "${input}" is not a phone number.` })
    return { recipient: waIdOf(recipient), input, is_user_id: false }
  }
  if (typeof body.recipient === 'string') {
    if (!/^[A-Z]{2}\..+$/.test(body.recipient))
      throw invalid('recipient must be a business-scoped user id such as US.13491208655302741918.')
    return { recipient: body.recipient, input: body.recipient, is_user_id: true }
  }
  throw new GraphError(100, { message: '(#100) The parameter to is required.' })
}

function media(value: Json, type: string, context: MessageContext, captioned: boolean): number | undefined {
  if (captioned) optionalText(value, 'caption', `${type}['caption']`, MEDIA_CAPTION)
  if (value.id !== undefined && value.id !== null) {
    if (!context.hasMedia(String(value.id)))
      throw new GraphError(100, { details: `${type}['id'] ${String(value.id)} is not a media id of this account.` })
    return undefined
  }
  if (value.link === undefined || value.link === null)
    throw new GraphError(100, { details: `${type} needs either 'id' or 'link'.` })
  const link = webUrl(value, 'link', `${type}['link']`)
  // Images must be JPEG or PNG; Meta fetches the link after its 200 and reports the result.
  return type === 'image' && /\.webp($|[?#])/i.test(link) ? 131053 : undefined
}

function checkContacts(body: Json): undefined {
  if (body.contacts === undefined || body.contacts === null)
    throw new GraphError(100, { message: '(#100) The parameter contacts is required.' })
  list(body, 'contacts', 'contacts', 1, 257).forEach((contact, index) => {
    const path = `contacts[${index}]`
    const name = object(contact, 'name', `${path}['name']`)
    text(name, 'formatted_name', `${path}['name']['formatted_name']`, 1024)
    const parts = ['first_name', 'last_name', 'middle_name', 'suffix', 'prefix']
    if (!parts.some((part) => optionalText(name, part, `${path}['name']['${part}']`, 1024)))
      throw invalid(`${path}['name'] needs at least one of ${parts.join(', ')} beside formatted_name.`)
    list(contact, 'phones', `${path}['phones']`, 0, 100)
    list(contact, 'emails', `${path}['emails']`, 0, 100)
    optionalObject(contact, 'org', `${path}['org']`)
  })
}

/** Checks `{ status: "read" }` with its optional typing indicator; throws GraphError. */
export function checkRead(body: Json): string {
  oneOf(body, 'status', 'status', ['read'])
  const message_id = body.message_id
  if (typeof message_id !== 'string' || message_id === '')
    throw new GraphError(100, { message: '(#100) The parameter message_id is required.' })
  const typing = optionalObject(body, 'typing_indicator', 'typing_indicator')
  if (typing) oneOf(typing, 'type', "typing_indicator['type']", ['text'])
  return message_id
}
