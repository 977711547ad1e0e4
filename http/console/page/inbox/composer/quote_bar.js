/** The message that is answered, above the field. */
import { html } from 'htm/preact'
import { Icon } from '../../ui/icons.js'
import { wordsOf } from '../preview.js'

/**
 * @param {import('./mod.js').ComposeProps} props
 */
export function QuoteBar({ thread, compose }) {
  const id = compose.quote.value
  if (id === null) return null
  const message = thread.messageOf(id)
  return html`<div class="composer-bar composer-quote">
    <${Icon} name="reply" />
    <span class="composer-bar-text">
      <b>${message?.direction === 'outbound' ? 'Your side' : (thread.contact.value?.name ?? 'The person')}</b>
      ${' '}${message ? wordsOf(message) : 'An earlier message'}
    </span>
    <button type="button" class="quiet icon-button" aria-label="Do not quote" onClick=${() => compose.answer(null)}><${Icon} name="close" /></button>
  </div>`
}
