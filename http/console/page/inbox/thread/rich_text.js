/** A text with its links, its lines, and the names of those whom it mentions. */
import { html } from 'htm/preact'

const LINK = /https?:\/\/[^\s<>"']{1,2000}[^\s<>"'.,:;!?)\]]/gi

/**
 * `mentioned` are names that follow an `@` in the text.
 *
 * @param {{ text: string, mentioned?: readonly string[] }} props
 */
export function RichText({ text, mentioned = [] }) {
  const parts = []
  let at = 0
  for (const { 0: link, index } of text.matchAll(LINK)) {
    parts.push(...withMentions(text.slice(at, index), mentioned))
    parts.push(html`<a href=${link} target="_blank" rel="noopener noreferrer nofollow">${link}</a>`)
    at = index + link.length
  }
  parts.push(...withMentions(text.slice(at), mentioned))
  return parts
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
