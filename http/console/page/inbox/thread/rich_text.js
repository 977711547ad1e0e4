/** A text with its links and lines. */
import { html } from 'htm/preact'

const LINK = /https?:\/\/[^\s<>"']{1,2000}[^\s<>"'.,:;!?)\]]/gi

/**
 * @param {{ text: string }} props
 */
export function RichText({ text }) {
  const parts = []
  let at = 0
  for (const { 0: link, index } of text.matchAll(LINK)) {
    parts.push(text.slice(at, index))
    parts.push(html`<a href=${link} target="_blank" rel="noopener noreferrer nofollow">${link}</a>`)
    at = index + link.length
  }
  parts.push(text.slice(at))
  return parts
}
