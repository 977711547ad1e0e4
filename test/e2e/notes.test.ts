import t from 'tap'
import { eventually, type Json } from './client.ts'
import { ticketOf as openTicket } from './desk.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'
import { inboxAgent, ticketOf } from './inbox_client.ts'

const world = await joinWorld(t)
const { sink } = world
const tenant = await makeTenant(world)
const other = await makeTenant(world)

const nobody = 'f'.repeat(24)
const write = (fields: Json, by = tenant) => by.api('POST', 'crm/notes', fields)
const list = async (query: string, by = tenant): Promise<Json> => (await by.api('GET', `crm/notes?${query}`)).body

t.test('a note is kept as it was sent, by the owner of the token, and told', async (t) => {
  const path = 'notes'
  await tenant.subscribe(path, ['crm.note.created'], { ordering: 'contact' })
  const created_by = { id: tenant.user_id, full_name: 'Owner' }
  const cases: [sent: Json, kept: Json][] = [
    [
      { content: 'On a contact', chat_user: nobody },
      { type: 'note', chat_user: nobody, ticket_id: null },
    ],
    [
      { content: 'On a ticket', ticket_id: nobody },
      { type: 'note', chat_user: null, ticket_id: nobody },
    ],
    [
      { content: ' On both \n', chat_user: nobody, ticket_id: nobody },
      { chat_user: nobody, ticket_id: nobody },
    ],
    ...['note', 'call', 'email', 'meeting'].map((type): [Json, Json] => [
      { content: type, type, ticket_id: nobody },
      { type },
    ]),
    [{ content: '😀'.repeat(5000), chat_user: nobody }, { content: '😀'.repeat(5000) }],
  ]
  for (const [sent, kept] of cases) {
    const { status, body } = await write(sent)
    t.equal(status, 201)
    t.match(body, { content: sent.content, ...kept, created_by })
    t.same(Object.keys(body).sort(), [
      '_id',
      'attachments',
      'chat_user',
      'content',
      'created_at',
      'created_by',
      'ticket_id',
      'type',
    ])
    t.same(body.attachments, [])
    t.same((await tenant.api('GET', `crm/notes/${body._id}`)).body, body)
    t.equal((await other.api('GET', `crm/notes/${body._id}`)).status, 404)
    const told = await eventually('it is told', () => sink.calls(path).find((call) => call.body.data._id === body._id))
    t.same(told.body.data, body)
  }
})

const ok = { content: 'x', chat_user: nobody }
const refused: [what: string, body: Json, path: string, code: string][] = [
  ['no content', { chat_user: nobody }, 'content', 'required'],
  ['empty content', { ...ok, content: '' }, 'content', 'invalid_value'],
  ['content of white space', { ...ok, content: ' \n\t' }, 'content', 'invalid_value'],
  ['5001 characters', { ...ok, content: '😀'.repeat(5001) }, 'content', 'too_long'],
  ['a number as content', { ...ok, content: 1 }, 'content', 'invalid_type'],
  ['neither contact nor ticket', { content: 'x' }, '', 'invalid_value'],
  ['a malformed contact', { ...ok, chat_user: 'x' }, 'chat_user', 'invalid_format'],
  ['a malformed ticket', { content: 'x', ticket_id: 'F'.repeat(23) }, 'ticket_id', 'invalid_format'],
  ['null as ticket', { ...ok, ticket_id: null }, 'ticket_id', 'invalid_type'],
  ['an unknown type', { ...ok, type: 'sms' }, 'type', 'invalid_value'],
  ...['company', 'project', 'created_by', 'metadata'].map((name): [string, Json, string, string] => [
    `the property ${name}`,
    { ...ok, [name]: nobody },
    name,
    'unknown_property',
  ]),
]
t.test('an invalid note is refused with its violations, and nothing is written', async (t) => {
  const { data: before } = await list('limit=200')
  for (const [what, sent, path, code] of refused) {
    const { status, body } = await write(sent)
    t.equal(status, 400, what)
    t.equal(body.error.code, 'VALIDATION_ERROR')
    t.match(body.error.details.violations, [{ path, code }], what)
  }
  t.same((await list('limit=200')).data, before)
  for (const query of ['limit=0', 'limit=201', 'cursor=x', 'ticket_id=x', 'chat_user=x', 'type=note', 'offset=1']) {
    t.equal((await tenant.api('GET', `crm/notes?${query}`)).body.error?.code, 'VALIDATION_ERROR', query)
  }
  for (const id of ['x', nobody]) t.equal((await tenant.api('GET', `crm/notes/${id}`)).status, 404)
})

t.test('the list pages from the newest, by contact, by ticket or both', async (t) => {
  const one = await makeTenant(world)
  const [ana, luis, ticket] = ['a', 'b', 'c'].map((letter) => letter.repeat(24))
  const ids: string[] = []
  for (const fields of [
    { chat_user: ana },
    { ticket_id: ticket },
    { chat_user: ana, ticket_id: ticket },
    { chat_user: luis },
  ]) {
    ids.push((await made(write({ content: 'x', ...fields }, one)))._id)
  }
  const finds: [query: string, found: number[]][] = [
    ['', [3, 2, 1, 0]],
    [`chat_user=${ana}`, [2, 0]],
    [`ticket_id=${ticket}`, [2, 1]],
    [`ticket_id=${ticket}&chat_user=${ana}`, [2]],
    [`chat_user=${nobody}`, []],
  ]
  for (const [query, found] of finds) {
    const { data, next_cursor } = await list(query, one)
    t.same(
      data.map(({ _id }: Json) => ids.indexOf(_id)),
      found,
      query,
    )
    t.equal(next_cursor, null)
    t.same((await list(query, other)).data, [], 'another project sees no note')
  }
  const first = await list('limit=3', one)
  const rest = await list(`limit=3&cursor=${first.next_cursor}`, one)
  t.same(
    [...first.data, ...rest.data].map(({ _id }: Json) => _id),
    [...ids].reverse(),
  )
  t.equal(rest.next_cursor, null)
})

t.test('a note on an open ticket counts as activity; a note on a ticket of another project is only kept', async (t) => {
  await tenant.writes('5215550000001', 'Hello?')
  const { data } = await eventually('the ticket is open', async () => {
    const { body } = await tenant.api('GET', 'crm/tickets')
    return body.data?.length > 0 && body
  })
  const [ticket] = data
  const read = async () => (await tenant.api('GET', `crm/tickets/${ticket._id}`)).body
  const before = await read()
  const note = await made(write({ content: 'Called back', ticket_id: ticket._id, type: 'call' }))
  const after = await read()
  t.equal(after.last_activity_at, note.created_at)
  t.ok(after.last_activity_at > before.last_activity_at)
  t.same({ ...after, last_activity_at: '' }, { ...before, last_activity_at: '' }, 'nothing else of the ticket changes')
  await made(write({ content: 'From afar', ticket_id: ticket._id }, other))
  t.same(await read(), after)
})

t.test('agents see the notes about a contact: its own and those of its tickets, page by page', async (t) => {
  const shop = await makeTenant(world)
  const agent = await inboxAgent(world, shop)
  const ticket_id = await ticketOf(shop, agent, '+15550143001')
  const { contact } = await agent.row(ticket_id)
  await made(shop.api('PATCH', `crm/tickets/${ticket_id}`, { is_closed: true }))
  const second = await ticketOf(shop, agent, '+15550143001')
  const about: Json[] = [
    { chat_user: contact._id },
    { ticket_id },
    { ticket_id: second },
    { ticket_id, chat_user: contact._id },
    { ticket_id: second },
  ]
  for (const [n, fields] of about.entries()) await made(write({ content: `${n}`, ...fields }, shop))
  await made(write({ content: 'of others', ticket_id: nobody }, shop))
  await made(write({ content: 'of another project', ticket_id }, other))
  const contents: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const more: string = cursor && `&cursor=${cursor}`
    const page: Json = await made(agent.ask('GET', `crm/notes?about=${contact._id}&limit=2${more}`))
    contents.push(...page.data.map(({ content }: Json) => content))
    cursor = page.next_cursor
  }
  t.same(contents, ['4', '3', '2', '1', '0'])
  t.equal((await shop.api('GET', `crm/notes?about=${contact._id}`)).status, 400, 'the public API has no such filter')
})

t.test('a note about an erased contact or ticket is refused', async (t) => {
  const shop = await makeTenant(world)
  const about = await openTicket(shop, '+15557410002')
  const erasure = { kind: 'contact', id: about.chat_user, confirm: true }
  const { _id } = await made(world.operator('POST', 'erasures', erasure))
  await eventually('it is erased', async () => (await world.operator('GET', `erasures/${_id}`)).body.status === 'done')
  for (const fields of [{ chat_user: about.chat_user }, { ticket_id: about._id }]) {
    const { status, body } = await write({ content: 'late', ...fields }, shop)
    t.same([status, body.error?.code], [422, 'RECORD_ERASED'])
  }
})
