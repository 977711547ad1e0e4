/**
 * Flows from the draft to their answers, and the state that a failure of the provider leaves. The file follows the life
 * of one resource on one node.
 */
import t from 'tap'
import { type Answer, eventually, type Json, patiently } from './client.ts'
import { connectNumber, joinWorld, makeTenant, startWorld, type Tenant } from './fixture.ts'
import { GOOD } from './flow_drafts.ts'

const world = await joinWorld(t)
const { sink } = world

const BAD = { ...GOOD, screens: [{ ...GOOD.screens[0], terminal: false }] }

const survey = (fields: Json = {}) => ({ name: 'Survey', categories: ['SURVEY'], flow_json: GOOD, ...fields })
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })
const codeOf = ({ status, body }: Answer) => [status, body.error?.code]

/** Returns the Flows of the tenant's account at the provider, without the demo's. */
async function atProvider(tenant: Tenant): Promise<Json[]> {
  const { business_account_id, access_token } = tenant.number
  const { body } = await world.http('GET', `${world.simulator_url}/v25.0/${business_account_id}/flows?limit=100`, {
    token: access_token,
  })
  return body.data.filter(({ name }: Json) => name !== 'Book a visit')
}

/** Sets a rule of the simulator for Flows. */
async function fault(rule: Json): Promise<void> {
  const { status, text } = await world.control('POST', 'faults', { match: { operation: 'flows' }, ...rule })
  if (status !== 201) throw new Error(text)
}

t.test('a Flow is registered as a draft and published, and cannot be deleted then', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.subscribe('flow-life', ['whatsapp.flow.updated'])
  const created = await tenant.api('POST', 'flows', survey())
  t.equal(created.status, 201, created.text)
  const { id, ...record } = created.body
  t.match(id, /^[0-9a-f]{24}$/)
  t.match(record, {
    provider_flow_id: /^\d+$/,
    name: 'Survey',
    status: 'draft',
    categories: ['SURVEY'],
    validation_errors: [],
    channel_id: tenant.number.channel_id,
    created_at: /Z$/,
    updated_at: /Z$/,
  })
  t.same((await tenant.api('GET', `flows/${id}`)).body, created.body)
  t.match(await atProvider(tenant), [{ id: record.provider_flow_id, name: 'Survey', status: 'DRAFT' }])

  const published = await tenant.api('POST', `flows/${id}/publish`)
  t.match(published, { status: 200, body: { id, status: 'published' } })
  t.same(codeOf(await tenant.api('POST', `flows/${id}/publish`)), [409, 'FLOW_ALREADY_PUBLISHED'])
  t.same(codeOf(await tenant.api('DELETE', `flows/${id}`)), [400, 'FLOW_PUBLISHED'])
  t.equal((await tenant.api('GET', `flows/${id}`)).body.status, 'published')

  await eventually('the provider told of it', async () => {
    const { data } = (await world.control('GET', 'webhooks')).body
    return data.some(({ events, status }: Json) => status === 200 && events[0] === 'flows FLOW_STATUS_CHANGE')
  })
  await eventually('the event', () => sink.calls('flow-life').length > 0)
  t.same(
    sink.calls('flow-life').map(({ body }) => [body.type, body.data.id, body.data.status]),
    [['whatsapp.flow.updated', id, 'published']],
    'one change, one event, though both the answer and the webhook told of it',
  )
})

t.test('faults of the Flow JSON are kept, and prevent its publication', async (t) => {
  const tenant = await makeTenant(world)
  const { status, body } = await tenant.api('POST', 'flows', survey({ flow_json: JSON.stringify(BAD) }))
  t.equal(status, 201)
  t.match(body, { status: 'draft', validation_errors: [{ error: 'MISSING_TERMINAL_SCREEN', message: String }] })
  const refused = await tenant.api('POST', `flows/${body.id}/publish`)
  t.same(codeOf(refused), [422, 'FLOW_INVALID'])
  t.match(refused.body.error.details, {
    validation_errors: [{ error: 'MISSING_TERMINAL_SCREEN' }],
    provider: { code: '100', message: String },
  })
  t.equal((await tenant.api('DELETE', `flows/${body.id}`)).status, 204)
  t.same(codeOf(await tenant.api('GET', `flows/${body.id}`)), [404, 'FLOW_NOT_FOUND'])
  t.same(codeOf(await tenant.api('DELETE', `flows/${body.id}`)), [404, 'FLOW_NOT_FOUND'])
  t.same(await atProvider(tenant), [])
})

t.test('a Flow that was deleted at the provider is deleted here, too', async (t) => {
  const tenant = await makeTenant(world)
  const { id, provider_flow_id } = (await tenant.api('POST', 'flows', survey())).body
  const { access_token } = tenant.number
  const there = await world.http('DELETE', `${world.simulator_url}/v25.0/${provider_flow_id}`, { token: access_token })
  t.equal(there.status, 200)
  t.same(await atProvider(tenant), [])
  t.equal((await tenant.api('DELETE', `flows/${id}`)).status, 204)
  t.same(codeOf(await tenant.api('GET', `flows/${id}`)), [404, 'FLOW_NOT_FOUND'])
  t.same(codeOf(await tenant.api('DELETE', `flows/${id}`)), [404, 'FLOW_NOT_FOUND'])
})

t.test('one of many requests deletes a Flow, and the others do not find it', async (t) => {
  const tenant = await makeTenant(world)
  const { id } = (await tenant.api('POST', 'flows', survey())).body
  const answers = await Promise.all(Array.from({ length: 12 }, () => tenant.api('DELETE', `flows/${id}`)))
  const [deleted, ...others] = answers.sort((one, other) => one.status - other.status)
  t.equal(deleted!.status, 204)
  for (const answer of others) t.same(codeOf(answer), [404, 'FLOW_NOT_FOUND'])
})

const invalid: { what: string; body: Json; paths: string[] }[] = [
  { what: 'nothing', body: {}, paths: ['categories', 'flow_json', 'name'] },
  { what: 'a category that is none', body: survey({ categories: ['GAMES'] }), paths: ['categories.0'] },
  { what: 'no category', body: survey({ categories: [] }), paths: ['categories'] },
  { what: 'a category twice', body: survey({ categories: ['OTHER', 'OTHER'] }), paths: ['categories'] },
  { what: 'a list as Flow JSON', body: survey({ flow_json: [] }), paths: ['flow_json'] },
  { what: 'an endpoint without TLS', body: survey({ endpoint_uri: 'http://example.com' }), paths: ['endpoint_uri'] },
  { what: 'a channel that cannot be', body: survey({ channel_id: 'x' }), paths: ['channel_id'] },
  { what: 'a status', body: survey({ status: 'published' }), paths: ['status'] },
]

t.test('a creation that is not valid is refused before the provider is asked', async (t) => {
  const tenant = await makeTenant(world)
  for (const { what, body, paths } of invalid) {
    const answer = await tenant.api('POST', 'flows', body)
    t.equal(answer.status, 400, what)
    t.same(answer.body.error.details.violations.map(({ path }: Json) => path).sort(), paths, what)
  }
  t.same(await atProvider(tenant), [])
})

t.test('a Flow JSON of 5 MB is taken; 10 MiB are the limit', async (t) => {
  const tenant = await makeTenant(world)
  const large = { ...GOOD, padding: 'x'.repeat(5_000_000) }
  t.equal((await tenant.api('POST', 'flows', survey({ flow_json: large }))).status, 201)
  const huge = { ...GOOD, padding: 'x'.repeat(10 * 1024 * 1024) }
  t.same(codeOf(await tenant.api('POST', 'flows', survey({ flow_json: huge }))), [413, 'PAYLOAD_TOO_LARGE'])
})

t.test('the list: newest first, offset and limit, one channel', async (t) => {
  const tenant = await makeTenant(world)
  const names = ['A', 'B', 'C']
  for (const name of names) t.equal((await tenant.api('POST', 'flows', survey({ name }))).status, 201)
  const list = async (query = '') => (await tenant.api('GET', `flows${query}`)).body
  const all = await list()
  t.same([all.data.map(({ name }: Json) => name), all.total, all.skip, all.limit], [['C', 'B', 'A'], 3, 0, 50])
  for (const word of ['offset', 'skip']) {
    const page = await list(`?${word}=1&limit=1`)
    const { total, offset, skip, limit, has_more } = page
    t.same([page.data.map(({ name }: Json) => name), total, offset, skip, limit, has_more], [['B'], 3, 1, 1, 1, true])
  }
  for (const query of ['?skip=-1', '?skip=x', '?limit=0', '?limit=201', '?offset=1&skip=1', '?channel_id=x'])
    t.same(codeOf(await tenant.api('GET', `flows${query}`)), [400, 'VALIDATION_ERROR'], query)

  const second = await connectNumber(world, tenant.project_id)
  const unnamed = await tenant.api('GET', 'flows')
  t.same(codeOf(unnamed), [422, 'CHANNEL_REQUIRED'])
  t.same(codeOf(await tenant.api('POST', 'flows', survey({ name: 'D' }))), [422, 'CHANNEL_REQUIRED'])
  t.equal((await list(`?channel_id=${second.channel_id}`)).total, 0)
  t.equal((await list(`?channel_id=${tenant.number.channel_id}`)).total, 3)
  t.same(codeOf(await tenant.api('GET', `flows?channel_id=${'0'.repeat(24)}`)), [422, 'CHANNEL_NOT_FOUND'])
  await world.operator('PATCH', `channels/${second.channel_id}`, { is_active: false })
  t.equal((await list()).total, 3, 'the only active channel needs no name')
  const inactive = await tenant.api('POST', 'flows', survey({ name: 'D', channel_id: second.channel_id }))
  t.same(codeOf(inactive), [422, 'CHANNEL_NOT_CONNECTED'])
})

t.test('a channel without the Cloud API has no Flows', async (t) => {
  const tenant = await makeTenant(world)
  const made = async (fields: Json) =>
    (await world.operator('POST', 'channels', { project_id: tenant.project_id, name: 'Other', ...fields })).body._id
  const gateway = { api_base_url: 'http://127.0.0.1:9', instance: 'x', api_key: 'k', webhook_secret: 's' }
  const qr = await made({ channel_type: 'whatsapp', provider: 'qr', credentials: gateway })
  const code = 'OPERATION_NOT_SUPPORTED_FOR_CHANNEL'
  t.same(codeOf(await tenant.api('POST', 'flows', survey({ channel_id: qr }))), [422, code])
  t.equal((await tenant.api('POST', 'flows', survey())).status, 201, 'the only number of the Cloud API needs no name')
  await world.operator('PATCH', `channels/${tenant.number.channel_id}`, { is_active: false })
  await world.operator('PATCH', `channels/${qr}`, { is_active: true })
  t.same(codeOf(await tenant.api('GET', 'flows')), [422, code])
})

t.test('scopes and projects keep Flows apart', async (t) => {
  const [mine, theirs] = [await makeTenant(world), await makeTenant(world)]
  const { id } = (await theirs.api('POST', 'flows', survey())).body
  for (const [method, path] of [
    ['GET', `flows/${id}`],
    ['POST', `flows/${id}/publish`],
    ['DELETE', `flows/${id}`],
    ['GET', 'flows/none'],
  ] as const)
    t.same(codeOf(await mine.api(method, path)), [404, 'FLOW_NOT_FOUND'], `${method} ${path}`)
  t.equal((await theirs.api('GET', `flows/${id}`)).body.status, 'draft')
  const { project_id, user_id } = mine
  const fields = { project_id, user_id, name: 'Reader', scopes: ['flows:read'] }
  const { token } = (await world.operator('POST', 'tokens', fields)).body
  t.equal((await mine.api('GET', 'flows', undefined, { token })).status, 200)
  const write = await mine.api('POST', 'flows', survey(), { token })
  t.match([write.status, write.body.error.details], [403, { required: ['flows:write'] }])
})

t.test('nothing is left half registered', async (t) => {
  const tenant = await makeTenant(world)
  t.teardown(() => world.control('DELETE', 'faults'))

  await t.test('the provider refuses the creation', async (t) => {
    await tenant.api('POST', 'flows', survey({ name: 'Taken' }))
    const answer = await tenant.api('POST', 'flows', survey({ name: 'Taken' }))
    t.same(codeOf(answer), [422, 'PROVIDER_REFUSED'])
    t.match(answer.body.error, { message: /names are unique/, details: { provider: { code: '100' } } })
  })

  await t.test('the provider cannot be reached', async (t) => {
    await fault({ garbage: true })
    const answer = await tenant.api('POST', 'flows', survey({ name: 'Later' }))
    await world.control('DELETE', 'faults')
    t.same(codeOf(answer), [502, 'WHATSAPP_UPSTREAM_ERROR'])
    t.match(answer.headers['retry-after'], /^[1-9]\d*$/)
    t.equal((await tenant.api('POST', 'flows', survey({ name: 'Later' }))).status, 201)
  })

  await t.test('the upload fails, and the draft is deleted', async (t) => {
    await fault({ match: { operation: 'flows', type: 'assets' }, error: { code: 131000 } })
    const answer = await tenant.api('POST', 'flows', survey({ name: 'Half' }))
    await world.control('DELETE', 'faults')
    t.same(codeOf(answer), [502, 'WHATSAPP_UPSTREAM_ERROR'])
    t.same(
      (await atProvider(tenant)).filter(({ name }) => name === 'Half'),
      [],
    )
  })

  await t.test('the upload and the deletion of the draft fail, and the same key takes the draft up', async (t) => {
    const match = (type: string) => fault({ match: { operation: 'flows', type }, reset: 'before' })
    await match('assets')
    await match('delete')
    const ask = () => tenant.api('POST', 'flows', survey({ name: 'Stuck' }), keyed('stuck'))
    t.same(codeOf(await ask()), [502, 'WHATSAPP_UPSTREAM_ERROR'])
    const [draft] = (await atProvider(tenant)).filter(({ name }) => name === 'Stuck')
    await world.control('DELETE', 'faults')
    const { status, body } = await ask()
    t.same([status, body.provider_flow_id], [201, draft.id])
  })

  t.same(
    (await tenant.api('GET', 'flows')).body.data.map(({ name }: Json) => name),
    ['Stuck', 'Later', 'Taken'],
  )
})

t.test('a change of status by the provider’s webhook is kept and told once', async (t) => {
  const tenant = await makeTenant(world)
  const other = await makeTenant(world)
  await tenant.subscribe('flow-hook', ['whatsapp.flow.updated'])
  const { id, provider_flow_id } = (await tenant.api('POST', 'flows', survey())).body
  // The Flow is published in the provider's own manager, without a request to us.
  const { access_token } = tenant.number
  await world.http('POST', `${world.simulator_url}/v25.0/${provider_flow_id}/publish`, { token: access_token })
  await eventually('it is published', async () => (await tenant.api('GET', `flows/${id}`)).body.status === 'published')
  await world.http('POST', `${world.simulator_url}/v25.0/${provider_flow_id}/deprecate`, { token: access_token })
  await eventually(
    'it is deprecated',
    async () => (await tenant.api('GET', `flows/${id}`)).body.status === 'deprecated',
  )
  t.same(codeOf(await tenant.api('POST', `flows/${id}/publish`)), [409, 'FLOW_ALREADY_PUBLISHED'])
  await eventually('both events', () => sink.events('flow-hook').length === 2)
  t.same(
    sink
      .events('flow-hook')
      .map(({ data }) => data.status)
      .sort(),
    ['deprecated', 'published'],
  )
  t.equal((await other.api('GET', 'flows')).body.total, 0)
})

t.test('a Flow message names the Flow by our id or by the provider’s', async (t) => {
  const tenant = await makeTenant(world)
  const { id, provider_flow_id } = (await tenant.api('POST', 'flows', survey())).body
  await tenant.api('POST', `flows/${id}/publish`)
  await tenant.writes('+15557000041', 'Hi')
  for (const flow_id of [id, provider_flow_id]) {
    const message = { type: 'flow', flow_id, flow_token: 'tok', flow_cta: 'Open', body_text: 'Please' }
    const { status, body } = await tenant.send('+15557000041', { message })
    t.equal(status, 202, JSON.stringify(body))
    await tenant.message(body.id, 'read')
    const [sent] = await tenant.sent(`&opaque_data=${body.id}`)
    t.equal(sent.body.interactive.action.parameters.flow_id, provider_flow_id)
  }
  const message = { type: 'flow', flow_id: '0'.repeat(24), flow_token: 'tok', flow_cta: 'Open', body_text: 'Please' }
  t.same(codeOf(await tenant.send('+15557000041', { message })), [422, 'FLOW_NOT_REGISTERED'])

  const { channel_id } = await connectNumber(world, tenant.project_id)
  for (const flow_id of [id, provider_flow_id]) {
    const foreign = { message: { ...message, flow_id }, channel_id }
    const refused = await tenant.send('+15557000041', foreign)
    t.same(codeOf(refused), [422, 'FLOW_NOT_REGISTERED'], 'the Flow of another account')
    t.match(refused.body.error.message, /another WhatsApp Business Account/)
    t.equal((await tenant.send('+15557000041', { ...foreign, channel_id: tenant.number.channel_id })).status, 202)
  }
})

t.test('a send with a Flow that is not published is accepted with a warning', async (t) => {
  const tenant = await makeTenant(world)
  const { id, provider_flow_id, name } = (await tenant.api('POST', 'flows', survey())).body
  await tenant.writes('+15557000042', 'Hi')
  const send = async (flow_id: string) => {
    const message = { type: 'flow', flow_id, flow_token: 'tok', flow_cta: 'Open', body_text: 'Please' }
    return (await tenant.send('+15557000042', { message })).body
  }
  for (const flow_id of [id, provider_flow_id]) {
    const sent = await send(flow_id)
    t.same(sent.warnings, [
      {
        code: 'FLOW_NOT_PUBLISHED',
        message: `The Flow ${name} has the status draft. The provider refuses messages of it until it is published.`,
      },
    ])
    await tenant.message(sent.id, 'failed')
  }
  await tenant.api('POST', `flows/${id}/publish`)
  const published = await send(id)
  t.same(published.warnings, [])
  await tenant.message(published.id, 'read')
})

t.test('an idempotency key', async (t) => {
  const tenant = await makeTenant(world)
  t.teardown(() => world.control('DELETE', 'faults'))

  await t.test('twenty requests at once make one Flow', async (t) => {
    // Longer than the other requests need to arrive.
    await fault({ latency_ms: 500 })
    const ask = () => tenant.api('POST', 'flows', survey({ name: 'Once' }), keyed('once'))
    const answers = await Promise.all(Array.from({ length: 20 }, ask))
    await world.control('DELETE', 'faults')
    const kinds = answers.map(({ status, body, headers }) =>
      status === 409 ? body.error.code : headers['idempotent-replayed'] === 'true' ? 'replayed' : status,
    )
    t.equal(kinds.filter((kind) => kind === 201).length, 1)
    t.same(
      kinds.filter((kind) => ![201, 'replayed', 'IDEMPOTENCY_IN_PROGRESS'].includes(kind)),
      [],
    )
    t.ok(kinds.includes('IDEMPOTENCY_IN_PROGRESS'), 'requests during the first one are told that it is in progress')
    const again = await ask()
    t.same([again.status, again.headers['idempotent-replayed']], [201, 'true'])
    t.same(again.body, answers.find(({ status }) => status === 201)!.body)
    t.same(
      (await atProvider(tenant)).map(({ name }) => name),
      ['Once'],
    )
  })

  await t.test('stands for one body, and another project’s is another', async (t) => {
    t.same(codeOf(await tenant.api('POST', 'flows', survey({ name: 'Not once' }), keyed('once'))), [
      422,
      'IDEMPOTENCY_KEY_REUSED',
    ])
    const other = await makeTenant(world)
    t.equal((await other.api('POST', 'flows', survey({ name: 'Once' }), keyed('once'))).status, 201)
  })

  await t.test('replays a refusal', async (t) => {
    const body = survey({ name: 'Once' })
    const [first, second] = [
      await tenant.api('POST', 'flows', body, keyed('refused')),
      await tenant.api('POST', 'flows', body, keyed('refused')),
    ]
    t.same(codeOf(first), [422, 'PROVIDER_REFUSED'])
    t.same([second.status, second.text], [first.status, first.text])
  })

  await t.test('is free again when the provider could not be reached', async (t) => {
    await fault({ reset: 'before' })
    t.equal((await tenant.api('POST', 'flows', survey({ name: 'Again' }), keyed('again'))).status, 502)
    await world.control('DELETE', 'faults')
    const second = await tenant.api('POST', 'flows', survey({ name: 'Again' }), keyed('again'))
    t.same([second.status, second.headers['idempotent-replayed']], [201, undefined])
  })

  await t.test('takes up a draft whose creation was never answered', async (t) => {
    await fault({ reset: 'after', times: 1 })
    t.equal((await tenant.api('POST', 'flows', survey({ name: 'Lost' }), keyed('lost'))).status, 502)
    const [draft] = (await atProvider(tenant)).filter(({ name }) => name === 'Lost')
    t.ok(draft, 'the provider has made the draft')
    const { status, body } = await tenant.api('POST', 'flows', survey({ name: 'Lost' }), keyed('lost'))
    t.same([status, body.provider_flow_id], [201, draft.id])
  })

  await t.test('a publication whose answer was lost counts as published', async (t) => {
    const { id } = (await tenant.api('POST', 'flows', survey({ name: 'Sure' }))).body
    await fault({ reset: 'after', times: 1 })
    const answer = await tenant.api('POST', `flows/${id}/publish`, undefined, keyed('sure'))
    t.match(answer, { status: 200, body: { status: 'published' } }, answer.text)
  })

  await t.test('outlives a restart', async (t) => {
    // The node restarts.
    const world = await startWorld(t)
    const tenant = await makeTenant(world)
    const ask = () => tenant.api('POST', 'flows', survey({ name: 'Once' }), keyed('once'))
    t.equal((await ask()).status, 201)
    await world.restart()
    const again = await patiently(ask)
    t.same([again.status, again.headers['idempotent-replayed']], [201, 'true'])
  })
})
