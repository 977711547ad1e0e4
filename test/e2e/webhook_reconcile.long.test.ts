/** The books balance: each event has one delivery for each subscription that listened. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { eventually } from './client.ts'
import { makeTenant, OPERATOR_KEY, startWorld } from './fixture.ts'

const CLI = fileURLToPath(new URL('../../http/cli/parley.ts', import.meta.url))
// A node to itself, because the books count the deliveries of all tenants.
const world = await startWorld(t)
const { sink } = world

/** Runs `parley webhooks reconcile`. Returns its exit code and its output. */
function reconcile(...args: string[]): Promise<{ code: number; said: string }> {
  const env = { ...process.env, PARLEY_BASE_URL: world.base_url, PARLEY_OPERATOR_KEY: OPERATOR_KEY }
  return new Promise((resolve) => {
    execFile(process.execPath, [CLI, 'webhooks', 'reconcile', ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), said: stdout + stderr }),
    )
  })
}

t.test('no difference while deliveries are in every state, and every kind of difference is found', async (t) => {
  const tenant = await makeTenant(world)
  sink.answer('refusing', () => 400)
  sink.answer('waiting', () => ({ status: 503, headers: { 'retry-after': '60' } }))
  const hooks = []
  for (const path of ['taking', 'refusing', 'waiting']) {
    hooks.push(await tenant.subscribe(path, ['whatsapp.message.received', 'crm.contact.created']))
  }
  for (let i = 0; i < 4; i++) await tenant.writes('+15557500001', `message ${i}`)
  await tenant.api('POST', `webhooks/${hooks[0]!.id}/test`, { event_type: 'whatsapp.message.read' })
  const found = await eventually('all told', async () => {
    const { body } = await world.operator('GET', 'webhooks/reconcile')
    return body.deliveries.success === 6 && body.deliveries.failed === 5 && body.deliveries.retrying > 0 && body
  })
  t.match(found, { events: 6, expected: 16, differences: 0, examples: [], overdue: 0 })
  t.equal(
    Object.values<number>(found.deliveries).reduce((sum, count) => sum + count, 0),
    16,
  )
  const clean = await reconcile()
  t.equal(clean.code, 0, clean.said)
  t.match(clean.said, /6 events, 16 deliveries expected[\s\S]*0 differences/)

  const [lost, copied, broken, strange] = await tenant.deliveries(hooks[1]!.id)
  const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
  t.teardown(() => database.close())
  const copy = (id: string, subscription_id: string) =>
    database.execute(`insert into delivery (id, subscription_id, project_id, event_id, event_type, status, attempts)
      select id || 'x', '${subscription_id}', project_id, event_id, event_type, 'failed', 1
      from delivery where id = '${id}'`)
  await database.execute(`delete from delivery where id = '${lost!.id}'`)
  await copy(copied!.id, hooks[1]!.id)
  await database.execute(`update delivery set status = 'success' where id = '${broken!.id}'`)
  await copy(strange!.id, 'wh_unknown')
  const dirty = await reconcile('--json')
  t.equal(dirty.code, 1)
  const { differences, examples } = JSON.parse(dirty.said.slice(0, dirty.said.lastIndexOf('}') + 1))
  t.equal(differences, 4)
  const of = (kind: string) => examples.find((one: { kind: string }) => one.kind === kind)
  t.match(of('missing'), { event_id: lost!.event_id, subscription_id: hooks[1]!.id, delivery_id: null })
  t.match(of('doubled'), { event_id: copied!.event_id })
  t.match(of('inconsistent'), { delivery_id: broken!.id })
  t.match(of('unexpected'), { event_id: strange!.event_id, subscription_id: 'wh_unknown' })
  const before = await reconcile('--until', new Date(Date.now() - 3_600_000).toISOString(), '--json')
  t.match(JSON.parse(before.said), { events: 0, differences: 0 })
})
