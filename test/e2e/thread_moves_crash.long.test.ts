/** The node dies or ends while a provider moves a conversation for it. */
import t from 'tap'
import { type Answer, type Json, sleep } from './client.ts'
import { made, makeTenant } from './fixture.ts'
import { startKillable } from './killable.ts'

const HELD_MS = 1_500

t.test('what a move that was broken off has done is known after a repeat, or when the person writes', async (t) => {
  const world = await startKillable(t)
  const tenant = await makeTenant(world)
  const { phone_number_id } = tenant.number
  const recipient = '15550401001'
  const simulate = (path: string, body: Json) =>
    made(world.control('POST', path, { channel: 'whatsapp', phone_number_id, ...body }))
  const say = (message: string) => simulate('inbound', { from: recipient, message })
  await say('Hello')
  const contact = (await made(tenant.api('GET', `contacts?search=${recipient}`))).data[0]
  const holder = async () => (await made(tenant.api('GET', `contacts/${contact._id}`))).threads[0]?.holder
  const move = (verb: 'take' | 'release', body: Json = {}) =>
    tenant.api('POST', `contacts/${contact._id}/${verb}-thread`, body)
  /** Undefined when the node ended before it could answer. */
  const brokenOff = async (signal: NodeJS.Signals, ask: () => Promise<Answer>): Promise<number | undefined> => {
    const match = { channel: 'whatsapp', operation: 'numbers', phone_number_id }
    await made(world.control('POST', 'faults', { match, latency_ms: HELD_MS, times: 1 }))
    const asked = ask().then(
      ({ status }) => status,
      () => undefined,
    )
    await sleep(HELD_MS / 3)
    await world.process().end(signal)
    await world.start()
    await made(world.control('DELETE', 'faults'))
    return asked
  }
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    await simulate('threads', { recipient, holder: 'meta_agent' })
    t.equal(await holder(), 'meta_agent')
    const status = await brokenOff(signal, () => move('take'))
    t.comment(`${signal}: ${status}`)
    if (status === 200) t.equal(await holder(), 'parley', 'what was answered is stored')
    t.match((await made(move('take'))).threads, [{ holder: 'parley' }], 'a repeat does no harm')
    await say('Is it you?')
    t.equal(await holder(), 'parley')

    const passed = await brokenOff(signal, () => move('release', { to: 'customer_service' }))
    t.comment(`${signal}: ${passed}`)
    if (passed === 200) t.equal(await holder(), 'app', 'what was answered is stored')
    const repeated = await move('release', { to: 'customer_service' })
    t.ok(repeated.status === 200 || repeated.body.error.code === 'PROVIDER_REFUSED', 'or the app has it already')
    await say('Who is it now?')
    // The provider does not say which app has it.
    t.not(await holder(), 'parley')
  }
})
