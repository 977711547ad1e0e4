/** The terms that the words of a search lead to. */
import type { Database } from '../../database/database.ts'
import { executeWithin } from '../../database/execute_within.ts'
import { termsOf } from '../../knowledge/stems.ts'
import { sql } from '../../sql/sql.ts'

/** A word of a search, as written in lower case and without accents. */
export type QueryWord = { word: string; folded: string; is_unfinished: boolean }

export type KnowledgeTerm = {
  id: string
  /** The place of its word in the query. */
  word: number
  /** Documents with the term. */
  documents: number
  /** Rarity, times the likeness of the word. */
  factor: number
  /** Words as written that lead to the term, without accents. */
  written: string[]
}

/** Languages of a project by which a search is stemmed: those of most documents. */
const MAX_LANGUAGES = 6
/** Written words of a term that are marked in snippets. */
const MAX_WRITTEN = 40
/** Terms of an unfinished word: the most frequent among the first words that begin with it. */
const MAX_BEGINNINGS = 12
const BEGINNINGS_READ = 1_000
/** Likeness of a word that begins with the query's: from this for a single letter to twice this. */
const BEGINNING = 0.35
/** The same when the word is there as written. */
const BEGINNING_OF_KNOWN = 0.15
/** Shorter words are not corrected. */
const MIN_CORRECTED = 4
const MAX_SIMILAR = 60
const MAX_CORRECTIONS = 5
/**
 * Milliseconds for all corrections of a search, which goes on without them after that. A project whose words are all
 * alike would make each correction read them all.
 */
const CORRECTION_MS = 1_000
/** Likeness of a word with one wrong letter; of one with two, its square. */
const CORRECTION = 0.6

type Found = { id: string; word: number; documents: number; written: string[]; likeness: number }

const WRITTEN = sql`array(select word from knowledge_word own where own.term_id = t.id limit ${MAX_WRITTEN}) as written`

/** Terms of the words. Words that are nowhere in the project, even similar ones, lead to none. */
export async function termsOfQuery(
  database: Database,
  project_id: string,
  words: readonly QueryWord[],
): Promise<KnowledgeTerm[]> {
  if (words.length === 0) return []
  const [corpus] = await database.execute<{ documents: number; languages: Record<string, number> }>(
    sql`select documents, languages from knowledge_corpus where project_id = ${project_id}`,
  )
  if (!corpus || corpus.documents === 0) return []
  const stems = await stemsOf(database, words, corpus.languages)
  const found = await lookUp(database, project_id, words, stems)
  const missing = words
    .map((word, at) => ({ word, at }))
    .filter(({ word, at }) => !found.some((one) => one.word === at) && !stems[at]!.is_common && isCorrectable(word))
  if (missing.length > 0) found.push(...(await corrections(database, project_id, missing)))
  return weigh(found, corpus.documents)
}

type Stems = { terms: string[]; is_common: boolean }

/** The terms of each word in each language. A word that no language of the project indexes is common. */
async function stemsOf(
  database: Database,
  words: readonly QueryWord[],
  languages: Record<string, number>,
): Promise<Stems[]> {
  const most = Object.entries(languages).sort((a, b) => b[1] - a[1])
  const codes: (string | null)[] = most.slice(0, MAX_LANGUAGES).map(([code]) => code)
  if (codes.length === 0) codes.push(null)
  const all = words.flatMap(({ word }) => codes.map((language) => ({ language, word })))
  const terms = await termsOf(database, all)
  return words.map((_, at) => {
    const own = terms.slice(at * codes.length, (at + 1) * codes.length)
    return { terms: [...new Set(own.filter((term) => term !== ''))], is_common: own.includes('') }
  })
}

/** Terms of the words as written, of their stems and of words that begin with the unfinished one. */
async function lookUp(
  database: Database,
  project_id: string,
  words: readonly QueryWord[],
  stems: readonly Stems[],
): Promise<Found[]> {
  const mine = sql`${project_id}`
  const written = words.map(({ folded }, at) => sql`(${at}, ${folded})`)
  const terms = stems.flatMap(({ terms }, at) => terms.map((term) => sql`(${at}, ${term})`))
  const parts = [
    sql`select q.at as word, t.id, t.documents, null as began
      from (values ${sql.join(written, ', ')}) q (at, word) join knowledge_word w on w.project_id = ${mine} and w.word = q.word
      join knowledge_term t on t.id = w.term_id`,
  ]
  if (terms.length > 0) {
    parts.push(sql`select q.at as word, t.id, t.documents, null as began
      from (values ${sql.join(terms, ', ')}) q (at, term) join knowledge_term t on t.project_id = ${mine} and t.term = q.term`)
  }
  const last = words.at(-1)!
  if (last.is_unfinished) {
    parts.push(sql`(select ${words.length - 1} as word, t.id, t.documents, min(w.word) as began
      from (
        select word, term_id from knowledge_word where project_id = ${mine}
          and word > ${last.folded} and word < ${`${last.folded}\u{10ffff}`}
        order by word limit ${BEGINNINGS_READ}
      ) w join knowledge_term t on t.id = w.term_id
      group by t.id order by t.documents desc, t.id limit ${MAX_BEGINNINGS})`)
  }
  const rows = await database.execute<Omit<Found, 'likeness'> & { began: string | null }>(
    sql`select t.*, ${WRITTEN} from (${sql.join(parts, ' union all ')}) t`,
  )
  const known = new Set(rows.filter(({ began }) => began === null).map(({ word }) => word))
  return rows.map(({ began, ...row }) => {
    if (began === null) return { ...row, likeness: 1 }
    const share = last.folded.length / began.length
    return { ...row, likeness: (known.has(row.word) ? BEGINNING_OF_KNOWN : BEGINNING) * (1 + share) }
  })
}

function isCorrectable({ folded }: QueryWord): boolean {
  return folded.length >= MIN_CORRECTED && !/^\p{N}/u.test(folded)
}

/** Terms of words that differ in one letter, or in two for long words. */
async function corrections(
  database: Database,
  project_id: string,
  missing: { word: QueryWord; at: number }[],
): Promise<Found[]> {
  const list = missing.map(({ word: { folded }, at }) => sql`(${at}, ${folded})`)
  type Row = { at: number; asked: string; word: string } & Pick<Found, 'id' | 'documents' | 'written'>
  const query = sql`
    select q.at, q.word as asked, s.word, t.id, t.documents, ${WRITTEN}
    from (values ${sql.join(list, ', ')}) q (at, word), lateral knowledge_similar(${project_id}, q.word, ${MAX_SIMILAR}) s
    join knowledge_term t on t.id = s.term_id`
  const rows = (await executeWithin<Row>(database, CORRECTION_MS, query)) ?? []
  const close = rows.flatMap(({ at, asked, word, ...term }) => {
    const distance = distanceOf(asked, word)
    return distance <= (asked.length < 8 ? 1 : 2) ? [{ ...term, word: at, likeness: CORRECTION ** distance }] : []
  })
  const best = [...Map.groupBy(close, ({ word }) => word).values()]
  return best.flatMap((own) =>
    own.sort((a, b) => b.likeness - a.likeness || b.documents - a.documents).slice(0, MAX_CORRECTIONS),
  )
}

/** Letters to insert, drop, replace or swap with the next one. */
function distanceOf(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const is_same = a[i - 1] === b[j - 1]
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (is_same ? 0 : 1))
      const swaps = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swaps) next[j] = Math.min(next[j]!, before[j - 2]! + 1)
    }
    before = row
    row = next
  }
  return row[b.length]!
}

/** Each term of a word once, with its rarity. A term that is only like the word is not rarer than the word itself. */
function weigh(found: Found[], documents: number): KnowledgeTerm[] {
  const best = new Map<string, Found>()
  for (const one of found) {
    if (one.documents <= 0) continue
    const key = `${one.word} ${one.id}`
    const known = best.get(key)
    if (!known || known.likeness < one.likeness) best.set(key, one)
  }
  const rarity = new Map<number, number>()
  for (const { word, documents: having, likeness } of best.values()) {
    if (likeness === 1) rarity.set(word, Math.min(rarity.get(word) ?? Number.POSITIVE_INFINITY, idf(documents, having)))
  }
  return [...best.values()].map(({ likeness, ...one }) => {
    const own = idf(documents, one.documents)
    return { ...one, factor: likeness === 1 ? own : likeness * Math.min(own, rarity.get(one.word) ?? own) }
  })
}

/** BM25's inverse document frequency, which is never negative. */
function idf(documents: number, having: number): number {
  const rest = Math.max(0, documents - having)
  return Math.log(1 + (rest + 0.5) / (having + 0.5))
}
