/** Keys as they are written beside actions. */
import { html } from 'htm/preact'

const is_mac = /Mac|iP(hone|ad|od)/.test(globalThis.navigator?.platform ?? '')

/** @type {Partial<Record<string, string>>} */
const NAMES = {
  mod: is_mac ? '⌘' : 'Ctrl',
  shift: is_mac ? '⇧' : 'Shift',
  alt: is_mac ? '⌥' : 'Alt',
  escape: 'Esc',
  enter: 'Enter',
}

/**
 * `keys` such as `mod+k`, or `g i` for two keys one after the other.
 *
 * Beside an action they are decoration; in the map of the keyboard they are read out.
 *
 * @param {{ keys: string, is_decoration?: boolean }} props
 */
export function Keys({ keys, is_decoration = true }) {
  const chords = keys.split(' ').map((chord) => chord.split('+').map((key) => NAMES[key] ?? key.toUpperCase()))
  return html`<span class="keys" aria-hidden=${is_decoration ? 'true' : undefined}>
    ${chords.map((chord, at) => html`${at > 0 && html`<span class="faint">then</span>`}${chord.map((key) => html`<kbd key=${key}>${key}</kbd>`)}`)}
  </span>`
}
