/** The search in the knowledge, from the text of documents to ranked snippets. */
import t from 'tap'
import type { Json } from './client.ts'
import { joinWorld, makeSister, makeTenant } from './fixture.ts'
import { addDocument, addFolder, foundBy, indexed, search } from './knowledge_client.ts'

const world = await joinWorld(t)
const nobody = 'f'.repeat(24)

const DOCUMENTS: Record<string, string> = {
  Devoluciones: 'Puede devolver los artículos en un plazo de treinta días. Las devoluciones son gratuitas en España.',
  Envíos: 'Los envíos llegan en dos días laborables. El envío cuesta cinco euros; la información llega por correo.',
  Garantía: 'Todos los productos electrónicos tienen una garantía de tres años contra defectos de fabricación.',
  Returns: 'You can return purchased goods within thirty days. Running shoes must not have been worn outdoors.',
  Shipping: 'We ship parcels every morning from our warehouse. Tracking numbers are sent by mail once they left.',
  Rückgabe: 'Die Rückgabe von gekauften Häusern ist leider nicht möglich, aber Möbel nehmen wir gerne zurück.',
  退货政策: '您可以在三十天内退货。退货的运费由我们承担，请联系客服。',
  'Order SKU-9921': 'The spare part with the number 4711 fits every coffee machine of the series Aurora.',
}

const tenant = await makeTenant(world)
const other = await makeSister(world, tenant)
const ids: Record<string, string> = {}
for (const [name, content] of Object.entries(DOCUMENTS)) ids[name] = await addDocument(tenant, name, content)
const nodes = await indexed(tenant, Object.values(ids))

t.test('the language of a document is detected', async (t) => {
  const languages = nodes.map(({ name, language }) => [name, language])
  t.match(Object.fromEntries(languages), {
    Devoluciones: 'es',
    Envíos: 'es',
    Garantía: 'es',
    Returns: 'en',
    Shipping: 'en',
    Rückgabe: 'de',
    'Order SKU-9921': 'en',
  })
})

t.test('words are found in any form, case and accent, and with errors', async (t) => {
  const finds: [query: string, first: string | undefined][] = [
    ['devoluciones', 'Devoluciones'],
    ['DEVOLUCIÓN', 'Devoluciones'],
    ['devolucion', 'Devoluciones'],
    ['garantia', 'Garantía'],
    ['garantías ', 'Garantía'],
    ['informacion', 'Envíos'],
    ['informaciones', 'Envíos'],
    ['envio', 'Envíos'],
    ['run', 'Returns'],
    ['shoe', 'Returns'],
    ['SHIPPED', 'Shipping'],
    ['warehouses', 'Shipping'],
    ['Haus', 'Rückgabe'],
    ['mobel', 'Rückgabe'],
    ['退货', '退货政策'],
    ['4711', 'Order SKU-9921'],
    ['sku 9921', 'Order SKU-9921'],
    ['SKU-9921', 'Order SKU-9921'],
    // Unfinished words.
    ['ware', 'Shipping'],
    ['devol', 'Devoluciones'],
    ['coffee mach', 'Order SKU-9921'],
    ['ware ', undefined],
    // Typing errors: a letter too much, missing, wrong, swapped.
    ['warehhouse', 'Shipping'],
    ['warehuse', 'Shipping'],
    ['garantja', 'Garantía'],
    ['cofefe', 'Order SKU-9921'],
    ['elcetronicso', 'Garantía'],
    ['xylophone', undefined],
    // Words that stand in every text are not indexed.
    ['the', undefined],
    ['los de la ', undefined],
    ['¿?', undefined],
  ]
  for (const [query, first] of finds) t.equal((await foundBy(tenant, query))[0], first, query)
})

t.test('a result has its snippet, with the words marked', async (t) => {
  const long = `${'Nothing of interest here. '.repeat(40)}A <b>zeppelin</b> & two balloons crossed the “Ocean” ${'and went on '.repeat(60)}`
  const id = await addDocument(tenant, '😀 Airships', `😀${long}`, { language: 'en' })
  await indexed(tenant, [id])
  const [hit] = await search(tenant, 'oceans zeppelin')
  t.same(Object.keys(hit!).sort(), ['highlight', 'name', 'node_id', 'score', 'snippet'])
  t.match(hit, { node_id: id, name: '😀 Airships' })
  t.match(hit!.snippet, /^….*A <b>zeppelin<\/b> & two balloons crossed the “Ocean” and.*…$/)
  t.match(
    hit!.highlight,
    /A &lt;b&gt;<em>zeppelin<\/em>&lt;\/b&gt; &amp; two balloons crossed the “<em>Ocean<\/em>” and/,
  )
  t.ok(hit!.snippet.length < 320)
  const [named] = await search(tenant, 'airship')
  t.equal(named!.node_id, id, 'a name is searched too')
  t.match(named!.snippet, /^😀Nothing of interest/)
})

t.test('rare words count more than common ones, and the best comes first', async (t) => {
  const one = await makeTenant(world)
  const made: string[] = []
  for (let n = 0; n < 12; n++) {
    made.push(await addDocument(one, `Page ${n}`, `Invoices are paid by bank transfer, says page ${n} of our manual.`))
  }
  made.push(await addDocument(one, 'Rare', 'Invoices in kroner.'))
  made.push(await addDocument(one, 'Twice', 'Transfer after transfer: the bank transfer manual.'))
  await indexed(one, made)
  t.equal((await foundBy(one, 'invoices kroner'))[0], 'Rare')
  t.equal((await foundBy(one, 'transfer'))[0], 'Twice')
  const all = await search(one, 'transfer manual', { limit: 50 })
  t.equal(all.length, 13)
  t.same(
    all.map(({ score }) => score),
    all.map(({ score }) => score).sort((a, b) => b - a),
  )
  for (const limit of [1, 5]) t.equal((await search(one, 'transfer', { limit })).length, limit)
  t.equal((await search(one, 'transfer')).length, 10, 'ten by default')
})

t.test('a search may be limited to documents and folders', async (t) => {
  const one = await makeTenant(world)
  const shop = await addFolder(one, 'Shop')
  const inner = await addFolder(one, 'Inner', shop)
  const blog = await addFolder(one, 'Blog')
  const places: [name: string, parent_id: string | null][] = [
    ['top', null],
    ['shop', shop],
    ['inner', inner],
    ['blog', blog],
  ]
  const made: Record<string, string> = {}
  for (const [name, parent_id] of places) made[name] = await addDocument(one, name, 'A guarantee.', { parent_id })
  await indexed(one, Object.values(made))
  const found = async (...node_ids: string[]) => (await foundBy(one, 'guarantee', { node_ids })).sort()
  t.same(await found(shop), ['inner', 'shop'])
  t.same(await found(inner, blog), ['blog', 'inner'])
  t.same(await found(made.top!, shop, inner), ['inner', 'shop', 'top'])
  t.same(await found(made.blog!), ['blog'])
  await one.api('PATCH', `knowledge/nodes/${inner}`, { parent_id: blog })
  t.same(await found(shop), ['shop'])
  t.same(await found(blog), ['blog', 'inner'])
  t.equal((await one.api('DELETE', `knowledge/nodes/${blog}`)).status, 204)
  t.same(await found(blog), [], 'what refers to a deleted node finds nothing')
  t.same(await found(blog, shop, inner, made.inner!), ['shop'])
  const foreign = await addFolder(other, 'Foreign')
  for (const id of [nobody, foreign]) {
    const answer = await one.api('POST', 'knowledge/search', { query: 'guarantee', node_ids: [shop, id] })
    t.match(answer, { status: 422, body: { error: { code: 'KNOWLEDGE_NODE_NOT_FOUND', details: { node_ids: [id] } } } })
  }
})

t.test('what was deleted is not found from the answer on', async (t) => {
  const one = await makeTenant(world)
  const folder = await addFolder(one, 'Old')
  const made = [
    await addDocument(one, 'inside', 'A dodo.', { parent_id: folder }),
    await addDocument(one, 'outside', 'Another dodo.'),
  ]
  await indexed(one, made)
  t.same((await foundBy(one, 'dodo')).sort(), ['inside', 'outside'])
  t.equal((await one.api('DELETE', `knowledge/nodes/${folder}`)).status, 204)
  t.same(await foundBy(one, 'dodo'), ['outside'])
  t.equal((await one.api('DELETE', `knowledge/nodes/${made[1]}`)).status, 204)
  t.same(await foundBy(one, 'dodo'), [])
})

t.test('a changed document is found by its new text and no longer by the old one', async (t) => {
  const one = await makeTenant(world)
  const id = await addDocument(one, 'Page', 'The hippopotamus sleeps by day and eats by night.')
  await indexed(one, [id])
  t.same(await foundBy(one, 'hippopotamus'), ['Page'])
  const changes: [patch: Json, found: string, gone: string][] = [
    [{ content: 'The rhinoceros sleeps by day and eats by night.' }, 'rhinoceros', 'hippopotamus'],
    [{ name: 'Zebras' }, 'zebra', 'page'],
    [{ language: 'de' }, 'sleeps', 'sleeping '],
    [{ language: null }, 'sleeping ', 'nothing'],
  ]
  for (const [patch, found, gone] of changes) {
    t.match(await one.api('PATCH', `knowledge/nodes/${id}`, patch), { status: 200, body: { index_status: 'pending' } })
    await indexed(one, [id])
    t.equal((await foundBy(one, found)).length, 1, found)
    t.equal((await foundBy(one, gone)).length, 0, gone)
  }
})

t.test('an invalid search is refused with its violations', async (t) => {
  const refused: [body: Json, path: string, code: string][] = [
    [{}, 'query', 'required'],
    [{ query: '' }, 'query', 'too_short'],
    [{ query: ' \n' }, 'query', 'invalid_value'],
    [{ query: 'x'.repeat(401) }, 'query', 'too_long'],
    [{ query: 1 }, 'query', 'invalid_type'],
    [{ query: 'x', limit: 0 }, 'limit', 'too_small'],
    [{ query: 'x', limit: 51 }, 'limit', 'too_large'],
    [{ query: 'x', limit: '5' }, 'limit', 'invalid_type'],
    [{ query: 'x', node_ids: [] }, 'node_ids', 'too_short'],
    [{ query: 'x', node_ids: ['x'] }, 'node_ids.0', 'invalid_format'],
    [{ query: 'x', node_ids: Array(201).fill(nobody) }, 'node_ids', 'too_long'],
    [{ query: 'x', offset: 1 }, 'offset', 'unknown_property'],
  ]
  for (const [body, path, code] of refused) {
    const answer = await tenant.api('POST', 'knowledge/search', body)
    t.match(answer, { status: 400, body: { error: { code: 'VALIDATION_ERROR' } } }, JSON.stringify(body).slice(0, 80))
    t.match(answer.body.error.details.violations, [{ path, code }], JSON.stringify(body).slice(0, 80))
  }
  for (const query of [
    'x'.repeat(400),
    `${'word '.repeat(79)}zz`,
    '😀'.repeat(400),
    "' or 1=1 --",
    '\\',
    '%_',
    '"a b"',
  ]) {
    t.equal((await tenant.api('POST', 'knowledge/search', { query })).status, 200, query.slice(0, 20))
  }
})

t.test('projects find nothing of each other', async (t) => {
  const id = await addDocument(other, 'Secret', 'The warehouse of the sister is in Quito.')
  await indexed(other, [id])
  t.same(await foundBy(other, 'warehouse'), ['Secret'])
  t.same(await foundBy(tenant, 'warehouse'), ['Shipping'])
  t.same(await foundBy(tenant, 'Quito'), [])
  t.same(await foundBy(other, 'garantía'), [])
})
