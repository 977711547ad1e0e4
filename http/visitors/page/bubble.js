/** Displays one message. */
import { h, link, safeUrl, withLinks } from './dom.js'

/** @typedef {import('../page_types/content.ts').Choice} Choice */
/** @typedef {import('../page_types/content.ts').Content} Content */
/** @typedef {import('../page_types/message.ts').ShownMessage} ShownMessage */
/** @typedef {import('../page_types/words.ts').Words} Words */

/**
 * The conversation, its texts and its title. `shown` is how the page shows what is said.
 *
 * @typedef {{
 *   conversation: import('./conversation.js').Conversation
 *   words: Words
 *   name(): string
 *   say(said: import('../page_types/message.ts').VisitorInput, shown: Content): void
 * }} Chat
 */

const EMOJI = ['👍', '❤️', '😂', '😮', '🙏']

/**
 * @param {ShownMessage} one
 * @param {Chat} chat
 */
export function bubble(one, chat) {
  const { words } = chat
  const is_own = one.direction === 'inbound'
  const quoted = one.context && chat.conversation.find(one.context)
  const time = new Date(one.at)
  const waiting = chat.conversation.canWrite ? words.sending : words.not_sent_yet
  const state = one.failed
    ? `${words.not_sent}: ${words.failures[one.code ?? ''] ?? one.failed}`
    : one.pending && waiting
  return h(
    'li',
    { class: is_own ? 'own' : 'theirs', 'data-ref': one.ref },
    h('span', { class: 'aside' }, is_own ? words.you : chat.name()),
    quoted && h('blockquote', {}, summary(quoted.message, words)),
    h('div', { class: 'bubble' }, ...content(one, chat)),
    reactions(one, chat),
    h(
      'span',
      { class: one.failed ? 'meta failed' : 'meta' },
      h('time', { datetime: one.at }, time.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })),
      state && ` · ${state}`,
    ),
  )
}

/**
 * @param {ShownMessage} one
 * @param {Chat} chat
 */
function content(one, chat) {
  const { message } = one
  switch (message.type) {
    case 'text':
      return [paragraph(message.body)]
    case 'image':
    case 'sticker':
    case 'video':
    case 'audio':
    case 'document':
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

/** @param {string | undefined} text */
function paragraph(text) {
  return text ? h('p', {}, ...withLinks(text)) : undefined
}

/** @param {{ footer_text?: string }} message */
function footer({ footer_text }) {
  return footer_text ? h('p', { class: 'footer' }, footer_text) : undefined
}

/**
 * @param {import('../page_types/content.ts').Header | undefined} header
 * @param {Words} words
 */
function header(header, words) {
  if (!header) return undefined
  return header.type === 'text' ? h('p', { class: 'header' }, header.text) : file(header, words)
}

/**
 * @param {import('../page_types/content.ts').File} file
 * @param {Words} words
 */
function file({ type, link: address, filename, caption }, words) {
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
      return link(src, { class: 'document', download: filename ?? '' }, `📄 ${filename ?? words.files.document}`)
  }
}

/**
 * A choice can be made only once: it then appears below as a message of its own.
 *
 * @param {string} ref
 * @param {import('../page_types/content.ts').ReplyKind} type
 * @param {Choice} choice
 * @param {Chat} chat
 */
function choice(ref, type, { id, title, description }, { conversation, say }) {
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

/**
 * @param {string} ref
 * @param {import('../page_types/content.ts').List} list
 * @param {Chat} chat
 */
function list(ref, { button_text, sections }, chat) {
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

/**
 * @param {import('../page_types/content.ts').Carousel} carousel
 * @param {Words} words
 */
function carousel({ cards }, words) {
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

/**
 * @param {ShownMessage} one
 * @param {Chat} chat
 */
function reactions(one, { conversation, words, say }) {
  const { inbound, outbound } = conversation.reactionsTo(one.ref)
  const shown = [inbound, outbound].filter(Boolean).join(' ')
  if (one.direction === 'inbound') return shown && h('span', { class: 'reaction' }, shown)
  /** @param {string} emoji */
  const choose = (emoji) => () => {
    const wanted = emoji === inbound ? '' : emoji
    say({ type: 'reaction', about: one.ref, emoji: wanted }, { type: 'reaction', message_id: one.ref, emoji: wanted })
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
    h('summary', { 'aria-label': shown ? `${words.react}: ${shown}` : words.react }, shown || '☺'),
    ...options,
  )
}

/**
 * A short form of a message, for quoting.
 *
 * @param {import('../page_types/content.ts').Quotable} message
 * @param {Words} words
 */
function summary(message, words) {
  const text = message.body ?? message.body_text ?? message.caption ?? message.filename
  /** @type {Partial<Record<Content['type'], string>>} */
  const files = words.files
  return text ?? (message.button_reply ?? message.list_reply)?.title ?? files[message.type] ?? words.other
}
