import t, { type Test } from 'tap'
import { scopes } from '../../actors/mod.ts'
import { indexMessages, objectId, openDatabase } from '../../storage/mod.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant, type Tenant, text } from './fixture.ts'

const world = await joinWorld(t)
const { operator, http, base_url } = world
const database = await openDatabase({ url: world.config.database_url!, pool_size: 2 })
t.teardown(() => database.close())

const tenant = await makeTenant(world)
const other = await makeTenant(world)

const call = (q: string, more: Record<string, string> = {}, { api } = tenant) =>
  api('GET', `crm/search?${new URLSearchParams({ search: q, ...more })}`)

async function search(q: string, more: Record<string, string> = {}, by = tenant): Promise<Json[]> {
  const { status, body } = await call(q, more, by)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.data
}

const person = (user_id: string, name: string, by: Tenant = tenant): Promise<Json> =>
  made(by.api('POST', 'contacts', { channel_type: 'whatsapp', user_id, name, channel_id: by.number.channel_id }))

const ana = await person('5215550000001', 'Ana María López')
const jose = await person('5215550000002', 'José <b>Vega</b>')
await person('5215550000003', 'Ana of others', other)

/** Opens a ticket for a contact, with the fields to be found in it. */
async function ticketOf(contact: Json, fields: Json): Promise<string> {
  const event_type = 'ticket.created'
  const made_event = await made(tenant.api('POST', 'crm/events', { event_type, data: {}, chat_user_id: contact._id }))
  const id = made_event.event.ticket_id
  await made(tenant.api('PATCH', `crm/tickets/${id}`, fields))
  return id
}

const tag = await made(operator('POST', 'tags', { project_id: tenant.project_id, name: 'Garantía', color: '#ff0000' }))
const ticket = await ticketOf(ana, {
  category: 'Devolución',
  tag_ids: [tag._id],
  custom_fields: { order: 'PED-77', count: 12345 },
  conversation_summary: { motivo: 'La licuadora no enciende', estado: 'Esperando', proximos_pasos: 'Recoger' },
})

async function says(body: string): Promise<string> {
  return (await made(tenant.send('+5215550000002', { message: text(body) }))).id
}

const messages = {
  long: await says(`${'palabra '.repeat(60)}la cafetera llegó rota ${'y más '.repeat(60)}`),
  markup: await says(`<script>alert("cafetera")</script> & 'Ünïcode'`),
  link: await says('See https://example.com/cafetera?id=1 or write to ventas@example.com about order-991'),
}
const caption = await made(
  tenant.send('+5215550000002', {
    message: { type: 'image', link: 'https://example.com/a.jpg', caption: 'Foto del parabrisas' },
  }),
)
const file = await made(
  tenant.send('+5215550000002', {
    message: {
      type: 'document',
      link: 'https://example.com/b.pdf',
      filename: 'Presupuesto-2027_final.pdf',
      caption: 'Adjunto lo acordado',
    },
  }),
)
const question = await made(
  tenant.send('+5215550000002', {
    message: { type: 'buttons', body_text: '¿Confirma su domicilio?', buttons: [{ id: 'y', title: 'Sí' }] },
  }),
)

type Finding = [q: string, kinds: string, ids: string[]]
const findings: Finding[] = [
  ['ana', 'contact', [ana._id]],
  ['MARIA LOPEZ', 'contact', [ana._id]],
  ['lópez ana', 'contact', [ana._id]],
  ['ari', 'contact', [ana._id]],
  ['+5215550000002', 'contact', [jose._id]],
  ['ana vega', 'contact', []],
  ['nobody', 'contact,ticket,message', []],
  ['devolucion', 'ticket', [ticket]],
  ['GARANTIA', 'ticket', [ticket]],
  ['ped-77', 'ticket', [ticket]],
  ['12345', 'ticket', [ticket]],
  ['licuadora', 'ticket', [ticket]],
  ['recoger garantía', 'ticket', [ticket]],
  ['ana lópez', 'ticket', [ticket]],
  ['order', 'ticket', []],
  ['parabrisas', 'message', [caption.id]],
  ['presup', 'message', [file.id]],
  ['acordado final', 'message', [file.id]],
  ['domicilio', 'message', [question.id]],
  ['cafetera', 'message', [messages.link, messages.markup, messages.long]],
  ['cafe', 'message', [messages.link, messages.markup, messages.long]],
  ['fetera', 'message', []],
  ['llego rota', 'message', [messages.long]],
  ['unicode', 'message', [messages.markup]],
  ['ventas@example.com', 'message', [messages.link]],
  ['order-991', 'message', [messages.link]],
  ['cafetera parabrisas', 'message', []],
  // These characters have a meaning in SQL, LIKE or a text search.
  ['%%', 'contact,ticket,message', []],
  ['__', 'contact,ticket,message', []],
  ["' or 1=1 --", 'contact,ticket,message', []],
  ["x'); drop table message; --", 'contact,ticket,message', []],
  ['a & !b | (c:*)', 'contact,ticket,message', []],
  ['\\\\', 'contact,ticket,message', []],
  ['cafetera:* & !rota', 'message', [messages.long]],
  ['ca%fetera', 'message', []],
]

async function finds(t: Test, list: Finding[]) {
  for (const [q, kinds, ids] of list) {
    const hits = await search(q, { kinds })
    t.same(hits.map(({ id }) => id).sort(), [...ids].sort(), `${q} in ${kinds}`)
  }
}

t.test('everything is found at once, by words in any order, case and accents', (t) => finds(t, findings))

t.test('messages are found alike after they are indexed', async (t) => {
  // All present messages have settled an hour from now.
  const later = new Date(Date.now() + 3_600_000)
  await eventually('all is indexed', async () => !(await indexMessages(database, later)))
  const [{ count }] = await database.execute<Json>(
    `select count(*)::integer as count from message_text
    where project_id = ?`,
    [tenant.project_id],
  )
  t.equal(count, 6)
  await finds(
    t,
    findings.filter(([, kinds]) => kinds.includes('message')),
  )
  const id = await says('una cafetera nueva')
  t.ok(
    (await search('cafetera nueva')).some((hit) => hit.id === id),
    'and what came after, too',
  )
})

t.test('a hit names its kind, and marks the words without letting foreign markup through', async (t) => {
  const [contact] = await search('vega', { kinds: 'contact' })
  t.match(contact, {
    kind: 'contact',
    id: jose._id,
    chat_user: jose._id,
    chat_user_name: jose.name,
    channel: 'whatsapp',
  })
  t.equal(contact.created_at, jose.created_at)
  t.same(contact.highlight, [{ field: 'name', text: 'José &lt;b&gt;<em>Vega</em>&lt;/b&gt;' }])
  const [markup] = await search('alert', { kinds: 'message' })
  t.same(markup.highlight, [
    {
      field: 'text',
      text: '&lt;script&gt;<em>alert</em>(&quot;cafetera&quot;)&lt;/script&gt; &amp; &#39;Ünïcode&#39;',
    },
  ])
  t.match(markup, {
    kind: 'message',
    id: messages.markup,
    chat_user: jose._id,
    chat_user_name: jose.name,
    channel: 'whatsapp',
  })
  const [long] = await search('cafetera rota', { kinds: 'message' })
  t.match(long.highlight[0].text, /^….*la <em>cafetera<\/em> llegó <em>rota<\/em> y más .*…$/)
  t.ok(long.highlight[0].text.length < 200)
  const [found] = await search('licua recoger', { kinds: 'ticket' })
  t.match(found, { kind: 'ticket', id: ticket, chat_user: ana._id, chat_user_name: ana.name, channel: 'whatsapp' })
  t.same(found.highlight.map(({ field }: Json) => field).sort(), [
    'conversation_summary.motivo',
    'conversation_summary.proximos_pasos',
  ])
  t.equal((await search('parabrisas'))[0].highlight[0].field, 'caption')
  t.match((await search('presupuesto'))[0].highlight, [
    { field: 'filename', text: '<em>Presupuesto</em>-2027_final.pdf' },
  ])
})

t.test('the best hit comes first: names before texts, whole words before parts, newer before older', async (t) => {
  const id = await says('Ana llamó')
  await says('Anacleto llamó')
  const hits = await search('ana')
  t.same(
    hits.map(({ kind }) => kind),
    ['contact', 'ticket', 'message', 'message'],
  )
  t.equal(hits[2].id, id)
  for (const hit of hits) t.ok(hit.score > 0 && hit.score <= 1)
  const limited = await search('ana', { limit: '1' })
  t.same(limited, hits.slice(0, 1))
})

t.test('an invalid search is refused', async (t) => {
  for (const query of [
    '',
    'search=',
    'search=ana&q=ana',
    'q=',
    'q=%20%20',
    'q=a',
    'q=%20a%20',
    `q=${'x'.repeat(201)}`,
    'search=ana&kinds=',
    'search=ana&kinds=customer',
    'search=ana&kinds=contact,',
    'search=ana&limit=0',
    'search=ana&limit=51',
    'search=ana&offset=x',
    'q=%00ana',
  ]) {
    const { status, body } = await tenant.api('GET', `crm/search?${query}`)
    t.equal(status, 400, query)
    t.equal(body.error.code, 'VALIDATION_ERROR')
  }
})

t.test('a search finds nothing of other projects', async (t) => {
  t.same(
    (await search('ana', {}, other)).map(({ chat_user_name }) => chat_user_name),
    ['Ana of others'],
  )
  for (const q of ['cafetera', 'licuadora', 'garantia', '5215550000001']) t.same(await search(q, {}, other), [], q)
})

t.test('a search finds only the kinds that the token may read', async (t) => {
  const { project_id, user_id } = tenant
  const cases: [has: string[], kinds: string | undefined, status: number, told: Json][] = [
    [['contacts:read'], undefined, 403, { missing: ['crm:tickets:read'] }],
    [['crm:tickets:read'], undefined, 200, ['ticket']],
    [['crm:tickets:read', 'contacts:read'], undefined, 200, ['contact', 'ticket']],
    [['crm:tickets:read', 'contacts:read'], 'ticket,message', 403, { missing: ['messages:read'] }],
    [[...scopes], 'message,ticket', 200, ['ticket', 'message']],
    [[...scopes], undefined, 200, ['contact', 'ticket', 'message']],
  ]
  for (const [has, kinds, status, told] of cases) {
    const { token } = await made(operator('POST', 'tokens', { project_id, user_id, name: objectId(), scopes: has }))
    const query = new URLSearchParams({ search: 'ana', ...(kinds && { kinds }) })
    const answer = await http('GET', `${base_url}/v1/crm/search?${query}`, { token })
    t.equal(answer.status, status, `${has} ${kinds}`)
    if (status === 403) t.match(answer.body.error, { code: 'INSUFFICIENT_SCOPE', details: told })
    else {
      t.same(answer.body.kinds, told)
      t.ok(answer.body.data.every(({ kind }: Json) => told.includes(kind)))
    }
  }
})

t.test('a ticket is neither found by its contact nor shows it to a token that may not read contacts', async (t) => {
  const { project_id, user_id } = tenant
  const cases: [has: string[], q: string, fields: string[] | undefined][] = [
    [['crm:tickets:read'], '5550000001', undefined],
    [['crm:tickets:read'], 'lópez', undefined],
    [['crm:tickets:read', 'messages:read'], 'lópez licuadora', undefined],
    [['crm:tickets:read'], 'licuadora', ['conversation_summary.motivo']],
    [['crm:tickets:read', 'contacts:read'], '5550000001', ['contact.phone']],
    [['crm:tickets:read', 'contacts:read'], 'lópez', ['contact.name']],
  ]
  for (const [has, q, fields] of cases) {
    const { token } = await made(operator('POST', 'tokens', { project_id, user_id, name: objectId(), scopes: has }))
    const { body, text } = await http('GET', `${base_url}/v1/crm/search?${new URLSearchParams({ search: q })}`, {
      token,
    })
    const hit = body.data.find(({ id }: Json) => id === ticket)
    t.same(
      hit?.highlight.map(({ field }: Json) => field),
      fields,
      `${has} ${q}`,
    )
    if (!has.includes('contacts:read')) t.notMatch(text, /contact\.|5550000001/)
  }
})
