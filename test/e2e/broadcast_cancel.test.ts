import t from 'tap'
import { broadcastWhen, countsOf, people, recipientsOf, sendBulk, sumOf } from './broadcast_client.ts'
import { type Json, sleep } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const { sink } = world

t.test('a cancelled broadcast sends no more, and its counts say what was sent', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.subscribe('cancelled', ['messages.broadcast.completed', 'messages.broadcast.failed'])
  await world.operator('PATCH', `channels/${tenant.number.channel_id}`, { messages_per_second: 20 })
  const recipients = people(1000)
  const id = await sendBulk(tenant, recipients)
  await broadcastWhen(tenant, id, 'has sent some', ({ pending_count }) => pending_count < 1000)
  const { status, body } = await tenant.api('POST', `messages/bulk/${id}/cancel`)
  t.equal(status, 200)
  t.equal(body.status, 'cancelled')
  t.equal(sumOf(body), 1000, countsOf(body).join(' + '))
  t.ok(body.failed_count >= 600, `${body.failed_count} were not taken up`)
  const record = await broadcastWhen(
    tenant,
    id,
    'is settled',
    (one) => one.pending_count + one.sent_count + one.delivered_count === 0,
  )
  t.equal(record.status, 'cancelled')
  t.ok(record.completed_at)
  t.ok(record.read_count > 0 && record.read_count < 200, `${record.read_count} were sent`)
  await sleep(300)
  const sent = await tenant.sent()
  t.equal(sent.length, record.read_count, 'cancelled messages never leave')
  t.same(countsOf(record), [0, 0, 0, sent.length, 1000 - sent.length])
  const listed = await recipientsOf(tenant, id)
  t.same(
    listed.map(({ index, phone }) => ({ index, phone })),
    recipients.map(({ phone }, index) => ({ index, phone })),
  )
  const failed = listed.filter(({ status }) => status === 'failed')
  t.equal(failed.length, record.failed_count)
  t.ok(failed.every(({ error }: Json) => error.code === 'CANCELLED'))
  t.equal(sink.calls('cancelled').length, 0, 'no event says that it completed or failed')
  // The last events of the broadcast may have raised `updated_at` after the counts were right.
  const before = await tenant.api('GET', `messages/bulk/${id}`)
  const again = await tenant.api('POST', `messages/bulk/${id}/cancel`)
  t.same([again.status, again.body], [200, before.body], 'a second time changes nothing')
})

t.test('a broadcast that ended cannot be cancelled', async (t) => {
  const tenant = await makeTenant(world)
  const id = await sendBulk(tenant, people(2))
  await broadcastWhen(tenant, id, 'is completed', ({ status }) => status === 'completed')
  const { status, body } = await tenant.api('POST', `messages/bulk/${id}/cancel`)
  t.same([status, body.error.code, body.error.details], [409, 'BROADCAST_FINISHED', { status: 'completed' }])
})

t.test('a broadcast cancelled at once may reach nobody', async (t) => {
  const tenant = await makeTenant(world)
  await world.operator('PATCH', `channels/${tenant.number.channel_id}`, { messages_per_second: 1 })
  const id = await sendBulk(tenant, people(300))
  await made(tenant.api('POST', `messages/bulk/${id}/cancel`))
  const record = await broadcastWhen(tenant, id, 'is settled', ({ pending_count }) => pending_count === 0)
  t.equal(record.status, 'cancelled')
  t.ok(record.failed_count >= 290, countsOf(record).join(' + '))
  // A message that somebody waits for does not stand behind cancelled ones.
  await tenant.writes('+15557000090', 'Hi')
  const { body } = await tenant.send('+15557000090')
  await tenant.message(body.id, 'read')
})

t.test('broadcasts are listed, newest first, and filtered', async (t) => {
  const tenant = await makeTenant(world)
  const ids: string[] = []
  for (const fields of [{ campaign_name: 'Spring' }, { language: 'es' }, { campaign_name: 'Autumn' }]) {
    ids.unshift(await sendBulk(tenant, people(1), fields))
  }
  const list = async (query: string) => {
    const { data } = await made(tenant.api('GET', `messages/bulk?${query}`))
    return data.map(({ id }: Json) => id)
  }
  for (const id of ids) await broadcastWhen(tenant, id, 'is completed', ({ status }) => status === 'completed')
  t.same(await list(''), ids)
  t.same(await list('campaign_name=Spring'), [ids[2]])
  t.same(await list('campaign_name=spring'), [])
  t.same(await list('status=completed&template_name=order_update'), ids)
  t.same(await list('status=cancelled'), [])
  t.same(await list(`channel_id=${tenant.number.channel_id}&limit=2`), ids.slice(0, 2))
  t.same(await list(`cursor=${ids[1]}`), [ids[2]])
})

t.test('recipients are paged in order while they are taken up, and downloaded as CSV', async (t) => {
  const tenant = await makeTenant(world)
  await world.operator('PATCH', `channels/${tenant.number.channel_id}`, { messages_per_second: 10 })
  const recipients = [...people(450), { phone: '+15559990000' }]
  const id = await sendBulk(tenant, recipients)
  const early = await recipientsOf(tenant, id)
  t.same(
    early.map(({ index, phone }) => [index, phone]),
    recipients.map(({ phone }, index) => [index, phone]),
  )
  const pending = await recipientsOf(tenant, id, '&status=pending')
  t.ok(pending.length > 300 && pending.every(({ status }) => status === 'pending'))
  await world.operator('PATCH', `channels/${tenant.number.channel_id}`, { messages_per_second: 5000 })
  await broadcastWhen(tenant, id, 'is read', ({ read_count }) => read_count === 450)
  const listed = await recipientsOf(tenant, id)
  const file = await tenant.api('GET', `messages/bulk/${id}/recipients.csv`)
  t.equal(file.status, 200)
  t.equal(file.headers['content-type'], 'text/csv; charset=utf-8')
  t.match(file.headers['content-disposition'], `attachment; filename="${id}.csv"`)
  const [head, ...lines] = file.text.trimEnd().split('\r\n')
  t.equal(head, 'index,phone,status,message_id,error_code,error_message,updated_at,chat_user_name')
  t.same(
    lines.map((line) => line.split(',').slice(0, 4)),
    listed.map(({ index, phone, status, message_id }) => [String(index), phone, status, message_id ?? '']),
  )
  t.match(lines.at(-1)!, /^450,\+15559990000,failed,,TEMPLATE_VARIABLE_MISSING,"The template needs /)
  const part = await tenant.api('GET', `messages/bulk/${id}/recipients.csv`, undefined, {
    headers: { range: 'bytes=0-4' },
  })
  t.same([part.status, part.text], [206, 'index'])
})
