/**
 * Writes documents to the index, and takes deleted ones out of it, in one transaction: postings, the number of
 * documents of each term, the words that lead to terms, and the totals of the project. One transaction at a time works
 * on a project, so the totals are exact.
 */

import type { Database } from '../database/database.ts'
import type { EntityManager } from '../database/entity_manager.ts'
import { sql } from '../sql/sql.ts'
import type { Analysis } from './analysis.ts'
import type { QueuedDocument } from './queue.ts'
import { termsOf } from './stems.ts'
import { foldWord } from './words.ts'

/** First key of the advisory locks of projects. */
const LOCK = 730_731
/** Ratio of the mean length of documents to the one that impacts were computed with, above which they are outdated. */
const DRIFT = 1.25
/** Documents whose impacts are computed anew in one transaction. */
const RENORMED = 200
/** Counts of words fit into a smallint. */
const MAX_COUNT = 32_000

/** A queued document with its words; without them it is taken out of the index. */
export type AnalysedDocument = QueuedDocument & { analysis?: Analysis | undefined; detected: string | null }

type Posting = { term: string; count: number; place: number }
type Entry = AnalysedDocument & { stemmed: string | null; postings: Posting[]; words: number }
type Row = { _id: string; number: number; words: number; is_active: boolean; revision: number }
type Corpus = { documents: number; words: number; norm: number }

/**
 * Indexes documents that were claimed. Documents that have changed since are left in the queue.
 *
 * @returns the number of documents that are done
 */
export async function indexDocuments(
  database: Database,
  project_id: string,
  documents: readonly AnalysedDocument[],
): Promise<number> {
  const main = await mainLanguage(database, project_id)
  const entries = new Map<string, Entry>()
  const pairs = new Map<string, Set<string>>()
  for (const document of documents) entries.set(document.node_id, await stemmedOf(database, document, main, pairs))
  return database.em().transactional(async (em) => {
    await lockIndex(em, project_id)
    const rows = await currentRows(em, [...entries.values()])
    if (rows.length === 0) return 0
    const corpus = await corpusOf(em, project_id)
    const present = rows.map((row) => ({ row, entry: entries.get(row._id)! }))
    const added = present.filter(({ row, entry }) => row.is_active && entry.words > 0)
    const words_before = sum(rows.map((row) => row.words))
    const words_after = sum(added.map(({ entry }) => entry.words))
    const documents_before = rows.filter((row) => row.words > 0).length
    const norm = corpus.documents === documents_before && added.length > 0 ? words_after / added.length : corpus.norm
    const ids = await replaceTerms(
      em,
      project_id,
      rows,
      added.map(({ entry }) => entry),
    )
    await addPostings(em, added, ids, norm)
    await addWords(em, project_id, pairs, ids)
    await em.execute(sql`
      with gone as (delete from knowledge_term where documents = 0 and id in (${listOf([...ids.values()])}) returning id)
      delete from knowledge_word using gone where term_id = gone.id`)
    await markNodes(em, present)
    const after = {
      documents: corpus.documents - documents_before + added.length,
      words: Number(corpus.words) - words_before + words_after,
      norm,
    }
    await storeCorpus(em, project_id, after, languagesOf(added.map(({ entry }) => entry)))
    await em.execute(sql`delete from knowledge_reindex where (node_id, revision) in (${sql.join(pairsOf(rows), ', ')})`)
    return rows.length
  })
}

/** Makes others wait who would change the index of the project, until the transaction ends. */
export async function lockIndex(em: EntityManager, project_id: string): Promise<void> {
  await em.execute(sql`select pg_advisory_xact_lock(${LOCK}, hashtext(${project_id}))`)
}

/** The terms of a document. `pairs` collects the words that lead to each term. */
async function stemmedOf(
  database: Database,
  document: AnalysedDocument,
  main: string | null,
  pairs: Map<string, Set<string>>,
): Promise<Entry> {
  const { analysis } = document
  const stemmed = (document.language_is_given ? document.language : document.detected) ?? main
  if (!analysis) return { ...document, stemmed, postings: [], words: 0 }
  const terms = await termsOf(
    database,
    analysis.words.map((word) => ({ language: stemmed, word })),
  )
  const postings = new Map<string, Posting>()
  let words = 0
  for (const [at, term] of terms.entries()) {
    if (term === '') continue
    const [count, place] = [analysis.counts[at]!, analysis.places[at]!]
    words += count
    const known = postings.get(term)
    if (!known) postings.set(term, { term, count, place })
    else {
      known.count += count
      if (place >= 0 && (known.place < 0 || place < known.place)) known.place = place
    }
    const written = pairs.get(term) ?? new Set()
    pairs.set(term, written.add(foldWord(analysis.words[at]!)))
  }
  return { ...document, stemmed, postings: [...postings.values()], words }
}

/** The language of most documents, for those whose own is unknown. */
async function mainLanguage(database: Database, project_id: string): Promise<string | null> {
  const [row] = await database.execute<{ language: string }>(sql`
    select key as language from knowledge_corpus, jsonb_each_text(languages)
    where project_id = ${project_id} order by value::integer desc, key limit 1`)
  return row?.language ?? null
}

/** The documents of the batch that are still queued as they were claimed. */
async function currentRows(em: EntityManager, entries: Entry[]): Promise<Row[]> {
  const claimed = entries.map(({ node_id, revision }) => sql`(${node_id}, ${revision})`)
  return em.execute<Row[]>(sql`
    select node._id, node.number, node.words, node.is_active, node.revision
    from (values ${sql.join(claimed, ', ')}) claimed (node_id, revision)
    join knowledge_reindex queued using (node_id, revision)
    join knowledge_node node on node._id = queued.node_id and node.revision = queued.revision`)
}

async function corpusOf(em: EntityManager, project_id: string): Promise<Corpus> {
  await em.execute(sql`insert into knowledge_corpus (project_id) values (${project_id}) on conflict do nothing`)
  const [row] = await em.execute<Corpus[]>(
    sql`select documents, words, norm from knowledge_corpus where project_id = ${project_id}`,
  )
  return row!
}

/** Removes the postings of these documents and counts the terms of the new ones. Returns the ids of all these terms. */
async function replaceTerms(
  em: EntityManager,
  project_id: string,
  rows: Row[],
  added: Entry[],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const { postings } of added) for (const { term } of postings) counts.set(term, (counts.get(term) ?? 0) + 1)
  const found = await em.execute<{ id: string; term: string }[]>(sql`
    with gone as (
      delete from knowledge_posting where number in (${sql.list(rows.map(({ number }) => number))}) returning term_id
    ), change as (
      select term, sum(one)::integer as one from (
        select term, -1 as one from gone join knowledge_term on id = term_id
        union all select term, one from unnest(${texts(counts.keys())}, ${numbers(counts.values())}) added (term, one)
      ) both_kinds group by term order by term
    )
    insert into knowledge_term as known (project_id, term, documents) select ${project_id}, term, one from change
    on conflict (project_id, term) do update set documents = known.documents + excluded.documents
    returning id, term`)
  return new Map(found.map(({ id, term }) => [term, Number(id)]))
}

async function addPostings(
  em: EntityManager,
  added: { row: Row; entry: Entry }[],
  ids: Map<string, number>,
  norm: number,
): Promise<void> {
  const columns: number[][] = [[], [], [], [], []]
  for (const { row, entry } of added) {
    for (const { term, count, place } of entry.postings) {
      const values = [row.number, ids.get(term)!, Math.min(count, MAX_COUNT), entry.words, place]
      for (const [at, value] of values.entries()) columns[at]!.push(value)
    }
  }
  if (columns[0]!.length === 0) return
  const [number, term_id, count, words, place] = columns.map((column, at) =>
    numbers(column, at === 1 ? sql`bigint` : sql`integer`),
  )
  await em.execute(sql`
    insert into knowledge_posting (number, term_id, impact, count, place)
    select number, term_id, knowledge_impact(count, words, ${norm}::real), count, place
    from unnest(${number!}, ${term_id!}, ${count!}, ${words!}, ${place!}) added (number, term_id, count, words, place)`)
}

async function addWords(
  em: EntityManager,
  project_id: string,
  pairs: Map<string, Set<string>>,
  ids: Map<string, number>,
): Promise<void> {
  const words: string[] = []
  const term_ids: number[] = []
  for (const [term, written] of pairs) {
    const id = ids.get(term)
    if (id === undefined) continue
    for (const word of written) {
      words.push(word)
      term_ids.push(id)
    }
  }
  if (words.length === 0) return
  await em.execute(sql`
    insert into knowledge_word (project_id, word, term_id)
    select ${project_id}, word, term_id from unnest(${texts(words)}, ${numbers(term_ids, sql`bigint`)}) added (word, term_id)
    order by word, term_id on conflict do nothing`)
}

/** A document that has changed since stays pending. One without a content is still being fetched. */
async function markNodes(em: EntityManager, present: { row: Row; entry: Entry }[]): Promise<void> {
  const values = present.map(({ row, entry }) => {
    const language = entry.detected === null ? sql`null` : sql`${entry.detected}`
    const words = row.is_active ? entry.words : 0
    return sql`(${row._id}, ${row.revision}, ${words}, ${language}, ${row.is_active && entry.content !== null})`
  })
  await em.execute(sql`
    update knowledge_node node set words = done.words,
      language = case when node.revision <> done.revision or node.language_is_given then node.language else done.language end,
      index_status = case when node.revision = done.revision and done.is_indexed then 'indexed' else node.index_status end,
      index_error = case when node.revision = done.revision and done.is_indexed then null else node.index_error end
    from (values ${sql.join(values, ', ')}) done (_id, revision, words, language, is_indexed) where node._id = done._id`)
}

/** `languages` counts each time that a document was indexed in a language. */
async function storeCorpus(
  em: EntityManager,
  project_id: string,
  { documents, words, norm }: Corpus,
  added: Record<string, number>,
): Promise<void> {
  const mean = documents > 0 ? words / documents : norm
  const drifts = mean > norm * DRIFT || mean < norm / DRIFT
  await em.execute(sql`
    update knowledge_corpus set documents = ${documents}, words = ${words},
      norm = case when ${drifts} and renormed is null then ${mean} else ${norm} end,
      renormed = case when ${drifts} and renormed is null then 0 else renormed end,
      languages = languages || (
        select coalesce(jsonb_object_agg(key, coalesce((languages ->> key)::integer, 0) + value::integer), '{}')
        from jsonb_each_text(${JSON.stringify(added)}))
    where project_id = ${project_id}`)
}

function languagesOf(entries: Entry[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { stemmed } of entries) if (stemmed !== null) counts[stemmed] = (counts[stemmed] ?? 0) + 1
  return counts
}

/** A project whose impacts have to be computed anew, because the mean length of its documents has changed. */
export async function nextOutdatedProject(
  database: Database,
  except: readonly string[] = [],
): Promise<string | undefined> {
  const others = except.length > 0 ? sql`and project_id not in (${sql.list(except)})` : sql``
  const [row] = await database.execute<{ project_id: string }>(
    sql`select project_id from knowledge_corpus where renormed is not null ${others} limit 1`,
  )
  return row?.project_id
}

/** Computes the impacts of further documents of a project anew. */
export async function renormDocuments(database: Database, project_id: string): Promise<void> {
  await database.em().transactional(async (em) => {
    await lockIndex(em, project_id)
    await em.execute(sql`with corpus as materialized (
        select norm, renormed from knowledge_corpus where project_id = ${project_id} and renormed is not null
      ), page as materialized (
        select number, node.words from corpus, knowledge_node node
        where project_id = ${project_id} and node.words > 0 and number > renormed order by number limit ${RENORMED}
      ), changed as (
        update knowledge_posting posting
        set impact = knowledge_impact(posting.count, page.words, norm)
        from page, corpus where posting.number = page.number
          and impact <> knowledge_impact(posting.count, page.words, norm)
      )
      update knowledge_corpus set renormed = (select max(number) from page)
      where project_id = ${project_id} and renormed is not null`)
  })
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
const numbers = (values: Iterable<number>, type = sql`integer`) => sql`${sql.numbers([...values])}::${type}[]`
const listOf = (values: number[]) => (values.length === 0 ? sql`null` : sql.list(values))
const pairsOf = (rows: Row[]) => rows.map(({ _id, revision }) => sql`(${_id}, ${revision})`)

/** Terms and words have letters and digits alone, so nothing in them needs quotes. */
const texts = (values: Iterable<string>) => sql`${`{${[...values].map((text) => `"${text}"`)}}`}::text[]`
