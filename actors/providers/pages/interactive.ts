import type { Carrier } from '../capabilities.ts'
import type { Json } from '../json.ts'
import type { InteractivePayload } from '../payload.ts'
import type { BuildOptions } from '../provider.ts'
import { notAccepted } from '../unsupported_message.ts'
import { payloadOf } from './reply_id.ts'

/** Meta's limits for quick replies and for the button and generic templates. Longer titles would be cut off. */
const MAX_QUICK_REPLIES = 13
const MAX_TITLE_LENGTH = 20
const MAX_BUTTON_TEXT_LENGTH = 640
const MAX_ELEMENTS = 10
const MAX_ELEMENT_TEXT_LENGTH = 80

type Part<Type> = Extract<InteractivePayload, { type: Type }>
type LinkOf = (part: { link?: string; media_id?: string }, fileOf: BuildOptions['fileOf']) => string

/** A text with quick replies. The length of `text` is not checked here: its limit is the platform's. */
export function quickReplies(message: Part<'buttons'> | Part<'list'>, channel: Carrier): { text: string } & Json {
  if (message.type === 'buttons') {
    const { header, body_text, footer_text, buttons } = message
    if (header && header.type !== 'text') {
      throw notAccepted(channel, 'message.header', 'Buttons have no picture on this channel; send it before them.')
    }
    const text = paragraphs(header?.text, body_text, footer_text)
    return { text, quick_replies: buttons.map((one, at) => quickReply('button_reply', one, channel, `buttons.${at}`)) }
  }
  const { sections, body_text, footer_text } = message
  const count = sections.reduce((sum, { rows }) => sum + rows.length, 0)
  if (count > MAX_QUICK_REPLIES) {
    const sentence = `A list has at most ${MAX_QUICK_REPLIES} rows in all on this channel, not ${count}.`
    throw notAccepted(channel, 'message.sections', sentence)
  }
  const quick_replies = sections.flatMap(({ rows }, section) =>
    rows.map((row, at) => quickReply('list_reply', row, channel, `sections.${section}.rows.${at}`)),
  )
  return { text: paragraphs(body_text, footer_text), quick_replies }
}

function quickReply(
  kind: 'button_reply' | 'list_reply',
  { id, title }: { id: string; title: string },
  channel: Carrier,
  path: string,
): Json {
  const fitting = within(title, MAX_TITLE_LENGTH, channel, `message.${path}.title`)
  return { content_type: 'text', title: fitting, payload: payloadOf(kind, id) }
}

/** A text with a button that opens a page. */
export function buttonTemplate({ body_text, footer_text, display_text, url }: Part<'cta_url'>, channel: Carrier): Json {
  const text = within(paragraphs(body_text, footer_text), MAX_BUTTON_TEXT_LENGTH, channel, 'message.body_text')
  const title = within(display_text, MAX_TITLE_LENGTH, channel, 'message.display_text')
  return template({ template_type: 'button', text, buttons: [{ type: 'web_url', url, title }] })
}

/** Cards side by side. The text above the cards on WhatsApp goes below the title of the first one here. */
export function genericTemplate(
  { body_text, cards }: Part<'carousel'>,
  channel: Carrier,
  linkOf: LinkOf,
  fileOf: BuildOptions['fileOf'],
): Json {
  if (cards.length > MAX_ELEMENTS) {
    throw notAccepted(channel, 'message.cards', `There are at most ${MAX_ELEMENTS} cards on this channel.`)
  }
  const short = (text: string, path: string) => within(text, MAX_ELEMENT_TEXT_LENGTH, channel, `message.${path}`)
  const elements = cards.map(({ header, body_text: own, action }, index) => {
    const path = `cards.${index}`
    if (header.type !== 'image') {
      throw notAccepted(channel, `message.${path}.header`, 'A card has a picture on this channel, and no video.')
    }
    const title = within(action.display_text, MAX_TITLE_LENGTH, channel, `message.${path}.action.display_text`)
    return {
      title: own ? short(own, `${path}.body_text`) : short(body_text, 'body_text'),
      ...(own && index === 0 && { subtitle: short(body_text, 'body_text') }),
      image_url: linkOf(header, fileOf),
      default_action: { type: 'web_url', url: action.url },
      buttons: [{ type: 'web_url', url: action.url, title }],
    }
  })
  return template({ template_type: 'generic', elements })
}

function template(payload: Json): Json {
  return { attachment: { type: 'template', payload } }
}

function paragraphs(...parts: (string | undefined)[]): string {
  return parts.filter(Boolean).join('\n\n')
}

function within(text: string, most: number, channel: Carrier, path: string): string {
  const length = [...text].length
  if (length <= most) return text
  throw notAccepted(channel, path, `${path} has ${length} characters; this channel takes ${most} there.`)
}
