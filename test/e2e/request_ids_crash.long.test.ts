/** A node that dies between a commit and what follows from it: the request is still named afterwards. */
import t from 'tap'
import { ORDER, people } from './broadcast_client.ts'
import { eventually, type Json } from './client.ts'
import { made, makeTenant } from './fixture.ts'
import { startKillable } from './killable.ts'

const HEADER = 'x-request-id'

t.test('kill -9 before the receiver answered, and while a broadcast is on its way', async (t) => {
  const world = await startKillable(t, {
    waits: { confirm_ms: 15_000, send_ms: 5000 },
    simulator: { latency_ms: 50 },
  })
  const { sink } = world
  const tenant = await makeTenant(world)
  const path = 'after-the-crash'
  sink.answer(path, () => 'hang')
  const { id: hook } = await tenant.subscribe(path, ['whatsapp.message.sent'])
  await tenant.writes('+15557500001', 'Hello')
  const single = await made(tenant.send('+15557500001', {}, { headers: { [HEADER]: 'the-single' } }))
  await eventually('the receiver is called', () => sink.calls(path).length > 0)
  const recipients = people(200, 9000)
  const bulk = { headers: { [HEADER]: 'the-broadcast' } }
  const { broadcast_id } = await made(tenant.api('POST', 'messages/bulk', { ...ORDER, recipients }, bulk))
  await eventually('some messages are queued', async () => {
    const { data } = (await tenant.api('GET', `messages/bulk/${broadcast_id}/recipients?limit=50`)).body
    return data.some(({ message_id }: Json) => message_id)
  })
  await world.process().end('SIGKILL')
  const before = sink.calls(path).length
  sink.answer(path, () => 200)
  await world.start()
  // A callback of a later status may overtake the others after the crash: such a message has no event `sent`.
  await eventually('all messages are read, and all events delivered', async () => {
    const lists = ['queued', 'sent', 'delivered'].map(
      (status) => `messages?direction=outbound&status=${status}&limit=1`,
    )
    for (const list of [...lists, `webhooks/${hook}/deliveries?status=pending&limit=1`]) {
      const { data } = (await tenant.api('GET', list)).body
      if (data?.length !== 0) return false
    }
    const { body } = await tenant.api('GET', 'messages?direction=outbound&status=read&limit=200')
    return body.data?.length === recipients.length && body.next_cursor !== null
  })
  const after = sink.calls(path).slice(before)
  const [of_single] = after.filter(({ body }) => body.data.message_id === single.id)
  t.equal(of_single!.headers[HEADER], 'the-single', 'the delivery was read from its table')
  const of_broadcast = after
    .filter(({ body }) => body.data.message_id !== single.id)
    .map((call) => call.headers[HEADER]!)
  t.ok(of_broadcast.includes('the-broadcast'))
  // What was on its way to the provider is proved by a callback, which is a request of its own.
  t.same(
    of_broadcast.filter((id) => id !== 'the-broadcast' && !/^req_/.test(id)),
    [],
  )
  const rows: Json[] = []
  for (let cursor = ''; ; ) {
    const page = await made(tenant.api('GET', `messages?limit=100&direction=outbound${cursor}`))
    rows.push(...page.data)
    if (page.next_cursor === null) break
    cursor = `&cursor=${page.next_cursor}`
  }
  const named = Object.groupBy(rows, ({ request_id }) => request_id)
  t.same(Object.keys(named).sort(), ['the-broadcast', 'the-single'])
  t.equal(named['the-broadcast']!.length, recipients.length)
})
