/** Tabs as links: each view has an address. */
import { html } from 'htm/preact'
import { number } from './format.js'

/**
 * @param {{ label: string, tabs: { text: string, href: string, is_current: boolean, count?: number | undefined }[] }} props
 */
export function Tabs({ label, tabs }) {
  return html`<nav class="tabs" aria-label=${label}>
    ${tabs.map(
      ({
        text,
        href,
        is_current,
        count,
      }) => html`<a href=${href} aria-current=${is_current ? 'true' : undefined} key=${href}>
        ${text} ${count !== undefined && html`<span class="tab-count">${number(count)}</span>`}
      </a>`,
    )}
  </nav>`
}
