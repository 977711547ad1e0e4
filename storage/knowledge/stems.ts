/** Stems of words, by PostgreSQL's dictionaries. A process remembers those of frequent words. */
import type { Database } from '../database/database.ts'
import { sql } from '../sql/sql.ts'
import { stemmerOf } from './languages.ts'
import { foldWord } from './words.ts'

/** Maximum stems remembered. When there are more, all are forgotten. */
const MAX = 200_000

/** The key is the dictionary and the word. The empty stem stands for a word that is not indexed, such as "the". */
const known = new Map<string, string>()
const dictionaries = new WeakMap<Database, Set<string>>()

/** A word in a language; null stands for an unknown one. */
export type WordOf = { language: string | null; word: string }

/**
 * The terms under which words are indexed: stems without accents. A word that is too common in its language to be
 * indexed has the empty term.
 */
export async function termsOf(database: Database, words: readonly WordOf[]): Promise<string[]> {
  const stemmers = await stemmersIn(database)
  const terms: (string | undefined)[] = []
  const missing = new Map<string, { stemmer: string; word: string }>()
  if (known.size > MAX) known.clear()
  for (const { language, word } of words) {
    const stemmer = stemmerOf(language)
    if (stemmer === undefined || !stemmers.has(stemmer)) {
      terms.push(foldWord(word))
      continue
    }
    const key = `${stemmer} ${word}`
    const term = known.get(key)
    if (term === undefined) missing.set(key, { stemmer, word })
    terms.push(term)
  }
  if (missing.size === 0) return terms as string[]
  const fresh = await stem(database, missing)
  return terms.map((term, at) => term ?? fresh.get(`${stemmerOf(words[at]!.language)} ${words[at]!.word}`)!)
}

async function stem(
  database: Database,
  missing: Map<string, { stemmer: string; word: string }>,
): Promise<Map<string, string>> {
  const fresh = new Map<string, string>()
  for (const [stemmer, entries] of Map.groupBy([...missing], ([, { stemmer }]) => stemmer)) {
    const list = JSON.stringify(entries.map(([, { word }]) => word))
    const rows = await database.execute<{ stem: string[] | null }>(
      sql`select ts_lexize(${stemmer}, word) as stem
        from json_array_elements_text(${list}::json) with ordinality as word (word, place) order by place`,
    )
    for (const [at, [key, { word }]] of entries.entries()) {
      const found = rows[at]!.stem
      fresh.set(key, found?.length === 0 ? '' : foldWord(found?.[0] ?? word))
    }
  }
  for (const [key, term] of fresh) known.set(key, term)
  return fresh
}

/** Dictionaries that this PostgreSQL has. */
async function stemmersIn(database: Database): Promise<Set<string>> {
  let found = dictionaries.get(database)
  if (!found) {
    const rows = await database.execute<{ dictname: string }>(
      sql`select dictname from pg_ts_dict where dictname like '%\\_stem'`,
    )
    found = new Set(rows.map(({ dictname }) => dictname))
    dictionaries.set(database, found)
  }
  return found
}
