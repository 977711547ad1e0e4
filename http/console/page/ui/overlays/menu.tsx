/** A menu of actions behind a button. Arrow keys, Home, End and first letters move in it. */
import type { ComponentChildren, TargetedKeyboardEvent } from 'preact'
import { Keys } from '../keys.tsx'
import { Icon, type IconName } from '../pictures/icons.tsx'
import { Popover } from './popover.tsx'

/** An action of a menu, or a line between two groups of them. `is_on` makes it a choice among others. */
export type MenuItem =
  | {
      text: string
      act(): void
      icon?: IconName
      keys?: string
      is_on?: boolean
      is_danger?: boolean
      is_off?: boolean
    }
  | 'line'

export function Menu({
  items,
  ...props
}: {
  id: string
  button: ComponentChildren
  items: MenuItem[]
  label: string
  class?: string
  title?: string
  side?: 'below' | 'above'
}) {
  return (
    <Popover {...props} role="menu" onOpen={focusFirst}>
      {(close) => (
        <div class="menu-items" onKeyDown={move}>
          {items.map((item, at) =>
            item === 'line' ? <hr key={at} /> : <Item {...item} close={close} key={item.text} />,
          )}
        </div>
      )}
    </Popover>
  )
}

function Item({
  text,
  act,
  icon,
  keys,
  is_on,
  is_danger,
  is_off,
  close,
}: Exclude<MenuItem, 'line'> & { close(): void }) {
  const chosen = () => {
    close()
    act()
  }
  return (
    <button
      type="button"
      class={is_danger ? 'menu-item danger' : 'menu-item'}
      role={is_on === undefined ? 'menuitem' : 'menuitemradio'}
      aria-checked={is_on}
      disabled={is_off}
      tabindex={-1}
      onClick={chosen}
    >
      {icon && <Icon name={icon} />} <span>{text}</span> {is_on && <Icon name="done" />}
      {keys && <Keys keys={keys} />}
    </button>
  )
}

function focusFirst(panel: HTMLElement) {
  const chosen = panel.querySelector('[aria-checked=true]') ?? panel.querySelector('button:not(:disabled)')
  if (chosen instanceof HTMLElement) chosen.focus()
}

/** Moves the focus among the buttons of an element, for its `onKeyDown`. */
export function move(event: TargetedKeyboardEvent<HTMLElement>) {
  const found: NodeListOf<HTMLElement> = event.currentTarget.querySelectorAll('button:not(:disabled)')
  const items = [...found]
  const at = items.indexOf(document.activeElement as HTMLElement)
  const to = destination(event.key, at, items)
  if (to === undefined) return
  event.preventDefault()
  items.at(to)?.focus()
}

function destination(key: string, at: number, items: HTMLElement[]) {
  if (key === 'ArrowDown') return (at + 1) % items.length
  if (key === 'ArrowUp') return (at - 1 + items.length) % items.length
  if (key === 'Home') return 0
  if (key === 'End') return items.length - 1
  if (key.length !== 1 || key === ' ') return undefined
  const letter = key.toLowerCase()
  const found = [...items.keys()].find((offset) => {
    const one = items[(at + 1 + offset) % items.length]
    return one?.textContent?.trim().toLowerCase().startsWith(letter)
  })
  return found === undefined ? undefined : (at + 1 + found) % items.length
}
