/** A page that is loading. */
import { html } from 'htm/preact'

/**
 * Grey placeholders while content is loading.
 *
 * @param {{ label: string, rows: number }} props
 */
export function Waiting({ label, rows }) {
  return html`<div class="waiting" role="status">
    <span class="aside">${label}</span>
    ${Array.from({ length: rows }, (_, row) => html`<div class="waiting-row" key=${row}><i></i><i></i><i></i></div>`)}
  </div>`
}
