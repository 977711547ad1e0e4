/** Emoji to choose from, with a search. Arrow keys move, Enter in the search takes the first. */
import { html } from 'htm/preact'
import { useEffect, useState } from 'preact/hooks'
import { useElement } from '../../ui/hooks.js'
import { emojiFor } from './emoji_list.js'

const COLUMNS = 8

/**
 * @param {{ onChoose(emoji: string): void }} props
 */
export function Emoji({ onChoose }) {
  /** @type {import('preact').RefObject<HTMLElement>} */
  const grid = useElement()
  /** @type {import('preact').RefObject<HTMLInputElement>} */
  const search = useElement()
  const [query, setQuery] = useState('')
  useEffect(() => search.current.focus(), [])
  const kinds = emojiFor(query)
  const count = kinds.reduce((sum, { list }) => sum + list.length, 0)
  /** @param {KeyboardEvent} event */
  const move = (event) => {
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: COLUMNS, ArrowUp: -COLUMNS }
    const step = steps[/** @type {keyof typeof steps} */ (event.key)]
    if (!step) return
    const buttons = [...grid.current.querySelectorAll('button')]
    const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement))
    // In the search, left and right move within the text.
    if (at < 0 && event.key !== 'ArrowDown') return
    event.preventDefault()
    const to = at < 0 ? buttons[0] : (buttons[at + step] ?? (event.key === 'ArrowUp' ? search.current : undefined))
    to?.focus()
  }
  /** @param {KeyboardEvent} event */
  const take = (event) => {
    const first = kinds[0]?.list[0]
    if (event.key !== 'Enter' || !first) return
    event.preventDefault()
    onChoose(first.emoji)
  }
  return html`<div class="composer-emoji" ref=${grid} onKeyDown=${move}>
    <input
      ref=${search}
      type="search"
      placeholder="Search emoji"
      aria-label="Search emoji"
      autocomplete="off"
      maxlength="50"
      onInput=${(/** @type {{ target: HTMLInputElement }} */ { target }) => setQuery(target.value)}
      onKeyDown=${take}
    />
    ${kinds.map(
      ({ kind, list }) => html`<div role="group" aria-label=${kind} key=${kind}>
        <p class="faint" aria-hidden="true">${kind}</p>
        ${list.map(({ emoji, words }) => html`<button type="button" tabindex="-1" title=${words} onClick=${() => onChoose(emoji)} key=${emoji}>${emoji}</button>`)}
      </div>`,
    )}
    <p class=${count === 0 ? 'faint' : 'aside'} role="status">${count === 0 ? 'No emoji has this name.' : `${count} emoji`}</p>
  </div>`
}
