/** Companies and their records in the operator API. One file, because most rules are about a record and its parent. */
import t from 'tap'
import {
  Contact,
  type Database,
  findTokenByHash,
  hashToken,
  isWellFormedToken,
  objectId,
  Ticket,
} from '../../storage/mod.ts'
import { eventually } from '../e2e/client.ts'
import { testDatabase } from '../support/mod.ts'
import { type Answer, startOperator } from './operator.ts'

const api = '/admin/v1'

const { database } = await testDatabase(t)
const operator = await startOperator(t, database)
let addresses = 0

/** Makes a company with a project and a user, who has no password unless it is among `fields`. */
async function start(fields: object = {}, { call, asked, forget } = operator) {
  const company = (await call('POST', `${api}/companies`, { name: 'Acme' })).body
  const project = (await call('POST', `${api}/projects`, { company_id: company._id, name: 'Support' })).body
  const user = (
    await call('POST', `${api}/users`, {
      company_id: company._id,
      full_name: 'Ana Díaz',
      email: `ana-${++addresses}@example.com`,
      permissions: ['developer.manage_tokens'],
      ...fields,
    })
  ).body
  forget()
  return { call, asked, forget, company, project, user }
}

t.test('companies', async (t) => {
  const { call, asked, company, project, user } = await start()
  t.match(company, { _id: /^[0-9a-f]{24}$/, name: 'Acme', created_at: /Z$/, updated_at: /Z$/ })
  t.same((await call('GET', `${api}/companies/${company._id}`)).body, company)
  const limits = { address: `project/${project._id}`, message: { type: 'refresh', what: 'limits', id: project._id } }
  const renamed = await call('PATCH', `${api}/companies/${company._id}`, { name: ' Acme Ltd ' })
  t.match(renamed, { status: 200, body: { name: 'Acme Ltd' } })
  t.same(asked, [limits], 'GET /v1/me shows the name')
  t.match((await call('PATCH', `${api}/companies/${company._id}`, {})).status, 200)
  const refused = await call('DELETE', `${api}/companies/${company._id}`)
  t.match(refused, {
    status: 409,
    body: { error: { code: 'IN_USE', details: { held_by: { projects: 1, users: 1 } } } },
  })
  t.equal((await call('DELETE', `${api}/projects/${project._id}`)).status, 204)
  t.equal((await call('DELETE', `${api}/users/${user._id}`)).status, 204)
  t.equal((await call('DELETE', `${api}/companies/${company._id}`)).status, 204)
  t.equal((await call('GET', `${api}/companies/${company._id}`)).status, 404)
  t.equal((await call('DELETE', `${api}/companies/${company._id}`)).status, 404)
})

t.test('lists are paged, newest first, and filtered by the parent', async (t) => {
  const { database: alone } = await testDatabase(t)
  const { call, company } = await start({}, await startOperator(t, alone))
  const other = (await call('POST', `${api}/companies`, { name: 'Other' })).body
  for (const name of ['B', 'C']) await call('POST', `${api}/projects`, { company_id: other._id, name })
  const all = (await call('GET', `${api}/projects`)).body
  t.match(all, { total: 3, limit: 50, offset: 0, data: [{ name: 'C' }, { name: 'B' }, { name: 'Support' }] })
  const page = (await call('GET', `${api}/projects?company_id=${other._id}&limit=1&offset=1`)).body
  t.match(page, { total: 2, limit: 1, offset: 1, data: [{ name: 'B' }] })
  t.equal(page.data.length, 1)
  t.match((await call('GET', `${api}/users?company_id=${other._id}`)).body, { total: 0, data: [] })
  t.match((await call('GET', `${api}/projects?company_id=${company._id}`)).body, { total: 1 })
  for (const query of ['limit=0', 'limit=201', 'limit=x', 'limit=1.5', 'offset=-1', 'company_id=x', 'what=1']) {
    t.equal((await call('GET', `${api}/projects?${query}`)).status, 400, query)
  }
})

t.test('unknown and malformed ids in a path are not found', async (t) => {
  const { call } = await start()
  for (const resource of ['companies', 'projects', 'users', 'tokens', 'channels', 'stages']) {
    for (const id of [objectId(), 'x', '%00', "'"]) {
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        t.equal((await call(method, `${api}/${resource}/${id}`, {})).status, 404, `${method} ${resource} ${id}`)
      }
    }
  }
})

t.test('every violation is reported with its remedy', async (t) => {
  const { call } = await start()
  const { status, body } = await call('POST', `${api}/users`, {
    company_id: 'x',
    full_name: '  ',
    email: 'nobody',
    password: 'short',
    permissions: ['Admin'],
    is_active: 'yes',
  })
  t.equal(status, 400)
  t.same(body.error.details.violations.map(({ path }: { path: string }) => path).sort(), [
    'company_id',
    'email',
    'full_name',
    'is_active',
    'password',
    'permissions.0',
  ])
})

t.test('project limits', async (t) => {
  const { call, asked, project } = await start()
  t.same(project.limits, { minute: 60, hour: 200, day: 1000, ingest_minute: 6000 })
  const changed = await call('PATCH', `${api}/projects/${project._id}`, { limits: { minute: 5 } })
  t.same(changed.body.limits, { minute: 5, hour: 200, day: 1000, ingest_minute: 6000 })
  t.same(asked, [{ address: `project/${project._id}`, message: { type: 'refresh', what: 'limits', id: project._id } }])
  for (const minute of [0, -1, 1.5, '5', null, {}]) {
    const { status } = await call('PATCH', `${api}/projects/${project._id}`, { limits: { minute } })
    t.equal(status, 400, String(minute))
  }
  const orphan = await call('POST', `${api}/projects`, { company_id: objectId(), name: 'x' })
  t.match(orphan, { status: 422, body: { error: { code: 'COMPANY_NOT_FOUND' } } })
})

t.test('concurrent changes of different limits both survive', async (t) => {
  const { call, project } = await start()
  const changes = ['minute', 'hour', 'day', 'ingest_minute'].map((window, index) =>
    call('PATCH', `${api}/projects/${project._id}`, { limits: { [window]: index + 1 } }),
  )
  await Promise.all(changes)
  const { body } = await call('GET', `${api}/projects/${project._id}`)
  t.same(body.limits, { minute: 1, hour: 2, day: 3, ingest_minute: 4 })
})

t.test('users', async (t) => {
  const { call, company, user } = await start({ email: 'Ana@example.com', password: 'correct horse' })
  t.match(user, { email: 'Ana@example.com', has_password: true, is_active: true })
  t.notMatch(JSON.stringify(user), 'scrypt')
  const fields = { company_id: company._id, full_name: 'Another' }
  const taken = await call('POST', `${api}/users`, { ...fields, email: 'ANA@EXAMPLE.COM' })
  t.match(taken, { status: 409, body: { error: { code: 'USER_ALREADY_EXISTS' } } })
  const bob = (await call('POST', `${api}/users`, { ...fields, email: 'bob@example.com' })).body
  t.match(bob, { has_password: false, permissions: [], is_active: true })
  const clash = await call('PATCH', `${api}/users/${bob._id}`, { email: 'ana@example.com' })
  t.match(clash, { status: 409, body: { error: { code: 'USER_ALREADY_EXISTS' } } })
  const muted = await call('PATCH', `${api}/users/${user._id}`, { password: null, permissions: ['a.b', 'a.b'] })
  t.match(muted.body, { has_password: false, permissions: ['a.b'] })
  const orphan = await call('POST', `${api}/users`, { ...fields, email: 'c@example.com', company_id: objectId() })
  t.match(orphan, { status: 422, body: { error: { code: 'COMPANY_NOT_FOUND' } } })
})

t.test('a token is shown once, stored as a hash, and revoked for good', async (t) => {
  const { call, asked, project, user } = await start()
  const created = await call('POST', `${api}/tokens`, {
    project_id: project._id,
    user_id: user._id,
    name: 'CI',
    scopes: ['messages:write', 'messages:read', 'messages:write'],
  })
  t.equal(created.status, 201)
  const { token, ...shown } = created.body
  const refreshed = { address: `project/${project._id}`, message: { type: 'refresh', what: 'token', id: shown._id } }
  t.same(asked, [refreshed], 'the project knows it before the operator does')
  t.ok(isWellFormedToken(token))
  t.match(shown, { status: 'active', scopes: ['messages:write', 'messages:read'], expires_at: null, revoked_at: null })
  t.ok(token.startsWith(shown.prefix))
  t.match(await findTokenByHash(database, hashToken(token)), { token_id: shown._id, project_id: project._id })
  t.same((await call('GET', `${api}/tokens/${shown._id}`)).body, shown)
  t.match((await call('DELETE', `${api}/users/${user._id}`)).body, { error: { details: { held_by: { tokens: 1 } } } })

  t.equal((await call('DELETE', `${api}/tokens/${shown._id}`)).status, 204)
  t.same(asked, [refreshed, refreshed])
  const revoked = (await call('GET', `${api}/tokens/${shown._id}`)).body
  t.match(revoked, { status: 'revoked', revoked_at: /Z$/ })
  t.equal((await call('DELETE', `${api}/tokens/${shown._id}`)).status, 404)
  t.same(asked, [refreshed, refreshed, refreshed], 'the first request may have ended before it told the project')
  t.equal((await call('GET', `${api}/tokens/${shown._id}`)).body.revoked_at, revoked.revoked_at, 'the first one stays')
  const late = await call('PATCH', `${api}/tokens/${shown._id}`, { name: 'x' })
  t.match(late, { status: 409, body: { error: { code: 'TOKEN_REVOKED' } } })
  t.equal((await call('DELETE', `${api}/users/${user._id}`)).status, 204, 'a dead token goes with its owner')
})

t.test('a token needs a known project, user and scopes, and an end in the future', async (t) => {
  const { call, company, project, user } = await start()
  const fields = { project_id: project._id, user_id: user._id, name: 'CI', scopes: ['messages:read'] }
  const expectCode = async (change: object, status: number, code: string) =>
    t.match(await call('POST', `${api}/tokens`, { ...fields, ...change }), { status, body: { error: { code } } }, code)
  await expectCode({ project_id: objectId() }, 422, 'PROJECT_NOT_FOUND')
  await expectCode({ user_id: objectId() }, 422, 'USER_NOT_FOUND')
  await expectCode({ scopes: ['messages:write', 'everything'] }, 400, 'VALIDATION_ERROR')
  await expectCode({ expires_at: '2020-01-01T00:00:00Z' }, 400, 'VALIDATION_ERROR')
  await expectCode({ expires_at: 'tomorrow' }, 400, 'VALIDATION_ERROR')
  await expectCode({ hash: 'x' }, 400, 'VALIDATION_ERROR')
  const foreign = (await call('POST', `${api}/companies`, { name: 'Foreign' })).body
  const theirs = (await call('POST', `${api}/projects`, { company_id: foreign._id, name: 'p' })).body
  await expectCode({ project_id: theirs._id }, 422, 'USER_NOT_IN_COMPANY')
  await call('PATCH', `${api}/users/${user._id}`, { is_active: false })
  await expectCode({}, 422, 'USER_INACTIVE')
  await call('PATCH', `${api}/users/${user._id}`, { is_active: true, permissions: ['console.agent'] })
  await expectCode({}, 422, 'USER_LACKS_PERMISSION')
  t.match((await call('GET', `${api}/tokens?project_id=${project._id}`)).body, { total: 0 })
  t.ok(company)
})

t.test('an expiry is kept to the millisecond and shown', async (t) => {
  const { call, project, user } = await start()
  const expires_at = new Date(Date.now() + 60_000).toISOString()
  const fields = { project_id: project._id, user_id: user._id, name: 'CI', scopes: [] }
  const { body } = await call('POST', `${api}/tokens`, { ...fields, expires_at })
  t.equal(body.expires_at, expires_at)
  const cleared = await call('PATCH', `${api}/tokens/${body._id}`, { expires_at: null, scopes: ['webhooks:read'] })
  t.match(cleared.body, { expires_at: null, scopes: ['webhooks:read'] })
})

t.test('deactivating a user tells the project about each of its tokens', async (t) => {
  const { call, asked, forget, project, user } = await start()
  const fields = { project_id: project._id, user_id: user._id, name: 'CI', scopes: [] }
  const { body } = await call('POST', `${api}/tokens`, fields)
  forget()
  await call('PATCH', `${api}/users/${user._id}`, { is_active: false })
  const told = (what: string, id: string) => ({
    address: `project/${project._id}`,
    message: { type: 'refresh', what, id },
  })
  t.same(asked, [told('token', body._id), told('crm', project._id)], 'tickets are assigned to nobody who left')
})

t.test('a request without the operator key learns nothing and changes nothing', async (t) => {
  const { call, company } = await start()
  for (const key of ['', 'x', 'the key of the operator in test', 'the key of the operator in tests.']) {
    const answer = await call('PATCH', `${api}/companies/${company._id}`, { name: 'Taken' }, key)
    t.same(answer, { status: 401, body: { message: 'Unauthorized', error: 'Unauthorized', statusCode: 401 } })
  }
  t.match((await call('GET', `${api}/companies/${company._id}`)).body, { name: 'Acme' })
})

/** Returns the answer to a change that comes after `write` and before its commit. */
async function answeredBeside(
  write: (em: ReturnType<Database['em']>) => Promise<unknown>,
  change: () => Promise<Answer>,
): Promise<Answer> {
  let answer: Promise<Answer> | undefined
  await database.em().transactional(async (em) => {
    await write(em)
    answer = change()
    await eventually('the change waits', async () => {
      const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      return (await database.execute(waiting)).length > 0
    })
  })
  return answer!
}

t.test('a stage stays when the project moves a ticket into it during its deletion', async (t) => {
  const { call, company, project } = await start()
  const stages = [{ name: 'New' }, { name: 'Won', rules: { close_with: 'won' } }]
  const body = { project_id: project._id, name: 'Sales', stages }
  const pipeline = (await call('POST', `${api}/pipelines`, body)).body
  const [first, last] = pipeline.stages
  const move = (stage_id: string) => (em: ReturnType<Database['em']>) => {
    const now = new Date()
    const ticket = {
      _id: objectId(),
      chat_user: objectId(),
      is_closed: false,
      tag_ids: [],
      custom_fields: {},
      version: 1,
    }
    const owner = { company_id: company._id, project_id: project._id }
    return em.insert(Ticket, { ...ticket, ...owner, stage_id, created_at: now, updated_at: now })
  }
  const inUse = { status: 409, body: { error: { code: 'IN_USE', details: { held_by: { open_tickets: 1 } } } } }
  const now = async () => (await call('GET', `${api}/pipelines/${pipeline._id}`)).body
  const while_moving = (stage_id: string, change: () => Promise<Answer>) => answeredBeside(move(stage_id), change)

  t.match(await while_moving(last._id, () => call('DELETE', `${api}/stages/${last._id}`)), inUse)
  t.same((await now()).stages, pipeline.stages)
  const without_first = { stages: [last] }
  t.match(await while_moving(first._id, () => call('PATCH', `${api}/pipelines/${pipeline._id}`, without_first)), inUse)
  t.same(new Set((await now()).stages.map(({ _id }: { _id: string }) => _id)), new Set([first._id, last._id]))

  const other = (await call('POST', `${api}/pipelines`, body)).body
  const [, used] = other.stages
  t.match(await while_moving(used._id, () => call('DELETE', `${api}/pipelines/${other._id}`)), inUse)
  t.same((await call('GET', `${api}/pipelines/${other._id}`)).body, other)

  const { body: added } = await call('POST', `${api}/pipelines/${other._id}/stages`, { name: 'Short' })
  t.equal((await call('DELETE', `${api}/stages/${added._id}`)).status, 204)
  await t.rejects(move(added._id)(database.em()), { code: '23503', constraint: 'ticket_in_stage' }, 'one that is gone')
})

t.test('a customer stays when the project links a contact to it during its deletion', async (t) => {
  const { call, company, project } = await start()
  const body = { company_id: company._id, full_name: 'Ana', phone: '+5215512345678', tags: ['vip'] }
  const customer = (await call('POST', `${api}/customers`, body)).body
  const now = new Date()
  const stamps = { first_seen_at: now, last_seen_at: now, created_at: now, updated_at: now }
  const owner = { company_id: company._id, project_id: project._id, customer_id: customer._id }
  const person = { _id: objectId(), channel_type: 'telegram' as const, user_id: '1', custom_fields: {}, windows: {} }
  const link = (em: ReturnType<Database['em']>) => em.insert(Contact, { ...person, ...owner, ...stamps })
  t.match(await answeredBeside(link, () => call('DELETE', `${api}/customers/${customer._id}`)), {
    status: 409,
    body: { error: { code: 'IN_USE', details: { held_by: { contacts: 1 } } } },
  })
  t.same((await call('GET', `${api}/customers/${customer._id}`)).body, { ...customer, chat_users: [person._id] })
})
