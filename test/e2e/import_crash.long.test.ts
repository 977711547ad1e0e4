/** A node that is killed while it imports documents. */
import t from 'tap'
import { birthOf, childrenOf, commandOf } from '../../runtime/servers/process_table.ts'
import { formsInForms } from '../actors/knowledge/hostile_documents.ts'
import { eventually } from './client.ts'
import { makeTenant } from './fixture.ts'
import { ended, importFile, importOf, importUrl, nodeOf } from './import_client.ts'
import { startKillable } from './killable.ts'
import { startSite } from './site.ts'

/** A PDF that takes seconds. Its text is the word, drawn many times over. */
const SLOW = formsInForms(16)

t.test('kill -9 in the middle of a conversion and of a download delays them, and takes effect once', async (t) => {
  const site = await startSite(t)
  const world = await startKillable(t)
  const tenant = await makeTenant(world)
  site.set('/slow', () => {})
  const fetched = (await importUrl(tenant, site.url('/slow'))).body._id
  const uploaded = (await importFile(tenant, SLOW, { filename: 'slow.pdf' })).body._id
  const waiting = (await importFile(tenant, '# Waiting', { filename: 'waiting.md' })).body._id
  const node = world.process().pid
  const process = await eventually('the PDF is being converted', () =>
    childrenOf(node).find((pid) => commandOf(pid)?.includes('confined/main.ts')),
  )
  await eventually('the address is being fetched', () => site.asked.length === 1)
  const birth = birthOf(process)
  t.match(await importOf(tenant, uploaded), { status: 'running', attempts: 1 })
  await world.process().end('SIGKILL')
  site.set('/slow', '# Fetched')
  await world.start()
  t.match(await ended(tenant, uploaded), { status: 'done', attempts: 2, error: null })
  t.match(await ended(tenant, fetched), { status: 'done', attempts: 2 })
  t.match(await ended(tenant, waiting), { status: 'done' })
  t.match(await nodeOf(tenant, uploaded), { name: 'slow', content: /^wo/ })
  t.match(await nodeOf(tenant, fetched), { name: 'Fetched', content: '# Fetched' })
  t.match(await nodeOf(tenant, waiting), { name: 'Waiting', content: '# Waiting' })
  await eventually('the orphaned process has ended', () => birthOf(process) !== birth)
  for (const id of [uploaded, fetched, waiting]) {
    await eventually('it is indexed', async () => (await nodeOf(tenant, id)).index_status === 'indexed')
  }
  t.equal(await world.process().end('SIGTERM'), 0, world.process().said())
})
