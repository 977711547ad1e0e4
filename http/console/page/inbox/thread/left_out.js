/** Says how many values a part of a thread does not show. */
import { html } from 'htm/preact'

/**
 * @param {{ count: number }} props
 */
export function LeftOut({ count }) {
  return count > 0 && html`<p class="faint">${count === 1 ? 'One more value' : `${count} more values`}</p>`
}
