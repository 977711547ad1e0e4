/** Loyalty programs, memberships and ledgers. One file, because all of it shares a node. */
import t from 'tap'
import { AuditEntry, openDatabase, readRows } from '../../storage/mod.ts'
import { type Finished, run, runOnTerminal } from '../cli/command.ts'
import { eventually, type Json } from './client.ts'
import { dataProblems } from './event_schemas.ts'
import { joinWorld, made, makeSister, makeTenant, OPERATOR_KEY, type Tenant } from './fixture.ts'

const DAY_MS = 86_400_000
const world = await joinWorld(t)
const { operator, sink } = world
const tenant = await makeTenant(world)
const sister = await makeSister(world, tenant)
const nobody = 'f'.repeat(24)
const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
t.teardown(() => database.close())

const TIERS = [
  { name: 'Silver', threshold: 100 },
  { name: 'Gold', threshold: 500 },
]

const newProgram = (fields: Json = {}, { project_id }: Tenant = tenant): Promise<Json> =>
  made(operator('POST', 'programs', { project_id, name: 'Club', type: 'points', ...fields }))

async function newMember(program: Json, fields: Json = {}): Promise<Json> {
  const { company_id } = tenant
  const customer = await made(operator('POST', 'customers', { company_id, full_name: 'Ana' }))
  return made(operator('POST', 'memberships', { program_id: program._id, customer_id: customer._id, ...fields }))
}

const move = ({ _id }: Json, kind: string, amount: number, fields: Json = {}) =>
  operator('POST', `memberships/${_id}/ledger`, { kind, amount, ...fields })
const read = async ({ _id }: Json): Promise<Json> => made(tenant.api('GET', `loyalty/memberships/${_id}`))
const ledger = async ({ _id }: Json, query = ''): Promise<Json> =>
  made(tenant.api('GET', `loyalty/memberships/${_id}/ledger${query}`))
const amounts = async (member: Json): Promise<[string, number, number][]> =>
  (await ledger(member)).data.map(({ kind, amount, balance_after }: Json) => [kind, amount, balance_after])
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()
const expiring = (days: number) => ({ rules: { points: { expiration_days: days } } })

t.test('a program and a membership read as the contract says', async (t) => {
  const program = await newProgram({ tiers: TIERS, ...expiring(365) })
  const { status, body } = await tenant.api('GET', `loyalty/programs/${program._id}`)
  t.equal(status, 200)
  const { project_id, ...shown } = program
  t.same(body, shown)
  const { created_at, updated_at, ...given } = shown
  t.same(given, { _id: program._id, name: 'Club', type: 'points', ...expiring(365), tiers: TIERS, is_active: true })
  const member = await newMember(program)
  const fields = await read(member)
  t.same(fields, {
    _id: member._id,
    program_id: program._id,
    customer_id: member.customer_id,
    serial_number: member.serial_number,
    status: 'active',
    balance_points: 0,
    stamps_count: 0,
    tier: '',
    enrolled_at: member.enrolled_at,
    created_at: member.created_at,
    updated_at: member.updated_at,
  })
  t.match(member.serial_number, /^\d{16}$/)
  t.match(member, { ...fields, project_id: tenant.project_id, entry_count: 0, expired_at: null })
  t.equal(Date.parse(member.expires_at) - Date.parse(member.enrolled_at), 365 * DAY_MS)
  t.same(await ledger(member), { data: [], next_cursor: null, total: 0, limit: 50, offset: 0, has_more: false })
})

t.test('movements add up as stored, newest first, and set the tier', async (t) => {
  const member = await newMember(await newProgram({ tiers: TIERS }))
  const tiers: string[] = []
  const moves: [string, number][] = [
    ['earn', 100],
    ['earn', 450],
    ['redeem', 50],
    ['redeem', -1],
    ['adjust', -399],
  ]
  for (const [kind, amount] of moves) {
    await made(move(member, kind, amount, { ref: 'order-7' }))
    tiers.push((await read(member)).tier)
  }
  t.same(tiers, ['Silver', 'Gold', 'Gold', 'Silver', 'Silver'])
  t.same(await amounts(member), [
    ['adjust', -399, 100],
    ['redeem', -1, 499],
    ['redeem', -50, 500],
    ['earn', 450, 550],
    ['earn', 100, 100],
  ])
  const { data, total } = await ledger(member, '?limit=2&offset=1')
  t.equal(total, 5)
  t.same(
    data.map(({ amount }: Json) => amount),
    [-1, -50],
  )
  t.same(Object.keys(data[0]).sort(), ['_id', 'amount', 'balance_after', 'created_at', 'kind', 'membership_id', 'ref'])
  t.equal(data[0].ref, 'order-7', 'many entries may have the same ref')
  t.match(await read(member), { balance_points: 100, stamps_count: 0 })
  const all = (await made(operator('GET', `memberships/${member._id}/ledger`))).data
  t.same(
    all.map(({ number }: Json) => number),
    [5, 4, 3, 2, 1],
  )
  t.equal((await made(operator('GET', `memberships/${member._id}/ledger?kind=redeem&ref=order-7`))).total, 2)
  t.same((await ledger(member, '?offset=5')).data, [])
})

t.test('stamps move the count of stamps alone', async (t) => {
  const member = await newMember(
    await newProgram({ type: 'stamps', tiers: [{ name: 'Base', threshold: 0 }, ...TIERS] }),
  )
  await made(move(member, 'earn', 600))
  t.match(await read(member), { balance_points: 0, stamps_count: 600, tier: 'Base' })
})

t.test('nothing is taken that is not there, and nothing is earned in an inactive program', async (t) => {
  const program = await newProgram()
  const member = await newMember(program)
  await made(move(member, 'earn', 50))
  for (const [kind, amount] of [
    ['redeem', 51],
    ['adjust', -51],
  ] as const) {
    t.match(await move(member, kind, amount), {
      status: 422,
      body: { error: { code: 'INSUFFICIENT_BALANCE', details: { balance: 50, amount: -51 } } },
    })
  }
  await made(operator('PATCH', `programs/${program._id}`, { is_active: false }))
  t.match(await move(member, 'earn', 1), { status: 422, body: { error: { code: 'PROGRAM_INACTIVE' } } })
  const { _id: customer_id } = await made(
    operator('POST', 'customers', { company_id: tenant.company_id, full_name: 'Eva' }),
  )
  const enrolment = { program_id: program._id, customer_id }
  t.match(await operator('POST', 'memberships', enrolment), { body: { error: { code: 'PROGRAM_INACTIVE' } } })
  await made(move(member, 'redeem', 20))
  await made(move(member, 'adjust', 5))
  await made(operator('PATCH', `programs/${program._id}`, { is_active: true }))
  for (const status of ['suspended', 'revoked']) {
    t.match(await made(operator('PATCH', `memberships/${member._id}`, { status })), { status })
    await made(move(member, 'earn', 1))
  }
  t.match(await read(member), { status: 'revoked', balance_points: 37 })
  t.match(await move(member, 'earn', 1_000_000_000), { status: 201 })
  t.match(await move(member, 'earn', 1_000_000_000), { body: { error: { code: 'BALANCE_LIMIT_REACHED' } } })
})

t.test('a movement is repeated by its key, and not by its ref', async (t) => {
  const member = await newMember(await newProgram())
  const keyed = { ref: 'order-1', key: 'till 4, receipt 17' }
  const first = await move(member, 'earn', 10, keyed)
  const again = await move(member, 'earn', 10, keyed)
  t.same([first.status, again.status], [201, 201])
  t.same(again.body, first.body)
  t.notOk(first.headers['idempotent-replayed'])
  t.equal(again.headers['idempotent-replayed'], 'true')
  await made(move(member, 'earn', 10, { ref: 'order-1' }))
  for (const [kind, amount, fields] of [
    ['earn', 11, keyed],
    ['adjust', 10, keyed],
    ['earn', 10, { ...keyed, ref: null }],
  ] as const) {
    t.match(await move(member, kind, amount, fields), {
      status: 422,
      body: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } },
    })
  }
  const other = await newMember(await newProgram())
  t.equal((await made(move(other, 'earn', 10, keyed))).balance_after, 10, 'a key is that of one membership')
  t.equal((await move(other, 'redeem', 99, { key: 'too much' })).status, 422)
  await made(move(other, 'earn', 89))
  t.equal((await move(other, 'redeem', 99, { key: 'too much' })).status, 201, 'a refused movement frees its key')
  t.match(await read(member), { balance_points: 20 })
})

t.test('points read 0 after their days, expire once, and are earned anew from 0', async (t) => {
  const program = await newProgram({ tiers: TIERS, ...expiring(30) })
  const [rich, poor, late] = [
    await newMember(program, { enrolled_at: daysAgo(20) }),
    await newMember(program, { enrolled_at: daysAgo(20) }),
    await newMember(program, { enrolled_at: daysAgo(5) }),
  ] as [Json, Json, Json]
  const path = 'expiries'
  await tenant.subscribe(path, ['loyalty.ledger.entry_created'])
  for (const member of [rich, late]) await made(move(member, 'earn', 120))
  t.match(await read(rich), { balance_points: 120, tier: 'Silver' })
  await made(operator('PATCH', `programs/${program._id}`, expiring(10)))
  t.match(await read(rich), { balance_points: 0, tier: '' }, 'at once, whether the timer has fired or not')
  t.match(await move(rich, 'redeem', 1), { status: 422, body: { error: { code: 'INSUFFICIENT_BALANCE' } } })
  await eventually('the entry is written', async () => (await ledger(rich)).total === 2)
  t.same(await amounts(rich), [
    ['expire', -120, 0],
    ['earn', 120, 120],
  ])
  t.same((await ledger(poor)).data, [], 'without points there is nothing to write')
  t.match(await made(operator('GET', `memberships/${poor._id}`)), { expires_at: null, expired_at: /Z$/ })
  t.match(await read(late), { balance_points: 120 })
  await made(move(rich, 'earn', 30))
  t.match(await read(rich), { balance_points: 30 })
  await made(move(rich, 'redeem', 10))
  await made(operator('PATCH', `programs/${program._id}`, expiring(1)))
  await eventually(
    'the late one expires',
    async () => (await read(late)).balance_points === 0 && (await ledger(late)).total === 2,
  )
  t.match(await read(rich), { balance_points: 20 }, 'a membership expires once')
  t.equal((await ledger(rich)).total, 4)
  const told = await eventually('all are told', () => {
    const events = sink.events(path)
    return events.length >= 6 && events.map(({ data }) => `${data.kind} ${data.amount}`)
  })
  for (const { body } of sink.calls(path)) t.same(dataProblems(body.type, body.data), [])
  t.same(told.sort(), ['earn 120', 'earn 120', 'earn 30', 'expire -120', 'expire -120', 'redeem -10'])
})

t.test('the expiry comes first when a movement is faster than the timer', async (t) => {
  const program = await newProgram(expiring(10))
  const members = await Promise.all(Array.from({ length: 20 }, () => newMember(program, { enrolled_at: daysAgo(5) })))
  await Promise.all(members.map((member) => made(move(member, 'earn', 70))))
  const shorter = operator('PATCH', `programs/${program._id}`, expiring(2))
  const [patched, ...moved] = await Promise.all([shorter, ...members.map((member) => move(member, 'earn', 5))])
  t.equal(patched.status, 200)
  t.ok(moved.every(({ status }) => status === 201))
  for (const member of members) {
    await eventually('it has expired', async () => (await ledger(member)).total === 3)
    const seen = await amounts(member)
    t.same(seen.filter(([kind]) => kind === 'expire').length, 1)
    const last = seen[0]!
    t.same(last, last[0] === 'expire' ? ['expire', -75, 0] : ['earn', 5, 5])
  }
})

t.test('points that read 0 do not come back with other rules, before the timer has fired', async (t) => {
  const program = await newProgram(expiring(10))
  const [member, other] = [await newMember(program), await newMember(program)] as [Json, Json]
  for (const one of [member, other]) await made(move(one, 'earn', 70))
  // No timer is set for this moment.
  await database.execute(`update loyalty_membership set enrolled_at = now() - interval '11 days' where _id = ?`, [
    member._id,
  ])
  t.match(await read(member), { balance_points: 0 })
  await made(() => operator('PATCH', `programs/${program._id}`, expiring(0)))
  t.match(await read(member), { balance_points: 0 })
  t.same(await amounts(member), [
    ['expire', -70, 0],
    ['earn', 70, 70],
  ])
  t.match(await read(other), { balance_points: 70 })
})

t.test('more memberships than one turn takes expire by the timer', async (t) => {
  const program = await newProgram(expiring(3650))
  const member = await newMember(program, { enrolled_at: daysAgo(20) })
  await made(move(member, 'earn', 9))
  // Older ones, so that the member comes last.
  await database.execute(
    `insert into customer (_id, company_id, full_name, tags, custom_fields)
      select left(md5(? || n), 24), ?, 'Ana', '{}', '{}' from generate_series(1, 250) n`,
    [member._id, tenant.company_id],
  )
  await database.execute(
    `insert into loyalty_membership (_id, company_id, project_id, program_id, customer_id, serial_number, status, enrolled_at)
      select id, company_id, project_id, program_id, id, id, status, enrolled_at - interval '1 day'
      from loyalty_membership, generate_series(1, 250) n, lateral (select left(md5(_id || n), 24) as id) older
      where _id = ?`,
    [member._id],
  )
  await made(operator('PATCH', `programs/${program._id}`, expiring(1)))
  await eventually('the last one has expired', async () => (await ledger(member)).total === 2)
  const [left] = await database.execute<{ count: number }>(
    'select count(*)::integer as count from loyalty_membership where program_id = ? and expired_at is null',
    [program._id],
  )
  t.equal(left!.count, 0)
})

t.test('unknown and foreign records are not found, and malformed ids neither', async (t) => {
  const foreign = await newProgram({}, sister)
  const member = await newMember(foreign)
  for (const id of [nobody, 'x', '%20', member._id]) {
    for (const path of [
      `memberships/${id}`,
      `memberships/${id}/ledger`,
      `programs/${id === member._id ? foreign._id : id}`,
    ]) {
      t.match(await tenant.api('GET', `loyalty/${path}`), { status: 404, body: { error: { code: 'NOT_FOUND' } } }, path)
    }
  }
  for (const query of ['limit=0', 'limit=201', 'limit=x', 'limit=1.5', 'offset=-1', 'offset=x', 'page=1']) {
    const { status, body } = await sister.api('GET', `loyalty/memberships/${member._id}/ledger?${query}`)
    t.same([status, body.error.code], [400, 'VALIDATION_ERROR'], query)
  }
  for (const id of [nobody, 'x']) {
    for (const path of [`programs/${id}`, `memberships/${id}`, `memberships/${id}/ledger`]) {
      t.equal((await operator('GET', path)).status, 404, path)
    }
    t.equal((await operator('POST', `memberships/${id}/ledger`, { kind: 'earn', amount: 1 })).status, 404)
  }
})

t.test('what operators send is checked', async (t) => {
  const { project_id, company_id } = tenant
  const program = { project_id, name: 'Club', type: 'points' }
  const refused: [string, Json, path: string][] = [
    ['programs', { ...program, type: 'miles' }, 'type'],
    ['programs', { ...program, rules: { points: { expiration_days: -1 } } }, 'rules.points.expiration_days'],
    ['programs', { ...program, type: 'stamps', ...expiring(1) }, 'rules.points.expiration_days'],
    ['programs', { ...program, tiers: [TIERS[0], TIERS[0]] }, 'tiers.1.name'],
    ['programs', { ...program, tiers: [{ name: 'A', threshold: 1.5 }] }, 'tiers.0.threshold'],
    ['memberships', { program_id: nobody }, 'customer_id'],
    ['memberships', { program_id: nobody, customer_id: nobody, status: 'gone' }, 'status'],
    ...[0, 1.5, -1, '5', 1_000_000_001].map((amount): [string, Json, string] => [
      `memberships/${nobody}/ledger`,
      { kind: 'earn', amount },
      'amount',
    ]),
    [`memberships/${nobody}/ledger`, { kind: 'expire', amount: 1 }, 'kind'],
    [`memberships/${nobody}/ledger`, { kind: 'earn', amount: 1, key: '' }, 'key'],
  ]
  for (const [path, json, field] of refused) {
    const { status, body } = await operator('POST', path, json)
    t.equal(status, 400, `${path} ${field}`)
    t.ok(
      body.error.details.violations.some((one: Json) => one.path === field),
      JSON.stringify(body.error),
    )
  }
  t.match(await operator('POST', 'programs', { ...program, project_id: nobody }), {
    status: 422,
    body: { error: { code: 'PROJECT_NOT_FOUND' } },
  })
  const { _id: customer_id } = await made(operator('POST', 'customers', { company_id, full_name: 'Ana' }))
  const { _id: program_id } = await made(operator('POST', 'programs', program))
  const codes: [Json, status: number, code: string][] = [
    [{ program_id: nobody, customer_id }, 422, 'PROGRAM_NOT_FOUND'],
    [{ program_id, customer_id: nobody }, 422, 'CUSTOMER_NOT_FOUND'],
    [{ program_id, customer_id, enrolled_at: new Date(Date.now() + DAY_MS).toISOString() }, 400, 'VALIDATION_ERROR'],
  ]
  for (const [json, status, code] of codes) {
    t.match(await operator('POST', 'memberships', json), { status, body: { error: { code } } })
  }
  const member = await made(operator('POST', 'memberships', { program_id, customer_id, serial_number: 'A-1' }))
  t.match(await operator('POST', 'memberships', { program_id, customer_id }), {
    status: 409,
    body: { error: { code: 'MEMBERSHIP_ALREADY_EXISTS', details: { membership_id: member._id } } },
  })
  const other = await newMember({ _id: program_id })
  t.match(await operator('PATCH', `memberships/${other._id}`, { serial_number: 'A-1' }), {
    status: 409,
    body: { error: { code: 'SERIAL_NUMBER_ALREADY_EXISTS' } },
  })
  const stamps = await newProgram({ type: 'stamps' })
  t.match(await operator('PATCH', `programs/${stamps._id}`, expiring(1)), { status: 400 })
  const lists: [string, number][] = [
    [`memberships?project_id=${project_id}&serial_number=A-1`, 1],
    [`memberships?program_id=${program_id}`, 2],
    [`memberships?customer_id=${customer_id}&status=active`, 1],
    [`memberships?customer_id=${customer_id}&status=revoked`, 0],
    [`programs?project_id=${sister.project_id}&type=stamps`, 0],
    [`programs?project_id=${sister.project_id}&is_active=true`, 1],
  ]
  for (const [path, total] of lists) t.equal((await made(operator('GET', path))).total, total, path)
})

t.test('entries cannot be changed or deleted, except by erasing a membership', async (t) => {
  const program = await newProgram()
  const member = await newMember(program)
  await made(move(member, 'earn', 10))
  const mine = `where membership_id = '${member._id}'`
  const entry = `'${nobody}', company_id, project_id, membership_id`
  const columns = '_id, company_id, project_id, membership_id, number, kind, amount, balance_after, created_at'
  for (const sql of [
    `update loyalty_entry set amount = 11 ${mine}`,
    `update loyalty_entry set ref = null ${mine}`,
    `delete from loyalty_entry ${mine}`,
    'truncate loyalty_entry',
    `delete from loyalty_membership where _id = '${member._id}'`,
  ]) {
    await t.rejects(database.execute(sql), /cannot be changed or deleted|violates foreign key/, sql)
  }
  for (const [number, balance] of [
    [3, 20],
    [2, 21],
    [1, 10],
  ]) {
    const values = `${entry}, ${number}, 'earn', 10, ${balance}, now()`
    const sql = `insert into loyalty_entry (${columns}) select ${values} from loyalty_entry ${mine}`
    await t.rejects(database.execute(sql), /does not follow|duplicate key/, sql)
  }
  const held = (held_by: Json, message: RegExp) => ({
    status: 409,
    body: { error: { code: 'IN_USE', message, details: { held_by } } },
  })
  t.match(
    await operator('DELETE', `memberships/${member._id}`),
    held({ ledger_entries: 1 }, /still has 1 ledger entry\./),
  )
  t.match(await operator('DELETE', `programs/${program._id}`), held({ memberships: 1 }, /still has 1 membership\./))
  t.match(
    await operator('DELETE', `customers/${member.customer_id}`),
    held({ loyalty_memberships: 1 }, /still has 1 loyalty membership\./),
  )
  t.match(await operator('DELETE', `projects/${tenant.project_id}`), { status: 409 })
  t.equal((await operator('DELETE', `memberships/${member._id}?with_ledger=true`)).status, 204)
  t.equal((await tenant.api('GET', `loyalty/memberships/${member._id}`)).status, 404)
  t.equal((await move(member, 'earn', 1)).status, 404)
  t.same(await database.execute(`select 1 from loyalty_entry ${mine}`), [])
  const empty = await newMember(program)
  t.equal((await operator('DELETE', `memberships/${empty._id}`)).status, 204)
  t.equal((await operator('DELETE', `programs/${program._id}`)).status, 204)
  t.equal((await operator('DELETE', `customers/${member.customer_id}`)).status, 204)
})

t.test('each change of a program or membership, and each movement, leaves one audit entry', async (t) => {
  const program = await newProgram()
  const member = await newMember(program)
  await made(operator('PATCH', `programs/${program._id}`, { name: 'Renamed' }))
  await made(operator('PATCH', `memberships/${member._id}`, { status: 'suspended' }))
  const earned = await made(move(member, 'earn', 5))
  const corrected = await made(move(member, 'adjust', -2, { key: 'once' }))
  await made(move(member, 'adjust', -2, { key: 'once' }))
  await operator('DELETE', `memberships/${member._id}?with_ledger=true`)
  await operator('DELETE', `programs/${program._id}`)
  const target_id = [program._id, member._id, earned._id, corrected._id]
  const entries = await readRows(database, AuditEntry, { target_id })
  const actions = entries.sort((a, b) => (a._id < b._id ? -1 : 1)).map(({ action }) => action)
  t.same(actions, [
    'create_loyalty_program',
    'create_loyalty_membership',
    'update_loyalty_program',
    'update_loyalty_membership',
    'record_loyalty_movement',
    'record_loyalty_movement',
    'delete_loyalty_membership',
    'delete_loyalty_program',
  ])
  t.match(entries[3], { before: { status: 'active' }, after: { status: 'suspended' }, project_id: tenant.project_id })
  t.match(entries[4], { target_id: earned._id, before: null, after: { amount: 5, balance_after: 5 } })
  t.match(entries[5], { target_id: corrected._id, after: { amount: -2, balance_after: 3 } })
})

t.test('the command line does the same', async (t) => {
  const env = { PARLEY_BASE_URL: world.base_url, PARLEY_OPERATOR_KEY: OPERATOR_KEY }
  const parley = (words: string, ...more: string[]) => run(['loyalty', ...words.split(' '), ...more], env)
  const json = async (finished: Promise<Finished>): Promise<Json> => {
    const { code, out, err } = await finished
    if (code !== 0) throw new Error(err)
    return JSON.parse(out)
  }
  const project = `--project ${tenant.project_id}`
  const program = await json(
    parley(`programs create ${project} --type points --expire-after 30 --tier Gold=5 --json --name`, 'Card 7'),
  )
  t.match(program, { name: 'Card 7', ...expiring(30), tiers: [{ name: 'Gold', threshold: 5 }] })
  t.match(
    (await parley(`programs list ${project} --type points`)).out,
    /^\w{24} {2}points {2}active {2}30 days +Gold +Card 7$/m,
  )
  t.match((await parley(`programs update ${program._id} --tier none --no-active`)).out, /^levels +none$/m)
  t.equal((await json(parley(`programs list ${project} --no-active --json`))).length, 1)
  t.match(await json(parley(`programs update ${program._id} --active --json`)), { is_active: true, tiers: [] })
  const customer = await made(operator('POST', 'customers', { company_id: tenant.company_id, full_name: 'Ana' }))
  const enrol = `memberships create --program ${program._id} --customer ${customer._id} --serial B-7`
  const member = await json(parley(`${enrol} --enrolled-at 3d --json`))
  t.match(member, { program_id: program._id, customer_id: customer._id, serial_number: 'B-7', status: 'active' })
  t.match(await parley(enrol), { code: 1, out: '', err: /\(MEMBERSHIP_ALREADY_EXISTS\)\.$/m })
  t.match((await parley(`ledger ${member._id}`)).err, 'There are no movements.')
  t.match(
    (await parley(`earn ${member._id} 12 --ref order-1 --key k1`)).out,
    /^\+12, balance 12 \(movement 1 of \w{24}\)\.$/m,
  )
  t.match(await json(parley(`earn ${member._id} 12 --ref order-1 --key k1 --json`)), { number: 1, balance_after: 12 })
  t.match((await parley(`redeem ${member._id} 4`)).out, '-4, balance 8')
  t.match((await parley(`adjust ${member._id} -3`)).out, '-3, balance 5')
  t.match(await parley(`redeem ${member._id} 6`), { code: 1, err: /; balance: 5 \(INSUFFICIENT_BALANCE\)\.$/m })
  t.match((await parley(`earn ${member._id} x`)).err, 'It must be a whole number other than 0.')
  const { out, err } = await parley(`ledger ${member._id} --limit 2`)
  t.match(out, /^3 +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}adjust +-3 +5$/m)
  t.match(err, '1 more: --limit shows them.')
  t.same(await json(parley(`ledger ${member._id} --json --kind redeem --ref none`)), [])
  t.match((await parley(`memberships list ${project} --serial B-7`)).out, /^\w{24} {2}active {2}5 +0 /m)
  t.match((await parley(`memberships update ${member._id} --status revoked`)).out, /^status +revoked$/m)
  t.match((await parley(`memberships show ${member._id}`)).out, /^expires +\d{4}-/m)
  t.match(await parley(`memberships delete ${member._id} --yes`), { code: 1, err: /3 ledger entries.*\(IN_USE\)\.$/m })
  t.match(await parley(`memberships delete ${member._id} --with-ledger`), {
    code: 1,
    err: /^Nothing is deleted: .* --yes/,
  })
  const erasure = ['loyalty', 'memberships', 'delete', member._id, '--with-ledger']
  t.match(await runOnTerminal(erasure, env, 'no'), { code: 1, err: /with its 3 movements, for good\? \[y\/N\] / })
  t.match(await runOnTerminal(erasure, env, 'yes'), { code: 0, out: `Deleted ${member._id}.\n` })
  t.same(await json(parley(`programs delete ${program._id} --yes --json`)), { deleted: program._id })
  t.match(
    (await parley(`memberships show ${member._id}`)).err,
    '`parley loyalty memberships list` shows which there are',
  )
})

t.test('programs and memberships tell when they were made and when they changed', async (t) => {
  const program = await newProgram({ type: 'points' })
  const member = await newMember(program)
  const readProgram = () => made(tenant.api('GET', `loyalty/programs/${program._id}`))
  for (const read_one of [readProgram, () => read(member)]) {
    const { created_at, updated_at } = await read_one()
    t.equal(updated_at, created_at)
    t.ok(Math.abs(Date.parse(created_at) - Date.now()) < 3_600_000)
  }
  const before = await read(member)
  await made(move(member, 'earn', 10))
  const after = await read(member)
  t.equal(after.created_at, before.created_at)
  t.ok(after.updated_at > before.updated_at, 'a movement changes the membership')
  const { created_at, updated_at } = await readProgram()
  await made(operator('PATCH', `programs/${program._id}`, { name: 'Renamed' }))
  const renamed = await readProgram()
  t.ok(renamed.created_at === created_at && renamed.updated_at > updated_at)
})
