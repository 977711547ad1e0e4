/**
 * The search in the knowledge of a project, ranked by BM25.
 *
 *  1. Each word of the query leads to terms: those of the word as written and of its stems, for the last word also
 *     those of words that begin with it, and for a word without any those of similar words. A term counts as much as
 *     its word is like the query's; of the terms of one word, the best in a document counts.
 *  2. Postings of the rarest terms are read as a whole. Of the other terms only the best are read, in the order of
 *     their impact; the best documents so far are then scored exactly. So the cost depends on the number of results and
 *     not on how common the words are. The cut-off may swap documents of nearly the same score (docs/benchmarks.md),
 *     but it never hides one: when fewer than `limit` remain, all postings are read.
 *  3. The snippet is the part of the text around the places of most of the words.
 */
import type { Database } from '../../database/database.ts'
import { executeWithin } from '../../database/execute_within.ts'
import { foldWord, wordsIn } from '../../knowledge/words.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { type Scope, scopeOf } from './scope.ts'
import { type KnowledgeHit, type RankedDocument, snippetsOf } from './snippets.ts'
import { type KnowledgeTerm, type QueryWord, termsOfQuery } from './terms.ts'

export type KnowledgeSearch = {
  query: string
  limit: number
  /** Documents, and folders with all below them. Nodes that are not active hold nothing. */
  node_ids?: readonly string[] | undefined
}

/** Postings of rare terms that are read as a whole, all together. */
const WHOLE = 2_000
/** Postings read of all common terms together, and look-ups to score documents exactly; for one term at most `MAX`. */
const POSTINGS = 2_400
const LOOK_UPS = 3_600
const MAX = 600
const MIN = 150
/** Documents beyond the limit, because the best may have been deleted. */
const SPARE = 100
/** Milliseconds for a round; requests are answered with a refusal before that (http/server/limits/read_limiter.ts). */
const ROUND_MS = 12_000
const EVERYTHING = { postings: 1_000_000_000, scored: 1_000_000_000, spare: 1_000_000_000 }
/** `impact` of a posting is the BM25 part times this (migration 0031). */
const SCALE = 14_000

type Round = typeof EVERYTHING

/** The best documents for the query. Without a word that is indexed there are none. */
export async function searchKnowledge(
  database: Database,
  project_id: string,
  { query, limit, node_ids }: KnowledgeSearch,
): Promise<KnowledgeHit[]> {
  const terms = await termsOfQuery(database, project_id, wordsOfQuery(query))
  if (terms.length === 0) return []
  const scope = node_ids && (await scopeOf(database, project_id, node_ids))
  if (scope && scope.numbers?.length === 0) return []
  const found = await rank(database, project_id, terms, limit, scope)
  return snippetsOf(database, found, terms)
}

const MAX_WORDS = 16

/** The distinct words of a query. The last one may be unfinished, unless something follows it. */
function wordsOfQuery(query: string): QueryWord[] {
  const words = new Map<string, QueryWord>()
  for (const { word, to } of wordsIn(query)) {
    const folded = foldWord(word)
    if (folded === '') continue
    const is_unfinished = to === query.length
    if (words.size < MAX_WORDS || words.has(folded)) words.set(folded, { word, folded, is_unfinished })
  }
  return [...words.values()]
}

async function rank(
  database: Database,
  project_id: string,
  terms: KnowledgeTerm[],
  limit: number,
  scope: Scope | undefined,
): Promise<RankedDocument[]> {
  const parts = split(terms)
  const read = async (round: Round) => {
    const query = statement(project_id, parts, round, limit, scope)
    const rows = await executeWithin<{ found: RankedDocument[] | null }>(database, ROUND_MS, query)
    if (!rows) throw new Error('The search took too long.')
    return rows[0]!.found ?? []
  }
  const share = (all: number, terms: number) => Math.max(MIN, Math.min(MAX, Math.floor(all / Math.max(terms, 1))))
  const found = await read({
    postings: share(POSTINGS, parts.common.length),
    scored: Math.max(limit, share(LOOK_UPS, terms.length)),
    spare: SPARE,
  })
  return found.length === limit ? found : read(EVERYTHING)
}

type Split = { whole: KnowledgeTerm[]; common: KnowledgeTerm[] }

/** The rarest terms, whose postings are read as a whole, and the common ones. */
function split(terms: KnowledgeTerm[]): Split {
  const whole: KnowledgeTerm[] = []
  const common: KnowledgeTerm[] = []
  let postings = 0
  for (const term of terms.toSorted((a, b) => a.documents - b.documents)) {
    postings += term.documents
    if (postings <= WHOLE) whole.push(term)
    else common.push(term)
  }
  return { whole, common }
}

/**
 * - `hit`: postings read, in the scope.
 * - `partial`: the best documents by what was read of them.
 * - `scored`: these with all their terms. Each is looked up by its number; a plan that joins would read whole lists.
 */
function statement(
  project_id: string,
  { whole, common }: Split,
  { postings, scored, spare }: Round,
  limit: number,
  scope: Scope | undefined,
): Sql {
  const all = [...whole, ...common]
  const is_exact = common.length === 0 || all.length === 1 || scope?.numbers !== undefined
  const reads: Sql[] = []
  const inScope = scope?.folders ? sql`join knowledge_node n on n.number = p.number and ${insideOf(scope)}` : sql``
  if (scope?.numbers) {
    reads.push(sql`select s.number, t.word, t.factor * p.impact as score
      from unnest(${sql.numbers(scope.numbers)}::integer[]) s (number), lateral (${lookUp(sql`s.number`, all)}) p
      join term t on t.id = p.term_id`)
  } else {
    if (whole.length > 0) {
      reads.push(sql`select p.number, t.word, t.factor * p.impact as score
        from knowledge_posting p join term t on t.id = p.term_id ${inScope}
        where p.term_id in (${idsOf(whole)})`)
    }
    if (common.length > 0) reads.push(sql`select p.number, p.word, p.score from top p ${inScope}`)
  }
  return sql`
    with term (id, word, factor) as materialized (values ${sql.join(all.map(valuesOf), ', ')}),
    top as materialized (
      select p.number, t.id, t.word, t.factor * p.impact as score
      from (select * from term where id in (${idsOf(common)})) t, lateral (
        select number, impact from knowledge_posting where term_id = t.id order by impact desc limit ${postings}
      ) p
    ),
    hit as (${sql.join(reads, ' union all ')}),
    partial as materialized (
      select number, sum(score) as score from (${bestOf(all, sql`hit`)}) hits
      group by number order by score desc, number limit ${scored}
    ),
    exact as (
      select c.number, t.word, t.factor * p.impact as score
      from partial c, lateral (${lookUp(sql`c.number`, all)}) p join term t on t.id = p.term_id
    ),
    scored as (${is_exact ? sql`table partial` : sql`select number, sum(score) as score from (${bestOf(all, sql`exact`)}) hits group by number`}),
    best as materialized (select * from scored order by score desc, number limit ${limit + spare}),
    found as (
      select n.number, n._id as node_id, n.name, round((s.score / ${SCALE})::numeric, 4)::float8 as score
      from best s join knowledge_node n on n.number = s.number
      where n.project_id = ${project_id} and n.is_active
      order by s.score desc, n.number limit ${limit}
    )
    select json_agg(json_build_object('node_id', node_id, 'name', name, 'score', score, 'places', (
      select json_agg(json_build_array(term_id::text, place)) from knowledge_posting p
      where p.number = found.number and p.term_id in (${idsOf(all)}) and place >= 0
    ))) as found from found`
}

const lookUp = (number: Sql, terms: KnowledgeTerm[]) =>
  sql`select term_id, impact from knowledge_posting where number = ${number} and term_id in (${idsOf(terms)}) offset 0`

/** For each word the best of its terms. */
function bestOf(terms: KnowledgeTerm[], rows: Sql): Sql {
  const is_single = new Set(terms.map(({ word }) => word)).size === terms.length
  if (is_single) return sql`select number, score from ${rows}`
  return sql`select number, max(score) as score from ${rows} group by number, word`
}

/** Documents directly in the folders, or named themselves. */
function insideOf({ folders, documents }: Scope): Sql {
  const named = documents.length > 0 ? sql` or n.number in (${sql.list(documents)})` : sql``
  return sql`(n.parent_id in (${sql.list(folders!)})${named})`
}

const valuesOf = ({ id, word, factor }: KnowledgeTerm) => sql`(${id}::bigint, ${word}, ${factor}::float8)`
const idsOf = (terms: KnowledgeTerm[]) => (terms.length === 0 ? sql`null` : sql.list(terms.map(({ id }) => id)))
