/**
 * Conversations that another app of the business answers, such as Meta's own agent: they are shown as the provider tells them,
 * and nothing is to be answered in them. One file, because it is one table of what providers tell, and one account tells it.
 */
import t from 'tap'
import { callAsPage, connectPage } from '../inputs/page_account.ts'
import { eventually, type Json } from './client.ts'
import { bodyProblems } from './event_schemas.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'
import { callAsProvider } from './provider_call.ts'
import {
  contactOf,
  eventsOf,
  messagesOf,
  person,
  seconds,
  taken,
  text,
  threadCallsOf,
  ticketsOf,
} from './thread_calls.ts'

const world = await joinWorld(t)
const { onStandby, writes, answers, handsOver } = threadCallsOf(world)

const PASSED = {
  metadata: 'The customer asks for a person',
  previous_owner_app_id: '622851382610562',
  previous_owner_app_role: 'meta_business_agent',
  previous_owner_role: 'ai_agent',
  new_owner_role: 'escalation',
}

t.test("a conversation of Meta's agent is shown whole, and waits for nobody", async (t) => {
  const tenant = await makeTenant(world)
  const phone = person()
  await tenant.subscribe('shown', ['whatsapp.message.*', 'crm.contact.updated'])
  await taken(t, writes(tenant, phone, 'Are you open on Sunday?', seconds(5)))
  await taken(t, answers(tenant, phone, text('We are, from 10 to 14.'), seconds(3), 'wamid.answer'))
  await taken(
    t,
    onStandby(tenant, {
      statuses: [{ id: 'wamid.answer', status: 'delivered', timestamp: String(seconds(2)), recipient_id: phone }],
    }),
  )
  const contact = await contactOf(tenant, phone)
  t.match(contact, {
    windows: [{ is_open: true }],
    threads: [{ channel_id: tenant.number.channel_id, holder: 'meta_agent', since: /Z$/ }],
  })
  t.match(await messagesOf(tenant, contact), [
    { direction: 'inbound', status: 'received', origin: null, message: { body: 'Are you open on Sunday?' } },
    { direction: 'outbound', status: 'delivered', origin: 'meta_agent', message: { body: 'We are, from 10 to 14.' } },
  ])
  const [ticket] = await ticketsOf(tenant)
  t.match(ticket, { chat_user: contact._id, unread_count: 0 })
  t.match(await eventsOf(tenant, ticket!._id), [{ event_type: 'thread.moved' }, { event_type: 'ticket.created' }])
  const told = await eventually('both messages are told', () => {
    const calls = world.sink.calls('shown').map(({ body }) => body)
    return calls.some(({ type }) => type === 'whatsapp.message.delivered') && calls
  })
  for (const body of told) t.same(bodyProblems(body), [])
  t.match(
    told.filter(({ type }) => type === 'whatsapp.message.received'),
    [],
    'nobody is asked to answer',
  )
  t.match(told.find(({ type }) => type === 'whatsapp.message.standby')?.data, {
    held_by: 'meta_agent',
    messages: [{ text: { body: 'Are you open on Sunday?' } }],
  })
  t.match(told.find(({ type }) => type === 'whatsapp.message.sent')?.data, { origin: 'meta_agent' })
})

/** The bodies of sends that Meta tells, and the messages that they become. */
const ANSWERS: { sent: Json; is: Json }[] = [
  { sent: { type: 'image', image: { link: 'https://example.com/a.png', caption: 'Here' } }, is: { caption: 'Here' } },
  {
    sent: {
      type: 'interactive',
      interactive: { type: 'button', body: { text: 'Which day?' }, action: { buttons: [] } },
    },
    is: { interactive_type: 'button', body: { text: 'Which day?' } },
  },
  {
    sent: { type: 'template', template: { name: 'order_update', language: { code: 'en_US' }, components: [] } },
    is: { name: 'order_update', language: 'en_US' },
  },
  { sent: { type: 'location', location: { latitude: 1, longitude: 2, name: 'Shop' } }, is: { name: 'Shop' } },
  {
    sent: { ...text('It is'), context: { message_id: 'wamid.q' }, biz_opaque_callback_data: 'x' },
    is: { body: 'It is' },
  },
  { sent: { type: 'hologram', hologram: { size: 1 } }, is: { kind: 'hologram', hologram: { size: 1 } } },
]

t.test("each kind of message of Meta's agent is shown by what it says", async (t) => {
  const tenant = await makeTenant(world)
  const phone = person()
  for (const { sent } of ANSWERS) await taken(t, answers(tenant, phone, sent, seconds(3)))
  const stored = await messagesOf(tenant, await contactOf(tenant, phone))
  t.equal(stored.length, ANSWERS.length)
  for (const [at, { sent, is }] of ANSWERS.entries()) {
    const type = sent.type === 'hologram' ? 'unsupported' : sent.type
    t.match(stored[at], { direction: 'outbound', origin: 'meta_agent', type, message: is }, sent.type)
    for (const field of ['messaging_product', 'recipient', 'recipient_type', 'biz_opaque_callback_data'])
      t.notOk(field in stored[at]!.message, `${sent.type} without ${field}`)
  }
  t.same(stored[4]!.context, { message_id: 'wamid.q' })
})

t.test('a call that is repeated changes nothing', async (t) => {
  const tenant = await makeTenant(world)
  const phone = person()
  for (const _ of [1, 2]) {
    await taken(t, writes(tenant, phone, 'Hello', seconds(9), 'wamid.twice'))
    await taken(t, answers(tenant, phone, text('Hi'), seconds(8), 'wamid.twice.answer'))
    await taken(t, handsOver(tenant, phone, 'control_passed', PASSED, seconds(7)))
  }
  const contact = await contactOf(tenant, phone)
  t.match(contact.threads, [{ holder: 'parley' }])
  t.equal((await messagesOf(tenant, contact)).length, 2)
  const [ticket] = await ticketsOf(tenant)
  const moves = (await eventsOf(tenant, ticket!._id)).filter(({ event_type }) => event_type === 'thread.moved')
  t.match(moves, [
    { data: { holder: 'parley', previous_holder: 'meta_agent', note: 'The customer asks for a person' } },
    { data: { holder: 'meta_agent', previous_holder: null } },
  ])
  t.equal(moves.length, 2)
})

/** News of one conversation, by the seconds since each, and the app that holds it in the end. */
const HISTORIES: {
  what: string
  news: [ago: number, kind: 'standby' | 'messages' | 'passed' | 'taken'][]
  holder: string
}[] = [
  { what: 'the agent answers', news: [[9, 'standby']], holder: 'meta_agent' },
  {
    what: 'the agent passes it',
    news: [
      [9, 'standby'],
      [8, 'passed'],
    ],
    holder: 'parley',
  },
  {
    what: 'the agent passes it, and the person writes',
    news: [
      [9, 'standby'],
      [8, 'passed'],
      [7, 'messages'],
    ],
    holder: 'parley',
  },
  {
    what: 'the person writes to Parley again',
    news: [
      [9, 'standby'],
      [7, 'messages'],
    ],
    holder: 'parley',
  },
  {
    what: 'another app takes it',
    news: [
      [9, 'standby'],
      [8, 'passed'],
      [7, 'taken'],
    ],
    holder: 'app',
  },
  {
    what: 'another app takes it and the person writes',
    news: [
      [9, 'standby'],
      [7, 'taken'],
      [6, 'standby'],
    ],
    holder: 'app',
  },
  {
    what: 'a handover and a message of one second',
    news: [
      [9, 'standby'],
      [8, 'passed'],
      [8, 'standby'],
    ],
    holder: 'parley',
  },
  {
    what: 'the conversation comes back to the agent',
    news: [
      [9, 'standby'],
      [8, 'messages'],
      [7, 'standby'],
    ],
    holder: 'meta_agent',
  },
]

for (const { what, news, holder } of HISTORIES) {
  t.test(`${what}: the last news counts in whatever order it arrives`, async (t) => {
    const tenant = await makeTenant(world)
    for (const order of ordersOf(news)) {
      const phone = person()
      const now = seconds()
      for (const [ago, kind] of order) {
        if (kind === 'standby') await taken(t, writes(tenant, phone, 'Hello', now - ago))
        else if (kind === 'passed') await taken(t, handsOver(tenant, phone, 'control_passed', PASSED, now - ago))
        else if (kind === 'taken')
          await taken(t, handsOver(tenant, phone, 'control_taken', { new_owner_role: 'marketing' }, now - ago))
        else
          await taken(
            t,
            callAsProvider(world, tenant.number, { messages: [{ from: phone, timestamp: String(now - ago) }] }),
          )
      }
      const { threads } = await contactOf(tenant, phone)
      // A message to Parley alone tells of no other app.
      const is_known = threads.length > 0
      if (is_known) t.equal(threads[0].holder, holder, order.map(([, kind]) => kind).join(', '))
    }
  })
}

function ordersOf<One>(list: One[]): One[][] {
  if (list.length < 2) return [list]
  return list.flatMap((one, at) => ordersOf(list.toSpliced(at, 1)).map((rest) => [one, ...rest]))
}

t.test('a conversation that is passed to Parley waits for an answer', async (t) => {
  const tenant = await makeTenant(world)
  const phone = person()
  await writes(tenant, phone, 'I want to talk to a person', seconds(9))
  const waiting = async () => (await made(tenant.api('GET', 'crm/tickets?limit=1'))).data[0]
  t.match(await waiting(), { unread_count: 0 })
  await taken(t, handsOver(tenant, phone, 'control_passed', PASSED, seconds(8)))
  const contact = await contactOf(tenant, phone)
  t.match(contact.threads, [{ holder: 'parley' }])
  const [ticket] = await ticketsOf(tenant)
  t.match(await eventsOf(tenant, ticket!._id), [
    { event_type: 'thread.moved', data: { note: PASSED.metadata, holder: 'parley' } },
    { event_type: 'thread.moved', data: { holder: 'meta_agent' } },
    { event_type: 'ticket.created' },
  ])
})

t.test('a message into a conversation of another app takes it over when the provider accepts it', async (t) => {
  const tenant = await makeTenant(world)
  const phone = person()
  await writes(tenant, phone, 'Hello', seconds(5))
  await world.control('PUT', 'windows', { recipient: phone, open: true })
  const template = await made(
    tenant.api('POST', 'messages', {
      channel: 'whatsapp',
      to: `+${phone}`,
      message: { type: 'template', name: 'hello_world', language: 'en_US', variables: {} },
    }),
  )
  t.same(template.warnings, [], 'a template leaves the conversation where it is')
  await tenant.message(template.id, 'sent', 'delivered', 'read')
  t.match((await contactOf(tenant, phone)).threads, [{ holder: 'meta_agent' }])
  const sent = await made(tenant.send(`+${phone}`))
  t.match(sent.warnings, [{ code: 'THREAD_HELD_ELSEWHERE' }])
  await eventually('Parley holds it', async () => (await contactOf(tenant, phone)).threads[0].holder === 'parley')
  t.same((await made(tenant.send(`+${phone}`))).warnings, [])
})

t.test('a message that the provider refuses leaves the conversation to the other app', async (t) => {
  const tenant = await makeTenant(world)
  const phone = person()
  await writes(tenant, phone, 'Hello', seconds(5))
  await world.control('PUT', 'windows', { recipient: phone, open: true })
  await world.control('POST', 'faults', { match: { recipient: `+${phone}` }, error: { code: 131005 }, times: 1 })
  const sent = await made(tenant.send(`+${phone}`))
  await tenant.message(sent.id, 'failed')
  t.match((await contactOf(tenant, phone)).threads, [{ holder: 'meta_agent' }])
})

for (const channel of ['messenger', 'instagram'] as const) {
  t.test(`${channel}: standby, handovers and the app that answers`, async (t) => {
    const tenant = await makeTenant(world)
    const account = await connectPage(world, tenant, channel)
    const id = person()
    const at = Date.now() - 9000
    const sender = { id }
    const contact = async (): Promise<Json> => (await made(tenant.api('GET', `contacts?search=${id}`))).data[0]
    const holds = async (holder: string) =>
      t.match((await contact()).threads, [{ channel_id: account.channel_id, holder }])
    const messaging = (event: Json) => taken(t, callAsPage(world, account, [{ sender, ...event }]))
    const standby = (event: Json) => taken(t, callAsPage(world, account, [{ sender, ...event }], 'standby'))
    await standby({ timestamp: at, message: { mid: `${id}.1`, text: 'Hello' } })
    await holds('app')
    const echo = { is_echo: true, app_id: 622_851_382_610_562, mid: `${id}.2`, text: 'Hi, how can I help?' }
    await standby({ sender: { id: account.account_id }, recipient: { id }, timestamp: at + 1000, message: echo })
    await holds('meta_agent')
    const inbox = { ...echo, app_id: 263_902_037_430_900, mid: `${id}.3`, text: 'It is Luis' }
    await standby({ sender: { id: account.account_id }, recipient: { id }, timestamp: at + 2000, message: inbox })
    await holds('app')
    t.match(await messagesOf(tenant, await contact()), [
      { direction: 'inbound', message: { body: 'Hello' } },
      { direction: 'outbound', origin: 'meta_agent' },
      { direction: 'outbound', origin: 'app' },
    ])
    await messaging({
      timestamp: at + 3000,
      request_thread_control: { requested_owner_app_id: '1', metadata: 'May I?' },
    })
    const passed = { previous_owner_app_id: null, new_owner_app_id: '123456789', metadata: 'Wants a person' }
    await messaging({ timestamp: at + 4000, pass_thread_control: passed })
    await holds('parley')
    await messaging({
      timestamp: at + 5000,
      take_thread_control: { previous_owner_app_id: '123456789', new_owner_app_id: '1' },
    })
    await holds('app')
    const [ticket] = await ticketsOf(tenant)
    t.match(
      (await eventsOf(tenant, ticket!._id)).map(({ event_type, data: { holder, note } }) => [event_type, holder, note]),
      [
        ['thread.moved', 'app', null],
        ['thread.moved', 'parley', 'Wants a person'],
        ['thread.requested', undefined, 'May I?'],
        ['thread.moved', 'app', null],
        ['thread.moved', 'meta_agent', null],
        ['thread.moved', 'app', null],
        ['ticket.created', undefined, undefined],
      ],
    )
  })
}
