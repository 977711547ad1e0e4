/** The pace of a channel, measured at its provider: what its limits allow, and what it tries when nobody answers. */
import t from 'tap'
import { eventually, type Json, sleep } from './client.ts'
import { makeTenant, startWorld, text } from './fixture.ts'

// A node that looks often whether the providers of its channels answer.
const world = await startWorld(t, { waits: { probe_ms: 400, confirm_ms: 20_000 } })

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
