/** Buttons, lists, links and carousels as messages with an inline keyboard. */
import type { Json } from '../json.ts'
import type { InteractivePayload } from '../payload.ts'
import type { BuildOptions } from '../provider.ts'
import { notAccepted } from '../unsupported_message.ts'
import { callbackData } from './callback_data.ts'
import { fileOf } from './file.ts'

type Interactive<T> = Extract<InteractivePayload, { type: T }>

/** One button to a row, because titles are as wide as a phone. */
type Keyboard = Json[][]

const MAX_CAPTION = 1024
const NO_PREVIEW = { is_disabled: true }

export function interactive(
  message: Interactive<'buttons' | 'list' | 'cta_url' | 'carousel'>,
  options: BuildOptions,
): Json {
  switch (message.type) {
    case 'buttons':
      return buttons(message, options)
    case 'list':
      return written(
        [message.body_text, ...sections(message), message.footer_text],
        keysOf('list_reply', rowsOf(message)),
      )
    case 'cta_url': {
      const { body_text, footer_text, display_text, url } = message
      return written([body_text, footer_text], [[{ text: display_text, url }]])
    }
    case 'carousel':
      return carousel(message, options)
  }
}

function buttons(message: Interactive<'buttons'>, options: BuildOptions): Json {
  const { header, body_text, footer_text } = message
  const keyboard = keysOf('button_reply', message.buttons)
  if (!header || header.type === 'text') return written([header?.text, body_text, footer_text], keyboard)
  const caption = paragraphs([body_text, footer_text])
  if ([...caption].length > MAX_CAPTION) {
    const together = 'together with footer_text, when the header is a file'
    throw notAccepted('telegram', 'message.body_text', `must have at most ${MAX_CAPTION} characters ${together}`)
  }
  const file = fileOf(header, options)
  const reply_markup = { inline_keyboard: keyboard }
  if (header.type === 'image') return { method: 'sendPhoto', photo: file, caption, reply_markup }
  if (header.type === 'video') return { method: 'sendVideo', video: file, caption, reply_markup }
  return { method: 'sendDocument', document: file, caption, reply_markup }
}

/**
 * The pictures as one album, which cannot have a keyboard, and as `next` the text with a link for each card. Two calls:
 * `client.ts` handles a failure of the second.
 */
function carousel({ body_text, cards }: Interactive<'carousel'>, options: BuildOptions): Json {
  const media = cards.map(({ header, body_text: caption }) => ({
    type: header.type === 'video' ? 'video' : 'photo',
    media: fileOf(header, options),
    caption,
  }))
  const titles = cards.map(({ action }) => action.display_text)
  // Links with the same title are numbered by their card.
  const is_distinct = new Set(titles).size === titles.length
  const keyboard = cards.map(({ action: { display_text, url } }, index) => [
    { text: is_distinct ? display_text : `${index + 1}. ${display_text}`, url },
  ])
  return {
    method: 'sendMediaGroup',
    media,
    next: { chat_id: options.to, ...written([body_text], keyboard) },
  }
}

function written(parts: (string | undefined)[], inline_keyboard: Keyboard): Json {
  return {
    method: 'sendMessage',
    text: paragraphs(parts),
    link_preview_options: NO_PREVIEW,
    reply_markup: { inline_keyboard },
  }
}

/** The parts that do not fit on a keyboard: titles of sections, and descriptions of rows. */
function sections({ sections }: Interactive<'list'>): string[] {
  return sections.flatMap(({ title, rows }) => {
    const lines = rows.flatMap(({ title, description }) => (description ? [`• ${title}: ${description}`] : []))
    if (title) return [[title, ...(lines.length > 0 ? lines : rows.map((row) => `• ${row.title}`))].join('\n')]
    return lines.length > 0 ? [lines.join('\n')] : []
  })
}

function rowsOf({ sections }: Interactive<'list'>): { id: string; title: string }[] {
  return sections.flatMap(({ rows }) => rows)
}

function keysOf(kind: 'button_reply' | 'list_reply', choices: { id: string; title: string }[]): Keyboard {
  return choices.map(({ id, title }) => [{ text: title, callback_data: callbackData(kind, id) }])
}

function paragraphs(parts: (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join('\n\n')
}
