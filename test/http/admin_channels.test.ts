import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { startSimulator } from '../../http/simulator/mod.ts'
import { Channel, Template } from '../../storage/mod.ts'
import { freePort, type Owner, testDatabase } from '../support/mod.ts'
import { startOperator } from './operator.ts'

const api = '/admin/v1'
const number = {
  phone_number_id: '106540352242922',
  display_phone_number: '+15550783881',
  business_account_id: '102290129340398',
  access_token: 'token-of-the-number',
  app_secret: 'app-secret',
  verify_token: 'verify-me',
}
const { display_phone_number: _, ...account } = number

async function start(t: Owner) {
  const { database } = await testDatabase(t)
  const { call, asked } = await startOperator(t, database)
  const company = (await call('POST', `${api}/companies`, { name: 'Acme' })).body
  const project = (await call('POST', `${api}/projects`, { company_id: company._id, name: 'Support' })).body
  const fields = { project_id: project._id, channel_type: 'whatsapp', name: 'Main', provider: 'simulator' }
  return { database, call, asked, project, fields }
}

async function simulator(t: Owner): Promise<string> {
  const { url, close } = await startSimulator({ numbers: [number] })
  t.teardown(close)
  return url
}

t.test('a channel is checked when it is connected, and its templates are fetched', async (t) => {
  const { database, call, asked, project, fields } = await start(t)
  const api_base_url = await simulator(t)
  const created = await call('POST', `${api}/channels`, { ...fields, credentials: { ...account, api_base_url } })
  t.match(created, {
    status: 201,
    body: {
      channel_type: 'whatsapp',
      provider: 'simulator',
      provider_account_id: number.phone_number_id,
      is_active: true,
      status: 'connected',
      status_reason: null,
    },
  })
  const { _id, credentials_set } = created.body
  t.same(credentials_set.sort(), [...Object.keys(account), 'api_base_url'].sort())
  for (const secret of [number.access_token, number.app_secret, number.verify_token]) {
    t.notMatch(JSON.stringify(created.body), secret)
    const [row] = await database.em().find(Channel, {})
    t.notMatch(row?.credentials, secret)
  }
  t.same(asked, [
    { address: `channel/${_id}`, message: { type: 'refresh', announces: { project_id: project._id } } },
    { address: `project/${project._id}`, message: { type: 'refresh', what: 'channel', id: _id } },
    { address: `channel/${_id}`, message: { type: 'refresh', is_new: true, is_announced: false } },
  ])

  const templates = await database.em().find(Template, { channel_id: _id }, { orderBy: { name: 'asc' } })
  t.ok(templates.length > 0)
  t.match(templates[0], { project_id: project._id, status: 'APPROVED', components: Array })
  const again = await call('POST', `${api}/channels/${_id}/check`)
  t.match(again, {
    status: 200,
    body: { ok: true, reason: null, templates: { synced: templates.length, reason: null }, channel: { _id } },
  })
  const later = await database.em().find(Template, { channel_id: _id }, { orderBy: { name: 'asc' } })
  t.same(
    later.map((template) => template._id),
    templates.map((template) => template._id),
    'templates that stay keep their ids',
  )
})

t.test('a check reads every page of templates and brings the whole list to the project', async (t) => {
  const { database, call, asked, project, fields } = await start(t)
  const names = ['a', 'b', 'c', 'a']
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://x')
    if (!pathname.endsWith('message_templates')) return response.end('{}')
    const place = Number(searchParams.get('after') ?? 0)
    const data = names
      .slice(place, place + 1)
      .map((name) => ({ name, language: 'en', status: 'APPROVED', category: 'X' }))
    const paging = { cursors: { after: String(place + 1) }, ...(place + 1 < names.length ? { next: 'http://x' } : {}) }
    response.end(JSON.stringify({ data, paging }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const api_base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v99.0/`
  const { body } = await call('POST', `${api}/channels`, { ...fields, credentials: { ...account, api_base_url } })
  const stored = await database.em().find(Template, { channel_id: body._id }, { orderBy: { name: 'asc' } })
  t.same(
    stored.map(({ name }) => name),
    ['a', 'b', 'c'],
    'one named twice is stored once',
  )
  names.splice(0, names.length, 'c', 'd')
  asked.splice(0)
  const checked = await call('POST', `${api}/channels/${body._id}/check`)
  t.equal(checked.body.templates.synced, 2)
  t.match(asked[1], {
    address: `project/${project._id}`,
    message: { type: 'templates_listed', templates: [{ name: 'c' }, { name: 'd' }], all: ['c en', 'd en'] },
  })
})

t.test('a refusal of the provider disconnects the channel, and good credentials connect it again', async (t) => {
  const { call, fields } = await start(t)
  const api_base_url = await simulator(t)
  const wrong = { ...account, api_base_url, access_token: 'wrong' }
  const { body } = await call('POST', `${api}/channels`, { ...fields, credentials: wrong })
  t.match(body, { status: 'disconnected', status_reason: /\(190\)$/ })
  t.notMatch(JSON.stringify(body), 'wrong')
  const mended = await call('PATCH', `${api}/channels/${body._id}`, {
    credentials: { access_token: number.access_token },
  })
  t.match(mended, { status: 200, body: { status: 'connected', status_reason: null } })
})

t.test('a channel is unverified until its provider was reached', async (t) => {
  const { call, fields } = await start(t)
  const api_base_url = `http://127.0.0.1:${await freePort()}`
  const { body } = await call('POST', `${api}/channels`, { ...fields, credentials: { ...account, api_base_url } })
  t.match(body, { status: 'unverified', status_reason: /could not be reached/ })
  const check = await call('POST', `${api}/channels/${body._id}/check`)
  t.match(check, {
    status: 200,
    body: { ok: false, reason: /could not be reached/, channel: { status: 'unverified' } },
  })
})

t.test('the form of credentials is checked for each provider, and every fault is named at once', async (t) => {
  const { call, fields } = await start(t)
  const paths = async (body: object) => {
    const answer = await call('POST', `${api}/channels`, { ...fields, ...body })
    t.equal(answer.status, 400)
    return answer.body.error.details.violations.map(({ path }: { path: string }) => path).sort()
  }
  t.same(await paths({ name: '', credentials: { phone_number_id: 5, app_secret: '', foo: 'x' } }), [
    'credentials.access_token',
    'credentials.app_secret',
    'credentials.business_account_id',
    'credentials.foo',
    'credentials.phone_number_id',
    'credentials.verify_token',
    'name',
  ])
  t.same(await paths({ credentials: 'x' }), ['credentials'])
  t.same(await paths({ channel_type: 'telegram', provider: 'qr' }), ['provider'])
  t.same(await paths({ channel_type: 'playground', provider: 'magic' }), ['channel_type', 'provider'])
  t.same(await paths({ credentials: { ...account, api_base_url: 'ftp://x' } }), ['credentials.api_base_url'])
})

t.test('a change of credentials keeps the fields not named and refuses invalid ones', async (t) => {
  const { database, call, fields } = await start(t)
  const api_base_url = await simulator(t)
  const { body } = await call('POST', `${api}/channels`, { ...fields, credentials: { ...account, api_base_url } })
  const target = `${api}/channels/${body._id}`
  const refused = await call('PATCH', target, { credentials: { app_secret: null } })
  t.match(refused, { status: 400, body: { error: { details: { violations: [{ path: 'credentials.app_secret' }] } } } })
  await call('PATCH', target, { name: 'Other', is_active: false, credentials: { verify_token: 'new' } })
  const [row] = await database.em().find(Channel, {})
  const stored = JSON.parse(database.vault.open(row!._id, 'credentials', row!.credentials!))
  t.same(stored, { ...account, api_base_url, verify_token: 'new' })
  t.match((await call('GET', target)).body, { name: 'Other', is_active: false })
})

t.test('one account is connected once in a project', async (t) => {
  const { call, project, fields } = await start(t)
  const api_base_url = await simulator(t)
  const body = { ...fields, credentials: { ...account, api_base_url } }
  const { body: first } = await call('POST', `${api}/channels`, body)
  t.match(await call('POST', `${api}/channels`, body), {
    status: 409,
    body: { error: { code: 'CHANNEL_ALREADY_EXISTS' } },
  })
  const { body: held } = await call('DELETE', `${api}/projects/${project._id}`)
  t.match(held, { error: { code: 'IN_USE', details: { held_by: { channels: 1 } } } })
  t.equal((await call('DELETE', `${api}/channels/${first._id}`)).status, 204)
  t.equal((await call('POST', `${api}/channels`, body)).status, 201)
})

t.test('a check of a channel that cannot be asked says so', async (t) => {
  const { call, fields } = await start(t)
  const api_base_url = `http://127.0.0.1:${await freePort()}`
  const gateway = { api_base_url, instance: 'shop', api_key: 'key', webhook_secret: 'secret' }
  const qr = await call('POST', `${api}/channels`, { ...fields, provider: 'qr', credentials: gateway })
  t.match(qr, {
    status: 201,
    body: { status: 'disconnected', status_reason: /could not be reached/, provider_account_id: 'shop' },
  })
  const phone = { ...fields, channel_type: 'phone', provider: 'cloud', credentials: { note: 'x' } }
  const { body } = await call('POST', `${api}/channels`, phone)
  t.match(body, { status: 'connected', credentials_set: ['note'], provider_account_id: null })
  t.match(await call('POST', `${api}/channels/${body._id}/check`), {
    status: 422,
    body: { error: { code: 'OPERATION_NOT_SUPPORTED_FOR_CHANNEL' } },
  })
})
