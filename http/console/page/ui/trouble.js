/** An error on a page. */
import { html } from 'htm/preact'
import { errorText } from '../data/errors.js'
import { Icon } from './icons.js'

/**
 * An error with a button to retry.
 *
 * @param {{ title: string, error: import('../../page_types/fault.ts').Fault, onRetry?: () => void }} props
 */
export function Trouble({ title, error, onRetry }) {
  return html`<div class="trouble" role="alert">
    <${Icon} name="alert" />
    <div>
      <p class="trouble-title">${title}</p>
      <p>${errorText(error)}</p>
    </div>
    ${onRetry && html`<button type="button" class="button" onClick=${onRetry}>Try again</button>`}
  </div>`
}
