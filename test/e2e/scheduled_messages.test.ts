/** Messages that agents send later: once, at their time; refusals, answers and bounds. */
import t, { type Test } from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { eventually, type Json } from './client.ts'
import { connectNumber, joinWorld, made, text, type World } from './fixture.ts'
import { inMs, listen, makeOffice, soon, ticketOf } from './inbox_client.ts'
import { becomes, bodies, HOUR_MS, of, open, person, schedule } from './scheduled_client.ts'

async function officeIn<Place extends World>(t: Test, world: Place) {
  const newProject = await makeOffice(world, 2)
  const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
  t.teardown(() => database.close())
  return { world, newProject, database }
}

t.test('one node', async (t) => {
  const { world, newProject, database } = await officeIn(t, await joinWorld(t))

  t.test('it is sent at its time, as the send of an agent, and all agents hear of it', async (t) => {
    const { tenant, agents } = await newProject()
    const [ana, eva] = agents
    const ticket_id = await ticketOf(tenant, ana, person(1))
    const { hears, heard } = await listen(t, world, tenant, eva)
    const meta_data = { order: 7 }
    const begun = await soon((send_at) => schedule(ana, ticket_id, { send_at, meta_data }))
    t.match(begun, {
      ticket_id,
      status: 'scheduled',
      channel: 'whatsapp',
      channel_id: null,
      type: 'text',
      message: text('Did it arrive?'),
      meta_data,
      cancel_if_answered: false,
      message_id: null,
      error: null,
      created_by: ana.id,
    })
    const done = await becomes(ana, begun, 'sent')
    const message = await tenant.message(done.message_id, 'sent', 'delivered', 'read')
    t.match(message, { to: person(1), message: text('Did it arrive?'), meta_data: { order: 7 } })
    t.equal((await tenant.sent()).length, 1)
    t.ok(message.created_at >= begun.send_at, 'not before its time')
    t.match(await ana.row(ticket_id), { waiting_since: null, last_message: { id: done.message_id } }, 'it is an answer')
    t.same(await open(ana, ticket_id), [])
    await hears('scheduled_message.changed', 2)
    t.same(heard('scheduled_message.changed'), [begun, done])
    for (const [method, body] of [['PATCH', { send_at: inMs(HOUR_MS) }], ['DELETE']] as const) {
      const refused = await ana.ask(method, `inbox/scheduled_messages/${begun.id}`, body)
      t.match(refused, {
        status: 409,
        body: { error: { code: 'SCHEDULED_MESSAGE_OVER', details: { status: 'sent' } } },
      })
    }
  })

  t.test('its text and time change, and it is cancelled', async (t) => {
    const { tenant, agents } = await newProject()
    const [ana, eva] = agents
    const [first, second] = [await ticketOf(tenant, ana, person(1)), await ticketOf(tenant, ana, person(2))]
    const one = await made(schedule(ana, first, { send_at: inMs(2 * HOUR_MS) }))
    const two = await made(schedule(eva, first))
    const three = await made(schedule(eva, second, { send_at: inMs(3 * HOUR_MS) }))
    t.same(await open(eva, first), [two, one], 'in the order of sending')
    const all = async (query = '') => (await made(ana.ask('GET', `inbox/scheduled_messages${query}`))).data as Json[]
    t.same(await all(), [two, one, three])
    t.same(await all(`?created_by=${eva.id}`), [two, three])
    const page = await made(ana.ask('GET', 'inbox/scheduled_messages?limit=2'))
    t.same(await all(`?limit=2&cursor=${page.next_cursor}`), [three])
    const path = `inbox/scheduled_messages/${one.id}`
    t.same(await made(ana.ask('PATCH', path, {})), one, 'nothing to change')
    const cancelled = await made(ana.ask('DELETE', `inbox/scheduled_messages/${two.id}`))
    t.match(cancelled, { status: 'cancelled', cancelled_by: 'agent' })
    t.same(await made(ana.ask('DELETE', `inbox/scheduled_messages/${two.id}`)), cancelled, 'a repeat')
    t.match(await made(eva.ask('PATCH', path, { message: text('Hello again') })), {
      message: text('Hello again'),
      send_at: one.send_at,
      created_by: ana.id,
    })
    await soon((send_at) => ana.ask('PATCH', path, { send_at }))
    const { message_id } = await becomes(ana, one, 'sent')
    t.match(await tenant.message(message_id, 'sent', 'delivered', 'read'), { message: text('Hello again') })
    t.same(await bodies(tenant), ['Hello again'])
    const timers = await database.execute<Json>(
      `select name from timer where address = 'project/${tenant.project_id}' and name <> 'templates'`,
    )
    t.same(timers, [{ name: `scheduled_message/${three.id}` }], 'no other timer is left')
  })

  t.test('an answer cancels it although the clock was set back since it was scheduled', async (t) => {
    const { tenant, agents } = await newProject()
    const [ana] = agents
    const ticket_id = await ticketOf(tenant, ana, person(1))
    const reminder = await made(schedule(ana, ticket_id, { cancel_if_answered: true }))
    await database.execute(`update scheduled_message set updated_at = updated_at + interval '1 hour' where id = ?`, [
      reminder.id,
    ])
    await tenant.writes(person(1), 'It did')
    t.match(await becomes(ana, reminder, 'cancelled'), { cancelled_by: 'answer' })
  })

  t.test('a reaction of the person is an answer, too', async (t) => {
    const { tenant, agents } = await newProject()
    const [ana] = agents
    const ticket_id = await ticketOf(tenant, ana, person(1))
    const reminder = await made(schedule(ana, ticket_id, { cancel_if_answered: true }))
    await tenant.writes(person(1), { type: 'reaction', reaction: { message_id: 'wamid.x', emoji: '👍' } })
    t.match(await becomes(ana, reminder, 'cancelled'), { cancelled_by: 'answer' })
  })

  t.test('by another channel it goes to the contact whom the person has there', async (t) => {
    const { tenant, agents } = await newProject()
    const { channel_id, phone_number_id } = await connectNumber(world, tenant.project_id)
    const [ana] = agents
    const ticket_id = await ticketOf(tenant, ana, person(1))
    await tenant.writes(person(1), 'Hi there', { phone_number_id })
    const there = await eventually('the person wrote there', async () => {
      return (await ana.list()).find(({ contact }) => contact.channel_id === channel_id)
    })
    const begun = await soon((send_at) => schedule(ana, ticket_id, { send_at, channel_id }))
    const { message_id } = await becomes(ana, begun, 'sent')
    const message = await tenant.message(message_id, 'sent', 'delivered', 'read')
    t.match(message, { chat_user: there.contact._id, channel_id, to: person(1) })

    const free = person(2)
    const only_here = await ticketOf(tenant, ana, free)
    const closed = await soon((send_at) => schedule(ana, only_here, { send_at, channel_id }))
    t.match(await becomes(ana, closed, 'failed'), { error: { code: 'WINDOW_CLOSED' } }, 'the person never wrote there')
  })

  t.test('what could never be sent, and what is too much, is refused at once', async (t) => {
    const { tenant, agents } = await newProject()
    const [ana] = agents
    const [, theirs] = (await newProject()).agents
    const ticket_id = await ticketOf(tenant, ana, person(1))
    const template = { type: 'template', name: 'nothing', language: 'en_US' }
    const wrong: [fields: Json, status: number, code: string][] = [
      [{ send_at: inMs(-1000) }, 400, 'VALIDATION_ERROR'],
      [{ send_at: inMs(400 * 24 * HOUR_MS) }, 400, 'VALIDATION_ERROR'],
      [{ message: { type: 'text' } }, 400, 'VALIDATION_ERROR'],
      [{ to: person(2) }, 400, 'VALIDATION_ERROR'],
      [{ meta_data: { note: 'x'.repeat(70_000) } }, 413, 'PAYLOAD_TOO_LARGE'],
      [{ message: template }, 422, 'TEMPLATE_NOT_FOUND'],
      [{ message: { type: 'image', media_id: 'f'.repeat(24) } }, 422, 'MEDIA_NOT_FOUND'],
      [{ channel_id: 'f'.repeat(24) }, 422, 'CHANNEL_NOT_FOUND'],
    ]
    for (const [fields, status, code] of wrong) {
      t.match(await schedule(ana, ticket_id, fields), { status, body: { error: { code } } }, code)
    }
    t.equal((await schedule(theirs, ticket_id)).status, 404, 'a ticket of another project')
    t.equal((await theirs.ask('GET', of(ticket_id))).status, 404)
    t.same(await open(ana, ticket_id), [])
    const answers = await Promise.all(Array.from({ length: 55 }, () => schedule(ana, ticket_id)))
    t.equal(answers.filter(({ status }) => status === 201).length, 50)
    const full = answers.find(({ status }) => status !== 201)
    t.match(full, {
      status: 409,
      body: { error: { code: 'SCHEDULED_MESSAGES_FULL', details: { most: 50, of: 'ticket' } } },
    })
    t.equal((await open(ana, ticket_id)).length, 50)
    const [{ id } = {} as Json] = await open(ana, ticket_id)
    t.equal((await theirs.ask('DELETE', `inbox/scheduled_messages/${id}`)).status, 404)
    await made(ana.ask('DELETE', `inbox/scheduled_messages/${id}`))
    t.equal((await schedule(ana, ticket_id)).status, 201, 'there is room again')
    await database.execute(`
      insert into scheduled_message (id, company_id, project_id, ticket_id, chat_user, channel, message, send_at, created_by)
      select left(md5('${tenant.project_id}' || n), 24), '${tenant.company_id}', '${tenant.project_id}', 'none', 'none', 'whatsapp', '{}',
        now() + interval '1 day', '${ana.id}' from generate_series(1, 10000) n`)
    const other = await ticketOf(tenant, ana, person(2))
    t.match(await schedule(ana, other), { status: 409, body: { error: { details: { most: 10_000, of: 'project' } } } })
  })

  t.test('it is erased with its person', async (t) => {
    const { tenant, agents } = await newProject()
    const [ana] = agents
    const [mine, others] = [await ticketOf(tenant, ana, person(1)), await ticketOf(tenant, ana, person(2))]
    const { chat_user } = await made(schedule(ana, mine))
    const kept = await made(schedule(ana, others))
    const erasure = await made(world.operator('POST', 'erasures', { kind: 'contact', id: chat_user, confirm: true }))
    await eventually('it is over', async () => {
      const { body } = await world.operator('GET', `erasures/${erasure._id}`)
      return body.status === 'done'
    })
    const rows = await database.execute<Json>(
      `select id from scheduled_message where project_id = '${tenant.project_id}'`,
    )
    t.same(rows, [{ id: kept.id }])
  })
})
