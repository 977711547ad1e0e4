/** The picture of a person, or the initials on a color of their own. */
import { html } from 'htm/preact'
import { useState } from 'preact/hooks'

const HUES = 8
const characters = new Intl.Segmenter()

/**
 * `id` decides the color. `size` is `small`, `large` or neither.
 *
 * @param {{ name: string | null, id?: string, picture?: string | null, size?: string }} props
 */
export function Avatar({ name, id = name ?? '', picture, size = '' }) {
  const [is_broken, setBroken] = useState(false)
  const has_picture = picture && !is_broken && /^(https:|\/)/.test(picture)
  return html`<span class="avatar ${size} hue-${hueOf(id)}" aria-hidden="true">
    ${
      has_picture
        ? html`<img src=${picture} alt="" loading="lazy" decoding="async" referrerpolicy="no-referrer" onError=${() => setBroken(true)} />`
        : initials(name ?? '')
    }
  </span>`
}

/** @param {string} id */
function hueOf(id) {
  let sum = 0
  for (let at = 0; at < id.length; at++) sum = (sum * 31 + id.charCodeAt(at)) >>> 0
  return sum % HUES
}

/**
 * The first characters of the first and the last word as people see them: a flag is one. Words of signs alone count only
 * where there are no others.
 *
 * @public for its tests
 * @param {string} name
 */
export function initials(name) {
  const all = name.replace(/^\+/, '').trim().split(/\s+/)
  const lettered = all.filter((word) => /^[\p{L}\p{N}]/u.test(word))
  const words = lettered.length > 0 ? lettered : all
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words
  return chosen
    .map((word = '') => characters.segment(word)[Symbol.iterator]().next().value?.segment ?? '')
    .join('')
    .toUpperCase()
}
