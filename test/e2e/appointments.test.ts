/** Appointments: what operators write, what clients read and confirm, and who hears of it. */
import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { run } from '../cli/command.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeSister, makeTenant, OPERATOR_KEY, type Tenant } from './fixture.ts'

const world = await joinWorld(t)
const { operator } = world
const tenant = await makeTenant(world)
const sister = await makeSister(world, tenant)
const { project_id, company_id } = tenant
const nobody = 'f'.repeat(24)

const HOUR_MS = 3_600_000
let slots = 0
/** Times that no other test uses. */
function slot(): { starts_at: string; ends_at: string } {
  const at = Date.UTC(2030, 0, 1) + ++slots * HOUR_MS
  return { starts_at: new Date(at).toISOString(), ends_at: new Date(at + HOUR_MS / 2).toISOString() }
}

let people = 0
const contactOf = async ({ api }: Tenant, fields: Json = {}): Promise<string> =>
  (await made(api('POST', 'contacts', { channel_type: 'telegram', user_id: `p${++people}`, ...fields })))._id
const newUser = async (): Promise<string> =>
  (await made(operator('POST', 'users', { company_id, full_name: 'Luis', email: `luis-${randomUUID()}@example.com` })))
    ._id

const create = (fields: Json = {}, project = project_id) =>
  operator('POST', 'appointments', { project_id: project, ...slot(), ...fields })
const refusal = (status: number, code: string, details?: Json) => ({
  status,
  body: { error: { code, ...(details && { details }) } },
})
const eventsOf = async ({ api }: Tenant, chat_user: string): Promise<Json[]> =>
  (await made(api('GET', `crm/events?chat_user=${chat_user}&limit=200`))).data.reverse()
const typesOf = async (of: Tenant, chat_user: string) =>
  (await eventsOf(of, chat_user)).map(({ event_type }) => event_type)

t.test('an appointment has the fields it was given, and defaults', async (t) => {
  const customer = await made(operator('POST', 'customers', { company_id, full_name: 'Ana', phone: '+15557300001' }))
  const chat_user = await contactOf(tenant, { channel_type: 'whatsapp', user_id: '15557300001' })
  const times = slot()
  const plain = await made(create(times))
  t.match(plain, {
    _id: plain.id,
    id: /^[0-9a-f]{24}$/,
    project_id,
    number: 1,
    status: 'pending',
    modality: 'in-person',
    payment_status: 'unpaid',
    amount: null,
    currency: null,
    ...times,
    timezone: 'UTC',
    chat_user: null,
    customer_id: null,
    assigned_to: null,
    meeting_url: null,
    location: null,
    reminder: null,
  })
  const assigned_to = await newUser()
  const fields = {
    modality: 'online',
    payment_status: 'pending',
    amount: 600.5,
    currency: 'MXN',
    timezone: 'America/Mexico_City',
    chat_user,
    meeting_url: 'https://meet.example.com/a-2',
  }
  const full = await made(create({ ...fields, assigned_to, location: 'Desk 2' }))
  t.match(full, { ...fields, number: 2, location: 'Desk 2', assigned_to: { id: assigned_to, full_name: 'Luis' } })
  t.equal(full.customer_id, customer._id, 'the customer of the contact')
  const { project_id: _, ...shown } = full
  t.strictSame((await tenant.api('GET', `scheduling/appointments/${full.id}`)).body, shown, 'clients see the same')
  t.strictSame((await operator('GET', `appointments/${full.id}`)).body, full)
  t.equal((await operator('DELETE', `customers/${customer._id}`)).status, 409, 'the contact holds the customer')
})

t.test('what an appointment cannot be is refused, with the reason', async (t) => {
  const chat_user = await contactOf(sister)
  const wrong: [fields: Json, status: number, code: string, path?: string][] = [
    [{ chat_user: nobody }, 422, 'NO_CONTACT'],
    [{ chat_user }, 422, 'NO_CONTACT'],
    [{ customer_id: nobody }, 422, 'CUSTOMER_NOT_FOUND'],
    [{ assigned_to: nobody }, 422, 'ASSIGNEE_NOT_FOUND'],
    [{ chat_user: 'x' }, 400, 'VALIDATION_ERROR', 'chat_user'],
    [{ modality: 'phone' }, 400, 'VALIDATION_ERROR', 'modality'],
    [{ amount: -1 }, 400, 'VALIDATION_ERROR', 'amount'],
    [{ currency: 'pesos' }, 400, 'VALIDATION_ERROR', 'currency'],
    [{ meeting_url: 'meet' }, 400, 'VALIDATION_ERROR', 'meeting_url'],
    [{ number: 7 }, 400, 'VALIDATION_ERROR', 'number'],
    [{ timezone: '+02:00' }, 400, 'VALIDATION_ERROR', 'timezone'],
    [{ timezone: 'Europe/Nowhere' }, 400, 'VALIDATION_ERROR', 'timezone'],
    [{ starts_at: '2030-02-30T10:00:00Z' }, 400, 'VALIDATION_ERROR', 'starts_at'],
    [{ starts_at: '2030-02-28T10:00' }, 400, 'VALIDATION_ERROR', 'starts_at'],
    [{ ends_at: '2020-01-01T00:00:00Z' }, 400, 'VALIDATION_ERROR', 'ends_at'],
    [{ reminder: { hours_before: 1 } }, 400, 'VALIDATION_ERROR', 'reminder.template_name'],
  ]
  const before = await made(create())
  for (const [fields, status, code, path] of wrong) {
    const answer = await create(fields)
    t.match(answer, refusal(status, code), JSON.stringify(fields))
    if (path) t.equal(answer.body.error.details.violations[0].path, path, path)
    const patched = await operator('PATCH', `appointments/${before.id}`, fields)
    // The zone of the appointment says what a local time means.
    const has_zone = path === 'starts_at' && !String(fields.starts_at).endsWith('Z')
    t.match(patched, has_zone ? { status: 200 } : refusal(status, code), `PATCH ${JSON.stringify(fields)}`)
  }
  t.match(await create({}, nobody), refusal(422, 'PROJECT_NOT_FOUND'))
  t.equal((await made(create())).number, before.number + 1, 'refused ones took no number')
})

t.test('each status leads where its machine says', async (t) => {
  const VERBS = ['confirm', 'cancel', 'complete', 'no-show'] as const
  const after: Record<string, (string | null)[]> = {
    pending: ['confirmed', 'cancelled', 'completed', 'no_show'],
    confirmed: [null, 'cancelled', 'completed', 'no_show'],
    cancelled: [null, null, null, null],
    completed: [null, null, null, null],
    no_show: [null, null, null, null],
  }
  for (const [status, results] of Object.entries(after)) {
    for (const [at, verb] of VERBS.entries()) {
      const { id } = await made(create({ status }))
      const next = results[at]
      const code = verb === 'confirm' ? 'APPOINTMENT_NOT_PENDING' : 'APPOINTMENT_NOT_OPEN'
      const expected = next ? { status: 200, body: { status: next } } : refusal(409, code, { status })
      t.match(await operator('POST', `appointments/${id}/${verb}`), expected, `${verb} of ${status}`)
      const shown = (await tenant.api('GET', `scheduling/appointments/${id}`)).body
      t.equal(shown.status, next ?? status)
      if (verb !== 'confirm') continue
      const again = await tenant.api('POST', `scheduling/appointments/${id}/confirm`)
      t.match(again, refusal(409, code, { status: next ?? status }), `a client confirms ${status}`)
    }
  }
  const { id } = await made(create())
  t.match(await operator('PATCH', `appointments/${id}`, { status: 'confirmed', amount: 5 }), { status: 200 })
  t.match(await operator('PATCH', `appointments/${id}`, { status: 'pending' }), refusal(409, 'APPOINTMENT_NOT_OPEN'))
  t.match(await operator('PATCH', `appointments/${id}`, { status: 'cancelled' }), { body: { status: 'cancelled' } })
  const kept = [{ starts_at: slot().starts_at }, { assigned_to: null }, { reminder: null }, { status: 'completed' }]
  for (const patch of kept) {
    t.match(await operator('PATCH', `appointments/${id}`, patch), refusal(409, 'APPOINTMENT_NOT_OPEN'))
  }
  t.match(await operator('PATCH', `appointments/${id}`, { payment_status: 'refunded' }), { status: 200 })
})

t.test('clients confirm what is pending, of their own project, with their scope', async (t) => {
  const { id } = await made(create())
  const path = `scheduling/appointments/${id}/confirm`
  for (const wrong of [nobody, 'x', id.slice(1)]) {
    t.match(await tenant.api('POST', `scheduling/appointments/${wrong}/confirm`), refusal(404, 'NOT_FOUND'))
    t.match(await operator('POST', `appointments/${wrong}/confirm`), refusal(404, 'NOT_FOUND'))
  }
  t.match(await sister.api('POST', path), refusal(404, 'NOT_FOUND'))
  t.match(await sister.api('GET', `scheduling/appointments/${id}`), refusal(404, 'NOT_FOUND'))
  const reader = { project_id, user_id: tenant.user_id, name: 'Reader', scopes: ['scheduling:appointments:read'] }
  const { token } = await made(operator('POST', 'tokens', reader))
  const missing = { missing: ['scheduling:appointments:confirm'] }
  t.match(await tenant.api('POST', path, undefined, { token }), refusal(403, 'INSUFFICIENT_SCOPE', missing))
  t.equal((await tenant.api('GET', `scheduling/appointments/${id}`, undefined, { token })).status, 200)
  const headers = { 'idempotency-key': 'confirm once' }
  const confirmed = await tenant.api('POST', path, undefined, { headers })
  t.match(confirmed, { status: 200, body: { id, status: 'confirmed' } })
  t.match(await tenant.api('POST', path, undefined, { headers }), { status: 200, text: confirmed.text })
  t.match(await tenant.api('POST', path), refusal(409, 'APPOINTMENT_NOT_PENDING'))
})

t.test('pending and confirmed appointments of a user never overlap, in no project of the company', async (t) => {
  const assigned_to = await newUser()
  const at = (from: string, to: string) => ({
    starts_at: `2031-03-01T${from}:00Z`,
    ends_at: `2031-03-01T${to}:00Z`,
    assigned_to,
  })
  const first = await made(create(at('10:00', '11:00')))
  const taken = refusal(409, 'APPOINTMENT_SLOT_TAKEN')
  for (const [from, to] of [
    ['10:00', '11:00'],
    ['09:00', '10:01'],
    ['10:59', '12:00'],
    ['10:20', '10:30'],
    ['09:00', '12:00'],
  ] as const) {
    const answer = await create(at(from, to))
    t.match(answer, taken, `${from} to ${to}`)
    t.match(answer.body.error.details, { appointment_id: first.id, number: first.number })
    const foreign = await create(at(from, to), sister.project_id)
    t.match(foreign, taken, `${from} to ${to} in the other project`)
    t.notMatch(foreign.text, first.id)
  }
  const [before, behind] = [
    await made(create(at('09:00', '10:00'))),
    await made(create(at('11:00', '12:00'), sister.project_id)),
  ]
  const move = (id: string, patch: Json) => operator('PATCH', `appointments/${id}`, patch)
  t.match(await move(before.id, { ends_at: '2031-03-01T10:30:00Z' }), taken)
  t.match(await move(behind.id, { starts_at: '2031-03-01T10:30:00Z' }), taken)
  const other = await made(create({ ...at('10:00', '11:00'), assigned_to: null }))
  t.match(await move(other.id, { assigned_to }), taken)
  t.match(await move(first.id, { starts_at: '2031-03-01T10:15:00Z', ends_at: '2031-03-01T10:45:00Z' }), { status: 200 })
  t.match(await move(before.id, { ends_at: '2031-03-01T10:15:00Z' }), { status: 200 })
  t.match(await operator('POST', `appointments/${first.id}/confirm`), { status: 200 })
  for (const verb of ['cancel', 'complete', 'no-show']) {
    const own = await made(create(at('13:00', '14:00')))
    t.match(await create(at('13:00', '14:00')), taken, `before ${verb}`)
    t.match(await operator('POST', `appointments/${own.id}/${verb}`), { status: 200 })
  }
  t.match(await create({ ...at('13:00', '14:00'), status: 'cancelled' }), { status: 201 })
  t.match(await create(at('13:00', '14:00')), { status: 201 }, 'their time is free again')
})

t.test('a deleted user is assigned to nothing, and named by no answer', async (t) => {
  const { api } = tenant
  const deleted = await newUser()
  const { id } = await made(create({ assigned_to: deleted }))
  const chat_user = await contactOf(tenant)
  await made(create({ chat_user }))
  const [ticket] = (await made(api('GET', `crm/tickets?chat_user=${chat_user}`))).data
  await made(api('PATCH', `crm/tickets/${ticket._id}`, { assigned_to: deleted, is_closed: true }))
  t.equal((await operator('DELETE', `users/${deleted}`)).status, 204)

  const unknown = refusal(422, 'ASSIGNEE_NOT_FOUND', { assigned_to: deleted })
  t.match(await create({ assigned_to: deleted }), unknown, 'a new appointment')
  const free = await made(create())
  t.match(await operator('PATCH', `appointments/${free.id}`, { assigned_to: deleted }), unknown, 'another appointment')
  t.match(await operator('PATCH', `appointments/${id}`, { assigned_to: deleted }), unknown, 'their own')
  const changed = await made(api('PATCH', `crm/tickets/${ticket._id}`, { priority: 'high' }))
  t.equal(changed.ticket.assigned_to, null, 'the ticket')
  t.equal((await made(api('POST', `scheduling/appointments/${id}/confirm`))).assigned_to, null, 'the appointment')
})

t.test('slots that are passed on within one commit are never refused by chance', async (t) => {
  const assigned_to = await newUser()
  const at = (hour: number) => ({ starts_at: `2031-04-01T1${hour}:00:00Z`, ends_at: `2031-04-01T1${hour}:30:00Z` })
  const rows = await Promise.all([0, 1, 2].map((hour) => made(create({ ...at(hour), assigned_to }))))
  // Each takes the slot that the one before has just left.
  const answers = await Promise.all([
    operator('PATCH', `appointments/${rows[2].id}`, at(3)),
    operator('PATCH', `appointments/${rows[1].id}`, at(2)),
    operator('PATCH', `appointments/${rows[0].id}`, at(1)),
    create({ ...at(0), assigned_to }),
  ])
  // The requests may arrive in another order; then those in the way are refused, and the rest holds.
  for (const { status } of answers) t.ok(status === 200 || status === 201 || status === 409)
  const { data } = await made(operator('GET', `appointments?assigned_to=${assigned_to}`))
  t.equal(new Set(data.map(({ starts_at }: Json) => starts_at)).size, data.length)
})

t.test('local times are exact where clocks change', async (t) => {
  const berlin = 'Europe/Berlin'
  const cases: [local: string, timezone: string, expected: string | { code: string; details: Json }][] = [
    ['2031-01-15T10:00', berlin, '2031-01-15T09:00:00.000Z'],
    ['2031-07-15T10:00:30.250', berlin, '2031-07-15T08:00:30.250Z'],
    ['2031-03-30T01:59', berlin, '2031-03-30T00:59:00.000Z'],
    [
      '2031-03-30T02:30',
      berlin,
      {
        code: 'LOCAL_TIME_MISSING',
        details: {
          field: 'starts_at',
          timezone: berlin,
          nearest: ['2031-03-30T01:30:00+01:00', '2031-03-30T03:30:00+02:00'],
        },
      },
    ],
    ['2031-03-30T03:00', berlin, '2031-03-30T01:00:00.000Z'],
    [
      '2031-10-26T02:30',
      berlin,
      {
        code: 'LOCAL_TIME_AMBIGUOUS',
        details: {
          field: 'starts_at',
          timezone: berlin,
          choices: ['2031-10-26T02:30:00+02:00', '2031-10-26T02:30:00+01:00'],
        },
      },
    ],
    ['2031-10-26T02:30:00+02:00', berlin, '2031-10-26T00:30:00.000Z'],
    ['2031-10-26T02:30:00+01:00', berlin, '2031-10-26T01:30:00.000Z'],
    ['2031-10-26T03:00', berlin, '2031-10-26T02:00:00.000Z'],
    [
      '2031-04-06T01:45',
      'Australia/Lord_Howe',
      {
        code: 'LOCAL_TIME_AMBIGUOUS',
        details: { choices: ['2031-04-06T01:45:00+11:00', '2031-04-06T01:45:00+10:30'] },
      },
    ],
    ['2011-12-30T10:00', 'Pacific/Apia', { code: 'LOCAL_TIME_MISSING', details: {} }],
    ['2031-06-01T10:00', 'America/Mexico_City', '2031-06-01T16:00:00.000Z'],
    ['2031-06-01T10:00', 'asia/kathmandu', '2031-06-01T04:15:00.000Z'],
  ]
  const ends_at = '2031-12-31T00:00:00Z'
  const { id } = await made(create())
  for (const [starts_at, timezone, expected] of cases) {
    const answers = [
      await create({ starts_at, ends_at, timezone }),
      await operator('PATCH', `appointments/${id}`, { starts_at, ends_at, timezone }),
    ]
    for (const [at, answer] of answers.entries()) {
      const what = `${at ? 'PATCH' : 'POST'} ${starts_at} ${timezone}`
      if (typeof expected === 'string') t.equal(answer.body.starts_at, expected, what)
      else t.match(answer, refusal(422, expected.code, expected.details), what)
    }
    if (typeof expected !== 'string') {
      const { message, details } = answers[0]!.body.error
      for (const fix of details.nearest ?? details.choices) {
        t.ok(message.includes(fix), 'the message names the fix')
        t.equal((await create({ starts_at: fix, ends_at, timezone })).status, 201, 'which is taken')
      }
    }
  }
  const zoned = await made(
    create({ starts_at: '2031-06-01T10:00', ends_at: '2031-06-01T11:00', timezone: 'EUROPE/berlin' }),
  )
  t.equal(zoned.timezone, berlin, 'the zone is stored in its usual spelling')
  const moved = await made(operator('PATCH', `appointments/${zoned.id}`, { starts_at: '2031-03-30T01:30' }))
  t.match(
    moved,
    { starts_at: '2031-03-30T00:30:00.000Z', ends_at: '2031-03-30T01:30:00.000Z' },
    'it takes as long as before',
  )
  const timezone = 'America/Los_Angeles'
  const late = { starts_at: '9999-12-31T22:00', ends_at: '9999-12-31T23:30', timezone }
  const too_late = refusal(400, 'VALIDATION_ERROR', { violations: [{ path: 'ends_at' }] })
  t.match(await create(late), too_late, 'a local time of the last year may be one of the next year in UTC')
  const years = await made(create({ starts_at: '2031-01-01T00:00Z', ends_at: '2033-01-01T00:00Z' }))
  const to_the_end = await operator('PATCH', `appointments/${years.id}`, { starts_at: '9999-01-01T00:00:00Z' })
  t.match(to_the_end, too_late, 'a long appointment may be moved beyond it')
  const other = await made(operator('PATCH', `appointments/${zoned.id}`, { timezone: 'UTC' }))
  t.match(other, { starts_at: moved.starts_at, ends_at: moved.ends_at, timezone: 'UTC' }, 'another zone moves nothing')
})

async function listIs(t: Test, query: string, ids: string[]): Promise<void> {
  const lists = {
    'the API': tenant.api('GET', `scheduling/appointments?${query}`),
    operators: operator('GET', `appointments?project_id=${project_id}&${query}`),
  }
  for (const [who, asked] of Object.entries(lists)) {
    const { data } = await made(asked)
    t.same(
      data.map(({ id }: Json) => id),
      ids,
      `${who}: ${query}`,
    )
  }
}

t.test('lists filter by status, assignee, person and beginning', async (t) => {
  const [assigned_to, chat_user] = [await newUser(), await contactOf(tenant)]
  const customer = await made(operator('POST', 'customers', { company_id, full_name: 'Eva' }))
  const day = (n: number) => ({ starts_at: `2032-05-0${n}T10:00:00Z`, ends_at: `2032-05-0${n}T11:00:00Z`, assigned_to })
  const ids: string[] = []
  for (const [n, more] of [
    [3, { chat_user }],
    [1, {}],
    [2, { customer_id: customer._id, status: 'confirmed' }],
  ] as const) {
    ids.push((await made(create({ ...day(n), ...more }))).id)
  }
  const [third, first, second] = ids as [string, string, string]
  const mine = `assigned_to=${assigned_to}`
  await listIs(t, mine, [first, second, third])
  await listIs(t, `${mine}&order=desc`, [third, second, first])
  await listIs(t, `${mine}&sort=created_at`, [third, first, second])
  await listIs(t, `${mine}&sort=created_at&order=desc`, [second, first, third])
  await listIs(t, `${mine}&status=pending`, [first, third])
  await listIs(t, `${mine}&status=confirmed`, [second])
  await listIs(t, `chat_user=${chat_user}`, [third])
  await listIs(t, `customer_id=${customer._id}`, [second])
  await listIs(t, `${mine}&since=2032-05-02T10:00:00Z`, [second, third])
  await listIs(t, `${mine}&until=2032-05-02T10:00:00Z`, [first])
  await listIs(t, `${mine}&since=2032-05-02T11:00:00%2B01:00&until=2032-05-03T00:00:00Z`, [second])
  await listIs(t, `${mine}&limit=1&offset=1`, [second])
  await listIs(t, `assigned_to=${nobody}`, [])
  const { body } = await tenant.api('GET', `scheduling/appointments?${mine}&limit=2`)
  t.match(body, { total: 3, limit: 2, offset: 0 })
  t.same((await made(sister.api('GET', `scheduling/appointments?${mine}`))).data, [], 'another project has none')
  for (const wrong of [
    'status=done',
    'assigned_to=x',
    'since=tomorrow',
    'limit=0',
    'limit=201',
    'sort=number',
    'order=up',
    'since=2032-05-03T00:00:00Z&until=2032-05-02T00:00:00Z',
  ]) {
    t.match(await tenant.api('GET', `scheduling/appointments?${wrong}`), refusal(400, 'VALIDATION_ERROR'), wrong)
    t.match(await operator('GET', `appointments?${wrong}`), refusal(400, 'VALIDATION_ERROR'), wrong)
  }
  t.equal((await operator('DELETE', `customers/${customer._id}`)).status, 204, 'appointments do not hold a customer')
  t.equal((await tenant.api('GET', `scheduling/appointments/${second}`)).body.customer_id, null)
})

t.test('subscribers and the timeline hear of each transition and each change, once', async (t) => {
  const WHAT = ['created', 'updated', 'confirmed', 'cancelled', 'completed', 'no_show']
  await tenant.subscribe(
    'appointments',
    WHAT.map((what) => `scheduling.appointment.${what}`),
  )
  const told = (id: string) => world.sink.events('appointments').filter(({ data }) => data.id === id)
  const chat_user = await contactOf(tenant)
  const { id, number } = await made(create({ chat_user }))
  const path = `appointments/${id}`
  await made(operator('PATCH', path, { location: 'Room 1', amount: 10, currency: 'EUR' }))
  await made(operator('PATCH', path, { location: 'Room 1' }))
  await made(tenant.api('POST', `scheduling/${path}/confirm`))
  await made(operator('PATCH', path, { payment_status: 'paid' }))
  const completed = await made(operator('POST', `${path}/complete`))
  const types = ['created', 'updated', 'confirmed', 'updated', 'completed'].map(
    (what) => `scheduling.appointment.${what}`,
  )
  const events = await eventually('all events', () => told(id).length === types.length && told(id))
  t.same(
    events.map(({ type }) => type),
    types,
    'a change without a difference is none',
  )
  const { project_id: _, ...record } = completed
  t.strictSame(events.at(-1)!.data, record)
  const timeline = await eventsOf(tenant, chat_user)
  const appointment = 'appointment'
  t.same(
    timeline.map(({ event_type }) => event_type),
    [
      'ticket.created',
      ...['created', 'updated', 'confirmed', 'updated'].map((what) => `${appointment}.${what}`),
      'payment.confirmed',
      `${appointment}.completed`,
    ],
  )
  t.match(timeline[2]!.data, { appointment_id: id, number, changed_fields: ['amount', 'currency', 'location'] })
  t.match(timeline[5]!.data, { appointment_id: id, number, amount: 10, currency: 'EUR' })
  t.match(timeline[6]!.data, { appointment_id: id, number, status: 'completed', starts_at: completed.starts_at })
  t.equal(new Set(timeline.map(({ ticket_id }) => ticket_id)).size, 1, 'on one ticket')
  for (const [verb, what] of [
    ['cancel', 'cancelled'],
    ['no-show', 'no_show'],
  ] as const) {
    const own = await made(create({ chat_user, status: 'confirmed' }))
    await made(operator('POST', `appointments/${own.id}/${verb}`))
    const types = ['created', 'confirmed', what].map((what) => `scheduling.appointment.${what}`)
    await eventually(verb, () => told(own.id).length === types.length)
    t.same(
      told(own.id).map(({ type }) => type),
      types,
    )
    t.same(
      (await typesOf(tenant, chat_user)).slice(-3),
      ['created', 'confirmed', what].map((what) => `${appointment}.${what}`),
    )
  }
})

t.test('an appointment of a customer is on the timeline of their contact', async (t) => {
  const customer = await made(operator('POST', 'customers', { company_id, full_name: 'Io', phone: '+15557300009' }))
  const chat_user = await contactOf(tenant, { channel_type: 'whatsapp', user_id: '15557300009' })
  const { id } = await made(create({ customer_id: customer._id }))
  await made(tenant.api('POST', `scheduling/appointments/${id}/confirm`))
  t.same(await typesOf(tenant, chat_user), ['ticket.created', 'appointment.created', 'appointment.confirmed'])
})

t.test('a project with appointments is not deleted', async (t) => {
  const { _id } = await made(operator('POST', 'projects', { company_id, name: 'Short' }))
  await made(create({}, _id))
  t.match(await operator('DELETE', `projects/${_id}`), refusal(409, 'IN_USE', { held_by: { appointments: 1 } }))
})

const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
t.teardown(() => database.close())

t.test('the audit log has the changes of operators and the confirmations of clients', async (t) => {
  const { id } = await made(create({ location: 'Room 1' }))
  await made(operator('PATCH', `appointments/${id}`, { location: 'Room 2' }))
  await made(operator('PATCH', `appointments/${id}`, { location: 'Room 2' }))
  await made(tenant.api('POST', `scheduling/appointments/${id}/confirm`))
  await made(operator('POST', `appointments/${id}/cancel`))
  const entries = await database.execute(
    `select actor_kind, before, after from audit_entry where target_kind = 'appointment' and target_id = ? order by _id`,
    [id],
  )
  t.match(entries, [
    { actor_kind: 'operator', before: null, after: { number: Number, location: 'Room 1' } },
    { before: { location: 'Room 1' }, after: { location: 'Room 2' } },
    { actor_kind: 'token', before: { status: 'pending' }, after: { status: 'confirmed' } },
    { before: { status: 'confirmed' }, after: { status: 'cancelled' } },
  ])
  t.equal(entries.length, 4)
})

t.test('the command line makes, lists, shows, changes and ends', async (t) => {
  const env = { PARLEY_BASE_URL: world.base_url, PARLEY_OPERATOR_KEY: OPERATOR_KEY }
  const parley = (...args: string[]) => run(['appointments', ...args], env)
  const json = async (...args: string[]): Promise<Json> => {
    const { code, out, err } = await parley(...args, '--json')
    if (code !== 0) throw new Error(err)
    return JSON.parse(out)
  }
  const user = await newUser()
  const mine = ['--project', project_id]
  const one = await json(
    'create',
    ...mine,
    '--starts',
    '2033-07-01T10:00',
    '--ends',
    '2033-07-01T10:30',
    '--timezone',
    'Europe/Berlin',
    '--assignee',
    user,
    '--modality',
    'online',
    '--url',
    'https://meet.example.com/x',
    '--amount',
    '12.5',
    '--currency',
    'EUR',
  )
  t.match(one, { starts_at: '2033-07-01T08:00:00.000Z', amount: 12.5, meeting_url: 'https://meet.example.com/x' })
  const list = await parley('list', ...mine, '--assignee', user)
  t.match(list.out, new RegExp(`^id .*\\n${one._id}  ${one.number} +pending  2033-07-01 10:00\\+02:00  Luis\\n$`))
  t.match(await json('list', ...mine, '--assignee', user, '--from', '2033-07-01', '--before', '2033-07-02'), [
    { _id: one._id },
  ])
  t.match(await parley('list', ...mine, '--assignee', nobody), { code: 0, err: 'There are no such appointments.\n' })
  t.match((await parley('show', one._id)).out, /^ends +2033-07-01 10:30\+02:00$/m)
  const moved = await json('update', one._id, '--starts', '2033-12-01T10:00', '--amount', 'none', '--payment', 'paid')
  t.match(moved, { starts_at: '2033-12-01T09:00:00.000Z', amount: null, payment_status: 'paid' })
  t.match(await parley('update', one._id), { code: 2, err: /^Say what to change/ })
  t.match(await parley('update', one._id, '--remind', '24'), {
    code: 2,
    err: /needs --remind, --template and --language/,
  })
  t.match(await json('confirm', one._id), { status: 'confirmed' })
  t.match(await parley('confirm', one._id), { code: 1, err: /; status: \w+ \(APPOINTMENT_NOT_PENDING\)\.$/m })
  t.match((await parley('complete', one._id)).out, /^status +completed$/m)
  for (const verb of ['cancel', 'no-show']) {
    const { _id } = await json('create', ...mine, '--starts', '2033-07-02T10:00:00Z', '--ends', '2033-07-02T10:30:00Z')
    const is_asked = verb === 'cancel'
    if (is_asked) t.match(await parley(verb, _id), { code: 1, out: '', err: /^Nothing is cancelled: .*--yes/ })
    t.match(await json(verb, _id, ...(is_asked ? ['--yes'] : [])), { status: is_asked ? 'cancelled' : 'no_show' })
  }
  t.match(await parley('show', nobody), { code: 1, err: /`parley appointments list` shows which there are/ })
})
