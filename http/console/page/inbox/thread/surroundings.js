/** The parts above and below the content of a message. */
import { html } from 'htm/preact'
import { Icon } from '../../ui/icons.js'
import { wordsOf } from '../preview.js'
import { answeredIn, buttonsOf, forwardedFrom } from './surroundings_of.js'

/** @typedef {import('../../../page_types/record.ts').AnyRecord} AnyRecord */

/**
 * @param {{ message: AnyRecord, thread: import('./thread.js').Thread }} props
 */
export function Above({ message: { context, message: content }, thread }) {
  const from = forwardedFrom(content ?? {})
  return html`${from !== undefined && html`<p class="inbox-forwarded faint"><${Icon} name="reply" /> ${from ? `Forwarded from ${from}` : 'Forwarded'}</p>`}
    <${Quote} id=${context?.message_id} answered=${answeredIn(content ?? {})} thread=${thread} />`
}

/**
 * The message that is answered: as it is in the thread, or as far as the answer repeats it. Words that the person chose
 * count more than the whole message.
 *
 * @param {{ id: string | undefined, answered: ReturnType<typeof answeredIn>, thread: import('./thread.js').Thread }} props
 */
function Quote({ id, answered, thread }) {
  const quoted = id && thread.messageOf(id)
  if (quoted) {
    const show = () => document.getElementById(quoted.id)?.scrollIntoView({ block: 'center' })
    return html`<button type="button" class="inbox-quote" onClick=${show}>
      <span class="aside">Answers:</span> ${answered?.is_manual && !quoted.deleted_at ? answered.text : wordsOf(quoted)}
    </button>`
  }
  if (answered)
    return html`<p class="inbox-quote"><span class="aside">Answers:</span> ${answered.from && html`<b>${answered.from}</b> `}${answered.text}</p>`
  return id ? html`<p class="inbox-quote faint">An earlier message</p>` : null
}

/**
 * The buttons below it, and the bot by which the message was written.
 *
 * @param {{ content: AnyRecord }} props
 */
export function Below({ content }) {
  const buttons = buttonsOf(content)
  const { via_bot } = content
  return html`${
    buttons.length > 0 &&
    html`<ul class="inbox-choices" aria-label="Buttons">
      ${buttons.map(({ text, url }, at) => html`<li key=${at}>${url ? html`<a href=${url} title=${url} target="_blank" rel="noopener noreferrer nofollow">${text}</a>` : text}</li>`)}
    </ul>`
  }
    ${via_bot?.username && html`<p class="faint">via @${via_bot.username}</p>`}`
}
