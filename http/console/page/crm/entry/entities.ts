/**
 * Texts with marks and links that stand beside them, as Telegram has them: `{ type, offset, length, url? }` in UTF-16 units.
 * A link may stand behind a word. No DOM, no state.
 */
import { type Part, partsOf } from './chat_marks.ts'

type Entity = { type?: unknown; offset?: unknown; length?: unknown; url?: unknown }
type Span = { from: number; to: number; wrap: (parts: Part[]) => Part[] }

/** More than a message of Telegram has. */
const MAX = 200
/** Addresses that a click may open. */
const SAFE = /^(?:https?:\/\/|mailto:|tel:)/i

const TAGS: Partial<Record<string, 'strong' | 'em' | 's' | 'code'>> = {
  bold: 'strong',
  italic: 'em',
  underline: 'em',
  strikethrough: 's',
  code: 'code',
  pre: 'code',
}

export function partsWithEntities(text: string, entities: unknown): Part[] {
  if (!Array.isArray(entities) || entities.length === 0) return partsOf(text, false)
  const spans = entities.slice(0, MAX).flatMap((entity) => spanOf(text, entity))
  spans.sort((one, other) => one.from - other.from || other.to - one.to)
  return partsIn(text, 0, text.length, spans)
}

/**
 * The parts of a stretch of the text. A span that begins in another one ends with it.
 *
 * @param spans that begin in it, in their order; they are taken out
 */
function partsIn(text: string, from: number, to: number, spans: Span[]): Part[] {
  const parts: Part[] = []
  let at = from
  while (spans[0] && spans[0].from < to) {
    const span = spans.shift() as Span
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

function spanOf(text: string, entity: Entity | null): Span[] {
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

/** A link is not within another one. */
function withoutLinks(part: Part): Part[] {
  if ('link' in part) return [{ text: part.link }]
  if ('href' in part) return part.parts
  return 'tag' in part ? [{ ...part, parts: part.parts.flatMap(withoutLinks) }] : [part]
}
