/**
 * Erasures beside other tenants, new contacts of the same person, retention, lost messages and kills. The locks of
 * `held` stop an erasure at a known place. One file, because all tests share one node and these locks.
 */
import t from 'tap'
import { rowsOf } from '../../storage/connections/rows_of.ts'
import { openDatabase, sql, sweepRetention } from '../../storage/mod.ts'
import { run } from '../cli/command.ts'
import { upload } from '../http/media_client.ts'
import { actionWhen, askerOf, isOver } from './bulk_client.ts'
import { eventually, type Json } from './client.ts'
import { makeAgent, signIn } from './console_client.ts'
import { made, makeTenant, OPERATOR_KEY, type Tenant, text } from './fixture.ts'
import { inboxAgent, inMs, turnClock } from './inbox_client.ts'
import { startKillable } from './killable.ts'
import { filesWith, rowsWith } from './traces.ts'

const world = await startKillable(t, { waits: { erasure_ask_ms: 300 } })
const { operator } = world
const database = await openDatabase({ url: world.config.database_url!, pool_size: 4 })
t.teardown(() => database.close())
const tenant = await makeTenant(world)
const env = { PARLEY_BASE_URL: world.base_url, PARLEY_OPERATOR_KEY: OPERATOR_KEY }

let people = 0

/** Lets a new person write. Resolves to the contact. */
async function person(of: Tenant = tenant, phone = `+1555888${1000 + ++people}`): Promise<Json & { phone: string }> {
  await of.writes(phone, 'Hello', { name: 'Zora' })
  return { phone, ...(await contactOf(of, phone)) }
}

const contactOf = (of: Tenant, phone: string): Promise<Json> =>
  eventually(
    `the contact of ${phone}`,
    async () => (await of.api('GET', `contacts?search=${phone.slice(1)}`)).body.data[0],
  )

const begin = async (id: string, kind = 'contact'): Promise<string> =>
  (await made(operator('POST', 'erasures', { kind, id, confirm: true })))._id

const ended = (id: string): Promise<Json> =>
  eventually(`the erasure ${id} has ended`, async () => {
    const { body } = await operator('GET', `erasures/${id}`)
    return body.status === 'done' && body
  })

const erased = async (id: string, kind = 'contact') => ended(await begin(id, kind))

const ticketOf = async ({ _id }: Json): Promise<Json> =>
  (await made(tenant.api('GET', `crm/tickets?chat_user=${_id}`))).data[0]

/** Rows with one of the texts. The proof and the audit keep ids, and nothing else. */
const tracesOf = async (texts: string[]): Promise<string[]> =>
  (await rowsWith(database, texts)).filter((row) => !/^(data_erasure|audit_entry):/.test(row))

const one = async (sql: string): Promise<Json> => (await database.execute<Json>(sql))[0]

/** Runs `work` while a transaction holds these locks. `pid` is that of its session. */
async function held<Result>(lock: string, work: (pid: number) => Promise<Result>): Promise<Result> {
  const session = await database.session()
  try {
    await session.query('set idle_in_transaction_session_timeout = 0; begin')
    await session.query(lock)
    const [row] = await rowsOf<{ pid: number }>(session, sql`select pg_backend_pid() as pid`)
    return await work(row!.pid)
  } finally {
    await session.end()
  }
}

/** Stops erasures among the rows, after the project has forgotten the contact and its messages are deleted. */
const AMONG_ROWS = 'lock table appointment in exclusive mode'
/** The same, before the first row is deleted. */
const BEFORE_ROWS = 'lock table media_recipient in exclusive mode'

/** Resolves once the erasure waits for the lock. */
const isAmongRows = (id: string, lock = AMONG_ROWS) =>
  eventually('the erasure is among the rows', async () => {
    const table = lock.split(' ')[2]
    const waiting = await one(
      `select count(*)::int as count from pg_locks where relation = '${table}'::regclass and not granted`,
    )
    return waiting.count > 0 && (await operator('GET', `erasures/${id}`)).body.phase === 'rows'
  })

t.test('other tenants who know the same number lose nothing, and hold nothing up', async (t) => {
  const zora = await person()
  const other = await makeTenant(world)
  const namesake = await person(other, zora.phone)
  await other.send(zora.phone, {}, { headers: { 'idempotency-key': 'theirs' } })
  const theirs = { type: 'dispatch', recipient: zora.phone.slice(1), project_id: other.project_id }
  const hers = { ...theirs, project_id: tenant.project_id }
  const slice = { type: 'bulk_slice', recipients: [{ index: 0, phone: zora.phone, message_id: 'msg_0' }] }
  const letters = [
    [`channel/${other.number.channel_id}`, theirs],
    [`project/${other.project_id}`, slice],
    [`channel/${tenant.number.channel_id}`, hers],
    // The channel was deleted, so the message names the project.
    ['channel/ffffffffffffffffffffffff', hers],
  ] as const
  for (const [address, message] of letters) {
    await database.execute(`insert into dead_letter (partition, address, message, error) values (0, ?, ?::json, 'x')`, [
      address,
      JSON.stringify(message),
    ])
  }
  const quoted = JSON.stringify({ type: 'x', phone: zora.phone })
  await database.execute(`insert into timer (partition, address, name, due_at, message)
    values (9999, 'nobody/x', 'later', '2099-01-01', '${quoted}')`)
  await database.execute(`insert into actor_state (address, state) values ('mail/x', '${quoted}')`)
  // A partition that no node owns: the message is never taken.
  await database.execute(`insert into outbox (partition, source, number, address, message)
    values (9999, 1, 1, 'nobody/x', '${quoted}')`)
  const proof = await erased(zora._id)
  t.equal(proof.counts.dead_letter, 2)
  const left = await database.execute<{ address: string }>('select address from dead_letter order by id')
  t.same(
    left,
    letters.slice(0, 2).map(([address]) => ({ address })),
  )
  t.equal((await one(`select count(*)::int from timer where name = 'later'`)).count, 1)
  t.equal((await one(`select count(*)::int from actor_state where address = 'mail/x'`)).count, 1)
  await database.execute(`delete from outbox where partition = 9999; delete from timer where name = 'later';
    delete from actor_state where address = 'mail/x'; delete from dead_letter`)
  const repeated = await other.send(zora.phone, {}, { headers: { 'idempotency-key': 'theirs' } })
  t.match(repeated, { status: 202, headers: { 'idempotent-replayed': 'true' } })
  t.equal((await contactOf(other, zora.phone))._id, namesake._id)
})

t.test('what the person writes meanwhile reaches receivers, and no request is executed twice', async (t) => {
  const zora = await person()
  const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })
  const before = await made(tenant.send(zora.phone, {}, keyed('before')))
  await tenant.message(before.id, 'read')
  const expired = await tenant.subscribe('expired', ['crm.ticket.created'])
  const mia = await person()
  await eventually('a delivery is made', async () => (await tenant.deliveries(expired.id))[0]?.status === 'success')
  await database.execute(`delete from event where data::text like '%${mia._id}%'`)
  world.sink.answer('later', () => 500)
  const hook = await tenant.subscribe('later', ['whatsapp.message.received', 'crm.contact.created'])
  let again: Json = {}
  const id = await held(AMONG_ROWS, async () => {
    const id = await begin(zora._id)
    await isAmongRows(id)
    await tenant.writes(zora.phone, 'Hello again', { name: 'Zora' })
    again = await contactOf(tenant, zora.phone)
    t.not(again._id, zora._id)
    await made(tenant.send(zora.phone, {}, keyed('after')))
    await eventually('two deliveries', async () => (await tenant.deliveries(hook.id)).length === 2)
    return id
  })
  world.sink.answer('later', () => 200)
  await ended(id)
  t.equal((await tenant.deliveries(hook.id)).length, 2, 'the deliveries of the new contact stay')
  const made_before = `delivery where subscription_id = '${expired.id}' and status = 'success'`
  t.equal(
    (await one(`select count(*)::int from ${made_before}`)).count >= 1,
    true,
    'others keep deliveries of expired events',
  )
  await eventually('they are made', async () =>
    (await tenant.deliveries(hook.id)).every(({ status }) => status === 'success'),
  )
  t.equal((await one(`select count(*)::int from event where data::text like '%${again._id}%'`)).count >= 2, true)

  const sent = (await tenant.sent()).length
  const repeated = await tenant.send(zora.phone, {}, keyed('before'))
  t.match(repeated, { status: 409, body: { error: { code: 'IDEMPOTENCY_ANSWER_ERASED' } } })
  const changed = await tenant.send(zora.phone, { message: text('Different') }, keyed('before'))
  t.match(changed, { status: 422, body: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } } })
  t.equal((await tenant.sent()).length, sent, 'nothing is sent twice')
  t.match(await tenant.send(zora.phone, {}, keyed('after')), {
    status: 202,
    headers: { 'idempotent-replayed': 'true' },
  })
  t.same(await tracesOf([zora._id]), [])
})

t.test('a ticket opened just before the project forgets the person is forgotten', async (t) => {
  const [zora, mia] = [await person(), await person()]
  const [hers, other] = [await ticketOf(zora), await ticketOf(mia)]
  await made(tenant.api('PATCH', `crm/tickets/${hers._id}`, { is_closed: true }))
  const event = { event_type: 'payment.confirmed', data: { memo: 'just before' }, chat_user_id: zora._id }
  // The turn of the note waits for the lock. The event and the erasure reach the project meanwhile, in this order.
  const lock = `select 1 from ticket_activity where ticket_id = '${other._id}' for update`
  const { id, answers } = await held(lock, async (pid) => {
    const note = tenant.api('POST', 'crm/notes', { ticket_id: other._id, content: 'waits' })
    // Other tests of the run, too, have sessions at this server that wait for each other.
    const isBlocked = async () =>
      (await one(`select count(*)::int from pg_stat_activity where ${pid} = any(pg_blocking_pids(pid))`)).count > 0
    await eventually('the turn waits', isBlocked)
    const recorded = tenant.api('POST', 'crm/events', event)
    const id = await begin(zora._id)
    await eventually('the project is asked', async () => (await operator('GET', `erasures/${id}`)).body.waits_for)
    return { id, answers: [note, recorded] }
  })
  t.same(
    (await Promise.all(answers)).map(({ status }) => status),
    [201, 201],
  )
  await ended(id)
  t.same(await tracesOf([zora._id, hers._id, 'just before']), [])
})

t.test('a note about an erased contact or ticket is refused, during the erasure and later', async (t) => {
  const zora = await person()
  const ticket = await ticketOf(zora)
  const notes = () =>
    Promise.all(
      [{ chat_user: zora._id }, { ticket_id: ticket._id }].map(async (about) => {
        const { status, body } = await tenant.api('POST', 'crm/notes', { content: 'late', ...about })
        return [status, body.error?.code]
      }),
    )
  const refused = [422, 'RECORD_ERASED']
  const id = await held(AMONG_ROWS, async () => {
    const id = await begin(zora._id)
    await isAmongRows(id)
    t.same(await notes(), [refused, refused])
    return id
  })
  await ended(id)
  t.same(await notes(), [refused, refused])
  const unknown = { content: 'x', chat_user: 'f'.repeat(24) }
  t.equal((await tenant.api('POST', 'crm/notes', unknown)).status, 201, 'other ids are stored as sent')
})

t.test('a failed message of the person is not sent again during the erasure', async (t) => {
  const zora = await person()
  const agent = await makeAgent(world, tenant)
  const { cookie } = await signIn(world, agent as { email: string })
  const ask = askerOf(world.http, world.base_url, cookie, tenant)
  const match = { phone_number_id: tenant.number.phone_number_id }
  await made(world.control('POST', 'faults', { match, error: { code: 131009 } }))
  const failed = await made(tenant.send(zora.phone, { message: text('Text of Zora that failed') }))
  await tenant.message(failed.id, 'failed')
  await world.control('DELETE', 'faults')
  const id = await held(BEFORE_ROWS, async () => {
    const id = await begin(zora._id)
    await isAmongRows(id, BEFORE_ROWS)
    t.match(await ask('POST', `messages/${failed.id}/retry`), { status: 404, body: { error: { code: 'NOT_FOUND' } } })
    return id
  })
  await ended(id)
  t.same(await tracesOf([zora._id, zora.phone.slice(1), 'Text of Zora']), [])
})

t.test('a message for later that becomes due meanwhile, and a bulk action, do not keep the person', async (t) => {
  const zora = await person()
  const ticket = await ticketOf(zora)
  const agent = await inboxAgent(world, tenant)
  const action = { type: 'prioritize', priority: 'low' }
  const { id: bulk } = await made(agent.ask('POST', 'bulk_actions', { filter: { ticket_ids: [ticket._id] }, action }))
  await actionWhen(agent.ask, bulk, 'is over', isOver)
  const { id: scheduled } = await made(
    agent.ask('POST', `inbox/tickets/${ticket._id}/scheduled_messages`, {
      message: text('Later'),
      send_at: inMs(3_600_000),
    }),
  )
  const id = await held(BEFORE_ROWS, async () => {
    const id = await begin(zora._id)
    await isAmongRows(id, BEFORE_ROWS)
    const timer = `timer where name = 'scheduled_message/${scheduled}'`
    await turnClock(database, tenant, 'scheduled_message/', ['scheduled_message', 'send_at'])
    await world.process().end('SIGKILL')
    await world.start()
    await eventually('it is due', async () => (await one(`select count(*)::int from ${timer}`)).count === 0)
    return id
  })
  await ended(id)
  t.same(await tracesOf([zora._id, ticket._id, scheduled]), [])
})

t.test('an ask that was parked as a dead letter is repeated', async (t) => {
  const zora = await person()
  await database.execute(`
    create function fails() returns trigger language plpgsql as $$ begin raise exception 'a fault'; end $$;
    create trigger fails before update on data_erasure_part for each row execute function fails()`)
  const id = await begin(zora._id)
  await eventually('the ask is parked', async () => (await one('select count(*)::int from dead_letter')).count > 0)
  t.match((await operator('GET', `erasures/${id}`)).body, { status: 'running', waits_for: /^project\// })
  await database.execute('drop function fails() cascade')
  await ended(id)
  await database.execute('delete from dead_letter')
})

t.test('tickets expire with their events and notes; events whose ticket is gone are found', async (t) => {
  const [zora, bob] = [await person(), await person()]
  const [hers, his] = [await ticketOf(zora), await ticketOf(bob)]
  for (const { _id } of [hers, his]) {
    await made(tenant.api('POST', 'crm/notes', { ticket_id: _id, content: 'a note' }))
    await made(
      tenant.api('POST', 'crm/events', { event_type: 'payment.confirmed', data: { memo: 'paid' }, ticket_id: _id }),
    )
  }
  const old = `5f000000${his._id.slice(8)}`
  for (const [table, column] of [
    ['ticket', '_id'],
    ['ticket_activity', 'ticket_id'],
    ['note', 'ticket_id'],
    ['crm_event', 'ticket_id'],
  ]) {
    await database.execute(`update ${table} set ${column} = '${old}' where ${column} = '${his._id}'`)
  }
  await database.execute(`update ticket set is_closed = true, closed_at = '2020-01-01' where _id = '${old}'`)
  await made(operator('PATCH', `projects/${tenant.project_id}/retention`, { closed_tickets: 30 }))
  const swept = await sweepRetention(database, world.config)
  t.ok(swept.closed_tickets! >= 4, 'the ticket, two events and the note')
  t.same(await rowsWith(database, [old]).then((rows) => rows.filter((row) => !/^(event|audit_entry):/.test(row))), [])

  await database.execute(`delete from ticket where _id = '${hers._id}'`)
  const exported = await run(
    ['data', 'export', '--contact', zora._id, '--output', `${world.config.data_dir}/z.tar`, '--json'],
    env,
  )
  t.match(JSON.parse(exported.out).counts, { crm_event: 2 }, exported.err)
  t.match((await erased(zora._id)).counts, { crm_event: 2 })
  t.equal((await one(`select count(*)::int from crm_event where chat_user = '${zora._id}'`)).count, 0)
})

t.test('files go with the person, except those that others get or got', async (t) => {
  const [zora, bob] = [await person(), await person()]
  await operator('PATCH', `channels/${tenant.number.channel_id}`, { is_active: false })
  const names = ['own', 'gone', 'variable', 'shared', 'shared_gone', 'bulk']
  const ids: Record<string, string> = {}
  for (const name of names) {
    const file = { filename: `${name}.txt`, part_type: 'text/plain' }
    ids[name] = (await made(upload(tenant, Buffer.from(`file ${name}!`), file))).media_id
  }
  await operator('PATCH', `channels/${tenant.number.channel_id}`, { is_active: true })
  const send = async ({ phone }: Json, name: string) =>
    (await made(tenant.send(phone, { message: { type: 'document', media_id: ids[name] } }))).id
  const hers = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await send(zora, name)])))
  const his = Object.fromEntries(
    await Promise.all(['shared', 'shared_gone'].map(async (name) => [name, await send(bob, name)])),
  )
  for (const id of [...Object.values(hers), ...Object.values(his)]) await tenant.message(id as string, 'read')
  // As a template has it.
  await database.execute(`update message set message = '{"type":"template","variables":{"header_document":"${ids.variable}"}}'
    where id = '${hers.variable}'`)
  for (const id of [hers.gone, hers.shared_gone, his.shared_gone]) {
    await database.execute(`update message set id = 'msg_5f000000${id.slice(12)}' where id = '${id}'`)
  }
  await made(operator('PATCH', `projects/${tenant.project_id}/retention`, { messages: 30 }))
  t.match(await sweepRetention(database, world.config), { messages: 3 })
  await database.execute(`
    insert into broadcast (id, company_id, project_id, channel_id, template_name, language, status, total, pending_count,
      sent_count, delivered_count, read_count, failed_count, taken_up, handed_on, updated_at)
    values ('brd_waiting', '${tenant.company_id}', '${tenant.project_id}', '${tenant.number.channel_id}', 'x', 'en', 'queued',
      1, 1, 0, 0, 0, 0, 0, 0, now());
    insert into broadcast_slice (broadcast_id, first, size, recipients)
    values ('brd_waiting', 0, 1, '[{"phone":"${bob.phone}","variables":{"header_document":"${ids.bulk}"}}]')`)
  t.match((await erased(zora._id)).counts, { media: 3 })
  const left = names.filter((name) => filesWith(world as never, [`file ${name}!`]).length > 0)
  t.same(left, ['shared', 'shared_gone', 'bulk'])
  t.equal((await one('select count(*)::int from data_erasure_part')).count, 0)
})

t.test(
  'files of drafts and scheduled messages are exported and erased, except those in drafts for others',
  async (t) => {
    const [zora, bob] = [await person(), await person()]
    const [hers, his] = [await ticketOf(zora), await ticketOf(bob)]
    const [agent, colleague] = [await inboxAgent(world, tenant), await inboxAgent(world, tenant)]
    await operator('PATCH', `channels/${tenant.number.channel_id}`, { is_active: false })
    const names = ['drafted', 'scheduled', 'in_both', 'sent_and_in_his']
    const ids: Record<string, string> = {}
    for (const name of names) {
      const file = { filename: `${name}.txt`, part_type: 'text/plain' }
      ids[name] = (await made(upload(tenant, Buffer.from(`bytes ${name}!`), file))).media_id
    }
    await operator('PATCH', `channels/${tenant.number.channel_id}`, { is_active: true })
    const document = (name: string) => ({ type: 'document', media_id: ids[name] })
    const draft = (ticket: Json, attached: string[]) =>
      made(
        agent.ask('PUT', `inbox/tickets/${ticket._id}/drafts/reply`, {
          version: 1,
          content: 'Your papers',
          attachments: attached.map(document),
        }),
      )
    await draft(hers, ['drafted', 'in_both'])
    await draft(his, ['in_both', 'sent_and_in_his'])
    const later = { message: document('scheduled'), send_at: inMs(3_600_000) }
    await made(agent.ask('POST', `inbox/tickets/${hers._id}/scheduled_messages`, later))
    const sent = await made(tenant.send(zora.phone, { message: document('sent_and_in_his') }))
    await tenant.message(sent.id, 'read')
    const note = { ticket_id: hers._id, content: 'See her papers', mentions: [colleague.id] }
    await made(agent.ask('POST', 'crm/notes', note))

    const output = `${world.config.data_dir}/papers.tar`
    const exported = await run(['data', 'export', '--contact', zora._id, '--output', output, '--json'], env)
    t.match(JSON.parse(exported.out).counts, { draft: 1, notification: 1, media: 4 }, exported.err)
    t.match((await erased(zora._id)).counts, { draft: 1, notification: 1, media: 2 })
    const left = names.filter((name) => filesWith(world as never, [`bytes ${name}!`]).length > 0)
    t.same(left, ['in_both', 'sent_and_in_his'])
    t.same(await tracesOf(['drafted.txt', 'scheduled.txt', hers._id]), [])
  },
)

t.test('a membership and an appointment that were deleted before leave nothing', async (t) => {
  await tenant.subscribe('ledgers', ['loyalty.ledger.entry_created'])
  const { company_id, project_id } = tenant
  const customer = await made(operator('POST', 'customers', { company_id, full_name: 'Zora', phone: '+15558889999' }))
  const program = await made(operator('POST', 'programs', { project_id, name: 'Club', type: 'points' }))
  const member = await made(operator('POST', 'memberships', { program_id: program._id, customer_id: customer._id }))
  await made(operator('POST', `memberships/${member._id}/ledger`, { kind: 'earn', amount: 5, ref: 'ref of Zora' }))
  await made(operator('DELETE', `memberships/${member._id}?with_ledger=true`))
  const times = { starts_at: '2031-01-02T10:00:00Z', ends_at: '2031-01-02T10:30:00Z' }
  const visit = await made(operator('POST', 'appointments', { project_id, ...times, customer_id: customer._id }))
  await made(operator('PATCH', `appointments/${visit.id}`, { location: 'home of Zora' }))
  await database.execute(`delete from appointment where id = '${visit.id}'`)
  const texts = ['ref of Zora', 'home of Zora']
  t.ok((await rowsWith(database, texts)).length >= 3, 'an event and audit entries')
  await erased(customer._id, 'customer')
  t.same(await rowsWith(database, texts), [])
})

t.test('the number that a person had before is erased and proven, unless it is of somebody else by now', async (t) => {
  const [zora, yara] = [await person(), await person()]
  for (const { _id, phone } of [zora, yara]) {
    const wa_id = `${phone.slice(1)}9`
    await tenant.writes(phone, { type: 'system', system: { body: 'News', type: 'user_changed_number', wa_id } })
    await eventually(
      'the number is changed',
      async () => (await tenant.api('GET', `contacts/${_id}`)).body.phone === `+${wa_id}`,
    )
    await database.execute(`
      insert into dead_letter (partition, address, message, error)
      values (0, 'project/${tenant.project_id}', '{"type":"inbound","from":"${phone.slice(1)}"}', 'x')`)
  }
  await tenant.writes(yara.phone, 'Hello', { name: 'Mia' })
  await eventually('the next one with the number', async () =>
    (await tenant.api('GET', `contacts?search=${yara.phone.slice(1)}`)).body.data.find(
      ({ phone }: Json) => phone === yara.phone,
    ),
  )
  t.match((await erased(zora._id)).counts, { dead_letter: 1 })
  t.equal((await erased(yara._id)).counts.dead_letter, undefined)
  t.same(await tracesOf([zora.phone.slice(1)]), [])
  const known = async (number: string) => (await operator('GET', `erasures?identity=%2B${number}`)).body.total
  const [hers, others] = [zora.phone.slice(1), yara.phone.slice(1)]
  t.same(await Promise.all([hers, `${hers}9`, others, `${others}9`].map(known)), [1, 1, 0, 1])
  await database.execute('delete from dead_letter')
})

t.test('many erasures at once leave connections to requests', async (t) => {
  const found = await Promise.all(Array.from({ length: 6 }, () => person()))
  const statements = `pg_locks where relation = 'media_recipient'::regclass and not granted`
  const { ids, most } = await held(BEFORE_ROWS, async () => {
    const ids = await Promise.all(found.map(({ _id }) => begin(_id)))
    let most = 0
    await eventually('each has reached the rows, which are locked', async () => {
      const waiting = await one(`select count(*)::int as count from ${statements}`)
      most = Math.max(most, waiting.count)
      const rows = await Promise.all(ids.map((id) => operator('GET', `erasures/${id}`)))
      return rows.every(({ body }) => body.phase === 'rows' && body.waits_for !== null)
    })
    return { ids, most }
  })
  t.ok(most >= 1 && most <= 2, `${most} batches of six erasures wait for the lock at once`)
  for (const id of ids) await ended(id)
})

t.test('an erasure cut off by kill -9 ends on another node, and its proof names nobody', async (t) => {
  const zora = await person()
  const ticket = await ticketOf(zora)
  const MANY = 3000
  await database.execute(`
    insert into note (_id, company_id, project_id, content, type, chat_user, ticket_id, created_by)
    select lpad(to_hex(n), 24, '0'), '${tenant.company_id}', '${tenant.project_id}', 'Zora again', 'note', '${zora._id}',
      '${ticket._id}', '${tenant.user_id}' from generate_series(1, ${MANY}) n`)
  const left = async () => (await one(`select count(*)::int from note where chat_user = '${zora._id}'`)).count
  const id = await begin(zora._id)
  await eventually('some notes are gone', async () => (await left()) < MANY)
  await world.process().end('SIGKILL')
  t.ok((await one(`select ended_at from data_erasure where _id = '${id}'`)).ended_at === null, 'it was cut off')
  await world.start()
  const proof = await ended(id)
  t.equal(proof.counts.note, MANY, 'each note is counted once')
  t.match((await run(['data', 'erasures', '--limit', '1'], env)).out, new RegExp(`\\b${MANY} notes`))
  t.equal(await left(), 0)
  const kept = await rowsWith(database, [zora.phone.slice(1), 'Zora again'])
  t.same(kept, [])
  const rows = await database.execute(`select e::text from data_erasure e where _id = '${id}'
    union all select i::text from data_erasure_identity i where erasure_id = '${id}'`)
  t.ok(rows.length > 1)
  t.notOk(JSON.stringify(rows).match(new RegExp(`${zora.phone.slice(1)}|Zora`)))
})
