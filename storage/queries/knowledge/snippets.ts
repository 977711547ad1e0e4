/** The parts of found documents that hold most words of the search. */
import type { Database } from '../../database/database.ts'
import { foldWord, wordsIn } from '../../knowledge/words.ts'
import { sql } from '../../sql/sql.ts'
import type { KnowledgeTerm } from './terms.ts'

export type RankedDocument = {
  node_id: string
  name: string
  score: number
  /** The first place of each term in the text. */
  places: [term_id: string, place: number][] | null
}

export type KnowledgeHit = {
  node_id: string
  name: string
  snippet: string
  /** The snippet as HTML whose only tag is `<em>`. */
  highlight: string
  score: number
}

/** Characters of a snippet, and of those before its first word. */
const LENGTH = 240
const BEFORE = 60

/** Adds the snippets to ranked documents. */
export async function snippetsOf(
  database: Database,
  documents: readonly RankedDocument[],
  terms: readonly KnowledgeTerm[],
): Promise<KnowledgeHit[]> {
  if (documents.length === 0) return []
  const written = new Set(terms.flatMap(({ written }) => written))
  const starts = documents.map(({ node_id, places }) => sql`(${node_id}, ${startOf(places ?? [], terms)})`)
  const texts = await database.execute<{ _id: string; start: number; text: string; length: number }>(sql`
    select n._id, s.start, substring(content from s.start + 1 for ${LENGTH + BEFORE}) as text, char_length(content) as length
    from (values ${sql.join(starts, ', ')}) s (_id, start) join knowledge_node n on n._id = s._id`)
  const byId = new Map(texts.map((text) => [text._id, text]))
  return documents.map(({ node_id, name, score }) => {
    const { start, text, length } = byId.get(node_id) ?? { start: 0, text: '', length: 0 }
    const cut = trim(text ?? '', start > 0, start + LENGTH + BEFORE < length)
    return { node_id, name, snippet: cut, highlight: mark(cut, written), score }
  })
}

/** The beginning of the part with the most valuable words, by the first places of each. */
function startOf(places: [string, number][], terms: readonly KnowledgeTerm[]): number {
  const known = new Map(terms.map((term) => [term.id, term]))
  let [best, start] = [0, 0]
  for (const [, from] of places) {
    const values = new Map<number, number>()
    for (const [id, place] of places) {
      if (place < from || place > from + LENGTH - BEFORE) continue
      const { word, factor } = known.get(id)!
      values.set(word, Math.max(values.get(word) ?? 0, factor))
    }
    const value = [...values.values()].reduce((sum, one) => sum + one, 0)
    if (value > best) [best, start] = [value, from]
  }
  return Math.max(0, start - BEFORE)
}

/** Whole words on one line, with an ellipsis where the text goes on. */
function trim(text: string, cut_before: boolean, cut_after: boolean): string {
  let snippet = text
  if (cut_before) snippet = snippet.replace(/^[^\s]{0,40}\s/, '')
  if (cut_after) snippet = snippet.replace(/\s[^\s]{0,40}$/, '')
  snippet = snippet.replace(/\s+/g, ' ').trim()
  return `${cut_before ? '…' : ''}${snippet}${cut_after ? '…' : ''}`
}

function mark(text: string, written: ReadonlySet<string>): string {
  let html = ''
  let place = 0
  for (const { word, from, to } of wordsIn(text)) {
    if (!written.has(foldWord(word))) continue
    html += `${escapeHtml(text.slice(place, from))}<em>${escapeHtml(text.slice(from, to))}</em>`
    place = to
  }
  return html + escapeHtml(text.slice(place))
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!)
}
