/** A place with nothing to show: says why, and what to do. */
import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from '../pictures/icons.tsx'

export function Empty({
  icon,
  title,
  text,
  children,
  level = 2,
}: {
  icon?: IconName
  title: string
  text?: string
  children?: ComponentChildren
  level?: 1 | 2
}) {
  return (
    <div class="nothing">
      {icon && (
        <span class="nothing-icon">
          <Icon name={icon} />
        </span>
      )}
      {level === 1 ? <h1 tabindex={-1}>{title}</h1> : <h2>{title}</h2>} {text && <p class="faint">{text}</p>}
      {children}
    </div>
  )
}
