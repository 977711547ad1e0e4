/** A time on a page. */
import { html } from 'htm/preact'
import { exactly, moment } from './format.js'

/**
 * @param {{ at: string | null }} props
 */
export function Moment({ at }) {
  return at ? html`<time datetime=${at} title=${exactly(at)}>${moment(at)}</time>` : html`<span class="faint">–</span>`
}
