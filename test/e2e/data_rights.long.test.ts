/**
 * Operators erase people and projects, and decide how long records are kept. One file, because all tests share one node,
 * and the list of all tables in which something may be left.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { eventTypeNames } from '../../actors/mod.ts'
import { indexMessages, openDatabase } from '../../storage/mod.ts'
import { run } from '../cli/command.ts'
import { upload } from '../http/media_client.ts'
import { tempDir } from '../support/mod.ts'
import { sendBulk } from './broadcast_client.ts'
import { eventually, type Json } from './client.ts'
import { made, makeSister, makeTenant, OPERATOR_KEY, startWorld, type Tenant } from './fixture.ts'
import { callAsProvider } from './provider_call.ts'
import { filesWith, rowsWith, streamsWith } from './traces.ts'

// A node for this file alone: tests look for leftovers in all tables, files and streams.
const world = await startWorld(t)
const { operator } = world
const database = await openDatabase({ url: world.config.database_url!, pool_size: 2 })
t.teardown(() => database.close())
const tenant = await makeTenant(world)
const nobody = 'f'.repeat(24)
const env = { PARLEY_BASE_URL: world.base_url, PARLEY_OPERATOR_KEY: OPERATOR_KEY }

t.test('the days of a project are shown and changed, with the API and the command line', async (t) => {
  const path = `projects/${tenant.project_id}/retention`
  const shown = await made(operator('GET', path))
  t.ok(shown.data.every(({ is_default }: Json) => is_default))
  const kept = (data: Json[], kind: string) => data.find((one) => one.kind === kind)
  t.match(kept(shown.data, 'events'), { days: world.config.retention_days, is_default: true })
  t.match(kept(shown.data, 'messages'), { days: null, is_default: true })
  const changed = await made(operator('PATCH', path, { events: null, messages: 365 }))
  t.match(kept(changed.data, 'events'), { days: null, default_days: world.config.retention_days, is_default: false })
  t.match(kept(changed.data, 'messages'), { days: 365, default_days: null, is_default: false })
  const { company_id, project_id } = tenant
  const audited = await made(operator('GET', `audit?target_kind=retention&company_id=${company_id}`))
  t.match(audited.data, [{ project_id, after: { messages: 365 } }], 'the audit knows the company, too')
  for (const wrong of [{ messages: 0 }, { messages: 'ever' }, { letters: 1 }, { notes: 1.5 }, { notes: 40_000 }]) {
    t.match(await operator('PATCH', path, wrong), { status: 400, body: { error: { code: 'VALIDATION_ERROR' } } })
  }
  t.equal((await operator('GET', `projects/${nobody}/retention`)).status, 404)
  t.equal((await operator('PATCH', `projects/${nobody}/retention`, { notes: 1 })).status, 404)

  const project = ['--project', tenant.project_id]
  const unasked = await run(['retention', 'set', 'messages=30', ...project], env)
  t.match(unasked, { code: 1, err: /^Nothing is changed: there is no terminal/ })
  const set = await run(['retention', 'set', 'messages=30', 'events=default', '--yes', '--json', ...project], env)
  t.equal(set.code, 0, set.err)
  t.match(kept(JSON.parse(set.out), 'messages'), { days: 30 })
  const longer = await run(['retention', 'set', 'messages=forever', ...project], env)
  t.equal(longer.code, 0, 'more days need no confirmation')
  t.match(longer, { out: /messages +forever/, err: /All kinds have their defaults\./ })
  for (const word of ['messages:1', 'messages=0']) {
    t.match(await run(['retention', 'set', word, ...project], env), { code: 2, err: /is no setting/ })
  }
  t.match(await run(['retention', 'set', 'letters=1', '--yes', ...project], env), { code: 1, err: /letters/ })
  t.match(await run(['retention', 'show'], env), { code: 2, err: /^--project is missing/ })
})

const text = (body: string) => ({ type: 'text', body })

type Person = { phone: string; name: string; email: string; secret: string; contact: Json; customer: Json }

let people = 0

/** Makes a person who leaves traces wherever Parley stores something. */
async function makePerson(tenant: Tenant, digits: string, name: string): Promise<Person> {
  const phone = `+${digits}`
  const email = `${name.split(' ')[0]!.toLowerCase()}@people.example`
  const secret = `secret-of-${digits}`
  const customer = await made(
    operator('POST', 'customers', { company_id: tenant.company_id, full_name: name, email, phone }),
  )
  await tenant.writes(phone, `${secret} inbound`, { name })
  const contact = await eventually(`the contact of ${name}`, async () => {
    const { body } = await tenant.api('GET', `contacts?search=${digits}`)
    return body.data[0]
  })
  const headers = { 'idempotency-key': `key ${++people}` }
  const sent = await made(tenant.send(phone, { message: text(`${secret} outbound`) }, { headers }))
  await tenant.message(sent.id, 'read')
  const ticket = (await made(tenant.api('GET', `crm/tickets?chat_user=${contact._id}`))).data[0]
  await made(tenant.api('PATCH', `crm/tickets/${ticket._id}`, { category: `${secret} context` }))
  await made(
    tenant.api('POST', 'crm/notes', { ticket_id: ticket._id, type: 'note', content: `${secret} note` }, { headers }),
  )
  await made(tenant.api('POST', 'crm/notes', { chat_user: contact._id, type: 'call', content: `${secret} call` }))
  const event = { event_type: 'payment.confirmed', data: { memo: `${secret} event` }, phone: digits }
  await made(tenant.api('POST', 'crm/events', event))
  return { phone, name, email, secret, contact, customer }
}

/** Rows that refer to a deleted row. */
const ORPHANS: Record<string, string> = {
  words: 'message_text where id not in (select id from message)',
  deliveries: 'delivery where event_id not in (select id from event)',
  attempts: 'attempt where delivery_id not in (select id from delivery)',
  activities: 'ticket_activity where ticket_id not in (select _id from ticket)',
  recipients: 'broadcast_recipient where broadcast_id not in (select id from broadcast)',
  parts: 'data_erasure_part',
}
const NO_ORPHANS = Object.fromEntries(Object.keys(ORPHANS).map((name) => [name, 0]))

async function orphans(): Promise<Json> {
  const counts = Object.entries(ORPHANS).map(([name, rows]) => `(select count(*)::int from ${rows}) as ${name}`)
  return (await database.execute(`select ${counts.join()}`))[0]
}

/** Counts the rows that a person left, by table. */
async function recordsOf({ contact, secret }: Person): Promise<Record<string, number>> {
  const found = await rowsWith(database, [contact._id, secret])
  const counts: Record<string, number> = {}
  for (const row of found) {
    const table = row.split(':')[0]!
    counts[table] = (counts[table] ?? 0) + 1
  }
  return counts
}

async function erased(kind: string, id: string, fields: Json = {}): Promise<Json> {
  const { _id } = await made(operator('POST', 'erasures', { kind, id, confirm: true, ...fields }))
  return ended(_id)
}

const ended = (id: string): Promise<Json> =>
  eventually(`the erasure ${id} has ended`, async () => {
    const { body } = await operator('GET', `erasures/${id}`)
    return body.status === 'done' && body
  })

/** The proof and the audit keep ids, and nothing else. */
const hasNoProof = (row: string) => !/^(data_erasure|audit_entry):/.test(row)

t.test('nothing of an erased customer is left, and everything of other people stays', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.subscribe('all', [...eventTypeNames])
  world.sink.answer('down', () => 500)
  await tenant.subscribe('down', [...eventTypeNames], { ordering: 'contact' })
  const zora = await makePerson(tenant, '15557770001', 'Zora Quispe')
  const bob = await makePerson(tenant, '15557770002', 'Bob Miller')
  const sister = await makeSister(world, tenant)
  await sister.writes(zora.phone, `${zora.secret} in the other project`, { name: zora.name })

  const program = { project_id: tenant.project_id, name: 'Club', type: 'points' }
  const { _id: program_id } = await made(operator('POST', 'programs', program))
  for (const { customer, secret } of [zora, bob]) {
    const member = await made(operator('POST', 'memberships', { program_id, customer_id: customer._id }))
    await made(operator('POST', `memberships/${member._id}/ledger`, { kind: 'earn', amount: 5, ref: `${secret} ref` }))
  }

  // Files: one for her alone, one for both.
  await operator('PATCH', `channels/${tenant.number.channel_id}`, { is_active: false })
  const [own, shared] = await Promise.all(
    ['own', 'shared'].map(async (name) =>
      made(upload(tenant, Buffer.from(`${zora.secret} ${name}`), { filename: `${name}.txt`, part_type: 'text/plain' })),
    ),
  )
  await operator('PATCH', `channels/${tenant.number.channel_id}`, { is_active: true })
  const file = (media_id: string) => ({ message: { type: 'document', media_id } })
  for (const id of [own.media_id, shared.media_id]) await made(tenant.send(zora.phone, file(id)))
  await made(tenant.send(bob.phone, file(shared.media_id)))

  const said = {
    type: 'document',
    document: { data: Buffer.from(`${zora.secret} said`).toString('base64'), filename: 'a.txt' },
  }
  await tenant.writes(zora.phone, said)
  const received = await eventually('her file is here', async () => {
    const { data } = (await tenant.api('GET', `messages?chat_user=${zora.contact._id}&direction=inbound`)).body
    return data.find(({ message }: Json) => message.media_status === 'stored')?.message
  })

  const recipients = [zora, bob].map(({ phone, name }) => ({ phone, variables: { 1: name, 2: 'A-1' } }))
  const broadcast = await sendBulk(tenant, recipients)
  await eventually('the bulk send has ended', async () => {
    const { body } = await tenant.api('GET', `messages/bulk/${broadcast}`)
    return body.status === 'completed'
  })
  while (await indexMessages(database, new Date(Date.now() + 3_600_000)));
  const parked = {
    type: 'bulk_slice',
    recipients: [zora, bob].map(({ phone }, index) => ({ index, phone, message_id: `msg_${index}` })),
  }
  const about_her = { type: 'dispatch', recipient: zora.phone.slice(1), request: { text: zora.secret } }
  for (const message of [parked, about_her]) {
    await database.execute(
      `insert into dead_letter (partition, address, message, error) values (0, 'project/${tenant.project_id}', '${JSON.stringify(message)}', 'x')`,
    )
  }
  await eventually('Bob has read everything', async () => {
    const { data } = await made(tenant.api('GET', `messages?chat_user=${bob.contact._id}&limit=200`))
    return data.every(({ direction, status }: Json) => direction === 'inbound' || status === 'read')
  })
  const before = await recordsOf(bob)
  t.ok(Object.keys(before).length >= 8, Object.keys(before).join())

  // The export holds everything about her, and nothing about Bob.
  const output = join(tempDir(t), 'zora.tar')
  const exported = await run(['data', 'export', '--customer', zora.customer._id, '--output', output, '--json'], env)
  t.equal(exported.code, 0, exported.err)
  const { counts } = JSON.parse(exported.out)
  const inside = execFileSync('tar', ['-tf', output], { encoding: 'utf8' }).trim().split('\n')
  const media = [own, shared, received].map(({ media_id }) => `media/${media_id}`)
  t.same(inside.sort(), ['data.ndjson', 'manifest.json', ...media].sort())
  const extract = (name: string) => execFileSync('tar', ['-xOf', output, name], { encoding: 'utf8' })
  t.equal(extract(`media/${own.media_id}`), `${zora.secret} own`)
  t.equal(extract(`media/${received.media_id}`), `${zora.secret} said`)
  const lines: Json[] = extract('data.ndjson')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const byType = Map.groupBy(lines, ({ type }) => type)
  t.same(Object.fromEntries([...byType].map(([type, { length }]) => [type, length])), counts)
  t.match(counts, { customer: 1, contact: 2, ticket: 2, note: 2, loyalty_membership: 1, loyalty_entry: 1, media: 3 })
  t.match(JSON.parse(extract('manifest.json')), { kind: 'customer', counts, files: 3 })
  const body = (await made(tenant.api('GET', `messages?chat_user=${zora.contact._id}&limit=1`))).data[0]
  const line = byType.get('message')!.find(({ record }) => record.id === body.id)
  for (const name of ['message', 'created_at', 'status', 'to']) t.same(line.record[name], body[name], name)
  t.notOk(readFileSync(output, 'utf8').includes(bob.secret))
  t.match(await run(['data', 'export', '--customer', zora.customer._id, '--output', output], env), {
    code: 1,
    err: /exists/,
  })
  const exports = async () => (await made(operator('GET', 'exports'))).total
  const begun = await exports()
  const unwritable = {
    [join(output, 'zora.tar')]: /cannot be written \(ENOTDIR\)/,
    [dirname(output)]: /is a directory/,
  }
  for (const [place, err] of Object.entries(unwritable)) {
    const asked = ['data', 'export', '--customer', zora.customer._id, '--force', '--output', place]
    t.match(await run(asked, env), { code: 1, err })
  }
  t.equal(await exports(), begun, 'nothing is exported that cannot be written')
  const [archive] = (await made(operator('GET', `exports?subject_id=${zora.customer._id}`))).data
  t.match(archive, { status: 'done', file_size: readFileSync(output).length, requested_by: 'root' })

  const preview = await made(operator('GET', `erasure-preview?kind=customer&id=${zora.customer._id}`))
  t.match(preview.counts, { customer: 1, contact: 2, ticket: 2, note: 2, loyalty_membership: 1, loyalty_entry: 1 })
  t.match(await operator('POST', 'erasures', { kind: 'customer', id: zora.customer._id }), { status: 400 })
  const proof = await erased('customer', zora.customer._id, { reason: 'She asked for it.' })
  t.match(proof, {
    kind: 'customer',
    subject_id: zora.customer._id,
    company_id: tenant.company_id,
    phase: null,
    waits_for: null,
    requested_by: 'root',
    reason: 'She asked for it.',
    counts: {
      ...preview.counts,
      media: 2,
      message: preview.counts.message,
      dead_letter: 2,
      broadcast_recipient: Number,
    },
  })

  // The file that Bob got too is named after her in this test alone.
  const texts = [
    zora.phone.slice(1),
    'Zora',
    'Quispe',
    zora.email,
    `${zora.secret} `,
    zora.contact._id,
    own.media_id,
    received.media_id,
  ]
  t.same(await rowsWith(database, texts), [])
  t.equal(filesWith(world, [`${zora.secret} own`]).length, 0)
  t.equal(filesWith(world, [`${zora.secret} shared`]).length, 1)
  t.same(await streamsWith(world, texts), { messages: [], lasting: [] })
  t.same(await recordsOf(bob), before, 'and Bob has lost nothing')
  t.same(await orphans(), NO_ORPHANS)
  t.equal((await operator('GET', `exports/${archive._id}/file`)).status, 404, 'her export is gone as well')
  t.match(await made(operator('GET', `exports/${archive._id}`)), { status: 'expired', counts })
  const [letter] = await database.execute<{ message: Json }>(
    `select message from dead_letter where address = 'project/${tenant.project_id}'`,
  )
  t.match(letter!.message.recipients, [{ phone: '', error: { code: 'RECIPIENT_ERASED' } }, { phone: bob.phone }])

  for (const identity of [zora.phone, zora.phone.slice(1), zora.email.toUpperCase()]) {
    const { data } = await made(operator('GET', `erasures?identity=${encodeURIComponent(identity)}`))
    t.same(
      data.map(({ _id }: Json) => _id),
      [proof._id],
      `was ${identity} erased?`,
    )
  }
  t.equal((await made(operator('GET', `erasures?identity=${encodeURIComponent(bob.phone)}`))).total, 0)
  t.equal((await operator('POST', 'erasures', { kind: 'customer', id: zora.customer._id, confirm: true })).status, 404)

  await tenant.writes(zora.phone, 'Hello again', { name: 'Zora' })
  const again = await eventually('a new contact', async () => {
    const { body } = await tenant.api('GET', `contacts?search=${zora.phone.slice(1)}`)
    return body.data[0]
  })
  t.not(again._id, zora.contact._id)
  t.equal((await made(tenant.api('GET', `messages?chat_user=${again._id}`))).data.length, 1)
})

t.test('nothing is left of edited, withdrawn and group messages and of a stop of marketing', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.subscribe('changed', ['whatsapp.message.*', 'crm.contact.updated'])
  const from = '15557770091'
  const call = (message: Json) => callAsProvider(world, tenant.number, { messages: [{ from, ...message }] })
  const edit = (original_message_id: string, body: string) =>
    call({ type: 'edit', edit: { original_message_id, message: { type: 'text', text: { body } } } })
  await call({ id: 'wamid.was-edited', text: { body: 'kumquat one' } })
  await edit('wamid.was-edited', 'kumquat two')
  await call({ id: 'wamid.was-withdrawn', text: { body: 'kumquat three' } })
  await call({ type: 'revoke', revoke: { original_message_id: 'wamid.was-withdrawn' } })
  await edit('wamid.never-came', 'kumquat four')
  await call({ type: 'revoke', revoke: { original_message_id: 'wamid.never-came-either' } })
  await call({ group_id: 'group-of-her', text: { body: 'kumquat five' } })
  const stop = { wa_id: from, category: 'marketing_messages', value: 'stop', timestamp: Math.floor(Date.now() / 1000) }
  await callAsProvider(world, tenant.number, { field: 'user_preferences', value: { user_preferences: [stop] } })
  const [contact] = (await made(tenant.api('GET', 'contacts'))).data
  t.equal(contact.consent.marketing, 'stopped')
  const texts = [from, 'kumquat', 'wamid.never-came', 'group-of-her', contact._id]
  t.ok((await rowsWith(database, texts)).some((row) => row.startsWith('early_status:')))
  await erased('contact', contact._id)
  t.same((await rowsWith(database, texts)).filter(hasNoProof), [])
  t.same(await streamsWith(world, texts), { messages: [], lasting: [] })
})

t.test('a word that is the id of a contact erases nothing but what is about the contact', async (t) => {
  const tenant = await makeTenant(world)
  const { project_id, user_id } = tenant
  const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })
  const sent = await tenant.send('+15557770077', {}, keyed('of another person'))
  const url = 'https://example.com/tool'
  const headers = { 'X-Key': 'a secret' }
  const tool = await made(tenant.api('POST', 'agents/tools', { name: 'Look up', url, headers }))
  await made(operator('POST', 'tokens', { project_id, user_id, name: 'Reader', scopes: ['agents:read'] }))
  const entries = async () =>
    (await made(operator('GET', `audit?project_id=${project_id}&limit=200`))).data.filter(
      ({ target }: Json) => target.kind !== 'data_erasure',
    )
  const before = await entries()
  t.match(
    before.map(({ action }: Json) => action),
    ['create_token', 'create_agent_tool'],
  )
  for (const word of ['[redacted]', 'whatsapp', 'queued', user_id, tenant.number.phone_number_id]) {
    const contact = { channel_type: 'telegram', user_id: word, name: 'erase me' }
    const { _id } = await made(tenant.api('POST', 'contacts', contact, keyed(`the contact ${word}`)))
    const preview = await made(operator('GET', `erasure-preview?kind=contact&id=${_id}`))
    t.strictSame(preview.counts, { contact: 1, idempotency: 1 }, word)
    const { audit_entry, idempotency } = (await erased('contact', _id)).counts
    t.strictSame([audit_entry, idempotency], [undefined, 1], word)
    t.equal((await tenant.api('POST', 'contacts', contact, keyed(`the contact ${word}`))).status, 409, word)
  }
  t.strictSame(await entries(), before)
  t.strictSame((await tenant.send('+15557770077', {}, keyed('of another person'))).body, sent.body)
  t.equal((await tenant.api('GET', `agents/tools/${tool._id}`)).status, 200)
})

t.test(
  'an erasure goes on after a restart, counts each record once, and takes what the person writes meanwhile',
  async (t) => {
    const { phone, contact } = await makePerson(tenant, '15557770003', 'Yara Held')
    await tenant.subscribe('meanwhile', ['whatsapp.message.received', 'crm.contact.created', 'crm.ticket.created'])
    const MANY = 8000
    await database.execute(`
    insert into message (id, company_id, project_id, channel, channel_id, direction, chat_user, type, message, status)
    select 'msg_' || lpad(to_hex(n), 24, '0'), '${tenant.company_id}', '${tenant.project_id}', 'whatsapp',
      '${tenant.number.channel_id}', 'inbound', '${contact._id}', 'text', '{"body": "Yara again"}', 'received'
    from generate_series(1, ${MANY}) n`)
    const ids = async () => {
      const rows = await database.execute<{ id: string }>(
        `select id from message where project_id = '${tenant.project_id}'`,
      )
      return new Set(rows.map(({ id }) => id))
    }
    const before = await ids()
    const others = await database.execute(
      `select id from message where project_id = '${tenant.project_id}' and chat_user <> '${contact._id}'`,
    )
    const writing = (async () => {
      for (let n = 0; n < 20; n++)
        await tenant.writes(phone, `Meanwhile ${n}`, { name: 'Yara', id: `wamid.meanwhile.${n}` })
    })()
    const begin = { kind: 'contact', id: contact._id, confirm: true }
    const { _id } = await made(operator('POST', 'erasures', begin))
    t.equal((await made(operator('POST', 'erasures', begin)))._id, _id, 'a second one is the first one')
    await eventually('some messages are gone', async () => {
      const [left] = await database.execute<{ count: number }>(
        `select count(*)::int as count from message where project_id = '${tenant.project_id}'`,
      )
      return left!.count < before.size - 1000
    })
    await writing
    await world.restart()
    const proof = await ended(_id)
    const after = await ids()
    const erased_ids = [...before].filter((id) => !after.has(id)).length
    t.equal(erased_ids, before.size - others.length)
    const received = await database.execute<{ chat_user: string }>(
      `select chat_user from message where provider_message_id like 'wamid.meanwhile.%'`,
    )
    t.equal(proof.counts.message, erased_ids + 20 - received.length, 'each message is counted once')
    const people = await made(tenant.api('GET', `contacts?search=${phone.slice(1)}`))
    t.ok(people.data.length <= 1, 'there is one new contact at most')
    t.ok(
      received.every(({ chat_user }) => chat_user === people.data[0]._id),
      'and it has the later messages',
    )
    t.same((await rowsWith(database, [contact._id])).filter(hasNoProof), [])
    t.same(await orphans(), NO_ORPHANS)
  },
)

t.test('an erased project is gone with everything in it, and its sister stays', async (t) => {
  const doomed = await makeTenant(world)
  const sister = await makeSister(world, doomed)
  await doomed.subscribe('doomed', [...eventTypeNames])
  const ines = await makePerson(doomed, '15557770004', 'Ines Duran')
  await sister.writes('+15557770005', 'Hello', { name: 'Carl' })
  const carl = await eventually('Carl', async () => (await sister.api('GET', 'contacts')).body.data[0])
  const folder = await made(doomed.api('POST', 'knowledge/nodes', { type: 'folder', name: 'Ines' }))
  const node = { type: 'document', name: 'About Ines', content: `${ines.secret} document`, parent_id: folder._id }
  await made(doomed.api('POST', 'knowledge/nodes', node))
  await made(doomed.api('POST', 'assistants', { name: 'Ines', model: world.config.assistant_models[0] }))
  await operator('PATCH', `channels/${doomed.number.channel_id}`, { is_active: false })
  await made(upload(doomed, Buffer.from(ines.secret), { filename: 'ines.txt', part_type: 'text/plain' }))
  await operator('PATCH', `channels/${doomed.number.channel_id}`, { is_active: true })
  await sendBulk(doomed, [{ phone: ines.phone, variables: { 1: ines.name, 2: 'A-2' } }])

  const ids = await database.execute<{ id: string }>(`
    select _id as id from channel where project_id = '${doomed.project_id}'
    union all select id from subscription where project_id = '${doomed.project_id}'
    union all select id from broadcast where project_id = '${doomed.project_id}'`)
  const proof = await erased('project', doomed.project_id)
  t.match(proof.counts, { project: 1, contact: 1, channel: 1, token: 1, subscription: 1, media: 1, knowledge_node: 2 })
  const texts = [doomed.project_id, ines.secret, ines.contact._id, ...ids.map(({ id }) => id)]
  const left = await rowsWith(database, texts)
  t.same(left.filter(hasNoProof), [])
  t.same(filesWith(world, [ines.secret]), [])
  const personal = [ines.secret, ines.phone.slice(1), ines.name, ines.contact._id]
  t.same(await rowsWith(database, [ines.secret]), [])
  t.same(await streamsWith(world, personal), { messages: [], lasting: [] })
  t.same(await orphans(), NO_ORPHANS)
  t.equal((await doomed.api('GET', 'me')).status, 401)
  t.equal((await operator('GET', `projects/${doomed.project_id}`)).status, 404)
  const { data } = await made(operator('GET', `erasures?identity=${encodeURIComponent(ines.phone)}`))
  t.same(
    data.map(({ _id }: Json) => _id),
    [proof._id],
  )
  t.equal(
    (await made(operator('GET', `customers/${ines.customer._id}`))).full_name,
    ines.name,
    'customers are the company’s',
  )
  t.same((await made(sister.api('GET', 'contacts'))).data[0], carl)
})

t.test('the command line shows what it erases, asks, and answers whether a number was erased', async (t) => {
  const { phone, contact, customer } = await makePerson(tenant, '15557770006', 'Noor Haddad')
  const unasked = await run(['data', 'erase', '--contact', contact._id], env)
  t.match(unasked, { code: 1, err: /^Nothing is erased: there is no terminal/ })
  t.match(await run(['data', 'erase'], env), { code: 2, err: /^Give one of --contact/ })
  t.match(await run(['data', 'erase', '--contact', nobody, '--yes'], env), { code: 1, err: /There is no contact/ })
  const done = await run(['data', 'erase', '--contact', contact._id, '--reason', 'Request 17', '--yes'], env)
  t.match(done, { code: 0, out: /^Erased: .*2 messages.*Proof: [0-9a-f]{24}\.\n$/ }, done.err)
  const known = await run(['data', 'erasures', '--identity', phone, '--json'], env)
  t.match(JSON.parse(known.out), [{ kind: 'contact', subject_id: contact._id, reason: 'Request 17', status: 'done' }])
  t.match(await run(['data', 'erasures', '--limit', '1'], env), { code: 0, out: /contact/, err: /more: a greater/ })
  t.match(await run(['data', 'erasures', '--identity', '+15550000'], env), { code: 0, err: /^No erasure had this/ })
  const running = await run(['data', 'erase', '--customer', customer._id, '--yes', '--no-wait', '--json'], env)
  t.equal(JSON.parse(running.out).status, 'running')
  await ended(JSON.parse(running.out)._id)
})

t.test('an export of a project has all its records without secrets, and can be stopped or removed', async (t) => {
  // The people of the tests before are erased, mostly with all their events.
  const { id: subscription_id } = await tenant.subscribe('exported', ['whatsapp.message.received'])
  await tenant.writes('+15557770007', 'Hello', { name: 'Omar' })
  await eventually('an attempt is stored', async () =>
    (await tenant.deliveries(subscription_id)).some(({ status }) => status === 'success'),
  )
  await made(
    tenant.api('POST', 'knowledge/nodes', { type: 'document', name: 'Returns', content: 'Line\nbreaks "quoted"' }),
  )
  const { _id } = await made(operator('POST', 'exports', { kind: 'project', id: tenant.project_id }))
  const done: Json = await eventually('the export is done', async () => {
    const { body } = await operator('GET', `exports/${_id}`)
    return body.status === 'done' && body
  })
  const { status, text: archive } = await operator('GET', `exports/${_id}/file`)
  t.equal(status, 200)
  const lines: Json[] = archive
    .split('\n')
    .flatMap((line) =>
      line.startsWith('{"type"') || line.includes('\0{"type"') ? [JSON.parse(line.slice(line.indexOf('{"type"')))] : [],
    )
  const counts: Record<string, number> = {}
  for (const { type } of lines) counts[type] = (counts[type] ?? 0) + 1
  t.same(counts, done.counts)
  t.match(counts, {
    project: 1,
    channel: 1,
    token: 1,
    subscription: Number,
    event: Number,
    delivery: Number,
    attempt: Number,
  })
  const channel = lines.find(({ type }) => type === 'channel')
  t.same([channel.record._id, channel.record.credentials], [tenant.number.channel_id, undefined])
  t.equal(lines.find(({ type }) => type === 'knowledge_node').record.content, 'Line\nbreaks "quoted"')
  for (const secret of [tenant.token, tenant.number.app_secret, tenant.number.access_token]) {
    t.notOk(archive.includes(secret))
  }
  t.equal((await operator('DELETE', `exports/${_id}`)).status, 204)
  t.equal((await operator('DELETE', `exports/${_id}`)).status, 404)
  t.equal((await operator('GET', `exports/${_id}/file`)).status, 404)
  t.equal((await operator('POST', 'exports', { kind: 'contact', id: nobody })).status, 404)
  t.same(filesWith(world, ['"type":"channel"']), [], 'its bytes are gone')
})
