/** The status of a channel that nobody has used for a while: what an operator does is published all the same. */
import t from 'tap'
import { eventually, type Json } from './client.ts'
import { makeTenant, startWorld } from './fixture.ts'

// The node restarts before each change.
const world = await startWorld(t)
const { sink, operator, control } = world

t.test('a change of credentials and a check are published by a channel that is not in memory', async (t) => {
  const tenant = await makeTenant(world)
  const { channel_id, phone_number_id, access_token, app_secret, verify_token } = tenant.number
  await tenant.subscribe('status', ['whatsapp.channel.connected', 'whatsapp.channel.disconnected'])
  const path = `channels/${channel_id}`
  const statuses = () => sink.events('status').map(({ data }) => data.status)
  const told = (...expected: string[]) =>
    eventually(`it was said to be ${expected.join(', then ')}`, () => `${statuses()}` === `${expected}`)

  // A node that has just started has no channel in memory.
  await world.restart()
  const wrong = await operator('PATCH', path, { credentials: { access_token: 'EAAwrong' } })
  t.match(wrong.body, { status: 'disconnected', status_reason: /access token/i })
  await told('disconnected')
  await world.restart()
  const right = await operator('PATCH', path, { credentials: { access_token } })
  t.match(right.body, { status: 'connected', status_reason: null })
  await told('disconnected', 'connected')

  const { data } = (await control('GET', 'numbers')).body
  const account = data.find((one: Json) => one.phone_number_id === phone_number_id)
  await control('PUT', 'numbers', { ...account, app_secret, verify_token, access_token: 'EAAanother' })
  await world.restart()
  t.match((await operator('POST', `${path}/check`)).body, { ok: false, channel: { status: 'disconnected' } })
  await told('disconnected', 'connected', 'disconnected')

  // A change that leaves the status as it is says nothing.
  await world.restart()
  await operator('PATCH', path, { credentials: { access_token: 'EAAwrong' } })
  await operator('PATCH', path, { credentials: { access_token: 'EAAanother' } })
  await told('disconnected', 'connected', 'disconnected', 'connected')
})
