/** A link or a button for those who may change assistants. Others see why it does nothing for them. */
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { NEEDS_PERMISSION } from './words.ts'

export function ManageButton({
  may_manage,
  children,
  class: style = 'button',
  href,
}: {
  may_manage: boolean
  children: ComponentChildren
  class?: string
  href: string
}) {
  const id = useId()
  if (may_manage)
    return (
      <a class={style} href={href}>
        {children}
      </a>
    )
  return (
    <span class="assistant-forbidden">
      <button type="button" class="button" aria-disabled="true" aria-describedby={id} title={NEEDS_PERMISSION}>
        {children}
      </button>
      <span id={id} class="aside">
        {NEEDS_PERMISSION}
      </span>
    </span>
  )
}
