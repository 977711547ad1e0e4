/** The status of a message as ticks, with words for screen readers. */
import { html } from 'htm/preact'
import { Icon } from '../ui/icons.js'

/** @type {Record<string, { icon: import('../ui/icons.js').IconName, words: string }>} */
const STATUSES = {
  sending: { icon: 'clock', words: 'Being sent' },
  queued: { icon: 'clock', words: 'Waiting to be sent' },
  sent: { icon: 'check', words: 'Sent' },
  delivered: { icon: 'checks', words: 'Delivered' },
  read: { icon: 'checks', words: 'Read' },
  failed: { icon: 'alert', words: 'Not delivered' },
}

/**
 * @param {{ status: string }} props
 */
export function Ticks({ status }) {
  const found = STATUSES[status]
  return (
    found &&
    html`<span class="ticks is-${status}" title=${found.words}>
      <${Icon} name=${found.icon} /><span class="aside">${found.words}: </span>
    </span>`
  )
}
