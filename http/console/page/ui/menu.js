/** A menu of actions behind a button. Arrow keys, Home, End and first letters move in it. */
import { html } from 'htm/preact'
import { Icon } from './icons.js'
import { Keys } from './keys.js'
import { Popover } from './popover.js'

/**
 * An action of a menu, or a line between two groups of them. `is_on` makes it a choice among others.
 *
 * @typedef {{
 *   text: string
 *   act(): void
 *   icon?: import('./icons.js').IconName
 *   keys?: string
 *   is_on?: boolean
 *   is_danger?: boolean
 *   is_off?: boolean
 * } | 'line'} MenuItem
 */

/**
 * @param {{
 *   id: string
 *   button: unknown
 *   items: MenuItem[]
 *   label: string
 *   class?: string
 *   title?: string
 *   side?: 'below' | 'above'
 * }} props
 */
export function Menu({ items, ...props }) {
  return html`<${Popover} ...${props} role="menu" onOpen=${focusFirst}>
    ${
      /** @param {() => void} close */
      (close) => html`<div class="menu-items" onKeyDown=${move}>
        ${items.map((item, at) => (item === 'line' ? html`<hr key=${at} />` : html`<${Item} ...${item} close=${close} key=${item.text} />`))}
      </div>`
    }
  <//>`
}

/**
 * @param {Exclude<MenuItem, 'line'> & { close(): void }} props
 */
function Item({ text, act, icon, keys, is_on, is_danger, is_off, close }) {
  const chosen = () => {
    close()
    act()
  }
  return html`<button
    type="button"
    class=${is_danger ? 'menu-item danger' : 'menu-item'}
    role=${is_on === undefined ? 'menuitem' : 'menuitemradio'}
    aria-checked=${is_on?.toString()}
    disabled=${is_off}
    tabindex="-1"
    onClick=${chosen}
  >
    ${icon && html`<${Icon} name=${icon} />`} <span>${text}</span> ${is_on && html`<${Icon} name="done" />`}
    ${keys && html`<${Keys} keys=${keys} />`}
  </button>`
}

/** @param {HTMLElement} panel */
function focusFirst(panel) {
  const chosen = panel.querySelector('[aria-checked=true]') ?? panel.querySelector('button:not(:disabled)')
  if (chosen instanceof HTMLElement) chosen.focus()
}

/**
 * Moves the focus among the buttons of an element, for its `onKeyDown`.
 *
 * @param {KeyboardEvent & { currentTarget: HTMLElement }} event
 */
export function move(event) {
  /** @type {NodeListOf<HTMLElement>} */
  const found = event.currentTarget.querySelectorAll('button:not(:disabled)')
  const items = [...found]
  const at = items.indexOf(/** @type {HTMLElement} */ (document.activeElement))
  const to = destination(event.key, at, items)
  if (to === undefined) return
  event.preventDefault()
  items.at(to)?.focus()
}

/**
 * @param {string} key
 * @param {number} at
 * @param {HTMLElement[]} items
 */
function destination(key, at, items) {
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
