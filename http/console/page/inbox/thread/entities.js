/**
 * Texts with marks and links that stand beside them, as Telegram has them: `{ type, offset, length, url? }` in UTF-16 units.
 * A link may stand behind a word. No DOM, no state.
 */
import { partsOf } from './chat_marks.js'

/** @typedef {import('./chat_marks.js').Part} Part */
/** @typedef {{ type?: unknown, offset?: unknown, length?: unknown, url?: unknown }} Entity */
/** @typedef {{ from: number, to: number, wrap: (parts: Part[]) => Part[] }} Span */

/** More than a message of Telegram has. */
const MOST = 200
/** Addresses that a click may open. */
const SAFE = /^(?:https?:\/\/|mailto:|tel:)/i

/** @type {Partial<Record<string, 'strong' | 'em' | 's' | 'code'>>} */
const TAGS = { bold: 'strong', italic: 'em', underline: 'em', strikethrough: 's', code: 'code', pre: 'code' }

/**
 * @param {string} text
 * @param {unknown} entities
 * @returns {Part[]}
 */
export function partsWithEntities(text, entities) {
  if (!Array.isArray(entities) || entities.length === 0) return partsOf(text, false)
  const spans = entities.slice(0, MOST).flatMap((entity) => spanOf(text, entity))
  spans.sort((one, other) => one.from - other.from || other.to - one.to)
  return partsIn(text, 0, text.length, spans)
}

/**
 * The parts of a stretch of the text. A span that begins in another one ends with it.
 *
 * @param {string} text
 * @param {number} from
 * @param {number} to
 * @param {Span[]} spans that begin in it, in their order; they are taken out
 * @returns {Part[]}
 */
function partsIn(text, from, to, spans) {
  /** @type {Part[]} */
  const parts = []
  let at = from
  while (spans[0] && spans[0].from < to) {
    const span = /** @type {Span} */ (spans.shift())
    const end = Math.min(span.to, to)
    if (end <= at) continue
    if (span.from > at) parts.push(...partsOf(text.slice(at, span.from), false))
    const begin = Math.max(at, span.from)
    parts.push(...span.wrap(partsIn(text, begin, end, spans)))
    at = end
  }
  if (to > at) parts.push(...partsOf(text.slice(at, to), false))
  return parts
}

/**
 * @param {string} text
 * @param {Entity | null} entity
 * @returns {Span[]}
 */
function spanOf(text, entity) {
  const { type, offset, length, url } = entity ?? {}
  const from = Number(offset)
  const to = Math.min(from + Number(length), text.length)
  if (!(Number.isInteger(from) && from >= 0 && to > from)) return []
  const tag = TAGS[String(type)]
  if (tag) return [{ from, to, wrap: (parts) => [{ tag, parts }] }]
  if (type !== 'text_link' || typeof url !== 'string') return []
  // An address that no click may open is shown.
  if (!SAFE.test(url)) return [{ from, to, wrap: (parts) => [...parts, { text: ` (${url})` }] }]
  return [{ from, to, wrap: (parts) => [{ href: url, parts: parts.flatMap(withoutLinks) }] }]
}

/**
 * A link is not within another one.
 *
 * @param {Part} part
 * @returns {Part[]}
 */
function withoutLinks(part) {
  if ('link' in part) return [{ text: part.link }]
  if ('href' in part) return part.parts
  return 'tag' in part ? [{ ...part, parts: part.parts.flatMap(withoutLinks) }] : [part]
}
