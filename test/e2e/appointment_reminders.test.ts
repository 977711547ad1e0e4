/** Reminders of appointments: sent once for each beginning, moved and cancelled with the appointment. */
import t from 'tap'
import { upload } from '../http/media_client.ts'
import { files } from '../http/media_files.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'
import { appointmentsOf, dueIn, HOUR_MS, LATER_MS, reminder, SOON_MS } from './reminder_client.ts'

const world = await joinWorld(t)
const { operator } = world
const tenant = await makeTenant(world)
const { project_id, api } = tenant
const { newPerson, book, change, read, becomes, sentTo } = appointmentsOf(world, tenant)

t.test('a reminder that could not be sent is refused', async (t) => {
  const { chat_user } = await newPerson()
  const other = await made(api('POST', 'contacts', { channel_type: 'telegram', user_id: 'nobody' }))
  const wrong: [fields: Json, status: number, code: string][] = [
    [{ chat_user: null }, 422, 'NO_CONTACT'],
    [{ chat_user: other._id }, 422, 'CHANNEL_NOT_CONNECTED'],
    [{ reminder: reminder({ template_name: 'nothing' }) }, 422, 'TEMPLATE_NOT_FOUND'],
    [{ reminder: reminder({ template_language: 'fr' }) }, 422, 'TEMPLATE_NOT_FOUND'],
    [{ reminder: reminder({ variables: { 1: 'Ana' } }) }, 422, 'TEMPLATE_VARIABLE_MISSING'],
    [{ reminder: reminder({ channel_id: 'f'.repeat(24) }) }, 422, 'CHANNEL_NOT_FOUND'],
    [{ reminder: reminder({ variables: { 1: '{phone}', 2: 'x' } }) }, 400, 'VALIDATION_ERROR'],
    [{ reminder: reminder({ hours_before: 0 }) }, 400, 'VALIDATION_ERROR'],
  ]
  for (const [fields, status, code] of wrong) {
    const body = { project_id, ...dueIn(HOUR_MS), chat_user, reminder: reminder(), ...fields }
    t.match(await operator('POST', 'appointments', body), { status, body: { error: { code } } }, JSON.stringify(fields))
  }
})

t.test('a reminder brings an uploaded picture', async (t) => {
  const { media_id } = (await upload(tenant, files.png)).body
  const variables = { 1: 'Ana', header_image: media_id }
  const one = await book(SOON_MS, { reminder: reminder({ template_name: 'promo_picture', variables }) })
  await becomes(one.id, 'sent')
  const [sent] = await eventually('the provider has it', async () => {
    const all = await sentTo(one.user_id)
    return all.length > 0 && all
  })
  t.match(JSON.stringify(sent!.body), /"image":\{"id":"8\d+"/)
})

t.test('a reminder is sent once, in the zone and the language of the appointment', async (t) => {
  const variables = { 1: '{date} {time}', 2: '{number} {name} {location} {starts_at}' }
  const times = dueIn(SOON_MS)
  const one = await book(SOON_MS, {
    ...times,
    timezone: 'Asia/Kathmandu',
    location: 'Room 1',
    reminder: reminder({ template_language: 'es', variables }),
  })
  t.match(one.reminder, {
    status: 'scheduled',
    due_at: new Date(Date.parse(times.starts_at) - 24 * HOUR_MS).toISOString(),
  })
  const { reminder: done } = await becomes(one.id, 'sent')
  const message = await tenant.message(done.message_id, 'sent', 'delivered', 'read')
  const zone = { timeZone: 'Asia/Kathmandu' }
  const starts = new Date(times.starts_at)
  const date = starts.toLocaleDateString('es', { dateStyle: 'long', ...zone })
  const time = starts.toLocaleTimeString('es', { timeStyle: 'short', ...zone })
  t.equal(message.message.variables[1], `${date} ${time}`)
  t.match(message.message.variables[2], new RegExp(`^${one.number} - Room 1 .*\\+05:45$`))
  t.equal((await sentTo(one.user_id)).length, 1)
  const { data } = await made(api('GET', `crm/events?chat_user=${one.chat_user}`))
  t.same(data.map(({ event_type }: Json) => event_type).toSorted(), [
    'appointment.created',
    'message.template_sent',
    'ticket.created',
  ])
  // The same reminder again is no other one.
  t.match(await change(one.id, { reminder: reminder({ template_language: 'es', variables }) }), {
    reminder: { status: 'sent' },
  })
})

t.test('a reminder moves with its appointment, and goes with it', async (t) => {
  const [moved, cancelled, completed, removed, past, mark] = [
    await book(LATER_MS),
    await book(LATER_MS),
    await book(LATER_MS),
    await book(LATER_MS),
    await book(-1000),
    await book(LATER_MS + 1_000),
  ]
  t.match(past.reminder, { status: 'skipped' }, 'its time was over')
  const later = dueIn(HOUR_MS)
  t.match(await change(moved.id, { starts_at: later.starts_at }), { reminder: { status: 'scheduled' } })
  await made(operator('POST', `appointments/${cancelled.id}/cancel`))
  await change(completed.id, { status: 'completed' })
  await change(removed.id, { reminder: null })
  await becomes(mark.id, 'sent')
  const left = new Date(Date.parse(later.starts_at) - 24 * HOUR_MS).toISOString()
  t.match((await read(moved.id)).reminder, { status: 'scheduled', due_at: left, message_id: null })
  t.match((await read(cancelled.id)).reminder, { status: 'cancelled', message_id: null })
  t.match((await read(completed.id)).reminder, { status: 'cancelled', message_id: null })
  t.equal((await read(removed.id)).reminder, null)
  for (const { user_id } of [moved, cancelled, completed, removed, past]) t.same(await sentTo(user_id), [])
  await change(moved.id, { starts_at: dueIn(SOON_MS).starts_at })
  const { reminder: first } = await becomes(moved.id, 'sent')
  t.match(
    await change(moved.id, { starts_at: dueIn(-HOUR_MS).starts_at }),
    { reminder: first },
    'too late for another one',
  )
  await change(moved.id, { starts_at: dueIn(SOON_MS).starts_at })
  const { reminder: second } = await becomes(moved.id, 'sent')
  t.not(second.message_id, first.message_id, 'a new beginning is reminded of anew')
  await tenant.message(second.message_id, 'read')
  t.equal((await sentTo(moved.user_id)).length, 2)
})

t.test('an appointment that has ended is reminded of no more, also when the reminder is new', async (t) => {
  for (const status of ['cancelled', 'completed', 'no_show']) {
    const made_ended = await book(HOUR_MS, { status })
    t.match(made_ended, { status, reminder: { status: 'cancelled' } }, `made ${status}`)
    const open = await book(HOUR_MS, { reminder: null })
    t.match(await change(open.id, { status, reminder: reminder() }), { status, reminder: { status: 'cancelled' } })
  }
})

t.test('an appointment whose contact is taken off is that of the best contact of its customer', async (t) => {
  const customer = { company_id: tenant.company_id, full_name: 'Ana' }
  const { _id: customer_id } = await made(operator('POST', 'customers', customer))
  const [first, best] = [await newPerson(), await newPerson()]
  await made(api('PATCH', `contacts/${best.chat_user}`, { customer_id }))
  const fields = { ...dueIn(LATER_MS), chat_user: first.chat_user, customer_id }
  const { id } = await made(operator('POST', 'appointments', { project_id, ...fields }))
  const changed = await change(id, { chat_user: null, reminder: reminder() })
  t.match(changed, { chat_user: null, customer_id, reminder: { status: 'scheduled' } })
  const { data } = await made(api('GET', `crm/events?chat_user=${best.chat_user}`))
  t.match(data[0], { event_type: 'appointment.updated', data: { appointment_id: id } })
  const { reminder: sent } = await becomes(id, 'sent')
  t.match(await tenant.message(sent.message_id, 'sent', 'delivered', 'read'), { chat_user: best.chat_user })
})

t.test('a reminder that fails when it is due says why', async (t) => {
  const one = await book(LATER_MS)
  await tenant.subscribe('failed', ['scheduling.appointment.updated'])
  const channel = `channels/${tenant.number.channel_id}`
  await made(operator('PATCH', channel, { is_active: false }))
  const { reminder: failed } = await becomes(one.id, 'failed')
  t.match(failed, { message_id: null, error: { code: 'CHANNEL_NOT_CONNECTED', message: /\.$/ } })
  await eventually('subscribers hear of it', () =>
    world.sink.calls('failed').some(({ body: { data } }) => data.id === one.id && data.reminder.status === 'failed'),
  )
  await made(operator('PATCH', channel, { is_active: true }))
})
