/** Each change by an operator, a token or an agent leaves one audit entry, committed with the change. */
import t from 'tap'
import { AuditEntry, openDatabase, readRows } from '../../storage/mod.ts'
import { makeTenant, OPERATOR_KEY, startWorld } from './fixture.ts'

const world = await startWorld(t)
const tenant = await makeTenant(world)
const { project_id } = tenant
const database = await openDatabase({ url: world.config.database_url! })
t.teardown(() => database.close())

/** The entries of a record, oldest first. */
const entriesOf = async (target_id: string) => {
  const rows = await readRows(database, AuditEntry, { target_id })
  return rows.sort((a, b) => (a._id < b._id ? -1 : 1))
}

t.test('an operator: who, from where, which request, before and after', async (t) => {
  const path = `${world.base_url}/admin/v1/projects/${project_id}`
  const headers = { 'x-request-id': 'from-the-portal' }
  await world.http('PATCH', path, { json: { name: 'Renamed' }, token: OPERATOR_KEY, headers })
  const [created, renamed, ...more] = await entriesOf(project_id)
  t.match(created, { action: 'create_project', before: null, after: { company_id: tenant.company_id } })
  t.match(renamed, {
    actor_kind: 'operator',
    actor_id: null,
    actor_name: 'root',
    address: '127.0.0.1',
    request_id: 'from-the-portal',
    action: 'update_project',
    target_kind: 'project',
    company_id: tenant.company_id,
    project_id,
    after: { name: 'Renamed' },
  })
  t.strictSame(Object.keys(renamed!.after!), ['name'])
  t.strictSame(more, [])
})

t.test('a token: its subscriptions, in the turn that changes them', async (t) => {
  const { id } = await tenant.subscribe('audit', ['whatsapp.message.received'], { headers: { 'X-Key': 'S3CRET' } })
  await tenant.api('PATCH', `webhooks/${id}`, { name: 'Named' })
  await tenant.api('PATCH', `webhooks/${id}`, { name: 'Named' })
  await tenant.api('POST', `webhooks/${id}/rotate-secret`)
  await tenant.api('PATCH', `webhooks/${'wh_'}${'f'.repeat(24)}`, { name: 'None' })
  await tenant.api('DELETE', `webhooks/${id}`)
  const entries = await entriesOf(id)
  const token = { actor_kind: 'token', actor_id: tenant.token_id, actor_name: 'Token', address: '127.0.0.1' }
  t.match(entries, [
    { ...token, action: 'create_webhook', before: null, after: { headers: { 'X-Key': '[redacted]' } } },
    { ...token, action: 'update_webhook', before: { name: 'To audit' }, after: { name: 'Named' } },
    { ...token, action: 'rotate_webhook_secret', target_kind: 'subscription', project_id },
    { ...token, action: 'delete_webhook', before: { name: 'Named' }, after: null },
  ])
  t.equal(entries.length, 4)
})
