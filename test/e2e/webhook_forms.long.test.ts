/**
 * Options of a subscription beyond the defaults: patterns of types, thin payloads, CloudEvents, a grace for the
 * former secret, and its end at a 410. The sink checks each body, CloudEvents with the library of their specification.
 */
import { createHmac } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import t from 'tap'
import { blocksOf } from '../docs/markdown.ts'
import { Shell } from '../docs/shell.ts'
import { startSmtp, tempDir } from '../support/mod.ts'
import { root } from '../support/root.ts'
import { eventually, type Json } from './client.ts'
import { made, makeSister, makeTenant, startWorld, type Tenant } from './fixture.ts'
import type { Received } from './sink.ts'

const smtp = await startSmtp(t)
const world = await startWorld(t, { config: { smtp_url: smtp.url, mail_from: 'parley@example.com' } })
const { sink } = world
const tenant = await makeTenant(world)
const RECEIVED = 'whatsapp.message.received'

const calls = (path: string, count: number): Promise<Received[]> =>
  eventually(`${count} calls to ${path}`, () => sink.calls(path).length >= count && sink.calls(path))

const tokenWith = async (scopes: string[], { project_id, user_id }: Tenant = tenant): Promise<string> =>
  (await made(world.operator('POST', 'tokens', { project_id, user_id, name: 'Few', scopes }))).token

t.test('a pattern matches all types below it, is shown as given, and can be changed', async (t) => {
  const tenant = await makeTenant(world)
  const all = await tenant.subscribe('pattern-all', ['*'])
  const crm = await tenant.subscribe('pattern-crm', ['crm.*', 'whatsapp.message.failed'])
  const tickets = await tenant.subscribe('pattern-tickets', ['crm.ticket.*'])
  t.strictSame(all.events, ['*'])
  t.strictSame(crm.events, ['crm.*', 'whatsapp.message.failed'])
  await tenant.writes('+15557400001', 'Hello')
  // The channel of the tenant may be connected before or after the subscription begins.
  const types = (path: string) => {
    const seen = new Set(sink.events(path).map(({ type }) => type))
    return [...seen].filter((type) => type !== 'whatsapp.channel.connected').sort()
  }
  await eventually('the message at the widest pattern', () => types('pattern-all').length >= 4)
  await calls('pattern-crm', 3)
  const of_crm = ['crm.contact.created', 'crm.event.recorded', 'crm.ticket.created']
  t.strictSame(types('pattern-all'), [...of_crm, RECEIVED])
  t.strictSame(types('pattern-crm'), of_crm)
  t.strictSame(
    (await calls('pattern-tickets', 1)).map(({ body }) => body.type),
    ['crm.ticket.created'],
  )

  const { body } = await tenant.api('PATCH', `webhooks/${tickets.id}`, { events: ['crm.note.*', RECEIVED] })
  t.strictSame(body.events, ['crm.note.*', RECEIVED])
  await world.restart()
  const listed = (await tenant.api('GET', 'webhooks')).body.data.map(({ events }: Json) => events)
  t.strictSame(listed, [['crm.note.*', RECEIVED], ['crm.*', 'whatsapp.message.failed'], ['*']])
  await tenant.writes('+15557400001', 'Again')
  t.equal((await calls('pattern-tickets', 2))[1]!.body.type, RECEIVED, 'also after a restart')
})

t.test('a thin event has the addresses of the event and of its record', async (t) => {
  const { id, secret } = await tenant.subscribe('thin', [RECEIVED, 'crm.ticket.*'], { payload: 'thin' })
  await tenant.subscribe('thick', [RECEIVED])
  await tenant.writes('+15557400002', 'My secret is 1234')
  const both = await calls('thin', 2)
  const [thick] = await calls('thick', 1)
  for (const { raw, headers, body } of both) {
    t.notMatch(raw, '1234')
    t.same(new StandardWebhook(secret).verify(raw, headers), body, 'signed as it is sent')
    const { status, body: event } = await tenant.api('GET', body.data.event.slice('/v1/'.length))
    t.equal(status, 200)
    t.match(event, { id: body.id, type: body.type, created_at: body.created_at, project_id: tenant.project_id })
    if (body.type === RECEIVED) {
      const { request_id, ...sent } = event
      t.strictSame(sent, thick!.body, 'the event is what others get')
      t.equal(request_id, thick!.headers['x-request-id'], 'and the request, which they get as a header')
    }
    const record = await tenant.api('GET', body.data.record.slice('/v1/'.length))
    t.equal(record.status, 200, body.data.record)
    t.equal(record.body.id ?? record.body._id, body.type === RECEIVED ? event.data.message_id : event.data.ticket._id)
  }
  await tenant.api('POST', `webhooks/${id}/test`, { event_type: 'whatsapp.channel.connected' })
  const test = (await calls('thin', 3))[2]!.body
  t.strictSame(test.data, { event: `/v1/events/${test.id}`, record: null, _test: true })
  await tenant.api('PATCH', `webhooks/${id}`, { payload: 'full' })
  await tenant.writes('+15557400002', 'Not secret')
  t.match((await calls('thin', 4))[3]!.body.data, { messages: [{ text: { body: 'Not secret' } }] })
})

t.test('an event is read with the scope of its record, in its own project only', async (t) => {
  await tenant.subscribe('scoped', [RECEIVED])
  await tenant.writes('+15557400003', 'Hi')
  const [{ body }] = (await calls('scoped', 1)) as [Received]
  const read = (token: string, path = `events/${body.id}`) => tenant.api('GET', path, undefined, { token })
  const both = await tokenWith(['webhooks:read', 'messages:read'])
  t.equal((await read(both)).status, 200)
  t.equal((await read(both, `events/${body.id.toUpperCase().replace('EVT', 'evt')}`)).status, 200)
  for (const [scopes, missing] of [
    [['webhooks:read'], ['messages:read']],
    [['messages:read'], ['webhooks:read']],
  ] as const) {
    t.match(await read(await tokenWith([...scopes])), {
      status: 403,
      body: { error: { code: 'INSUFFICIENT_SCOPE', details: { missing } } },
    })
  }
  const sister = await makeSister(world, tenant)
  t.match(await read(sister.token), { status: 404, body: { error: { code: 'NOT_FOUND' } } })
  t.equal((await read(both, 'events/evt_66f2a0c1d4e5f60718293a4b')).status, 404)
  t.equal((await read(both, 'events/dlv_66f2a0c1d4e5f60718293a4b')).status, 404)
})

t.test('CloudEvents on request, full and thin', async (t) => {
  const format = 'cloudevents'
  const full = await tenant.subscribe('cloud', [RECEIVED], { format })
  const thin = await tenant.subscribe('cloud-thin', [RECEIVED], { format, payload: 'thin' })
  await tenant.subscribe('cloudless', [RECEIVED])
  await tenant.writes('+15557400004', 'Ñandú 👍')
  const [plain] = (await calls('cloudless', 1)) as [Received]
  for (const [path, { secret }] of [
    ['cloud', full],
    ['cloud-thin', thin],
  ] as const) {
    const [{ headers, raw, body }] = (await calls(path, 1)) as [Received]
    t.equal(headers['content-type'], 'application/cloudevents+json')
    t.match(body, {
      specversion: '1.0',
      id: plain.body.id,
      source: `${world.base_url}/v1/projects/${tenant.project_id}`,
      type: RECEIVED,
      time: plain.body.created_at,
      datacontenttype: 'application/json',
    })
    if (path === 'cloud') t.strictSame(body.data, plain.body.data)
    else t.strictSame(body.data.event, `/v1/events/${body.id}`)
    t.same(new StandardWebhook(secret).verify(raw, headers), body, 'signed as it is sent')
  }
  t.match((await tenant.api('GET', `webhooks/${thin.id}`)).body, { format, payload: 'thin', mode: 'push' })
})

t.test('with a grace the former secret signs too, until the grace is over', async (t) => {
  const { id, secret } = await tenant.subscribe('graceful', [RECEIVED])
  const rotate = (json?: object) => made(tenant.api('POST', `webhooks/${id}/rotate-secret`, json))
  const write = async (count: number) => {
    await tenant.writes('+15557400005', `message ${count}`)
    return (await calls('graceful', count))[count - 1]!
  }
  const opens = ({ raw, headers }: Received, key: string) =>
    [StandardWebhook, SvixWebhook].every((Webhook) => {
      try {
        new Webhook(key).verify(raw, headers)
        return true
      } catch {
        return false
      }
    })
  const own = ({ raw, headers }: Received, key: string) => {
    const [time, ...signatures] = headers['x-svc-signature']!.split(',')
    const wanted = createHmac('sha256', key)
      .update(`${time!.slice(2)}.${raw}`)
      .digest('hex')
    return signatures.includes(`v1=${wanted}`)
  }
  const second = await rotate({ grace_s: 3600 })
  t.ok(Date.parse(second.previous_secret_until) > Date.now() + 3_500_000)
  const first = await write(1)
  for (const key of [secret, second.secret]) t.ok(opens(first, key) && own(first, key), 'both sign')

  const third = await rotate({ grace_s: 1 })
  await eventually('the end of the grace', async () => Date.parse(third.previous_secret_until) < Date.now())
  const later = await write(2)
  t.ok(opens(later, third.secret) && own(later, third.secret))
  t.notOk(opens(later, second.secret) || own(later, second.secret), 'the grace is over')
  t.notOk(opens(later, secret), 'the one before is long gone')

  const fourth = await rotate()
  t.equal(fourth.previous_secret_until, null)
  t.match((await write(3)).headers['x-svc-signature'], /^t=\d+,v1=[0-9a-f]{64}$/, 'no grace by default')
  const refused = await tenant.api('POST', `webhooks/${id}/rotate-secret`, { grace_s: 604_801 })
  t.match(refused, { status: 400, body: { error: { code: 'VALIDATION_ERROR' } } })
})

t.test('deliveries are signed with the key of the project, too, which anyone can verify', async (t) => {
  const tenant = await makeTenant(world)
  const jwks = async ({ project_id }: Tenant = tenant) => {
    const answer = await world.http('GET', `${world.base_url}/v1/projects/${project_id}/jwks.json`)
    return answer.status === 200 ? answer.body : answer.status
  }
  t.equal(await jwks(), 404, 'no key before one is wanted')
  const { id, secret } = await tenant.subscribe('signed', [RECEIVED], { ed25519: true })
  const { id: later } = await tenant.subscribe('unsigned', [RECEIVED])
  const write = async (count: number, path = 'signed') => {
    await tenant.writes('+15557400007', `Ñandú ${count}`)
    return (await calls(path, count))[count - 1]!
  }

  // The code of the page is the receiver. Only Node's and OpenSSL's own Ed25519 take part.
  const shell = new Shell(tempDir(t))
  const blocks = blocksOf(readFileSync(join(root, 'docs/webhooks.md'), 'utf8'))
  const code = (language: string) => blocks.find((one) => one.language === language && one.code.includes('v1a'))!.code
  writeFileSync(join(shell.directory, 'signed.mjs'), code('js'))
  const { isSigned } = await import(join(shell.directory, 'signed.mjs'))
  const has_openssl = (await shell.run('openssl pkeyutl -help')).code === 0
  const verifies = async ({ raw, headers }: Received, public_key: string, keys: object): Promise<boolean> => {
    const by_node = isSigned(raw, headers, keys)
    if (!has_openssl) return by_node
    writeFileSync(join(shell.directory, 'body.json'), raw)
    const { stdout } = await shell.run(`set +e\n${code('bash')}`, {
      PUBLIC_KEY: public_key,
      ID: headers['webhook-id']!,
      TIMESTAMP: headers['webhook-timestamp']!,
      SIGNATURES: headers['webhook-signature']!,
    })
    t.equal(stdout.includes('verified'), by_node, 'OpenSSL and Node agree')
    return by_node
  }

  const first = await write(1)
  t.match(first.headers['webhook-signature'], /^v1,\S{44} v1a,[A-Za-z0-9+/]{86}==$/)
  for (const Webhook of [StandardWebhook, SvixWebhook]) {
    t.doesNotThrow(() => new Webhook(secret).verify(first.raw, first.headers), 'libraries pass over v1a')
  }
  t.match((await write(2, 'unsigned')).headers['webhook-signature'], /^v1,\S{44}$/)
  await tenant.api('PATCH', `webhooks/${later}`, { ed25519: true })
  const keys = async () => (await tenant.api('GET', 'webhooks/signing-keys')).body.data
  const [key, ...others] = await keys()
  t.match([key.public_key, key.valid_until, others], [/^whpk_[A-Za-z0-9+/]{43}=$/, null, []])
  const published = await jwks()
  const x = Buffer.from(key.public_key.slice(5), 'base64').toString('base64url')
  t.strictSame(published, { keys: [{ kty: 'OKP', crv: 'Ed25519', x, kid: key.id, use: 'sig', alg: 'EdDSA' }] })
  t.ok(await verifies(first, key.public_key, published))
  t.notOk(await verifies({ ...first, raw: `${first.raw} ` }, key.public_key, published), 'another body')
  const other = { ...first.headers, 'webhook-id': 'evt_66f2a0c1d4e5f60718293a4b' }
  t.notOk(await verifies({ ...first, headers: other }, key.public_key, published), 'another event')

  await world.restart()
  const rotate = (json?: object) => made(tenant.api('POST', 'webhooks/signing-keys/rotate', json))
  const second = await rotate({ grace_s: 3600 })
  t.match(await keys(), [
    { id: second.id, valid_until: null },
    { id: key.id, valid_until: String },
  ])
  const both = await write(3)
  const of = (one: Json) => ({
    keys: [{ kty: 'OKP', crv: 'Ed25519', x: Buffer.from(one.public_key.slice(5), 'base64').toString('base64url') }],
  })
  for (const one of [key, second]) t.ok(await verifies(both, one.public_key, of(one)), 'both sign during the grace')
  const third = await rotate()
  const last = await write(4)
  t.ok(await verifies(last, third.public_key, of(third)))
  t.notOk(await verifies(last, second.public_key, of(second)), 'the former one signs no more')
  const kids = async () => (await jwks()).keys.map(({ kid }: Json) => kid)
  t.strictSame(await kids(), [third.id], 'without a grace every former key ends: any of them may have leaked')
  const made_since: string[] = [third.id]
  for (let n = 0; n < 5; n++) made_since.unshift((await rotate({ grace_s: 604_800 })).id)
  t.strictSame(await kids(), made_since.slice(0, 4), 'each key signs every delivery, so there are few')
  t.match((await write(5)).headers['webhook-signature'], /^v1,\S{44}(?: v1a,\S{88}){4}$/)

  const sister = await makeSister(world, tenant)
  t.equal(await jwks(sister), 404)
  const token = await tokenWith(['webhooks:read'], tenant)
  t.equal((await tenant.api('POST', 'webhooks/signing-keys/rotate', undefined, { token })).status, 403)
  t.equal((await tenant.api('PATCH', `webhooks/${id}`, { ed25519: false })).body.ed25519, false)
  t.notMatch((await write(6)).headers['webhook-signature'], 'v1a')
})

t.test('a 410 ends a subscription that wants that, and its owner is told', async (t) => {
  for (const path of ['gone', 'not-gone']) sink.answer(path, () => 410)
  const { id } = await tenant.subscribe('gone', [RECEIVED], { disable_on_410: true })
  const other = await tenant.subscribe('not-gone', [RECEIVED])
  await tenant.api('POST', `webhooks/${id}/test`, { event_type: RECEIVED })
  await calls('gone', 1)
  await tenant.writes('+15557400006', 'Hi')
  const off = await eventually('switched off', async () => {
    const { body } = await tenant.api('GET', `webhooks/${id}`)
    return !body.is_active && body
  })
  t.match(off, { disabled_reason: 'receiver_gone', failure_count: 0 })
  t.equal(sink.calls('gone').length, 2, 'the test changed nothing')
  const mail = await eventually('a mail', () => smtp.mails.find(({ text }) => text.includes(id)))
  t.match(mail.text, /answered 410 \(Gone\)/)
  await calls('not-gone', 1)
  t.match((await tenant.api('GET', `webhooks/${other.id}`)).body, { is_active: true, disabled_reason: null })
  sink.answer('gone', () => 200)
  const { body } = await tenant.api('PATCH', `webhooks/${id}`, { is_active: true })
  t.match(body, { is_active: true, disabled_reason: null, disable_on_410: true })
  await tenant.writes('+15557400006', 'Back')
  await calls('gone', 3)
})
