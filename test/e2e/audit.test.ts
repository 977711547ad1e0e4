/** Each change by an operator, a token or an agent leaves one audit entry, committed with the change. */
import t from 'tap'
import { AuditEntry, openDatabase, readRows } from '../../storage/mod.ts'
import { run } from '../cli/command.ts'
import type { Json } from './client.ts'
import { joinWorld, made, makeSister, makeTenant, OPERATOR_KEY } from './fixture.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const sister = await makeSister(world, tenant)
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

t.test('the deletion of a tool of another project of the company is in the audit of both', async (t) => {
  const owner = await makeTenant(world)
  const sibling = await makeSister(world, owner)
  const json = { name: 'Look up', url: world.sink.url('tool') }
  const { _id } = await made(owner.api('POST', 'agents/tools', json))
  t.equal((await sibling.api('DELETE', `agents/tools/${_id}`)).status, 204)
  const by = { actor_kind: 'token', actor_id: sibling.token_id, action: 'delete_agent_tool', target_kind: 'agent_tool' }
  const entries = (await entriesOf(_id)).filter(({ action }) => action === by.action)
  for (const id of [owner.project_id, sibling.project_id]) {
    const path = `audit?project_id=${id}&action=delete_agent_tool`
    const { data } = (await world.operator('GET', path)).body
    t.match(data, [
      { target: { kind: 'agent_tool', id: _id }, project_id: id, before: { name: 'Look up' }, after: null },
    ])
  }
  t.match(entries, [by, by])
  t.equal(entries.length, 2)
  t.equal(entries[0]!.request_id, entries[1]!.request_id)
})

t.test('a repeated request under one key leaves one entry', async (t) => {
  const json = { name: 'Once', url: world.sink.url('once'), events: ['whatsapp.message.received'] }
  const post = () => sister.api('POST', 'webhooks', json, { headers: { 'idempotency-key': 'once' } })
  const answers = await Promise.all([post(), post(), post()])
  const ids = new Set(answers.map(({ body }) => body.id))
  t.equal(ids.size, 1)
  t.equal((await entriesOf([...ids][0])).length, 1)
})

t.test('operators find entries by every filter, page by page', async (t) => {
  const list = async (query: string): Promise<Json> => made(world.operator('GET', `audit?${query}`))
  const mine = await list(`project_id=${project_id}`)
  t.equal(mine.next_cursor, null)
  t.match(mine.data[0], { action: 'delete_webhook', actor: { kind: 'token', id: tenant.token_id, name: 'Token' } })
  const [first] = mine.data.slice(-1)
  t.match(first, { action: 'create_project', actor: { kind: 'operator', id: null, name: 'root' }, erased_at: null })
  t.same(await made(world.operator('GET', `audit/${first._id}`)), first)
  const counts: [query: string, count: number][] = [
    [`actor_id=${tenant.token_id}`, 4],
    [`actor_kind=token&project_id=${project_id}`, 4],
    [`actor_kind=system&project_id=${project_id}`, 0],
    [`action=update_webhook&actor_id=${tenant.token_id}`, 1],
    [`target_kind=project&target_id=${project_id}`, 2],
    [`company_id=${tenant.company_id}&target_kind=company`, 1],
    [`project_id=${project_id}&since=${first.created_at}`, mine.data.length],
    [`project_id=${project_id}&until=${first.created_at}`, 0],
    [`since=2100-01-01T00:00:00Z`, 0],
  ]
  for (const [query, count] of counts) t.equal((await list(query)).data.length, count, query)
  const pages: Json[] = []
  for (let cursor = ''; ; ) {
    const page = await list(`project_id=${project_id}&limit=2${cursor}`)
    pages.push(...page.data)
    if (page.next_cursor === null) break
    cursor = `&cursor=${page.next_cursor}`
  }
  t.same(pages, mine.data)
  t.match(await world.operator('GET', `audit/${'f'.repeat(24)}`), { status: 404 })
  t.match(await world.operator('GET', 'audit?actor_id=x&limit=0'), { status: 400 })
  t.match(await world.operator('DELETE', `audit/${first._id}`), { status: 405 })
})

t.test('parley audit lists and shows entries', async (t) => {
  const env = { PARLEY_BASE_URL: world.base_url, PARLEY_OPERATOR_KEY: OPERATOR_KEY }
  const audit = (...args: string[]) => run(['audit', ...args], env)
  const list = await audit('list', '--project', project_id, '--actor-kind', 'token')
  t.match(list, { code: 0, err: '' })
  t.match(list.out, /^id +time \(UTC\) +by +operation +of +change\n/)
  t.match(list.out, /token Token +update_webhook +subscription wh_[0-9a-f]{24} +name\n/)
  t.match((await audit('list', '--target-kind', 'token')).out, / create_token +token [0-9a-f]{24} +new\n/)
  const few = await audit('list', '--limit', '1', '--json')
  t.match(few.err, 'There are more: a greater --limit shows them.')
  const [entry] = JSON.parse(few.out)
  t.match(await audit('show', entry._id), { code: 0, out: new RegExp(`entry +${entry._id}\n`) })
  t.same(JSON.parse((await audit('show', entry._id, '--json')).out), entry)
  t.match(await audit('list', '--action', 'no_such'), { code: 1, out: '', err: /^action must be an operation/ })
  t.match(await audit('list', '--action', 'drain_node'), { code: 0, out: '', err: 'There are no such entries.\n' })
  t.match(await audit('list', '--since', '1d', '--until', '2d'), { code: 2 })
  t.match(await audit('show', 'f'.repeat(24)), { code: 1, err: /`parley audit list` shows which there are/ })
})

t.test('a token that revokes itself', async (t) => {
  const { api, token_id } = await makeTenant(world)
  await api('DELETE', 'me/token')
  const token = { actor_kind: 'token', actor_id: token_id, actor_name: 'Token', address: '127.0.0.1' }
  const change = { before: { revoked_at: null }, after: { revoked_at: /Z$/ } }
  t.match((await entriesOf(token_id)).slice(1), [
    { ...token, action: 'revoke_my_token', target_kind: 'token', ...change },
  ])
  t.equal((await entriesOf(token_id)).length, 2)
})
