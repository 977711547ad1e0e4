/** A link or a button for those who may manage webhooks. Others see why it does nothing for them. */
import { html } from 'htm/preact'
import { useId } from 'preact/hooks'

const REASON = 'This needs the permission developer.manage_webhooks. An operator can give it to you.'

/**
 * @param {{ may_manage: boolean, children: unknown, class?: string, href?: string, onClick?: () => void }} props
 */
export function ManageButton({ may_manage, children, class: style = 'button', href, onClick }) {
  const id = useId()
  if (may_manage && href) return html`<a class=${style} href=${href}>${children}</a>`
  if (may_manage) return html`<button type="button" class=${style} onClick=${onClick}>${children}</button>`
  return html`<span class="webhook-forbidden">
    <button type="button" class="button" aria-disabled="true" aria-describedby=${id} title=${REASON}>${children}</button>
    <span id=${id} class="aside">${REASON}</span>
  </span>`
}
