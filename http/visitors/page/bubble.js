/** Displays one message. */
import { h, link, safeUrl, withLinks } from './dom.js'
import { icon } from './icons.js'

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
  return h(
    'li',
    { class: is_own ? 'own' : 'theirs', 'data-ref': one.ref },
    h('span', { class: 'hidden' }, is_own ? words.you : chat.name()),
    quoted && h('blockquote', { dir: 'auto' }, summary(quoted.message, words)),
    h('div', { class: 'bubble', dir: 'auto' }, ...content(one, chat)),
    h('div', { class: 'below' }, reactions(one, chat)),
  )
}

/**
 * The line below a message: its time, and how far a message of the visitor has come. Its changes are not read out.
 *
 * @param {ShownMessage} one
 * @param {Chat} chat
 */
export function meta(one, chat) {
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
    ? /** @type {const} */ (['waiting', conversation.canWrite ? words.sending : words.not_sent_yet])
    : one.status === 'read'
      ? /** @type {const} */ (['read', words.read])
      : /** @type {const} */ (['sent', words.sent])
  return h(
    'span',
    { class: `meta ${name}`, 'aria-live': 'off' },
    ...parts,
    icon(name),
    h('span', { class: one.pending ? '' : 'hidden' }, text),
  )
}

/**
 * @param {ShownMessage} one
 * @param {Chat} chat
 */
function cancelButton({ id }, { words, conversation }) {
  const cancel = () => id !== undefined && conversation.cancel(id)
  return h('button', { type: 'button', class: 'again', onclick: cancel }, words.cancel)
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
      return link(
        src,
        { class: 'document', download: filename ?? '' },
        icon('document'),
        filename ?? words.files.document,
      )
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
    h('summary', { 'aria-label': shown ? `${words.react}: ${shown}` : words.react }, shown || icon('react')),
    ...options,
  )
}

/**
 * A short form of a message, for quotes and previews.
 *
 * @param {import('../page_types/content.ts').Quotable} message
 * @param {Words} words
 */
export function summary(message, words) {
  const text = message.body ?? message.body_text ?? message.caption ?? message.filename
  /** @type {Partial<Record<Content['type'], string>>} */
  const files = words.files
  return text ?? (message.button_reply ?? message.list_reply)?.title ?? files[message.type] ?? words.other
}
