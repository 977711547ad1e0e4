/** Documents made to take time and memory, beside the work of other tenants. */
import t from 'tap'
import { flateBomb, formsInForms, hugeTable, unclosed } from '../actors/knowledge/hostile_documents.ts'
import { eventually } from './client.ts'
import { makeTenant, startWorld } from './fixture.ts'
import { ended, importFile, importOf, nodeOf } from './import_client.ts'

const world = await startWorld(t, { waits: { conversion_cpu_s: 4 } })

const HOSTILE: Record<string, Buffer> = {
  'forms.pdf': formsInForms(),
  'flate.pdf': flateBomb(640),
  'unclosed.html': unclosed(400_000),
  'table.html': hugeTable(500_000),
  'forms again.pdf': Buffer.concat([formsInForms(), Buffer.from('\n')]),
}

t.test('hostile documents hold up neither the requests nor the documents of others', async (t) => {
  const hostile = await makeTenant(world)
  const other = await makeTenant(world)
  const ids: string[] = []
  for (const [filename, bytes] of Object.entries(HOSTILE)) {
    ids.push((await importFile(hostile, bytes, { filename })).body._id)
  }
  // The first may have ended while the others were uploaded.
  const running = await eventually('one of them is being converted', async () => {
    for (const id of ids) if ((await importOf(hostile, id)).status === 'running') return id
    return undefined
  })
  const small = (await importFile(other, '<p>Small</p>', { filename: 'small.html' })).body._id
  let answered = 0
  while ((await importOf(hostile, running)).status === 'running') {
    const made = await other.api('POST', 'knowledge/nodes', { type: 'folder', name: `Folder ${answered}` })
    if (made.status !== 201) t.fail(made.text)
    answered++
  }
  t.ok(answered > 20, `${answered} rounds of requests were answered while one document was converted`)
  t.match(await ended(other, small), { status: 'done', attempts: 1 })
  const states = await Promise.all(ids.map((id) => importOf(hostile, id)))
  const waiting = states.filter(({ status }) => status === 'waiting' || status === 'running').length
  t.ok(waiting > 0, `${waiting} hostile documents were not done when the small one was`)
  for (const id of ids) {
    t.match(await ended(hostile, id), { status: 'failed', attempts: 1, error: { code: 'too_complex' } })
    t.match(await nodeOf(hostile, id), { index_status: 'failed', index_error: { code: 'too_complex' }, content: null })
  }
})
