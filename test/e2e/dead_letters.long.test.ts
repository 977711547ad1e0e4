/** Parked messages between actors: operators find them, replay them and drop them. */
import t from 'tap'
import { type Database, openDatabase } from '../../storage/mod.ts'
import { type Answer, eventually, type Json } from './client.ts'
import { startCluster, statuses } from './cluster.ts'
import { made, makeTenant, text } from './fixture.ts'

const cluster = await startCluster(t, { log: { debug() {}, info() {}, warn() {}, error() {} } })
const { nodes, world, config } = cluster
const { operator } = world
const database: Database = await openDatabase({ url: config.database_url!, pool_size: 4 })
t.teardown(() => database.close())

/** Makes sends to these people fail in the channel, as a record that does not fit would. The result ends that. */
async function breakSendsTo(...phones: string[]): Promise<() => Promise<void>> {
  const list = phones.map((phone) => `'${phone.slice(1)}'`).join()
  await database.execute(`create function refuse_dispatch() returns trigger language plpgsql as $$
    begin raise exception 'no room for %', new.recipient using errcode = '23514'; end $$`)
  await database.execute(`create trigger refuse before insert on dispatch for each row
    when (new.recipient in (${list})) execute function refuse_dispatch()`)
  return async () => void (await database.execute('drop trigger refuse on dispatch; drop function refuse_dispatch'))
}

const listed = async (query = ''): Promise<Json> => made(operator('GET', `dead-letters${query}`))

/**
 * Parks letters as earlier trouble would have left them. Their messages mean nothing to the actor. Returns their ids.
 */
async function park(count: number, fields: { address?: string; type?: string; error?: string; days?: number } = {}) {
  const { address = 'mail/none', type = 'attempted', error = 'Error: old', days = 0 } = fields
  const message = JSON.stringify({ type, attempt: 0, outcome: { kind: 'failed', error: '' } })
  const rows = await database.execute<{ id: string }>(
    `insert into dead_letter (partition, address, sender, message, error, parked_at)
     select 0, ?, 'project/one', ?::json, ?, now() - make_interval(days => ?) from generate_series(1, ?) returning id::text`,
    [address, message, error, days, count],
  )
  return rows.map(({ id }) => id)
}

t.test('a parked message is found, its cause mended, and fifty requests replay it once', async (t) => {
  const tenant = await makeTenant(world)
  const phone = '+15550230001'
  await tenant.writes(phone, 'Hello')
  const mend = await breakSendsTo(phone)
  const { id: message_id } = await made(tenant.send(phone, { message: text('The code is svc_pk_0123456789 for you') }))
  const letter = await eventually('it is parked', async () => (await listed('?kind=channel&type=dispatch')).data[0])
  const address = `channel/${tenant.number.channel_id}`
  t.match(letter, { address, kind: 'channel', type: 'dispatch', sender: `project/${tenant.project_id}` })
  t.match(letter.error, /no room for 15550230001/)
  t.notMatch(letter.error, '\n', 'the list shows the first line of the error')
  t.ok(Math.abs(Date.parse(letter.parked_at) - Date.now()) < 60_000)
  const whole = await made(operator('GET', `dead-letters/${letter.id}`))
  t.match(whole, { ...letter, error: /no room for .*\n\s+at /s, message: { type: 'dispatch', message_id } })
  t.match(
    JSON.stringify(whole.message),
    'The code is svc_pk_[redacted] for you',
    'the message is shown without secrets',
  )

  t.equal((await operator('POST', `dead-letters/${letter.id}/replay`)).status, 200)
  const again = await eventually('what is not mended is parked again', async () => {
    const [found] = (await listed('?kind=channel&type=dispatch')).data
    return found && found.id !== letter.id && found
  })
  t.match(again, { address, sender: letter.sender }, 'the sender is still known')
  t.ok(BigInt(again.id) > BigInt(letter.id))

  await mend()
  const answers: Answer[] = await Promise.all(
    Array.from({ length: 50 }, (_, n) => nodes[n % 2]!.operator('POST', `dead-letters/${again.id}/replay`)),
  )
  t.strictSame(statuses(answers), { 200: 1, 404: 49 })
  t.same(answers.find(({ status }) => status === 200)!.body, { replayed: 1 })
  await tenant.message(message_id, 'read')
  t.equal((await tenant.sent()).length, 1, 'the provider got it once')
  t.match((await tenant.sent())[0], { body: { text: { body: 'The code is svc_pk_0123456789 for you' } } })
  t.equal((await operator('GET', `dead-letters/${again.id}`)).status, 404)
  t.same((await listed('?kind=channel')).data, [])
})

t.test('many letters are replayed in the order of their parking, each once, by filters at two nodes', async (t) => {
  const tenant = await makeTenant(world)
  const phones = Array.from({ length: 8 }, (_, n) => `+1555024${1000 + n}`)
  for (const phone of phones) await tenant.writes(phone, 'Hello')
  const mend = await breakSendsTo(...phones)
  const sends: string[] = []
  for (const phone of phones) sends.push((await made(tenant.send(phone))).id)
  const filter = `?type=dispatch&address=channel/${tenant.number.channel_id}`
  const parked: Json[] = await eventually('all are parked', async () => {
    // The total may be newer than the page.
    const { data, total } = await listed(filter)
    return total === phones.length && data.length === phones.length && data
  })
  await mend()
  const body = { type: 'dispatch', address: `channel/${tenant.number.channel_id}`, error: 'NO ROOM for', limit: 3 }
  const first = await made(operator('POST', 'dead-letters/replay', body))
  t.match(first, { replayed: 3, remaining: 5, max_id: /^\d+$/ })
  t.same((await listed(filter)).data, parked.slice(0, 5), 'the newest letters are left')
  const rest = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      nodes[n % 2]!.operator('POST', 'dead-letters/replay', { ...body, limit: 100 }),
    ),
  )
  t.equal(
    rest.reduce((sum, { body }) => sum + body.replayed, 0),
    5,
  )
  for (const id of sends) await tenant.message(id, 'read')
  const sent = await tenant.sent()
  t.strictSame(sent.map(({ body }: Json) => `+${body.to}`).sort(), phones)
  t.same(await made(operator('POST', 'dead-letters/replay', body)), {
    ...first,
    replayed: 0,
    remaining: 0,
    max_id: null,
  })
})

t.test('letters are dropped one by one, and many at once with a confirmation', async (t) => {
  const [one, other] = await park(2, { type: 'attempted', error: 'Error: 100% wrong' })
  t.equal((await operator('DELETE', `dead-letters/${one}`)).status, 204)
  t.equal((await operator('DELETE', `dead-letters/${one}`)).status, 404)
  const newer = await park(1200, { error: 'TypeError: later' })
  const refused = await operator('POST', 'dead-letters/drop', { error: 'wrong' })
  t.match(refused, { status: 400, body: { error: { details: { violations: [{ path: 'confirm' }] } } } })
  const drop = (filter: object) => made(operator('POST', 'dead-letters/drop', { ...filter, confirm: true }))
  t.match(await drop({ error: '100%', max_id: one }), { dropped: 0, remaining: 0 }, 'letters parked later stay')
  t.match(await drop({ error: '100% WRONG' }), { dropped: 1, remaining: 0, max_id: newer.at(-1) })
  t.equal((await operator('GET', `dead-letters/${other}`)).status, 404)
  t.match(await drop({ kind: 'mail', limit: 100 }), { dropped: 100, remaining: 1100 })
  t.same((await listed('?kind=mail&limit=1')).total, 1100)
  t.match(await drop({ kind: 'mail' }), { dropped: 1000, remaining: 100 })
  t.match(await drop({}), { dropped: 100, remaining: 0 })
  t.same(await drop({}), { dropped: 0, remaining: 0, max_id: null })
})

t.test('the list is newest first, page by page, and filters combine', async (t) => {
  const ids = [
    ...(await park(3, { type: 'attempted', error: 'Error: one' })),
    ...(await park(2, { type: 'retry', error: 'Error: two\n  at a line' })),
    ...(await park(8, { address: 'nobody/here', type: 'attempted', days: 2 })),
  ]
  const own = async (query: string) => (await listed(query)).data.map(({ id }: Json) => ids.indexOf(id))
  t.strictSame(await own(''), [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
  t.match(await listed('?limit=4&offset=9'), { total: 13, limit: 4, offset: 9 })
  t.strictSame(await own('?limit=4&offset=9'), [3, 2, 1, 0])
  t.strictSame(await own('?type=retry'), [4, 3])
  t.strictSame(await own('?error=one&kind=mail'), [2, 1, 0])
  t.strictSame(await own('?kind=nobody&type=retry'), [])
  t.strictSame(await own('?address=nobody/here&limit=1'), [12])
  t.strictSame(await own(`?max_id=${ids[1]}`), [1, 0])
  const yesterday = new Date(Date.now() - 86_400_000).toISOString()
  t.strictSame(await own(`?until=${yesterday}&limit=2`), [12, 11])
  t.strictSame(await own(`?since=${yesterday}`), [4, 3, 2, 1, 0])
  for (const query of ['?max_id=x', '?kind=a-b', '?limit=0', '?since=2026-02-31T00:00:00Z', '?error=', '?colour=red']) {
    t.equal((await operator('GET', `dead-letters${query}`)).status, 400, query)
  }
  for (const id of ['0', 'x', '-1', '9'.repeat(19), '1e3', '999999']) {
    t.equal((await operator('GET', `dead-letters/${id}`)).status, 404, id)
    t.equal((await operator('POST', `dead-letters/${id}/replay`)).status, 404, id)
  }

  const kept = async () => {
    const texts = await Promise.all(nodes.map((node) => node.metrics()))
    return texts
      .join('')
      .match(/^parley_dead_letters_kept\{.*\} \d+$/gm)
      ?.sort()
  }
  t.strictSame(await kept(), ['parley_dead_letters_kept{kind="mail"} 5', 'parley_dead_letters_kept{kind="nobody"} 8'])
  const ages = (await Promise.all(nodes.map((node) => node.metrics()))).flatMap(
    (text) => /^parley_dead_letter_oldest_seconds (\S+)$/m.exec(text)?.[1] ?? [],
  )
  t.equal(ages.length, 1, 'one node tells the age')
  t.ok(Number(ages[0]) < 60, 'the oldest is the one parked first')
})

t.test('a letter whose text PostgreSQL cannot read is still listed', async (t) => {
  await database.execute(`insert into dead_letter (partition, address, message, error) values
    (0, 'mail/x', '{"text":"\\u0000","type":"late"}', 'x'), (0, 'mail/x', '{"type":"early","text":"\\u0000"}', 'x'),
    (0, 'mail/x', '{"text":{"type":"inner"}, "type":"outer"}', 'x')`)
  const { data } = await listed('?address=mail/x')
  t.strictSame(
    data.map(({ type }: Json) => type),
    ['outer', 'early', null],
  )
  t.match(await made(operator('GET', `dead-letters/${data[2].id}`)), { message: { text: '\0', type: 'late' } })
})

t.test('only operators reach dead letters', async (t) => {
  const tenant = await makeTenant(world)
  const [id] = await park(1)
  for (const [method, path, json] of [
    ['GET', 'dead-letters'],
    ['GET', `dead-letters/${id}`],
    ['POST', `dead-letters/${id}/replay`],
    ['DELETE', `dead-letters/${id}`],
    ['POST', 'dead-letters/replay', {}],
    ['POST', 'dead-letters/drop', { confirm: true }],
  ] as const) {
    for (const token of [tenant.token, undefined]) {
      const answer = await world.http(method, `${world.base_url}/admin/v1/${path}`, { json, ...(token && { token }) })
      t.equal(answer.status, 401, `${method} ${path}`)
    }
  }
  t.equal((await operator('GET', `dead-letters/${id}`)).status, 200)
})
