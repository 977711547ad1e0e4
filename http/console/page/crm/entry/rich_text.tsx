/** A text with its links, its lines, its marks, and the names of those whom it mentions. */
import { type Part, partsOf } from './chat_marks.ts'
import { partsWithEntities } from './entities.ts'

/**
 * `mentioned` are names that follow an `@` in the text. With `has_marks`, `*bold*` is shown bold (`chat_marks.ts`); `entities` are
 * marks and links that stand beside the text (`entities.ts`).
 */
export function RichText({
  text,
  mentioned = [],
  has_marks = false,
  entities,
}: {
  text: string
  mentioned?: readonly string[]
  has_marks?: boolean
  entities?: unknown
}) {
  const parts = entities === undefined ? partsOf(text, has_marks) : partsWithEntities(text, entities)
  return draw(parts, mentioned)
}

function draw(parts: readonly Part[], mentioned: readonly string[]): unknown[] {
  return parts.flatMap((part) => {
    if ('text' in part) return withMentions(part.text, mentioned)
    if ('link' in part)
      return (
        <a href={part.link} target="_blank" rel="noopener noreferrer nofollow">
          {part.link}
        </a>
      )
    if ('href' in part)
      return (
        <a href={part.href} title={part.href} target="_blank" rel="noopener noreferrer nofollow">
          {draw(part.parts, mentioned)}
        </a>
      )
    return <part.tag>{draw(part.parts, mentioned)}</part.tag>
  })
}

/** Where a name is the beginning of another one, the longer one counts. */
function withMentions(text: string, mentioned: readonly string[]) {
  const names = [...mentioned].sort((one, other) => other.length - one.length)
  const parts = []
  let from = 0
  for (let at = text.indexOf('@'); at >= 0 && names.length > 0; at = text.indexOf('@', at + 1)) {
    const name = names.find((one) => text.startsWith(one, at + 1))
    if (name === undefined) continue
    parts.push(text.slice(from, at), <mark class="mention">@{name}</mark>)
    from = at + 1 + name.length
  }
  return [...parts, text.slice(from)]
}
