/** A place with nothing to show: says why, and what to do. */
import { html } from 'htm/preact'
import { Icon } from './icons.js'

/**
 * @param {{ icon?: import('./icons.js').IconName, title: string, text?: string, children?: unknown, level?: 1 | 2 }} props
 */
export function Empty({ icon, title, text, children, level = 2 }) {
  return html`<div class="nothing">
    ${icon && html`<span class="nothing-icon"><${Icon} name=${icon} /></span>`}
    ${level === 1 ? html`<h1 tabindex="-1">${title}</h1>` : html`<h2>${title}</h2>`} ${text && html`<p class="faint">${text}</p>`}
    ${children}
  </div>`
}
