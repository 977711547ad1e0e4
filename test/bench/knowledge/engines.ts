/** The engines that the benchmark compares, each with the same texts. */
import MiniSearch from 'minisearch'
import { Foreground, KnowledgeIndexer } from '../../../actors/mod.ts'
import { silentLog } from '../../../runtime/mod.ts'
import {
  compileWrites,
  type Database,
  objectId,
  Project,
  readIndexState,
  searchKnowledge,
} from '../../../storage/mod.ts'
import type { Text } from './texts.ts'

export type Engine = {
  name: string
  /** Takes the texts; resolves when all of them are indexed. */
  fill(texts: Iterable<Text>): Promise<void>
  /** The ids of the best documents. */
  search(query: string): Promise<string[]>
}

const LIMIT = 10
const PAGE = 500

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

function* pagesOf(texts: Iterable<Text>): Generator<Text[]> {
  let page: Text[] = []
  for (const text of texts) {
    page.push(text)
    if (page.length < PAGE) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

/** A project of its own; documents are written as turns write them, and indexed by the product's indexer. */
export function parleyEngine(database: Database, language: string): Engine {
  const project_id = objectId()
  const company_id = objectId()
  const numbers = new Map<string, string>()
  return {
    name: 'parley',
    async fill(texts) {
      await database.execute(`insert into company (_id, name) values ('${company_id}', 'Bench')`)
      const limits = { minute: 1, hour: 1, day: 1, ingest_minute: 1 }
      const stamps = { created_at: new Date(), updated_at: new Date() }
      const project = { _id: project_id, company_id, name: 'Bench', limits, ...stamps }
      await database.commit(
        compileWrites(database.orm, [{ entity: Project, kind: 'insert', key: project, values: project }]),
      )
      for (const page of pagesOf(texts)) {
        const rows = page.map(({ id, name, content }) => {
          const _id = objectId()
          numbers.set(_id, id)
          return `('${_id}', '${company_id}', '${project_id}', 'document', ${literal(name)}, ${literal(content)}, '${language}', true, 'pending')`
        })
        await database.execute(`
          insert into knowledge_node (_id, company_id, project_id, type, name, content, language, language_is_given, index_status)
          values ${rows}`)
      }
      const indexer = new KnowledgeIndexer({
        database,
        log: silentLog,
        foreground: new Foreground(),
        node: () => undefined,
      })
      indexer.wake()
      for (;;) {
        const { pending } = await readIndexState(database, project_id)
        process.stderr.write(`\rparley: ${pending} texts wait to be indexed   `)
        if (pending === 0) break
        await new Promise((resolve) => setTimeout(resolve, 500))
      }
      process.stderr.write('\n')
      await indexer.stop()
      await database.execute('vacuum analyze knowledge_posting')
      for (const table of ['node', 'term', 'word']) await database.execute(`vacuum analyze knowledge_${table}`)
    },
    async search(query) {
      const hits = await searchKnowledge(database, project_id, { query, limit: LIMIT })
      return hits.map(({ node_id }) => numbers.get(node_id)!)
    },
  }
}

/** PostgreSQL's own ranking of a text search: any of the words, the whole match list sorted by `ts_rank_cd`. */
export function rankEngine(database: Database, configuration: string): Engine {
  return {
    name: 'ts_rank_cd',
    async fill(texts) {
      await database.execute('create table bench_text (id text primary key, body text, document tsvector)')
      for (const page of pagesOf(texts)) {
        const rows = page.map(({ id, name, content }) => `('${id}', ${literal(`${name}\n${content}`)})`)
        await database.execute(`
          insert into bench_text (id, body, document)
          select id, body, to_tsvector('${configuration}', body) from (values ${rows}) t (id, body)`)
      }
      await database.execute('create index bench_text_document on bench_text using gin (document)')
      await database.execute('vacuum analyze bench_text')
    },
    async search(query) {
      const rows = await database.execute<{ id: string }>(`
        with query as (
          select replace(plainto_tsquery('${configuration}', ${literal(query)})::text, '&', '|')::tsquery as words
        ), best as (
          select id, body, ts_rank_cd(document, words) as rank from bench_text, query where document @@ words
          order by rank desc, id limit ${LIMIT}
        )
        select id, ts_headline('${configuration}', body, (select words from query)) from best order by rank desc, id`)
      return rows.map(({ id }) => id)
    },
  }
}

/** BM25 in JavaScript, in this process's memory, without snippets. */
export function miniSearchEngine(): Engine {
  const index = new MiniSearch({ fields: ['name', 'content'] })
  return {
    name: 'minisearch',
    async fill(texts) {
      for (const text of texts) index.add(text)
    },
    search: async (query) =>
      index
        .search(query)
        .slice(0, LIMIT)
        .map(({ id }) => id as string),
  }
}
