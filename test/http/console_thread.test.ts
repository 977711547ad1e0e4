/**
 * The thread of a ticket on the console's page, against the server. Its modules run without a DOM, as in a browser. One file,
 * because all tests follow the threads of one project.
 */
import { join } from 'node:path'
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { makeAgent, signIn } from '../e2e/console_client.ts'
import { joinWorld, made, makeTenant, text } from '../e2e/fixture.ts'

const PHONE = '+15550197001'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const agent = await makeAgent(world, tenant)
const { cookie } = await signIn(world, agent)
const { project_id } = tenant

const pages = join(import.meta.dirname, '../../http/console/page')
const { Api } = await import(join(pages, 'data/api.ts'))
const { Project } = await import(join(pages, 'data/project.ts'))
const { eventInWords } = await import(join(pages, 'crm/entry/event_words.ts'))
const { messagePlace, searchProject } = await import(join(pages, 'app/palette/search.ts'))
const { Threads } = await import(join(pages, 'inbox/thread/conversation/threads.ts'))
const { ReadMark } = await import(join(pages, 'inbox/thread/conversation/read_mark.ts'))
const { partsOf } = await import(join(pages, 'crm/entry/chat_marks.ts'))

const base = new URL(`${world.base_url}/console/`)
const api = new Api(base, (url: URL, options: RequestInit) =>
  fetch(url, { ...options, headers: { ...options.headers, cookie, origin: base.origin } }),
)

/** The thread of the person, as a page has it that has just opened it. */
async function openThread() {
  const project = new Project({ api, live: { present() {} }, id: project_id, name: 'Shop', user: agent })
  const ticket = await eventually(
    'the ticket',
    async () => (await made(tenant.api('GET', 'crm/tickets'))).data[0] as Json,
  )
  const thread = project.part('threads', () => new Threads(project)).open(ticket._id)
  await eventually('the thread is read', () => thread.state.peek() === 'ready')
  const idsOf = (kind: string): string[] =>
    thread.entries
      .peek()
      .filter((one: Json) => one.kind === kind)
      .map((one: Json) => one.id)
  return { project, thread, messageIds: () => idsOf('message') }
}

/** The parts as text: a tag stands around its parts, a link in angle brackets. */
const drawn = (parts: Json[]): string =>
  parts.map(({ text, link, tag, parts }) => text ?? (link ? `<${link}>` : `[${tag} ${drawn(parts)}]`)).join('')

t.test('marks of WhatsApp become bold, italic, struck and code where WhatsApp shows them so', async (t) => {
  for (const [text, shown] of [
    ['*bold* _italic_ ~struck~ `code`', '[strong bold] [em italic] [s struck] [code code]'],
    ['*_both_* and _*both*_', '[strong [em both]] and [em [strong both]]'],
    ['(*bold*), *two words*!', '([strong bold]), [strong two words]!'],
    ['2 * 3 * 4, a*b*c, snake_case_name, ~5', '2 * 3 * 4, a*b*c, snake_case_name, ~5'],
    ['* item\n* item', '* item\n* item'],
    ['*not over\nlines*', '*not over\nlines*'],
    ['*open _italic_', '*open [em italic]'],
    ['*crossed _over* end_', '[strong crossed _over] end_'],
    ['** __ ~~ `` ``````', '** __ ~~ `` ``````'],
    ['`*no marks*` ```\nif (a*b*c) {\n}``` ok', '[code *no marks*] [code \nif (a*b*c) {\n}] ok'],
    ['`not\nover lines`', '`not\nover lines`'],
    ['*https://a.example/x_y_z* https://a.example/_b_', '[strong <https://a.example/x_y_z>] <https://a.example/_b>_'],
    ['`https://a.example`', '[code https://a.example]'],
    ['*¡Oferta!* *año*', '[strong ¡Oferta!] [strong año]'],
    ['<b>*x*</b>', '<b>[strong x]</b>'],
  ] as const)
    t.equal(drawn(partsOf(text, true)), shown, text)
  t.equal(drawn(partsOf('*a* https://a.example', false)), '*a* <https://a.example>', 'on no other channel')
  for (const unit of ['*', '_a ', '`', '```', '*a', '` ', '`\n', '*_~', 'https://a.example/*'])
    t.equal(typeof drawn(partsOf(unit.repeat(20_000), true)), 'string', `many ${unit}`)
  const long = `*${' _a_'.repeat(200_000)}`
  t.equal(drawn(partsOf(long, true)), `*${' [em a]'.repeat(200_000)}`, 'a mark without an end before very many others')
})

t.test('an event names people and stages, and shows no ids', async (t) => {
  const definitions = {
    event_types: [{ key: 'ticket.stage_changed', name: 'Ticket moved to another stage' }],
    users: [{ _id: 'u1', full_name: 'Eva Luna' }],
    pipelines: [{ stages: [{ _id: 's1', name: 'New' }] }],
  }
  const words = (type: string, data: Json) => eventInWords(type, data, definitions)
  t.same(words('ticket.stage_changed', { stage_id: 's1', previous_stage_id: 's0' }), {
    name: 'Ticket moved to another stage',
    fields: [
      ['Stage', 'New'],
      ['Before', 'A former stage'],
    ],
  })
  t.same(words('ticket.assigned', { assigned_to: null, previous_assigned_to: 'u1' }).fields, [
    ['To', 'Nobody'],
    ['Before', 'Eva Luna'],
  ])
  t.same(words('ticket.snoozed', { snoozed_until: null, user_id: 'u1' }), {
    name: 'Ticket snoozed',
    fields: [
      ['Until', 'The person writes'],
      ['By', 'Eva Luna'],
    ],
  })
  const morning = new Date(2030, 0, 2, 9)
  t.same(words('ticket.snoozed', { snoozed_until: morning.toISOString() }).fields, [
    ['Until', 'Wed, 2 Jan 2030, 09:00'],
  ])
  t.same(words('ticket.unsnoozed', { reason: 'due', user_id: null }).fields, [['Reason', 'Its time came']])
  t.same(words('ticket.handled_by_changed', { handled_by: 'assistant', previous_handled_by: null, user_id: null }), {
    name: 'Taken over or handed back',
    fields: [['Answered by', 'Assistant']],
  })
  t.same(
    words('assistant.handed_over', { assistant_id: 'f', turn_id: 'f', reason: 'asked_for_a_person', note: 'Angry' }),
    {
      name: 'Handed over by an assistant',
      fields: [
        ['Reason', 'Asked for a person'],
        ['Note', 'Angry'],
      ],
    },
  )
  t.same(
    words('thread.moved', {
      channel_id: 'c1',
      holder: 'parley',
      previous_holder: 'meta_agent',
      note: 'A bill',
      user_id: null,
    }),
    {
      name: 'Conversation handed over',
      fields: [
        ['To', 'Parley'],
        ['Before', 'Meta’s agent'],
        ['Note', 'A bill'],
      ],
    },
  )
  t.same(words('message.template_sent', { template_name: 'late', message_id: 'msg_1' }).fields, [
    ['Template name', 'late'],
  ])
  const visit = new Date(2030, 0, 2, 15).toISOString()
  t.same(
    words('appointment.created', {
      number: 1,
      status: 'pending',
      modality: 'in-person',
      starts_at: visit,
      timezone: 'UTC',
    }),
    {
      name: 'Appointment created',
      fields: [
        ['Modality', 'In person'],
        ['Starts', 'Wed, 2 Jan 2030, 15:00'],
      ],
    },
  )
  t.match(words('payment.confirmed', { amount: 149.9, currency: 'MXN', number: 1 }).fields, [
    ['Amount', /^MXN.149.90$/],
  ])
  t.same(words('payment.confirmed', { amount: 5, currency: 'of a client' }).fields, [['Amount', '5']])
  t.same(words('ticket.closed', { resolution: 'won', user_id: 'u1' }).fields, [
    ['Resolution', 'Won'],
    ['By', 'Eva Luna'],
  ])
  t.same(words('custom.visit', { at: visit, paid: true }).fields, [
    ['At', 'Wed, 2 Jan 2030, 15:00'],
    ['Paid', 'Yes'],
  ])
  t.same(words('custom.order_shipped', { order_id: 'A-1', total: 2 }).fields, [
    ['Order id', 'A-1'],
    ['Total', '2'],
  ])
})

t.test('a message that came and changed while the page was away is shown once', async (t) => {
  await tenant.writes(PHONE, 'Hello')
  const { project, messageIds } = await openThread()
  const before = messageIds()
  const { id } = await made(tenant.send(PHONE, { message: text('By a colleague') }))
  const read = await tenant.message(id, 'read')
  const created = { ...read, status: 'queued', updated_at: read.created_at }
  project.hear([
    { type: 'message.created', data: created },
    { type: 'message.updated', data: { ...created, status: 'sent' } },
    { type: 'message.updated', data: read },
  ])
  t.same(messageIds(), [...before, id])
  t.match(project.records.signal('message', id).peek(), { status: 'read' })
})

t.test('a change of a message before those that are shown leaves them without a hole', async (t) => {
  for (let n = 0; n < 60; n++) await made(tenant.send(PHONE, { message: text(`Message ${n}`) }))
  const { project, thread, messageIds } = await openThread()
  t.equal(thread.has_older.peek(), true)
  const shown = messageIds()
  const { data } = await made(tenant.api('GET', 'messages?limit=200'))
  const old = (data as Json[]).findLast(({ id }) => !shown.includes(id))
  project.hear([{ type: 'message.updated', data: { ...old, status: 'read' } }])
  t.same(messageIds(), shown)
  await thread.readOlder()
  t.ok(messageIds().includes(old!.id))
})

t.test('a message that was found is shown in the ticket to which it came', async (t) => {
  const phone = '+15550197009'
  await tenant.writes(phone, 'zanahoria púrpura')
  const of = async () => (await made(tenant.api('GET', `crm/tickets?limit=1`))).data[0] as Json
  const former = await of()
  // Two more pages of messages: the one that is sought is not among the first.
  for (let n = 0; n < 60; n++) await tenant.writes(phone, `More ${n}`)
  await made(tenant.api('PATCH', `crm/tickets/${former._id}`, { is_closed: true }))
  await tenant.writes(phone, 'Hello again')
  const present = await of()
  t.not(present._id, former._id)
  const project = new Project({ api, live: { present() {} }, id: project_id, name: 'Shop', user: agent })
  const { actions } = await eventually('it is found', async () => {
    const found = await searchProject(project, 'zanahoria')
    return found.actions.length > 0 && found
  })
  t.match(actions[0], {
    at: String,
    channel: 'whatsapp',
    parts: [{ is_match: false }, { text: ' · ' }, { text: 'zanahoria', is_match: true }, { text: ' púrpura' }],
  })
  const { data } = await made(tenant.api('GET', 'crm/search?search=zanahoria&kinds=message'))
  const place: string = await messagePlace(project, data[0])
  t.equal(place, `#/projects/${project_id}/inbox/closed/${former._id}?message=${data[0].id}`)
  const thread = project.part('threads', () => new Threads(project)).open(former._id)
  await eventually('the thread is read', () => thread.state.peek() === 'ready')
  t.notOk(thread.entries.peek().some(({ id }: Json) => id === data[0].id))
  t.equal(await thread.seek(data[0].id), true)
  t.equal(await thread.seek('msg_000000000000000000000000'), false)
  const more = await searchProject(project, 'More')
  t.same([more.actions.length, more.has_more], [12, true])
  t.equal((await searchProject(project, 'More', true)).actions.length, 50)
})

t.test(
  'a returning customer has one conversation: former tickets lie above the present one, each with its head',
  async (t) => {
    const phone = '+15550197011'
    const newest = async () => (await made(tenant.api('GET', 'crm/tickets?limit=1'))).data[0] as Json
    await tenant.writes(phone, 'Of the first ticket')
    const first = await newest()
    await made(tenant.api('POST', 'crm/notes', { ticket_id: first._id, content: 'Paid in cash' }))
    for (let n = 0; n < 55; n++) await tenant.writes(phone, `More ${n}`)
    await made(tenant.api('PATCH', `crm/tickets/${first._id}`, { is_closed: true, resolution: 'won' }))
    await made(tenant.send(phone, { message: text('Between the tickets') }))
    await tenant.writes(phone, 'Of the second ticket')
    const second = await newest()
    await made(tenant.api('PATCH', `crm/tickets/${second._id}`, { is_closed: true }))
    await tenant.writes(phone, 'Of the present ticket')
    const present = await newest()
    const project = new Project({ api, live: { present() {} }, id: project_id, name: 'Shop', user: agent })
    const threads = project.part('threads', () => new Threads(project))
    const thread = threads.open(present._id)
    await eventually('the thread is read', () => thread.state.peek() === 'ready')
    const textsOf = ({ entries }: Json): string[] =>
      entries.peek().flatMap(({ kind, id }: Json) => {
        const record = project.records.signal(kind, id).peek()
        return kind === 'event' ? [] : (record.content ?? record.message.body ?? record.message.text.body)
      })
    t.equal(thread.entries.peek().length, 50, 'one page at first')
    t.same(textsOf(thread).slice(-3), ['Between the tickets', 'Of the second ticket', 'Of the present ticket'])
    t.match(
      [...thread.sections.peek().values()],
      [
        { ticket_id: second._id, is_own: false, closed_at: String, resolution: null },
        { ticket_id: present._id, is_own: true },
      ],
    )
    await thread.readOlder()
    t.equal(thread.has_older.peek(), false)
    t.same(textsOf(thread), [
      'Of the first ticket',
      'Paid in cash',
      ...Array.from({ length: 55 }, (_, n) => `More ${n}`),
      'Between the tickets',
      'Of the second ticket',
      'Of the present ticket',
    ])
    const sections: [string, Json][] = [...thread.sections.peek()]
    t.same(
      sections.map(([, { ticket_id, resolution }]) => [ticket_id, resolution]),
      [
        [first._id, 'won'],
        [second._id, null],
        [present._id, null],
      ],
    )
    t.equal(sections[0]![0], thread.entries.peek()[0].id, 'the first begins with the first entry')
    const former = threads.open(first._id)
    await eventually('the former ticket is read', () => former.state.peek() === 'ready')
    t.equal(textsOf(former).at(-1), 'More 54', 'a former ticket ends with its closing')
    t.equal(former.sections.peek().size, 0)
    // Twenty others: the oldest is dropped, with what no other thread shows.
    for (let n = 0; n < 19; n++) {
      threads.open(present._id)
      threads.open(`${n}`.padStart(24, '0'))
    }
    threads.open('f'.repeat(24))
    t.match(textsOf(thread).at(-1), 'Of the present ticket')
    t.equal(textsOf(thread).length, 60)
  },
)

t.test('a ticket that is left as unread stays so, however late the mark of its reading arrives', async (t) => {
  const arrived: string[] = []
  const reading = Promise.withResolvers<void>()
  const mark = new ReadMark(
    {
      async post() {
        await reading.promise
        arrived.push('read')
        throw new Error('the answer is lost')
      },
      async delete() {
        arrived.push('unread')
      },
    },
    't',
  )
  const read = mark.read()
  const unread = mark.unread()
  reading.resolve()
  await t.rejects(read)
  await unread
  t.same(arrived, ['read', 'unread'])
})
