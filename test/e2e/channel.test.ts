/** A channel and its provider: its pace, its conduct when nobody answers, and the discovery of silence. */
import { type AddressInfo, createServer } from 'node:net'
import t from 'tap'
import type { Owner } from '../support/mod.ts'
import { eventually, type Json, sleep } from './client.ts'
import { makeTenant, startSimulatorFor, startWorld, text } from './fixture.ts'

// A node that looks often whether the providers of its channels answer.
const world = await startWorld(t, { waits: { probe_ms: 400, confirm_ms: 20_000 } })
const { sink } = world

/** Starts a server that resets every connection. `asked` counts the calls that look at the account. */
async function startNobody(t: Owner) {
  let asked = 0
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (data) => {
      if (data.toString().startsWith('GET')) asked++
      socket.resetAndDestroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => new Promise<unknown>((resolve) => server.close(resolve))
  t.teardown(close)
  return { port: (server.address() as AddressInfo).port, asked: () => asked, close }
}

const person = (n: number) => `+1555010${1000 + n}`

t.test('a recipient gets 45 messages at once and then waits, while others do not', async (t) => {
  const tenant = await makeTenant(world, undefined, 'cloud')
  const [hasty, other] = [person(1), person(2)]
  await Promise.all([tenant.writes(hasty, 'Hi'), tenant.writes(other, 'Hi')])
  const from = Date.now()
  const sends = await Promise.all(Array.from({ length: 50 }, (_, n) => tenant.send(hasty, { message: text(`${n}`) })))
  t.ok(sends.every(({ status }) => status === 202))
  await eventually('the burst is out', async () => (await tenant.sent()).length >= 45)
  await tenant.message((await tenant.send(other)).body.id, 'read')
  // The provider has a message before its answer is stored.
  const body = await eventually('the answers are stored', async () => {
    const { body } = await tenant.api('GET', 'messages?status=queued&limit=200')
    return body.data.length <= 5 && body
  })
  const sent = (await tenant.sent()).filter(({ recipient }) => `+${recipient}` === hasty)
  // One more may go every six seconds.
  const more = Math.floor((Date.now() - from) / 6000)
  t.ok(sent.length >= 45 && sent.length <= 45 + more, `${sent.length} of 50`)
  t.ok(body.data.length >= 50 - sent.length && body.data.length <= 5, 'the rest waits, and the list shows it')
  t.ok(body.data.every(({ to }: Json) => to === hasty))
})

t.test('an account sends at the speed that the operator sets', async (t) => {
  const tenant = await makeTenant(world)
  const slow = { messages_per_second: 10 }
  const path = `channels/${tenant.number.channel_id}`
  t.equal((await world.operator('PATCH', path, slow)).body.messages_per_second, 10)
  const from = Date.now()
  await Promise.all(Array.from({ length: 30 }, (_, n) => tenant.send(person(100 + n))))
  const sent = await eventually('all are out', async () => {
    const sent = await tenant.sent()
    return sent.length === 30 && sent
  })
  // The channel lends a quarter of a second, so the others need 2.7 s at least. A slower pace is no fault here.
  t.ok(Date.now() - from >= 2500, 'the channel is not faster than its limit')
  t.equal(new Set(sent.map(({ recipient }: Json) => recipient)).size, 30)
  t.equal((await world.operator('PATCH', path, { messages_per_second: 0 })).status, 400)
  t.equal((await world.operator('PATCH', path, { messages_per_second: null })).body.messages_per_second, null)
})

t.test('a provider that is gone is called by one message at a time, and all arrive when it is back', async (t) => {
  const tenant = await makeTenant(world)
  const { phone_number_id } = tenant.number
  const people = Array.from({ length: 12 }, (_, n) => person(200 + n))
  await Promise.all(people.map((to) => tenant.writes(to, 'Hi')))
  const rule = { match: { phone_number_id }, error: { code: 131016 } }
  const { id } = (await world.control('POST', 'faults', rule)).body
  const hits = async (): Promise<number> =>
    (await world.control('GET', 'faults')).body.data.find((one: Json) => one.id === id).hits
  const sends: string[] = []
  for (const to of people) {
    for (const n of [1, 2]) sends.push((await tenant.send(to, { message: text(`${n}`) })).body.id)
  }
  await eventually('the breaker has opened', async () => (await hits()) >= 5)
  await sleep(300)
  const [opened, from] = [await hits(), performance.now()]
  await sleep(3000)
  const calls = (await hits()) - opened
  const seconds = (performance.now() - from) / 1000
  t.ok(calls <= 1 + seconds, `${calls} calls in ${seconds.toFixed(1)} seconds, of 24 messages that wait`)
  await eventually('the channel goes on trying', async () => (await hits()) > opened)
  await world.control('DELETE', `faults?id=${id}`)
  for (const one of sends) t.match(await tenant.message(one, 'read', 'delivered', 'sent'), { error: null })
  const sent = await tenant.sent()
  t.equal(sent.length, 24, 'each message is sent once')
  for (const to of people) {
    const own = sent.filter((one: Json) => `+${one.recipient}` === to)
    t.same(
      own.map((one: Json) => one.body.text.body),
      ['1', '2'],
      `${to} in order`,
    )
  }
})

t.test(
  'a channel that takes messages but hears nothing is said to be disconnected, until it hears again',
  async (t) => {
    const tenant = await makeTenant(world)
    await tenant.subscribe('deaf', ['whatsapp.channel.disconnected', 'whatsapp.channel.connected'])
    await tenant.writes(person(300), 'Hi')
    await world.control('POST', 'faults', {
      match: { phone_number_id: tenant.number.phone_number_id },
      statuses: { lose: true },
    })
    for (let n = 0; n < 4; n++) await tenant.send(person(300 + n))
    const gone = await eventually('it is said', () => sink.calls('deaf')[0])
    t.match(gone.body, {
      type: 'whatsapp.channel.disconnected',
      data: {
        channel_id: tenant.number.channel_id,
        status: 'disconnected',
        status_reason: /none of its reports arrive/,
      },
    })
    const path = `channels/${tenant.number.channel_id}`
    t.equal((await world.operator('GET', path)).body.status, 'disconnected')
    await tenant.writes(person(300), 'Hello?')
    // The channel learns of webhook calls within 15 s.
    const back = await eventually('it is back', () => sink.calls('deaf')[1])
    t.equal(back.body.type, 'whatsapp.channel.connected')
    t.match((await world.operator('GET', path)).body, { status: 'connected', status_reason: null })
  },
)

t.test('a channel notices a token revoked at the provider without sending a message', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.subscribe('revoked', ['whatsapp.channel.disconnected'])
  const { phone_number_id, app_secret, verify_token } = tenant.number
  const account = (await world.control('GET', 'numbers')).body.data.find(
    (one: Json) => one.phone_number_id === phone_number_id,
  )
  await world.control('PUT', 'numbers', { ...account, app_secret, verify_token, access_token: 'EAAanother' })
  const gone = await eventually('it is said', () => sink.calls('revoked')[0])
  t.match(gone.body.data, { status: 'disconnected', status_reason: /access token/i })
})

t.test(
  'a channel whose provider cannot be reached is unverified, takes messages, and is connected once it answers',
  async (t) => {
    const tenant = await makeTenant(world)
    await tenant.subscribe('unverified', ['whatsapp.channel.disconnected', 'whatsapp.channel.connected'])
    const { business_account_id, access_token, app_secret, verify_token } = tenant.number
    const phone_number_id = `${tenant.number.phone_number_id}9`
    const secrets = { business_account_id, access_token, app_secret, verify_token, phone_number_id }
    const number = { ...secrets, display_phone_number: '+15557839999' }
    const nobody = await startNobody(t)
    const { port } = nobody
    const credentials = { ...secrets, api_base_url: `http://127.0.0.1:${port}` }
    const { project_id } = tenant
    const fields = { project_id, channel_type: 'whatsapp', provider: 'simulator', name: 'Far', credentials }
    const { _id: channel_id, ...far } = (await world.operator('POST', 'channels', fields)).body
    t.match(far, { status: 'unverified', status_reason: /could not be reached/ })
    const { status, body } = await tenant.send(person(400), { channel_id })
    t.equal(status, 202, 'a message is taken')
    await eventually('the channel has looked several times', () => nobody.asked() >= 8)
    const shown = async () => (await world.operator('GET', `channels/${channel_id}`)).body
    t.match(await shown(), { status: 'unverified', status_reason: /could not be reached/ })
    const events = () => sink.events('unverified').filter(({ data }) => data.channel_id === channel_id)
    t.same(events(), [], 'no event tells of it')

    await nobody.close()
    const simulator = await startSimulatorFor(t, { port })
    await world.http('PUT', `${simulator.url}/_control/numbers`, {
      json: { ...number, webhook_url: `${world.base_url}/providers/whatsapp/${channel_id}` },
    })
    await eventually('it is connected', async () => (await shown()).status === 'connected')
    const told = await eventually('it is said', () => events()[0])
    t.match(told, { type: 'whatsapp.channel.connected', data: { channel_id, status: 'connected' } })
    await tenant.message(body.id, 'sent', 'delivered', 'read', 'failed')
  },
)
