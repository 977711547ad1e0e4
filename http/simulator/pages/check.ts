import { isObject } from '../is_object.ts'
import type { AccountChannel } from '../options.ts'
import { PageError } from './errors.ts'

type Json = Record<string, unknown>

export type CheckedMessage = {
  recipient: string
  type: string
  /** Returned in echoes; only on Messenger. */
  opaque_data: string | null
  /** False for a sender action such as a reaction, which has no statuses. */
  is_message: boolean
}

const MAX_QUICK_REPLIES = 13
const MAX_PAYLOAD_LENGTH = 1_000
const MAX_BUTTON_TEXT_LENGTH = 640
const MAX_BUTTONS = 3
const MAX_ELEMENTS = 10
const MAX_ELEMENT_TEXT_LENGTH = 80
const MAX_METADATA_LENGTH = 1_000
const FILES: Record<string, string[]> = {
  instagram: ['image', 'video', 'audio'],
  messenger: ['image', 'video', 'audio', 'file'],
}
const ACTIONS = ['typing_on', 'typing_off', 'mark_seen', 'react', 'unreact']

/** Checks the body of POST /{account}/messages against Meta's documented fields and limits. Throws PageError. */
export function checkMessage(body: Json, channel: AccountChannel): CheckedMessage {
  const recipient = isObject(body.recipient) ? body.recipient.id : undefined
  if (typeof recipient !== 'string' || recipient === '') throw invalid('The parameter recipient is required')
  if (isObject(body.reply_to) && typeof body.reply_to.mid !== 'string') throw invalid('reply_to needs mid')
  if (body.sender_action !== undefined) {
    if (body.message !== undefined) throw invalid('message cannot be sent together with sender_action')
    return { recipient, type: checkAction(body), opaque_data: null, is_message: false }
  }
  if (!isObject(body.message)) throw invalid('The parameter message is required')
  if (body.messaging_type !== undefined && !['RESPONSE', 'UPDATE', 'MESSAGE_TAG'].includes(String(body.messaging_type)))
    throw invalid('Param messaging_type must be one of {RESPONSE, UPDATE, MESSAGE_TAG}')
  const { metadata } = body.message
  if (metadata !== undefined && !(typeof metadata === 'string' && metadata.length <= MAX_METADATA_LENGTH))
    throw invalid('metadata must be a string of at most 1000 characters')
  const type = checkContent(body.message, channel === 'instagram' ? 'instagram' : 'messenger')
  return { recipient, type, opaque_data: metadata ?? null, is_message: true }
}

function checkAction(body: Json): string {
  const action = String(body.sender_action).toLowerCase()
  if (!ACTIONS.includes(action)) throw invalid(`Param sender_action must be one of {${ACTIONS.join(', ')}}`)
  if (!action.endsWith('react')) return action
  if (!isObject(body.payload) || typeof body.payload.message_id !== 'string') throw invalid('payload needs message_id')
  if (action === 'react' && !(typeof body.payload.reaction === 'string' && body.payload.reaction !== ''))
    throw invalid('payload needs reaction')
  return 'reaction'
}

function checkContent(message: Json, product: 'instagram' | 'messenger'): string {
  const { text, attachment, quick_replies } = message
  if ((text === undefined) === (attachment === undefined)) throw invalid('Must set either text or attachment')
  if (text !== undefined) {
    if (typeof text !== 'string' || text === '') throw invalid('text must be a string that is not empty')
    const too_long = product === 'instagram' ? Buffer.byteLength(text) > 1_000 : [...text].length > 2_000
    if (too_long) throw invalid(`Length of param message[text] must be less than or equal to ${limitOf(product)}`)
  }
  const type = isObject(attachment) ? checkAttachment(attachment, product) : 'text'
  if (quick_replies === undefined) return type
  const replies = listOf(quick_replies, 'quick_replies', MAX_QUICK_REPLIES)
  for (const reply of replies) {
    if (!['text', 'user_phone_number', 'user_email'].includes(String(reply.content_type)))
      throw invalid('quick_replies need content_type')
    if (reply.content_type !== 'text') continue
    textOf(reply.title, 'title of a quick reply', Number.POSITIVE_INFINITY)
    textOf(reply.payload, 'payload of a quick reply', MAX_PAYLOAD_LENGTH)
  }
  return 'quick_replies'
}

function limitOf(product: 'instagram' | 'messenger'): number {
  return product === 'instagram' ? 1_000 : 2_000
}

function checkAttachment({ type, payload }: Json, product: 'instagram' | 'messenger'): string {
  if (!isObject(payload)) throw invalid('attachment needs payload')
  if (type === 'template') return checkTemplate(payload)
  if (typeof type !== 'string' || !FILES[product]?.includes(type))
    throw invalid(`Param attachment[type] must be one of {${FILES[product]?.join(', ')}, template}`)
  if (payload.attachment_id === undefined) checkUrl(payload.url)
  return type
}

function checkTemplate(payload: Json): string {
  if (payload.template_type === 'button') {
    textOf(payload.text, 'text of a button template', MAX_BUTTON_TEXT_LENGTH)
    checkButtons(payload.buttons)
    return 'button_template'
  }
  if (payload.template_type !== 'generic') throw invalid('template_type must be one of {button, generic}')
  for (const element of listOf(payload.elements, 'elements', MAX_ELEMENTS)) {
    textOf(element.title, 'title of an element', MAX_ELEMENT_TEXT_LENGTH)
    if (element.subtitle !== undefined) textOf(element.subtitle, 'subtitle of an element', MAX_ELEMENT_TEXT_LENGTH)
    if (element.image_url !== undefined) checkUrl(element.image_url)
    if (element.buttons !== undefined) checkButtons(element.buttons)
  }
  return 'generic_template'
}

function checkButtons(value: unknown): void {
  for (const button of listOf(value, 'buttons', MAX_BUTTONS)) {
    textOf(button.title, 'title of a button', Number.POSITIVE_INFINITY)
    if (button.type === 'web_url') checkUrl(button.url)
    else if (button.type === 'postback') textOf(button.payload, 'payload of a button', MAX_PAYLOAD_LENGTH)
    else throw invalid('type of a button must be one of {web_url, postback}')
  }
}

function listOf(value: unknown, name: string, most: number): Json[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > most || !value.every(isObject))
    throw invalid(`${name} must be a list of 1 to ${most} objects`)
  return value
}

function textOf(value: unknown, name: string, most: number): void {
  if (typeof value !== 'string' || value === '' || [...value].length > most)
    throw invalid(`${name} must have 1 to ${most} characters`)
}

function checkUrl(value: unknown): void {
  if (typeof value !== 'string' || !/^https?:\/\/[^\s/]+/i.test(value))
    throw invalid('url must be an http or https URL')
}

function invalid(sentence: string): PageError {
  return new PageError(100, { message: `(#100) ${sentence}` })
}
