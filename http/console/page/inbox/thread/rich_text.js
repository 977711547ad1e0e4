/** A text with its links, its lines, its marks, and the names of those whom it mentions. */
import { html } from 'htm/preact'
import { partsOf } from './chat_marks.js'
import { partsWithEntities } from './entities.js'

/** @typedef {import('./chat_marks.js').Part} Part */

/**
 * `mentioned` are names that follow an `@` in the text. With `has_marks`, `*bold*` is shown bold (`chat_marks.js`); `entities` are
 * marks and links that stand beside the text (`entities.js`).
 *
 * @param {{ text: string, mentioned?: readonly string[], has_marks?: boolean, entities?: unknown }} props
 */
export function RichText({ text, mentioned = [], has_marks = false, entities }) {
  const parts = entities === undefined ? partsOf(text, has_marks) : partsWithEntities(text, entities)
  return shown(parts, mentioned)
}

/**
 * @param {readonly Part[]} parts
 * @param {readonly string[]} mentioned
 * @returns {unknown[]}
 */
function shown(parts, mentioned) {
  return parts.flatMap((part) => {
    if ('text' in part) return withMentions(part.text, mentioned)
    if ('link' in part)
      return html`<a href=${part.link} target="_blank" rel="noopener noreferrer nofollow">${part.link}</a>`
    if ('href' in part)
      return html`<a href=${part.href} title=${part.href} target="_blank" rel="noopener noreferrer nofollow">${shown(part.parts, mentioned)}</a>`
    return html`<${part.tag}>${shown(part.parts, mentioned)}<//>`
  })
}

/**
 * Where a name is the beginning of another one, the longer one counts.
 *
 * @param {string} text
 * @param {readonly string[]} mentioned
 */
function withMentions(text, mentioned) {
  const names = [...mentioned].sort((one, other) => other.length - one.length)
  const parts = []
  let from = 0
  for (let at = text.indexOf('@'); at >= 0 && names.length > 0; at = text.indexOf('@', at + 1)) {
    const name = names.find((one) => text.startsWith(one, at + 1))
    if (name === undefined) continue
    parts.push(text.slice(from, at), html`<mark class="mention">@${name}</mark>`)
    from = at + 1 + name.length
  }
  return [...parts, text.slice(from)]
}
