/** Displays one message. */

import type { Conversation } from '../conversation/conversation.ts'
import type { Carousel, Choice, Content, File, Header, List, Quotable, ReplyKind } from '../messages/content.ts'
import type { ShownMessage, VisitorInput } from '../messages/message.ts'
import type { Words } from '../words.ts'
import { h, link, safeUrl, withLinks } from './dom.ts'
import { icon } from './icons.ts'

/** The conversation, its texts and its title. `content` is how the page shows what is said. */
export type Chat = {
  conversation: Conversation
  words: Words
  name(): string
  say(said: VisitorInput, content: Content): void
}

const EMOJI = ['👍', '❤️', '😂', '😮', '🙏']

export function bubble(one: ShownMessage, chat: Chat) {
  const { words } = chat
  const is_own = one.direction === 'inbound'
  const quoted = one.context && chat.conversation.find(one.context)
  return h(
    'li',
    { class: is_own ? 'own' : 'theirs', 'data-ref': one.ref },
    h('span', { class: 'hidden' }, is_own ? words.you : chat.name()),
    quoted && h('blockquote', { dir: 'auto' }, summary(quoted.message, words)),
    h('div', { class: 'bubble', dir: 'auto' }, ...content(one, chat), sources(one, words)),
    h('div', { class: 'below' }, reactions(one, chat)),
  )
}

/** Pages from which an answer comes. */
function sources({ sources = [] }: ShownMessage, words: Words) {
  if (sources.length === 0) return undefined
  const items = sources.map(({ title, url }) => h('li', { dir: 'auto' }, link(url, {}, title)))
  return h('ul', { class: 'sources', 'aria-label': words.sources }, ...items)
}

/** The line below a message: its time, and how far a message of the visitor has come. Its changes are not read out. */
export function meta(one: ShownMessage, chat: Chat) {
  const { words, conversation } = chat
  const time = new Date(one.at).toLocaleTimeString(words.language, { hour: '2-digit', minute: '2-digit' })
  const parts = [h('time', { datetime: one.at }, time)]
  if (one.failed) {
    const reason = words.failures[one.code ?? ''] ?? one.failed
    const { id } = one
    const again = () => id !== undefined && conversation.retry(id)
    return h(
      'span',
      { class: 'meta failed' },
      ...parts,
      icon('failed'),
      `${words.not_sent}: ${reason}`,
      conversation.canWrite && h('button', { type: 'button', class: 'again', onclick: again }, words.again),
      one.upload && cancelButton(one, chat),
    )
  }
  if (one.direction === 'outbound') return h('span', { class: 'meta' }, ...parts)
  if (one.pending && one.upload && one.upload.progress < 1) {
    const { progress } = one.upload
    return h(
      'span',
      { class: 'meta', 'aria-live': 'off' },
      h('progress', { value: progress, max: 1, 'aria-label': words.sending }),
      `${Math.round(progress * 100)} %`,
      cancelButton(one, chat),
    )
  }
  const [name, text] = one.pending
    ? (['waiting', conversation.canWrite ? words.sending : words.not_sent_yet] as const)
    : one.status === 'read'
      ? (['read', words.read] as const)
      : (['sent', words.sent] as const)
  return h(
    'span',
    { class: `meta ${name}`, 'aria-live': 'off' },
    ...parts,
    icon(name),
    h('span', { class: one.pending ? '' : 'hidden' }, text),
  )
}

function cancelButton({ id }: ShownMessage, { words, conversation }: Chat) {
  const cancel = () => id !== undefined && conversation.cancel(id)
  return h('button', { type: 'button', class: 'again', onclick: cancel }, words.cancel)
}

function content(one: ShownMessage, chat: Chat) {
  const { message } = one
  switch (message.type) {
    case 'text':
      return [paragraph(message.body)]
    case 'image':
    case 'sticker':
    case 'video':
    case 'audio':
    case 'document':
      // The link comes with the answer of the server.
      if (one.upload)
        return [h('p', { class: 'document' }, icon('document'), message.filename ?? chat.words.files[message.type])]
      return [file(message, chat.words), paragraph(message.caption)]
    case 'buttons':
      return [
        header(message.header, chat.words),
        paragraph(message.body_text),
        footer(message),
        h(
          'div',
          { class: 'choices', role: 'group' },
          ...message.buttons.map((button) => choice(one.ref, 'button_reply', button, chat)),
        ),
      ]
    case 'list':
      return [paragraph(message.body_text), footer(message), list(one.ref, message, chat)]
    case 'cta_url':
      return [
        paragraph(message.body_text),
        footer(message),
        link(message.url, { class: 'choice' }, message.display_text),
      ]
    case 'carousel':
      return [paragraph(message.body_text), carousel(message, chat.words)]
    case 'interactive':
      return [paragraph((message.button_reply ?? message.list_reply)?.title)]
    default:
      return [h('p', {}, h('em', {}, chat.words.other))]
  }
}

function paragraph(text: string | undefined) {
  return text ? h('p', {}, ...withLinks(text)) : undefined
}

function footer({ footer_text }: { footer_text?: string }) {
  return footer_text ? h('p', { class: 'footer' }, footer_text) : undefined
}

function header(header: Header | undefined, words: Words) {
  if (!header) return undefined
  return header.type === 'text' ? h('p', { class: 'header' }, header.text) : file(header, words)
}

function file({ type, link: address, filename, caption }: File, words: Words) {
  const src = safeUrl(address)
  if (!src) return h('p', {}, h('em', {}, words.gone))
  const label = caption || filename || words.files[type]
  switch (type) {
    case 'image':
    case 'sticker':
      return link(src, { class: type }, h('img', { src, alt: label, loading: 'lazy' }))
    case 'video':
      return h('video', { src, controls: true, preload: 'metadata', 'aria-label': label })
    case 'audio':
      return h('audio', { src, controls: true, preload: 'metadata', 'aria-label': label })
    default:
      return link(
        src,
        { class: 'document', download: filename ?? '' },
        icon('document'),
        filename ?? words.files.document,
      )
  }
}

/** A choice can be made only once: it then appears below as a message of its own. */
function choice(ref: string, type: ReplyKind, { id, title, description }: Choice, { conversation, say }: Chat) {
  const choose = () =>
    say(
      { type, about: ref, reply: { id, title } },
      { type: 'interactive', interactive_type: type, [type]: { id, title } },
    )
  return h(
    'button',
    {
      type: 'button',
      class: 'choice',
      disabled: !conversation.canWrite || conversation.isAnswered(ref),
      onclick: choose,
    },
    title,
    description && h('small', {}, description),
  )
}

function list(ref: string, { button_text, sections }: List, chat: Chat) {
  const rows = sections.map(({ title, rows }) =>
    h(
      'div',
      { class: 'choices', role: 'group', 'aria-label': title },
      title && h('p', { class: 'header' }, title),
      ...rows.map((row) => choice(ref, 'list_reply', row, chat)),
    ),
  )
  return h('details', {}, h('summary', { class: 'choice' }, button_text), ...rows)
}

function carousel({ cards }: Carousel, words: Words) {
  const items = cards.map((card) =>
    h(
      'li',
      {},
      header(card.header, words),
      paragraph(card.body_text),
      link(card.action.url, { class: 'choice' }, card.action.display_text),
    ),
  )
  return h('ul', { class: 'carousel', tabindex: '0', 'aria-label': words.offers }, ...items)
}

function reactions(one: ShownMessage, { conversation, words, say }: Chat) {
  const { inbound, outbound } = conversation.reactionsTo(one.ref)
  const COLUMNS = [inbound, outbound].filter(Boolean).join(' ')
  if (one.direction === 'inbound') return COLUMNS && h('span', { class: 'reaction' }, COLUMNS)
  const choose = (emoji: string) => () => {
    const choice = emoji === inbound ? '' : emoji
    say({ type: 'reaction', about: one.ref, emoji: choice }, { type: 'reaction', message_id: one.ref, emoji: choice })
  }
  const options = EMOJI.map((emoji) =>
    h(
      'button',
      {
        type: 'button',
        'aria-pressed': String(emoji === inbound),
        disabled: !conversation.canWrite,
        onclick: choose(emoji),
      },
      emoji,
    ),
  )
  return h(
    'details',
    { class: 'react' },
    h('summary', { 'aria-label': COLUMNS ? `${words.react}: ${COLUMNS}` : words.react }, COLUMNS || icon('react')),
    ...options,
  )
}

/** A short form of a message, for quotes and previews. */
export function summary(message: Quotable, words: Words) {
  const text = message.body ?? message.body_text ?? message.caption ?? message.filename
  const files: Partial<Record<Content['type'], string>> = words.files
  return text ?? (message.button_reply ?? message.list_reply)?.title ?? files[message.type] ?? words.other
}
