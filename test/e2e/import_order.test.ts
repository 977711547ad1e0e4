/** Imports beside changes of the same tree that come while they wait or are under way. */
import type { ServerResponse } from 'node:http'
import t from 'tap'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'
import { ended, importFile, importOf, importUrl, nodeOf } from './import_client.ts'
import { addFolder, foundBy, indexed } from './knowledge_client.ts'
import { startSite } from './site.ts'

const world = await joinWorld(t)
const site = await startSite(t)

/** A page whose answers are held back until they are released. */
function heldPage(path: string): { url: string; release(text: string): void } {
  const held: ServerResponse[] = []
  site.set(path, (_, response) => void held.push(response))
  return {
    url: site.url(path),
    release(text) {
      site.set(path, text)
      for (const response of held) response.end(text)
    },
  }
}

t.test('imports into a deleted folder hold up no others', async (t) => {
  const tenant = await makeTenant(world)
  const parent_id = await addFolder(tenant, 'Deleted')
  const pages = Array.from({ length: 16 }, (_, n) => heldPage(`/deleted/${n}`))
  for (const { url } of pages) await made(importUrl(tenant, url, { parent_id }))
  await eventually('two are under way', () => site.asked.filter((path) => path.startsWith('/deleted')).length === 2)
  site.set('/kept', '# Kept')
  const { body } = await importUrl(tenant, site.url('/kept'))
  await made(tenant.api('DELETE', `knowledge/nodes/${parent_id}`))
  for (const page of pages) page.release('# Gone')
  t.match(await ended(tenant, body._id), { status: 'done' })
  await eventually('none of the others is left', async () => {
    const { data } = (await tenant.api('GET', 'knowledge/imports')).body
    return data.length === 1
  })
})

for (const [what, first] of [
  ['of a new document', undefined],
  ['into a document that has a text', '# Old'],
] as const) {
  t.test(`a text that is written during an import ${what} stays`, async (t) => {
    const tenant = await makeTenant(world)
    const path = `/written/${first ? 'again' : 'new'}`
    let id: string | undefined
    if (first) {
      site.set(path, first)
      id = (await importUrl(tenant, site.url(path))).body._id
      await ended(tenant, id!)
    }
    const page = heldPage(path)
    const again = (await importUrl(tenant, page.url)).body._id
    if (id) t.equal(again, id)
    await eventually('it is being fetched', async () => (await importOf(tenant, again)).status === 'running')
    await made(tenant.api('PATCH', `knowledge/nodes/${again}`, { content: '# A takahe' }))
    page.release('# A moa')
    t.match(await ended(tenant, again), { status: 'failed', error: { code: 'overtaken' } })
    const [node] = await indexed(tenant, [again])
    t.match(node, { content: '# A takahe', index_status: 'indexed', index_error: null })
    t.same([(await foundBy(tenant, 'takahe')).length, (await foundBy(tenant, 'moa')).length], [1, 0])
    t.equal((await tenant.api('POST', `knowledge/nodes/${again}/import`)).status, 202)
    t.match(await ended(tenant, again), { status: 'done', error: null }, 'and a later import replaces it')
    t.match(await nodeOf(tenant, again), { content: '# A moa' })
  })
}

t.test('a name, a place and a language that change during an import stay, and the text comes', async (t) => {
  const tenant = await makeTenant(world)
  const parent_id = await addFolder(tenant, 'Other')
  const page = heldPage('/renamed')
  const { _id } = (await importUrl(tenant, page.url)).body
  await eventually('it is being fetched', async () => (await importOf(tenant, _id)).status === 'running')
  await made(tenant.api('PATCH', `knowledge/nodes/${_id}`, { name: 'Mine', parent_id, language: 'es' }))
  page.release('# A title')
  t.match(await ended(tenant, _id), { status: 'done' })
  t.match(await nodeOf(tenant, _id), { name: 'Mine', parent_id, language: 'es', content: '# A title' })
})

t.test('of two uploads of one name, the later one stays, however long the earlier one takes', async (t) => {
  const tenant = await makeTenant(world)
  const pages = [heldPage('/one'), heldPage('/two')]
  for (const { url } of pages) await made(importUrl(tenant, url))
  await eventually('no place is free', async () => {
    const { data } = (await tenant.api('GET', 'knowledge/imports?status=running')).body
    return data.length === 2
  })
  const answers = await Promise.all(
    ['One', 'Two', 'Three'].map((text) => importFile(tenant, `# ${text}`, { filename: 'same.md' })),
  )
  t.same(new Set(answers.map(({ body }: Json) => body._id)).size, 1)
  const last = (await importFile(tenant, '# Last', { filename: 'same.md' })).body
  for (const page of pages) page.release('# Held')
  t.match(await ended(tenant, last._id), { status: 'done', attempts: 1 })
  t.match(await nodeOf(tenant, last._id), { content: '# Last' })
})
