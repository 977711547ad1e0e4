/** The modules of the sections of knowledge and appointments that do not use the DOM, against the server and alone. */
import { join } from 'node:path'
import t from 'tap'
import { knowledgeLanguages } from '../../storage/mod.ts'
import { eventually, type Json } from '../e2e/client.ts'
import { makeAgent, signIn } from '../e2e/console_client.ts'
import { joinWorld, made, makeTenant } from '../e2e/fixture.ts'
import { addDocument, addFolder } from '../e2e/knowledge_client.ts'

const pages = join(import.meta.dirname, '../../http/console/page')
const load = (name: string): Promise<Json> => import(join(pages, name))
const { Api, ApiError } = await load('data/api.ts')
const { ProjectApi } = await load('data/project_api.ts')
const { Tree } = await load('knowledge/tree/tree.ts')
const { destination } = await load('knowledge/tree/tree_keys.ts')
const { OpenDocument } = await load('knowledge/document/document.ts')
const { Uploads, MAX } = await load('knowledge/imports/uploads.ts')
const { inlinesOf, safeAddress } = await load('knowledge/document/inlines.ts')
const { blocksOf: markdownOf } = await load('knowledge/document/markdown.ts')
const { differenceOf, closeLines } = await load('ui/format/diff.ts')
const { nextLine, wrapped } = await load('knowledge/document/editing.ts')
const { piecesOf, wordsOf } = await load('knowledge/search/highlight.ts')
const { LANGUAGES } = await load('knowledge/words.ts')
const { knowledgePlaceOf } = await load('knowledge/places.ts')

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const agent = await makeAgent(world, tenant)
const { cookie } = await signIn(world, agent as { email: string })
const base = new URL(`${world.base_url}/console/`)
const api = new ProjectApi(
  new Api(base, (url: URL, options: RequestInit) =>
    fetch(url, { ...options, headers: { ...options.headers, cookie, origin: base.origin } }),
  ),
  tenant.project_id,
)
const names = (tree: Json) =>
  tree.rows.map((row: Json) => (row.kind === 'node' ? `${'  '.repeat(row.level - 1)}${row.node.name}` : row.kind))

t.test('a tree is read as it is opened, follows what others do, and takes a refused move back', async (t) => {
  const policies = await addFolder(tenant, 'Policies')
  const archive = await addFolder(tenant, 'archive')
  const returns = await addDocument(tenant, 'Returns', 'x', { parent_id: policies })
  const tree = new Tree(api)
  await tree.load(null)
  t.same(names(tree), ['archive', 'Policies'], 'by folded names')
  t.equal(await tree.reveal(returns), true)
  t.same(names(tree), ['archive', 'Policies', '  Returns'])
  const asked = tree.move(returns, archive)
  t.same(names(tree), ['archive', 'Policies', 'empty'], 'it is moved at once')
  await asked
  t.equal((await tenant.api('GET', `knowledge/nodes/${returns}`)).body.parent_id, archive)
  await tree.open(archive)
  const refused = await tree.move(archive, archive).catch((error: unknown) => error)
  t.match(refused, { code: 'KNOWLEDGE_NODE_BELOW_ITSELF' })
  t.same(names(tree), ['archive', '  Returns', 'Policies', 'empty'], 'and back where it was')
  t.equal(tree.canMove(archive, returns), false)

  const node = (await tenant.api('GET', `knowledge/nodes/${returns}`)).body
  tree.hear({ ...node, name: 'Ábc', updated_at: '2099-01-01T00:00:00.000Z', parent_id: null })
  t.same(names(tree), ['Ábc', 'archive', 'empty', 'Policies', 'empty'])
  tree.hear({ ...node, updated_at: '2000-01-01T00:00:00.000Z' })
  t.equal(tree.node(returns).name, 'Ábc', 'an older form counts for nothing')
  tree.hear({ ...tree.node(archive), is_active: false })
  t.same(names(tree), ['Ábc', 'Policies', 'empty'])
  await tree.read()
  t.same(names(tree), ['archive', 'Policies', 'empty'], 'as the server has it')
  t.same(await tree.contentsOf(archive), {
    folders: 0,
    documents: 1,
    first: [tree.node(returns) && { ...(await api.get('knowledge/tree', { parent_id: archive })).data[0] }],
    is_cut: false,
  })
})

t.test('a folder with more nodes than a page is read on', async (t) => {
  const folder = await addFolder(tenant, 'Many')
  await Promise.all(Array.from({ length: 201 }, (_, n) => addFolder(tenant, String(n).padStart(3, '0'), folder)))
  const tree = new Tree(api)
  await tree.load(null)
  await tree.open(folder)
  t.equal(tree.nodesIn(folder).length, 200)
  t.equal(tree.rows.at(-2).kind === 'more' || tree.rows.some(({ kind }: Json) => kind === 'more'), true)
  tree.hear({ ...tree.nodesIn(folder)[0], _id: 'f'.repeat(24), name: 'zzz' })
  t.equal(tree.nodesIn(folder).length, 200, 'one beyond what was read is left to the next page')
  await tree.readMore(folder)
  t.equal(tree.nodesIn(folder).length, 201)
})

t.test('keys lead through the lines of a tree', (t) => {
  const line = (name: string, level: number, is_open = false) => ({ kind: 'node', node: { name }, level, is_open })
  const rows = [line('Alpha', 1, true), line('Beta', 2), line('álbum', 2), { kind: 'more', level: 2 }, line('Gamma', 1)]
  const typed = { text: '', at: -10_000 }
  const go = (at: number, key: string, now = 0) => destination(rows, at, key, typed, now)
  t.equal(go(0, 'ArrowDown'), 1)
  t.equal(go(4, 'ArrowDown'), 4)
  t.equal(go(0, 'ArrowRight'), 1)
  t.equal(go(1, 'ArrowRight'), undefined)
  t.equal(go(2, 'ArrowLeft'), 0)
  t.equal(go(0, 'ArrowLeft'), undefined)
  t.equal(go(1, 'End'), 4)
  t.equal(go(0, 'a', 1), 2, 'accents do not matter')
  t.equal(go(2, 'a', 2), 0, 'the same letter goes on')
  t.equal(go(0, 'g', 5000), 4)
  t.equal(go(0, '?', 9000), undefined)
  t.end()
})

t.test('of two who save a document, the later one decides; other fields go through', async (t) => {
  const id = await addDocument(tenant, 'Prices', 'One')
  const mine = new OpenDocument(api, id)
  await eventually('it is read', () => mine.state.value === 'ready')
  await made(tenant.api('PATCH', `knowledge/nodes/${id}`, { name: 'Prices of today' }))
  mine.type('content', 'Two')
  t.equal(await mine.save(), true, 'a new name is no conflict')
  t.match(mine.stored.value, { name: 'Prices of today', content: 'Two' })

  await made(tenant.api('PATCH', `knowledge/nodes/${id}`, { content: 'Theirs' }))
  mine.type('content', 'Mine')
  t.equal(await mine.save(), false)
  t.equal(mine.theirs.value.content, 'Theirs')
  t.equal(mine.fields.value.content, 'Mine', 'what was typed stays')
  t.equal((await tenant.api('GET', `knowledge/nodes/${id}`)).body.content, 'Theirs')
  await made(tenant.api('PATCH', `knowledge/nodes/${id}`, { content: 'Theirs again' }))
  t.equal(await mine.keepMine(), false, 'a form that the agent has not seen is not overwritten')
  t.equal(mine.theirs.value.content, 'Theirs again')
  t.equal(await mine.keepMine(), true)
  t.equal((await tenant.api('GET', `knowledge/nodes/${id}`)).body.content, 'Mine')
  t.equal(mine.is_dirty.value, false)

  const theirs = await made(tenant.api('PATCH', `knowledge/nodes/${id}`, { content: 'Later' }))
  mine.hear(theirs)
  await eventually('without changes of the agent it is taken over', () => mine.fields.value.content === 'Later')
  mine.type('content', 'Typed')
  const after = await made(tenant.api('PATCH', `knowledge/nodes/${id}`, { content: 'Latest' }))
  mine.hear(after)
  await eventually('with changes it is shown beside them', () => mine.theirs.value?.content === 'Latest')
  mine.discard()
  t.equal(mine.fields.value.content, 'Latest')
  await tenant.api('DELETE', `knowledge/nodes/${id}`)
  mine.hear({ ...after, is_active: false })
  t.equal(mine.state.value, 'gone')
})

t.test('files are imported two at a time, wait for room, and show their errors', async (t) => {
  let under_way = 0
  let most = 0
  let refusals = 1
  const pauses: number[] = []
  const send = async (address: string, form: FormData, onProgress: (share: number) => void) => {
    most = Math.max(most, ++under_way)
    onProgress(0.5)
    try {
      if (refusals-- > 0) throw new ApiError('SERVICE_UNAVAILABLE', 'No room.', { status: 503, retry_after_s: 10 })
      const response = await fetch(address, { method: 'POST', body: form, headers: { cookie, origin: base.origin } })
      const body = (await response.json()) as Json
      if (!response.ok) throw new ApiError(body.error.code, body.error.message, { status: response.status })
      return body
    } finally {
      under_way--
    }
  }
  const uploads = new Uploads(api, send, async (seconds: number) => void pauses.push(seconds))
  const files = ['a', 'b', 'c', 'd'].map((name) => new File([`# ${name}\n\nText.`], `${name}.md`))
  uploads.addFiles([...files, new File(['\0\u0001'], 'x.bin'), new File([], 'empty.md')], null)
  const states = () => uploads.list.value.map(({ state }: Json) => state)
  await eventually('all have ended', () => {
    uploads.poll()
    return states().every((state: string) => state === 'done' || state === 'failed')
  })
  t.same(states(), ['done', 'done', 'done', 'done', 'failed', 'failed'])
  t.match(uploads.list.value[4].error, /binary data|neither/)
  t.match(uploads.list.value[5], { error: /empty/, can_repeat: false })
  t.equal(most, 2)
  t.same(pauses, [10])
  uploads.clear()
  t.same(states(), [])
  uploads.close()
  uploads.addFiles(
    Array.from({ length: MAX + 5 }, () => new File(['x'], 'x.md')),
    null,
  )
  t.equal(uploads.list.value.length, MAX)
})

t.test('Markdown becomes elements, and nothing that runs', (t) => {
  const [heading, text, list, code, quote, table, rule] = markdownOf(
    '# Title #\n\nA **bold _both_** `c*d*` line\nand [a link](https://example.com/a_(b) "t")\\*.\n\n- one\n  - inner\n- [x] done\n\n```js\n# no heading\n```\n> quoted\n\n| a | b |\n|---|:-:|\n| 1 | **2** |\n\n---',
  )
  t.same(heading, { kind: 'heading', level: 1, parts: ['Title'] })
  t.same(text.parts, [
    'A ',
    { kind: 'strong', parts: ['bold ', { kind: 'em', parts: ['both'] }] },
    ' ',
    { kind: 'code', text: 'c*d*' },
    ' line and ',
    { kind: 'link', href: 'https://example.com/a_(b)', parts: ['a link'] },
    '*.',
  ])
  t.match(list, { kind: 'list', is_ordered: false, items: [{ blocks: [{}, { kind: 'list' }] }, { is_done: true }] })
  t.same(code, { kind: 'code', language: 'js', text: '# no heading' })
  t.match(quote, { kind: 'quote', blocks: [{ kind: 'paragraph', parts: ['quoted'] }] })
  t.match(table, { kind: 'table', align: [undefined, 'center'], rows: [[['1'], [{ kind: 'strong', parts: ['2'] }]]] })
  t.same(rule, { kind: 'rule' })
  t.same(inlinesOf('<script>alert(1)</script> snake_case_name'), ['<script>alert(1)</script> snake_case_name'])
  for (const href of ['javascript:alert(1)', 'JaVaScRiPt:x', 'data:text/html,x', 'vbscript:x', '//example.com', '/a'])
    t.equal(safeAddress(href), undefined, href)
  t.equal(safeAddress('mailto:ana@example.com'), 'mailto:ana@example.com')
  for (const hostile of [
    '*'.repeat(20_000),
    '['.repeat(20_000),
    '> '.repeat(5_000),
    '- '.repeat(5_000),
    '`a'.repeat(9_000),
  ])
    t.ok(markdownOf(hostile).length > 0)
  t.end()
})

t.test('two texts are compared line by line', (t) => {
  const lines = differenceOf('a\nb\nc\nd\ne\nf\ng', 'a\nb\nC\nd\ne\nf\ng\nh')
  const text = (all: Json[]) => all.map((line) => (line === null ? '…' : line.sign + line.text))
  t.same(text(lines), [' a', ' b', '-c', '+C', ' d', ' e', ' f', ' g', '+h'])
  t.same(text(closeLines(lines, 1)), ['…', ' b', '-c', '+C', ' d', '…', ' g', '+h'])
  const long = (mark: string) => Array.from({ length: 3_000 }, (_, n) => `${mark}${n}`).join('\n')
  t.equal(differenceOf(long('a'), long('b')).length, 6_000)
  t.end()
})

t.test('marks are put around a selection and taken away, and lists go on', (t) => {
  t.same(wrapped('a word', 2, 6, '**', '**'), { from: 2, to: 6, text: '**word**', select: [4, 8] })
  t.same(wrapped('a **word**', 4, 8, '**', '**'), { from: 2, to: 10, text: 'word', select: [2, 6] })
  t.match(wrapped('one\ntwo', 0, 7, '- ', ''), { from: 0, to: 7, text: '- one\n- two' })
  t.match(nextLine('9. nine', 7), { text: '\n10. ' })
  t.match(nextLine('- [x] done', 10), { text: '\n- [ ] ' })
  t.match(nextLine('a\n- ', 4), { from: 2, to: 4, text: '' })
  t.equal(nextLine('plain', 5), undefined)
  t.end()
})

t.test('highlights are pieces of text, never HTML', (t) => {
  const found = piecesOf('<em>Goods</em> &lt;b&gt; may &amp;lt; <em>return</em>')
  t.same(found, [
    { text: 'Goods', is_found: true },
    { text: ' <b> may &lt; ', is_found: false },
    { text: 'return', is_found: true },
  ])
  t.equal(wordsOf('<em>Goods</em> and <em>goods</em> <em>return</em>'), 'goods return')
  t.end()
})

t.test('the form offers the languages of the server, and addresses are read', (t) => {
  t.same([...LANGUAGES].sort(), [...knowledgeLanguages].sort())
  t.match(knowledgePlaceOf({ path: ['imports'], query: { status: 'nonsense' } }), {
    page: 'imports',
    status: undefined,
  })
  t.equal(knowledgePlaceOf({ path: ['a', 'b'], query: {} }), undefined)
  t.end()
})
