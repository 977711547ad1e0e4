/** A message in words for a model. What a person sent is told as it is; other contents are described in brackets. */
import type { SaidMessage } from '../../../storage/mod.ts'
import { isObject } from '../../values/is_object.ts'

type Json = Record<string, unknown>

/** Characters of one message that a model sees. */
const MAX_TEXT = 8_000
/** The same of names and titles. */
const MAX_NAME = 200
const MAX_ITEMS = 50
const FILES = new Set(['image', 'video', 'audio', 'document', 'sticker'])

export type DescribedFile = {
  media_id: string | null
  name: string | null
  media_type: string | null
  bytes: number | null
}

export type Described = { text: string; files: DescribedFile[] }

/** Texts of templates, by `templateKey`. */
export type Templates = ReadonlyMap<string, readonly Json[]>

export function templateKey({
  channel_id,
  name,
  language,
}: {
  channel_id: string
  name: string
  language: string
}): string {
  return JSON.stringify([channel_id, name, language])
}

export function describeMessage(
  { type, message, deleted_at, channel_id }: SaidMessage,
  templates: Templates,
): Described {
  if (deleted_at !== null) return { text: '[withdrawn by its author]', files: [] }
  const parts: string[] = []
  const subject = textOf(message.subject)
  if (subject) parts.push(`Subject: ${clip(subject, MAX_NAME)}`)
  const kind = Object.hasOwn(KINDS, type) ? KINDS[type]! : undefined
  const said = kind
    ? kind(message)
    : type === 'template'
      ? templateText(message, channel_id, templates)
      : plainText(message)
  if (said) parts.push(clip(said, MAX_TEXT))
  const files = filesOf(type, message)
  if (parts.length === 0 && files.length === 0) parts.push(`[${label(textOf(message.kind) ?? type)}]`)
  return { text: parts.join('\n'), files }
}

/** Words in any field that chats use for them. */
function plainText(message: Json): string | undefined {
  const body = textOf(message.body) ?? textOf(message.caption) ?? textOf(message.body_text) ?? textOf(message.text)
  return body?.trim() ? body : undefined
}

const KINDS: Record<string, (message: Json) => string | undefined> = {
  location({ name, address, latitude, longitude }) {
    const place = [name, address].flatMap((part) => textOf(part) ?? []).join(', ')
    return `[location: ${clip(place || `${Number(latitude)}, ${Number(longitude)}`, MAX_NAME)}]`
  },
  contacts({ contacts }) {
    const cards = list(contacts).map((card) => {
      const name = textOf(object(card.name).formatted_name) ?? ''
      const phones = list(card.phones).flatMap(({ phone }) => textOf(phone) ?? [])
      return clip([name, ...phones].filter(Boolean).join(' '), MAX_NAME)
    })
    return `[contacts: ${cards.join('; ')}]`
  },
  reaction: ({ emoji }) => (textOf(emoji) ? `[reacted with ${clip(String(emoji), 20)}]` : undefined),
  buttons: (message) => choices(message, list(message.buttons)),
  list: (message) =>
    choices(
      message,
      list(message.sections).flatMap(({ rows }) => list(rows)),
    ),
  cta_url: (message) =>
    `${plainText(message) ?? ''}\n[button: ${label(message.display_text)} ${clip(textOf(message.url) ?? '', 500)}]`,
  carousel(message) {
    const cards = list(message.cards).map((card) => textOf(card.body_text) ?? '')
    return [plainText(message), ...cards.map((card) => `[card: ${clip(card, MAX_NAME)}]`)].filter(Boolean).join('\n')
  },
  flow: (message) => `${plainText(message) ?? ''}\n[form: ${label(message.flow_cta)}]`,
  catalog: (message) => `${plainText(message) ?? ''}\n[catalogue]`,
  interactive({ button_reply, list_reply, nfm_reply, ...message }) {
    const reply = object(button_reply ?? list_reply)
    const title = textOf(reply.title)
    if (title) return [title, textOf(reply.description)].filter(Boolean).join(': ')
    if (nfm_reply !== undefined) return `[filled a form in: ${clip(formOf(nfm_reply), 2_000)}]`
    return plainText(message)
  },
  button: ({ text, payload }) => textOf(text) ?? textOf(payload),
  order({ product_items, item_count, text }) {
    const items = list(product_items).map(
      ({ product_retailer_id, quantity, item_price, currency }) =>
        `${label(product_retailer_id)} × ${label(quantity)}${item_price === undefined ? '' : ` at ${label(item_price)} ${label(currency)}`}`,
    )
    const count = items.length > 0 ? items.join('; ') : `${label(item_count ?? 0)} products`
    return [`[order: ${count}]`, textOf(text)].filter(Boolean).join('\n')
  },
  poll: ({ name, question }) => `[poll: ${label(name ?? question)}]`,
}

function choices(message: Json, rows: Json[]): string {
  const titles = rows.map(({ title }) => label(title))
  return `${plainText(message) ?? ''}\n[choices: ${titles.join(' | ')}]`
}

/** WhatsApp sends the answers of a form as JSON in a text. */
function formOf(reply: unknown): string {
  const { response_json, response } = object(reply)
  return textOf(response_json) ?? JSON.stringify(response ?? response_json ?? {})
}

/** The text of a template with its values; its name where the text is not known. */
function templateText(message: Json, channel_id: string, templates: Templates): string {
  const name = textOf(message.name) ?? ''
  const language = textOf(message.language) ?? ''
  const values = object(message.variables)
  const components = templates.get(templateKey({ channel_id, name, language }))
  const body = components?.find((one) => String(one.type).toUpperCase() === 'BODY')
  const text = body && textOf(body.text)
  if (!text) return `[template ${clip(name, MAX_NAME)}: ${clip(JSON.stringify(values), 1_000)}]`
  return text.replace(/\{\{([^{}]{1,100})\}\}/g, (place, key: string) => textOf(values[key.trim()]) ?? place)
}

function filesOf(type: string, message: Json): DescribedFile[] {
  const of_mail = list(message.attachments).filter(
    ({ media_id, filename }) => media_id !== undefined || filename !== undefined,
  )
  return [...(FILES.has(type) ? [message] : []), ...of_mail].map((file) => ({
    media_id: textOf(file.media_id) ?? null,
    name: textOf(file.filename) ? clip(String(file.filename), MAX_NAME) : null,
    media_type: textOf(file.mime_type)?.split(';', 1).join().trim().toLowerCase() ?? typeOf(type),
    bytes: typeof file.file_size === 'number' ? file.file_size : typeof file.size === 'number' ? file.size : null,
  }))
}

function typeOf(type: string): string | null {
  return FILES.has(type) && type !== 'document' ? `${type === 'sticker' ? 'image' : type}/*` : null
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function label(value: unknown): string {
  return clip(typeof value === 'string' || typeof value === 'number' ? String(value) : '', MAX_NAME)
}

function clip(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)} …`
}

function object(value: unknown): Json {
  return isObject(value) ? value : {}
}

function list(value: unknown): Json[] {
  return Array.isArray(value) ? value.slice(0, MAX_ITEMS).map(object) : []
}
