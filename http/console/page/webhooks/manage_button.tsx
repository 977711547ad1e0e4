/** A link or a button for those who may manage webhooks. Others see why it does nothing for them. */
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

const REASON = 'This needs the permission developer.manage_webhooks. An operator can give it to you.'

export function ManageButton({
  may_manage,
  children,
  class: style = 'button',
  href,
  onClick,
}: {
  may_manage: boolean
  children: ComponentChildren
  class?: string
  href?: string
  onClick?: () => void
}) {
  const id = useId()
  if (may_manage && href)
    return (
      <a class={style} href={href}>
        {children}
      </a>
    )
  if (may_manage)
    return (
      <button type="button" class={style} onClick={onClick}>
        {children}
      </button>
    )
  return (
    <span class="webhook-forbidden">
      <button type="button" class="button" aria-disabled="true" aria-describedby={id} title={REASON}>
        {children}
      </button>
      <span id={id} class="aside">
        {REASON}
      </span>
    </span>
  )
}
