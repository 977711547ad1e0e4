import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { ticketOf } from './desk.ts'
import { joinWorld, made, makeTenant, text } from './fixture.ts'

const world = await joinWorld(t)

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })
const json = (key: string) => ({ headers: { 'idempotency-key': key, 'content-type': 'application/json' } })

t.test('fifty requests at once with one key send one message', async (t) => {
  const tenant = await makeTenant(world)
  const answers = await Promise.all(Array.from({ length: 50 }, () => tenant.send('+15550180000', {}, keyed('fifty'))))
  t.ok(answers.every(({ status }) => status === 202))
  t.equal(new Set(answers.map(({ text }) => text)).size, 1, 'all get the same answer')
  const replayed = answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')
  t.equal(replayed.length, 49)
  await tenant.message(answers[0]!.body.id, 'read')
  t.equal((await tenant.sent()).length, 1)
  t.equal((await tenant.api('GET', 'messages')).body.data.length, 1)
})

t.test(
  'a key stands for one request: another body is refused, and each route and project has its own keys',
  async (t) => {
    const tenant = await makeTenant(world)
    const other = await makeTenant(world)
    const first = await tenant.send('+15550180000', {}, keyed('one'))
    const changed = await tenant.send('+15550180000', { message: text('Different') }, keyed('one'))
    t.equal(changed.status, 422)
    t.equal(changed.body.error.code, 'IDEMPOTENCY_KEY_REUSED')
    const elsewhere = await other.send('+15550180000', {}, keyed('one'))
    t.equal(elsewhere.status, 202)
    t.not(elsewhere.body.id, first.body.id)
    const hook = { name: 'Same key', url: world.sink.url('key'), events: ['whatsapp.message.sent'] }
    const route = await tenant.api('POST', 'webhooks', hook, keyed('one'))
    t.equal(route.status, 201)
    const replay = await tenant.api('POST', 'webhooks', hook, keyed('one'))
    t.same([replay.status, replay.body], [201, route.body], 'a repeated request shows the secret again')
    t.equal((await made(tenant.api('GET', 'webhooks'))).data.length, 1)
  },
)

t.test(
  'the JSON value of a body counts, not its text; a row of the former release has the hash of the text',
  async (t) => {
    const tenant = await makeTenant(world)
    const send = (raw: string) => tenant.api('POST', 'messages', undefined, { raw, ...json('value') })
    const [one, same, other] = [
      '{"channel":"whatsapp","to":"+15550180000","message":{"type":"text","body":"Añil"}}',
      '{ "message": { "body": "A\\u00f1il", "type": "text" }, "to": "+15550180000", "channel": "whatsapp" }',
      '{"channel":"whatsapp","to":"+15550180000","message":{"type":"text","body":"Anil"}}',
    ]
    const first = await send(one!)
    t.equal(first.status, 202)
    const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
    t.teardown(() => database.close())
    for (const [text, is_old, status] of [
      [one, false, 202],
      [same, false, 202],
      [other, false, 422],
      [one, true, 202],
      [other, true, 422],
    ] as const) {
      if (is_old)
        await database.execute(`update idempotency set value_hash = null where project_id = '${tenant.project_id}'`)
      const answer = await send(text!)
      t.equal(answer.status, status, `${text} ${is_old}`)
      if (status === 202) t.equal(answer.text, first.text)
    }
  },
)

t.test('a refusal is replayed as well', async (t) => {
  const tenant = await makeTenant(world)
  const fields = { message: { type: 'template', name: 'no_such', language: 'en' } }
  const [first, second] = [
    await tenant.send('+15550180000', fields, keyed('no')),
    await tenant.send('+15550180000', fields, keyed('no')),
  ]
  t.same([first.status, first.body], [second.status, second.body])
  t.equal(first.body.error.code, 'TEMPLATE_NOT_FOUND')
  t.notOk(first.headers['idempotent-replayed'])
  t.equal(second.headers['idempotent-replayed'], 'true', 'the header marks the replay')
})

t.test('a refusal of the request itself uses up no key, whoever finds it', async (t) => {
  const tenant = await makeTenant(world)
  const { company_id, api } = tenant
  const field = { company_id, owner: 'contact', key: 'age', name: 'Age', type: 'number' }
  await made(world.operator('POST', 'custom-fields', field))
  const contact = { channel_type: 'telegram', user_id: '518273640' }
  const { _id } = await ticketOf(tenant, '+15557350001')
  const [pipeline] = (await made(world.operator('GET', `pipelines?project_id=${tenant.project_id}`))).data
  const move = { stage_id: pipeline.stages[1]._id }
  for (const [path, wrong, right, code] of [
    [
      'contacts',
      { ...contact, custom_fields: { age: 'x' } },
      { ...contact, custom_fields: { age: 7 } },
      'VALIDATION_ERROR',
    ],
    ['assistants', { name: 'A', model: 'none' }, { name: 'A' }, 'INVALID_MODEL'],
  ] as const) {
    t.equal((await api('POST', path, wrong, keyed('mended'))).body.error.code, code)
    const mended = await api('POST', path, right, keyed('mended'))
    t.equal(mended.status, 201, path)
    const again = await api('POST', path, right, keyed('mended'))
    t.same([again.text, again.headers['idempotent-replayed']], [mended.text, 'true'])
    t.equal((await api('POST', path, wrong, keyed('mended'))).status, 422)
  }
  const to = (version: string) => ({ headers: { 'idempotency-key': 'moved', 'if-match': version } })
  t.equal((await api('POST', `crm/tickets/${_id}/stage`, move, to('"99"'))).status, 412)
  const moved = await api('POST', `crm/tickets/${_id}/stage`, move, to('*'))
  t.equal(moved.status, 200)
  const again = await api('POST', `crm/tickets/${_id}/stage`, move, to('"99"'))
  t.same([again.text, again.headers['idempotent-replayed']], [moved.text, 'true'])
})
