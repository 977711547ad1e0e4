/** A channel and its provider: what it says of a provider that is silent, refuses it or cannot be reached. */
import { type AddressInfo, createServer } from 'node:net'
import t from 'tap'
import type { Owner } from '../support/mod.ts'
import { eventually, type Json } from './client.ts'
import { makeTenant, startSimulatorFor, startWorld } from './fixture.ts'

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
