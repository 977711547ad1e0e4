/** Parts that the lists of operators share: the table, its states, chips of filters, and a question before an act. */
import { html } from 'htm/preact'
import { Dialog } from '../ui/dialog.js'
import { Empty } from '../ui/empty.js'
import { useAction } from '../ui/hooks.js'
import { Icon } from '../ui/icons.js'
import { Trouble } from '../ui/trouble.js'
import { Waiting } from '../ui/waiting.js'

/** @typedef {import('../../page_types/ops.ts').Named} Named */

/**
 * A table with a page of rows. On phones each row is a card, with the names of columns beside the values.
 *
 * @param {{
 *   label: string
 *   pages: import('./pages.js').Pages<any>
 *   columns: string[]
 *   row: (row: any) => unknown
 *   empty: { title: string, text?: string, icon?: import('../ui/icons.js').IconName }
 * }} props
 */
export function Listing({ label, pages, columns, row, empty }) {
  const rows = pages.rows.value
  const fault = pages.fault.value
  if (!rows && fault)
    return html`<${Trouble} title="${label} could not be loaded" error=${fault} onRetry=${() => pages.read()} />`
  if (!rows) return html`<${Waiting} label="Loading ${label.toLowerCase()}" rows=${5} />`
  if (rows.length === 0) return html`<div class="card"><${Empty} ...${empty} /></div>`
  return html`<div class="card ops-list">
      <table class="ops-table">
        <caption class="aside">${label}</caption>
        <thead>
          <tr>
            ${columns.map((name) => html`<th scope="col" key=${name}>${name || html`<span class="aside">Actions</span>`}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(row)}
        </tbody>
      </table>
    </div>
    ${fault && html`<${Trouble} title="The list may be outdated" error=${fault} onRetry=${() => pages.read()} />`}
    ${
      pages.has_more.value &&
      html`<button type="button" class="button ops-more" disabled=${pages.is_busy.value} onClick=${() => pages.more()}>
        ${pages.is_busy.value ? 'Loading…' : 'Show more'}
      </button>`
    }`
}

/**
 * A cell. On phones it has the name of its column before it.
 *
 * @param {{ name?: string, class?: string, children?: unknown }} props
 */
export function Cell({ name = '', class: style = '', children }) {
  return html`<td class=${style} data-name=${name}>${children}</td>`
}

/**
 * The project of a row and its company.
 *
 * @param {{ project: Named, company: Named, href?: string }} props
 */
export function Owner({ project, company, href }) {
  return html`<div class="ops-two">
    ${href ? html`<a class="ops-plain" href=${href}>${project.name}</a>` : html`<span>${project.name}</span>`}
    <span class="faint">${company.name}</span>
  </div>`
}

/**
 * A bar beside a number that says the same.
 *
 * @param {{ part: number }} props
 */
export function Share({ part }) {
  return html`<span class="ops-bar" aria-hidden="true"><i style=${{ width: `${Math.min(100, part * 100)}%` }}></i></span>`
}

/**
 * A filter in the address, with a way out of it.
 *
 * @param {{ text: string, href: string }} props
 */
export function Chip({ text, href }) {
  return html`<a class="ops-chip" href=${href} aria-label="Remove the filter ${text}">${text} <${Icon} name="close" /></a>`
}

/**
 * A question before an act that cannot be taken back. Closes once it is done.
 *
 * @param {{ title: string, act_text: string, act: () => Promise<unknown>, onClose(): void, is_danger?: boolean, children?: unknown }} props
 */
export function Question({ title, act_text, act, onClose, is_danger = true, children }) {
  /** @param {() => void} close */
  const actions = (close) => html`<${Answers} act_text=${act_text} act=${act} close=${close} is_danger=${is_danger} />`
  return html`<${Dialog} title=${title} onClose=${onClose} actions=${actions}>${children}<//>`
}

/**
 * @param {{ act_text: string, act: () => Promise<unknown>, close(): void, is_danger: boolean }} props
 */
function Answers({ act_text, act, close, is_danger }) {
  const { run, is_busy, fault } = useAction(async () => {
    await act()
    close()
  })
  return html`${fault && html`<p class="field-error ops-wide" role="alert"><${Icon} name="alert" /> ${fault.message}</p>`}
    <button type="button" class="button" onClick=${close}>Keep it as it is</button>
    <button type="button" class="button ${is_danger ? 'danger full' : 'primary'}" disabled=${is_busy} onClick=${run}>
      ${is_busy ? 'Working…' : act_text}
    </button>`
}
