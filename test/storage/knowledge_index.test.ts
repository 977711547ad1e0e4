/**
 * The index of the knowledge against the documents it is made of. One file, because each rule is proven by the same
 * comparison.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { analyse, MAX_WORDS } from '../../storage/knowledge/analysis.ts'
import {
  type AnalysedDocument,
  claimQueued,
  type Database,
  dropOrphans,
  failQueued,
  forgetKnowledge,
  indexDocuments,
  nextOutdatedProject,
  nextQueuedProject,
  objectId,
  postponeQueued,
  queueAll,
  readIndexState,
  removeProject,
  renormDocuments,
  searchKnowledge,
} from '../../storage/mod.ts'
import { testDatabase } from '../support/mod.ts'
import { storeTenant } from './records.ts'

const { database } = await testDatabase(t)

type Document = { _id: string; content: string }

async function add(project_id: string, contents: string[], parent_id: string | null = null): Promise<Document[]> {
  const documents = contents.map((content) => ({ _id: objectId(), content }))
  const values = documents.map(() => `(?, 'c', ?, ?, 'document', 'Page', ?, 'en', true, 'pending')`)
  await database.execute(
    `insert into knowledge_node
      (_id, company_id, project_id, parent_id, type, name, content, language, language_is_given, index_status)
      values ${values}`,
    documents.flatMap(({ _id, content }) => [_id, project_id, parent_id, content]),
  )
  return documents
}

async function addFolder(project_id: string): Promise<string> {
  const _id = objectId()
  await database.execute(
    `insert into knowledge_node (_id, company_id, project_id, type, name, index_status)
      values (?, 'c', ?, 'folder', 'F', 'indexed')`,
    [_id, project_id],
  )
  return _id
}

const change = (_id: string, content: string) =>
  database.execute('update knowledge_node set content = ?, revision = revision + 1 where _id = ?', [content, _id])
const remove = (_id: string) =>
  database.execute('update knowledge_node set is_active = false, revision = revision + 1 where _id = ?', [_id])

/** Makes claimed documents due; -1, because times are rounded to milliseconds. */
const giveBack = (claimed: readonly AnalysedDocument[]) =>
  postponeQueued(
    database,
    claimed.map(({ node_id }) => node_id),
    -1,
  )

/** Claims documents and analyses them as the indexer does. */
async function claim(project_id: string): Promise<AnalysedDocument[]> {
  return (await claimQueued(database, project_id)).map((document) => {
    const { name, content, is_active } = document
    return { ...document, detected: null, ...(is_active && { analysis: analyse({ name, content: content ?? '' }) }) }
  })
}

async function indexAll(project_id: string): Promise<void> {
  for (let batch = await claim(project_id); batch.length > 0; batch = await claim(project_id)) {
    await indexDocuments(database, project_id, batch)
  }
  for (let next = await nextOutdatedProject(database); next; next = await nextOutdatedProject(database)) {
    await renormDocuments(database, next)
  }
}

/** Returns the rows that differ from an index computed from the documents alone. */
async function differences(database: Database, project_id: string): Promise<unknown[]> {
  const mine = 'n.project_id = $project'
  const sql = `
    select 'term' as what, term as name, documents, (
      select count(*) from knowledge_posting p join knowledge_node n using (number) where term_id = id and n.is_active
    ) as found from knowledge_term n where ${mine}
    union all
    select 'documents', '', documents, (select count(*) from knowledge_node n where ${mine} and is_active and words > 0)
      from knowledge_corpus n where ${mine}
    union all
    select 'words', '', words, (select coalesce(sum(n.words), 0) from knowledge_node n where ${mine} and is_active)
      from knowledge_corpus n where ${mine}
    union all
    select 'words of', n._id, n.words, (
      select coalesce(sum(count), 0) from knowledge_posting p where p.number = n.number
    ) from knowledge_node n where ${mine}
    union all
    select 'impact', n._id, p.impact, knowledge_impact(p.count, n.words, c.norm)
      from knowledge_node n join knowledge_posting p using (number) join knowledge_corpus c using (project_id) where ${mine}
    union all
    select 'word', w.word, 1, (select count(*) from knowledge_term t where t.id = w.term_id and t.project_id = w.project_id)
      from knowledge_word w join knowledge_corpus n using (project_id) where ${mine}
    union all
    select 'queue', n.node_id, 1, 0 from knowledge_reindex n where ${mine}`
  const rows = await database.execute(
    `select * from (${sql.replaceAll('$project', `'${project_id}'`)}) all_rows where documents <> found`,
  )
  return rows
}

t.test('after any changes the index is that of the active documents', async (t) => {
  const { project } = await storeTenant(database)
  const { _id } = project
  const vocabulary = ['apple', 'pears', 'plum', 'running', 'river', 'stone', 'the', 'of']
  const text = (n: number) =>
    Array.from({ length: (n * 7) % 40 }, (_, at) => vocabulary[(n * 13 + at * at) % vocabulary.length]).join(' ')
  const documents = await add(
    _id,
    Array.from({ length: 40 }, (_, n) => text(n)),
  )
  await indexAll(_id)
  t.same(await differences(database, _id), [])
  for (let round = 0; round < 5; round++) {
    for (const [n, { _id }] of documents.entries()) {
      if ((n + round) % 3 === 0) await change(_id, text(n + round * 17))
    }
    await remove(documents.pop()!._id)
    // A change between the claim and the work.
    const claimed = await claim(_id)
    await change(documents[round]!._id, 'apple')
    await remove(documents.pop()!._id)
    await indexDocuments(database, _id, claimed)
    await indexAll(_id)
    t.same(await differences(database, _id), [], `round ${round}`)
    t.equal((await readIndexState(database, _id)).pending, 0)
  }
  for (const { _id } of documents) await remove(_id)
  await indexAll(_id)
  t.same(await differences(database, _id), [])
  for (const table of ['term', 'word']) {
    t.same(await database.execute(`select from knowledge_${table} where project_id = ?`, [_id]), [], table)
  }
})

t.test('a batch whose transaction fails leaves nothing, and is done again', async (t) => {
  const { project } = await storeTenant(database)
  const { _id } = project
  await add(_id, ['one apple', 'two apples'])
  const claimed = await claim(_id)
  t.same(await claim(_id), [], 'what is claimed is not claimed again')
  const broken = { ...claimed[1]!, analysis: { words: ['x'], counts: [Number.NaN], places: [0], total: 1 } }
  await t.rejects(indexDocuments(database, _id, [claimed[0]!, broken]))
  t.same(await database.execute('select from knowledge_term where project_id = ?', [_id]), [])
  await giveBack(claimed)
  await indexAll(_id)
  t.same(await differences(database, _id), [])
  t.equal((await searchKnowledge(database, _id, { query: 'apple', limit: 10 })).length, 2)
})

t.test('a document that fails again and again is claimed alone, then given up until it changes', async (t) => {
  const { project } = await storeTenant(database)
  const { _id } = project
  const [bad] = await add(_id, ['bad', 'good', 'better'])
  for (let attempt = 1; attempt <= 2; attempt++) {
    const claimed = await claim(_id)
    t.equal(claimed.length, 3)
    await giveBack(claimed)
  }
  const alone = await claim(_id)
  t.equal(alone.length, 1)
  t.equal(alone[0]!.attempts, 3)
  await failQueued(database, alone.find(({ node_id }) => node_id === bad!._id) ?? alone[0]!, 'no text')
  const state = await readIndexState(database, _id)
  t.match(state, { pending: 2, failed: 1 })
  const [row] = await database.execute('select index_error from knowledge_node where _id = ?', [alone[0]!.node_id])
  t.same(row, { index_error: 'no text' })
  t.equal(await queueAll(database, _id, { only_failed: true }), 1)
  await indexAll(_id)
  t.match(await readIndexState(database, _id), { pending: 0, failed: 0 })
})

t.test('projects take turns', async (t) => {
  const ids: string[] = []
  for (let n = 0; n < 3; n++) {
    const { project } = await storeTenant(database)
    ids.push(project._id)
    await add(project._id, ['x'])
  }
  ids.sort()
  t.equal(await nextQueuedProject(database, ''), ids[0])
  t.equal(await nextQueuedProject(database, ids[0]!), ids[1])
  t.equal(await nextQueuedProject(database, ids[2]!), ids[0])
})

t.test('a document whose content is still being fetched stays pending', async (t) => {
  const { project } = await storeTenant(database)
  const [page] = await add(project._id, ['x'])
  await database.execute('update knowledge_node set content = null, revision = 2 where _id = ?', [page!._id])
  await indexAll(project._id)
  t.match(await readIndexState(database, project._id), { pending: 0 })
  const [row] = await database.execute('select index_status from knowledge_node where _id = ?', [page!._id])
  t.same(row, { index_status: 'pending' })
  t.equal((await searchKnowledge(database, project._id, { query: 'page', limit: 10 })).length, 1)
})

t.test('a search among thousands of equal matches finds as many as it may, in any scope', async (t) => {
  const { project } = await storeTenant(database)
  const { _id } = project
  const folder = await addFolder(_id)
  const small = await addFolder(_id)
  await add(
    _id,
    Array.from({ length: 1500 }, (_, n) => `common words here ${'more '.repeat(n % 5)}`),
  )
  await add(
    _id,
    Array.from({ length: 2100 }, (_, n) => `common words there, ${'longer and longer '.repeat(20)}${n}`),
    folder,
  )
  const last = await add(_id, ['common words everywhere'], small)
  await indexAll(_id)
  t.same(await differences(database, _id), [])
  const found = (query: string, node_ids?: string[]) => searchKnowledge(database, _id, { query, limit: 50, node_ids })
  for (const query of ['common', 'common words', 'common words here there']) {
    t.equal((await found(query)).length, 50, query)
    t.equal((await found(query, [folder])).length, 50, 'in a folder of long documents, which rank low')
    t.equal((await found(query, [small])).length, 1)
  }
  // The best-ranked documents are deleted, and not yet taken out of the index.
  await database.execute(
    `update knowledge_node set is_active = false, revision = revision + 1
      where project_id = ? and type = 'document' and parent_id is null`,
    [_id],
  )
  for (const query of ['common', 'common words']) {
    const hits = await found(query)
    t.equal(hits.length, 50, query)
    t.equal(hits[0]!.node_id, last[0]!._id)
  }
  t.same(await found('here'), [])
})

t.test('impacts follow the mean length of the documents', async (t) => {
  const { project } = await storeTenant(database)
  const { _id } = project
  await add(_id, ['short apple', 'short plum'])
  await indexAll(_id)
  const norm = async () =>
    (await database.execute<{ norm: number }>('select norm from knowledge_corpus where project_id = ?', [_id]))[0]!.norm
  const before = await norm()
  await add(
    _id,
    Array.from({ length: 250 }, (_, n) => `apple ${'much longer words '.repeat(20)}${n}`),
  )
  await indexAll(_id)
  t.ok((await norm()) > 5 * before)
  t.same(await differences(database, _id), [])
})

t.test('a search whose corrections take too long goes on without them', async (t) => {
  const { database } = await testDatabase(t)
  const { project } = await storeTenant(database)
  const values = ['c', project._id, 'apple and plum']
  await database.execute(
    `insert into knowledge_node
      (_id, company_id, project_id, type, name, content, language, language_is_given, index_status)
      values (?, ?, ?, 'document', 'Page', ?, 'en', true, 'pending')`,
    [objectId(), ...values],
  )
  const claimed = await claimQueued(database, project._id)
  const analysed = claimed.map((one) => ({
    ...one,
    analysis: analyse({ name: one.name, content: one.content ?? '' }),
    detected: null,
  }))
  await indexDocuments(database, project._id, analysed)
  const find = (query: string) => searchKnowledge(database, project._id, { query, limit: 10 })
  t.equal((await find('aple ')).length, 1, 'a correction')
  await database.execute(`create or replace function knowledge_similar(project text, asked text, most integer)
    returns table (word text, term_id bigint) language sql stable as
    $$ select null::text, null::bigint from pg_sleep(3600) $$`)
  t.same(await find('aple '), [])
  t.equal((await find('aple plum ')).length, 1)
})

t.test('of a document, a bounded number of different words is indexed, each with its whole count', async (t) => {
  const words = Array.from({ length: MAX_WORDS + 100 }, (_, n) => `w${n}`)
  const { words: kept, counts } = analyse({ name: '', content: [...words, ...words].join(' ') })
  t.equal(kept.length, MAX_WORDS)
  t.same([kept[0], kept.at(-1)], ['w0', `w${MAX_WORDS - 1}`])
  t.ok(counts.every((count) => count === 2))
})

t.test('the contents of deleted documents are dropped after some days', async (t) => {
  const { project } = await storeTenant(database)
  const [old, recent, kept] = await add(project._id, ['old', 'recent', 'kept'])
  for (const one of [old, recent]) await remove(one!._id)
  await database.execute(`update knowledge_node set updated_at = now() - interval '31 days' where _id in (?, ?)`, [
    old!._id,
    kept!._id,
  ])
  t.equal(await forgetKnowledge(database, 30), 1)
  const rows = await database.execute('select content from knowledge_node where project_id = ? order by _id', [
    project._id,
  ])
  t.same(rows, [{ content: null }, { content: 'recent' }, { content: 'kept' }])
})

t.test('rows that the queue has of a deleted project are removed', async (t) => {
  await database.execute(`insert into knowledge_reindex (node_id, project_id, revision) values ('gone', 'gone', 1)`)
  t.same(await claim('gone'), [])
  await dropOrphans(database, 'gone')
  t.not(await nextQueuedProject(database, 'gon'), 'gone')
})

t.test('a project that is deleted while its knowledge is indexed leaves nothing behind', async (t) => {
  const { project } = await storeTenant(database)
  const project_id = project._id
  await database.execute('delete from token where project_id = ?', [project_id])
  const [document] = await add(project_id, ['A takahe cannot fly.'])
  const batch = await claim(project_id)
  const indexing: Promise<number>[] = []
  await database.em().transactional(async (em) => {
    await em.execute('set local idle_in_transaction_session_timeout = 0')
    // The batch gets as far as its words.
    await em.execute('lock table knowledge_word in share mode')
    indexing.push(indexDocuments(database, project_id, batch))
    await waiting('insert into knowledge_word')
    await remove(document!._id)
    indexing.push(removeProject(database, project_id).then(() => 0))
    await waiting('pg_advisory_xact_lock', 'delete from knowledge_word')
  })
  await Promise.all(indexing)
  for (const table of ['knowledge_node', 'knowledge_reindex', 'knowledge_term', 'knowledge_word', 'knowledge_corpus']) {
    t.same(await database.execute(`select * from ${table} where project_id = ?`, [project_id]), [], table)
  }
  const numbered = 'select * from knowledge_posting where number not in (select number from knowledge_node)'
  t.same(await database.execute(numbered), [], 'knowledge_posting')
})

/** Resolves when a statement that contains one of these texts waits for a lock. */
async function waiting(...texts: string[]): Promise<void> {
  for (;;) {
    const [found] = await database.execute(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and pid <> pg_backend_pid() and (${texts.map(() => 'strpos(query, ?) > 0').join(' or ')})`,
      texts,
    )
    if (found) return
    await sleep(10)
  }
}
