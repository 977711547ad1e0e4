/** Knowledge, as agents use it. */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { tempDir } from '../support/mod.ts'
import { openAgentWindow } from './agent_window.ts'
import { ANY_IMPACT } from './window.ts'

t.setTimeout(600_000)

const agent = await openAgentWindow(t)
const { page, inspect, faults, demo, api } = agent
const { base_url, project_id } = demo
const home = `${base_url}/console#/projects/${project_id}/knowledge`
const tree = page.getByRole('tree')
const item = (name: string) => tree.getByRole('treeitem', { name, exact: true })
const dialog = page.getByRole('dialog')
const text = page.getByLabel('Text of the document, in Markdown')
const h1 = page.locator('h1')
const node = (id: string): Promise<Json> => api('GET', `knowledge/nodes/${id}`)
const create = (type: string, name: string, fields: Json = {}): Promise<Json> =>
  api('POST', 'knowledge/nodes', { type, name, ...fields })
const activeName = () =>
  page.evaluate<string>(
    `document.getElementById(document.querySelector('[role=tree]').getAttribute('aria-activedescendant'))?.getAttribute('aria-label')`,
  )
const press = async (...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key)
}

const server = createServer((_, response) => {
  response.setHeader('content-type', 'text/html')
  response.end('<title>Returns by post</title><main><h1>Returns by post</h1><p>Free of charge.</p></main>')
}).listen(0, '127.0.0.1')
t.teardown(() => server.close())
await once(server, 'listening')
const site = `http://127.0.0.1:${(server.address() as { port: number }).port}`

await agent.openSignedIn()
await page.keyboard.press('g')
await page.keyboard.press('k')
await h1.filter({ hasText: 'Knowledge' }).waitFor()

t.test('the tree is moved in with the keyboard', async (t) => {
  await item('Policies').waitFor()
  await tree.focus()
  await press('Home')
  t.equal(await activeName(), 'Policies')
  await press('ArrowRight')
  await item('Returns').waitFor()
  await press('ArrowRight')
  t.equal(await activeName(), 'Devoluciones')
  await press('r')
  t.equal(await activeName(), 'Returns', 'a letter leads to the next name')
  await press('Enter')
  await h1.filter({ hasText: 'Returns' }).waitFor()
  t.equal(await page.evaluate('document.activeElement.getAttribute("role")'), 'tree', 'the tree keeps the focus')
  t.equal(await item('Returns').getAttribute('aria-level'), '2')
  t.same(await inspect('knowledge-document'), [])
  await press('ArrowLeft')
  t.equal(await activeName(), 'Policies')
  await press('ArrowLeft')
  t.equal(await item('Policies').getAttribute('aria-expanded'), 'false')
})

t.test('a document is written, previewed and saved', async (t) => {
  await page.goto(home)
  await h1.filter({ hasText: 'Knowledge' }).waitFor()
  t.same(await inspect('knowledge-home'), [])
  await h1.click()
  await press('c')
  await dialog.getByLabel('Name').fill('Warranty')
  t.same(await inspect('knowledge-new'), [])
  await press('Enter')
  await h1.filter({ hasText: 'Warranty' }).waitFor()
  await text.fill('# Warranty\n\nTwo years. <img src=x onerror=alert(1)>\n\n- parts')
  await press('Control+End', 'Enter')
  await page.keyboard.type('labour [x](javascript:alert(1)) and [terms](https://example.com/a)')
  await page.getByRole('button', { name: 'Side by side' }).click()
  const preview = page.getByRole('region', { name: 'Preview' })
  await preview.getByRole('link', { name: 'terms' }).waitFor()
  t.equal(await preview.getByRole('listitem').count(), 2, 'Enter went on with the list')
  t.equal(await preview.locator('img').count(), 0)
  t.equal(await preview.getByRole('link').count(), 1, 'no link runs code')
  await preview.getByText('<img src=x').waitFor()
  t.same(await inspect('knowledge-both'), [])
  await press('Control+s')
  await page.getByText('Saved', { exact: true }).waitFor()
  await page.getByText('Searchable').waitFor()
  const [{ node_id }] = (await api('POST', 'knowledge/search', { query: 'warranty labour' })).data
  t.match((await node(node_id)).content, /- labour/)
})

t.test('unsaved changes are not lost by leaving', async (t) => {
  await text.fill('changed')
  await item('Policies').click()
  await dialog.getByText('has changes that are not saved').waitFor()
  t.same(await inspect('knowledge-unsaved'), [])
  await dialog.getByRole('button', { name: 'Keep editing' }).click()
  await h1.filter({ hasText: 'Warranty' }).waitFor()
  t.equal(await text.inputValue(), 'changed')
  await item('Policies').click()
  await dialog.getByRole('button', { name: 'Discard' }).click()
  await h1.filter({ hasText: 'Policies' }).waitFor()
  t.same(await inspect('knowledge-folder'), [])
  await page.goBack()
  await h1.filter({ hasText: 'Warranty' }).waitFor()
  await page.getByRole('region', { name: 'Preview' }).getByText('Two years').waitFor()
})

t.test('of two agents who save, the later one sees both', async (t) => {
  const { _id } = await create('document', 'Prices', { content: 'One\nTwo\nThree\n' })
  await page.goto(`${home}/${_id}`)
  await page.getByRole('button', { name: 'Write' }).click()
  await text.fill('One\nTwo and a half\nThree\n')
  await api('PATCH', `knowledge/nodes/${_id}`, { content: 'One\n2\nThree\n' })
  const conflict = page.getByRole('region', { name: 'Conflict' })
  await conflict.getByText('Somebody else saved this document').waitFor()
  await conflict.getByRole('cell', { name: '2', exact: true }).waitFor()
  await conflict.getByRole('cell', { name: 'Two and a half' }).waitFor()
  t.equal(await text.inputValue(), 'One\nTwo and a half\nThree\n', 'what was typed stays')
  t.same(await inspect('knowledge-conflict'), [])
  await conflict.getByRole('button', { name: 'Save mine' }).click()
  await eventually('it is saved', async () => (await node(_id)).content === 'One\nTwo and a half\nThree\n')
  await conflict.waitFor({ state: 'detached' })
})

t.test('a node is renamed, moved by dragging and by a dialog, and deleted with what is in it', async (t) => {
  const { _id: from } = await create('folder', 'Archive')
  const { _id } = await create('document', 'Old prices', { content: 'x' })
  await page.goto(home)
  await item('Old prices').dragTo(item('Archive'))
  await eventually('it is moved', async () => (await node(_id)).parent_id === from)
  await item('Archive').locator('.knowledge-twist').click()
  await item('Old prices').waitFor()
  await item('Old prices').click()
  await h1.filter({ hasText: 'Old prices' }).waitFor()
  await tree.focus()
  await press('F2')
  await dialog.getByLabel('Name').fill('Prices of 2025')
  await press('Enter')
  await h1.filter({ hasText: 'Prices of 2025' }).waitFor()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Move to…' }).click()
  await dialog.getByRole('button', { name: 'Knowledge' }).click()
  await dialog.getByRole('button', { name: 'Policies' }).click()
  t.same(await inspect('knowledge-move'), [])
  await dialog.getByRole('button', { name: 'Move to “Policies”' }).click()
  await eventually('it is moved', async () => (await node(_id)).parent_id !== from)
  await create('document', 'One', { parent_id: from, content: '1' })
  await create('folder', 'Below', { parent_id: from })
  await item('Archive').click()
  await tree.focus()
  await press('Delete')
  await dialog.getByText('1 document and 1 folder').waitFor()
  t.same(await inspect('knowledge-delete'), [])
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await item('Archive').waitFor({ state: 'detached' })
  await h1.filter({ hasText: 'Knowledge' }).waitFor()
})

t.test('what another agent does is shown at once', async (t) => {
  const { _id } = await create('folder', 'Made elsewhere')
  await item('Made elsewhere').waitFor()
  await api('PATCH', `knowledge/nodes/${_id}`, { name: 'Renamed elsewhere' })
  await item('Renamed elsewhere').waitFor()
  await api('DELETE', `knowledge/nodes/${_id}`)
  await item('Renamed elsewhere').waitFor({ state: 'detached' })
  t.pass('all was seen')
})

t.test('files are imported, each with its progress or its error', async (t) => {
  const directory = tempDir(t)
  const files = {
    'shipping.md': '# Shipping abroad\n\nWe ship to Canada.',
    'hours.html': '<nav><a href="/">Start</a></nav><title>Opening hours</title><p>From eight to four.</p>',
    'logo.bin': '\0\u0001\0',
    'empty.txt': '',
  }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content)
  await page.goto(home)
  await page.getByRole('button', { name: 'Import files' }).click()
  t.same(await inspect('knowledge-files'), [])
  await page.getByLabel('Files', { exact: true }).setInputFiles(Object.keys(files).map((name) => join(directory, name)))
  const card = page.getByRole('region', { name: 'Imports under way' })
  await card.getByRole('link', { name: 'Shipping abroad' }).waitFor()
  await card.getByText('It contains binary data').or(card.getByText('It is neither Markdown')).waitFor()
  await card.getByText('It is empty, or a folder').waitFor()
  t.same(await inspect('knowledge-uploads'), [])
  await card.getByRole('link', { name: 'Shipping abroad' }).click()
  await page.getByText('We ship to Canada.').waitFor()
  await page.getByText('shipping.md').waitFor()
  await card.getByRole('link', { name: 'Opening hours' }).click()
  await page.getByText('From eight to four.').waitFor()
  await page.getByText('1 part with navigation was left out.').waitFor()
  t.same(await inspect('knowledge-left-out'), [])
  await card.getByRole('button', { name: 'Close' }).click()

  await page.getByRole('link', { name: 'Imports' }).click()
  await h1.filter({ hasText: 'Imports' }).waitFor()
  await page.getByText('1 part with navigation was left out.').waitFor()
  await page.getByRole('link', { name: 'Failed' }).click()
  await page.getByRole('button', { name: 'Try again: logo' }).click()
  await page.getByText('is imported again').waitFor()
  await eventually(
    'it failed again',
    async () => (await api('GET', 'knowledge/imports?status=failed')).data[0]?.attempts === 1,
  )
  t.same(await inspect('knowledge-imports'), [])
})

t.test('web pages are imported by their addresses', async (t) => {
  await page.getByRole('button', { name: 'Import web pages' }).click()
  await dialog.getByLabel('Addresses').fill('nowhere')
  await dialog.getByRole('button', { name: 'Import' }).click()
  await dialog.getByText('is not an address').waitFor()
  t.same(await inspect('knowledge-addresses'), [])
  await dialog.getByLabel('Addresses').fill(`${site}/returns`)
  await dialog.getByRole('button', { name: 'Import' }).click()
  const card = page.getByRole('region', { name: 'Imports under way' })
  await card.getByRole('link', { name: 'Returns by post' }).click()
  await page.getByRole('region', { name: 'Preview' }).getByText('Free of charge.').waitFor()
  t.same(await inspect('knowledge-web-page'), [])
  await card.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('link', { name: 'Imports' }).click()
  await page.getByRole('button', { name: 'Repeat: Returns by post' }).click()
  await page.getByText('is imported again').waitFor()
})

t.test('a search shows the words that it found, and opens the document at them', async (t) => {
  await page.goto(home)
  await h1.click()
  await press('/')
  await page.keyboard.type('retrun goods')
  await press('Enter')
  const hit = page.getByRole('link', { name: 'Returns', exact: true })
  await hit.waitFor()
  await page.locator('mark').filter({ hasText: 'Goods' }).first().waitFor()
  t.same(await inspect('knowledge-search'), [])
  await page.getByLabel('Search in').selectOption({ label: 'Shipping' })
  await page.getByText('Nothing matches').or(page.locator('.knowledge-hit')).first().waitFor()
  await page.goBack()
  await page.goto(`${home}/search?q=goods`)
  await hit.click()
  await h1.filter({ hasText: 'Returns' }).waitFor()
  await eventually('the words are marked', () => page.evaluate(`CSS.highlights.get('knowledge-found')?.size > 0`))
  t.same(await inspect('knowledge-hit'), [])
})

t.test('all of it works at a width of 360 pixels', async (t) => {
  await page.setViewportSize({ width: 360, height: 740 })
  const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  t.equal(await overflow(), 0)
  t.same(await inspect('knowledge-phone-document', ANY_IMPACT), [])
  await page.goto(home)
  await item('Policies').waitFor()
  t.equal(await overflow(), 0)
  t.same(await inspect('knowledge-phone-tree', ANY_IMPACT), [])
  await page.goto(`${home}/imports`)
  await h1.filter({ hasText: 'Imports' }).waitFor()
  await page.getByRole('link', { name: 'logo', exact: true }).waitFor()
  t.equal(await overflow(), 0)
  t.same(await inspect('knowledge-phone-imports', ANY_IMPACT), [])
})

t.test('what a failed import left in the tree is deleted beside its reason', async () => {
  await page.getByRole('button', { name: 'Delete: logo' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('“logo” was deleted').waitFor()
  await page.getByRole('link', { name: 'logo', exact: true }).waitFor({ state: 'detached' })
})

t.test('nothing went wrong', async (t) => {
  t.same(faults, [])
})
