/**
 * Notices that come as messages of a person. They are no work: no ticket, no reply window, nothing unread, nothing
 * cancelled. Edits and withdrawals change the original, on every channel whose provider reports them.
 */
import t, { type Test } from 'tap'
import { type Answer, eventually, type Json } from '../e2e/client.ts'
import { bodyProblems } from '../e2e/event_schemas.ts'
import { joinWorld, made, makeTenant, type Tenant } from '../e2e/fixture.ts'
import { inboxAgent, listen } from '../e2e/inbox_client.ts'
import { callAsProvider } from '../e2e/provider_call.ts'
import { becomes, open, schedule } from '../e2e/scheduled_client.ts'
import { callAsPage, connectPage } from './page_account.ts'

const world = await joinWorld(t)

let last = 0
const nextId = (kind = 'wamid.notice') => `${kind}.${process.pid}.${++last}`

/** A person of a channel, and what its provider calls for what the person does. */
type Chat = {
  from: string
  channel_id: string
  says(id: string, body: string, more?: Json): Promise<Answer>
  edits(id: string, body: string, more?: Json): Promise<Answer>
  withdraws(id: string, more?: Json): Promise<Answer>
}

let people = 0
const nextPerson = () => `1555${String(process.pid % 1000).padStart(3, '0')}${String(++people).padStart(4, '0')}`

const CHATS: Record<string, (tenant: Tenant) => Promise<Chat>> = {
  async whatsapp({ number }) {
    const from = nextPerson()
    const call = (message: Json) => callAsProvider(world, number, { messages: [{ from, ...message }] })
    return {
      from,
      channel_id: number.channel_id,
      says: (id, body, more) => call({ id, text: { body }, ...more }),
      edits: (original_message_id, body, more) => {
        const edit = { original_message_id, message: { type: 'text', text: { body } } }
        return call({ id: nextId(), type: 'edit', edit, ...more })
      },
      withdraws: (original_message_id, more) =>
        call({ id: nextId(), type: 'revoke', revoke: { original_message_id }, ...more }),
    }
  },
  messenger: (tenant) => ofPage(tenant, 'messenger'),
  instagram: (tenant) => ofPage(tenant, 'instagram'),
}

async function ofPage(tenant: Tenant, channel: string): Promise<Chat> {
  const account = await connectPage(world, tenant, channel)
  const from = nextPerson()
  const call = (event: Json) => callAsPage(world, account, [{ sender: { id: from }, ...event }])
  let edits = 0
  return {
    from,
    channel_id: account.channel_id,
    says: (mid, text, more) => call({ message: { mid, text }, ...more }),
    edits: (mid, text, more) => call({ message_edit: { mid, text, num_edit: ++edits }, ...more }),
    withdraws: (mid, more) => call({ message: { mid, is_deleted: true }, ...more }),
  }
}

async function stored(tenant: Tenant, provider_message_id: string): Promise<Json> {
  const { data } = await made(tenant.api('GET', 'messages?limit=100'))
  return data.find((one: Json) => one.provider_message_id === provider_message_id)
}

const taken = async (t: Test, answer: Promise<Answer>) => t.equal((await answer).status, 200)

async function openTickets(tenant: Tenant): Promise<Json[]> {
  return (await made(tenant.api('GET', 'crm/tickets?is_closed=false'))).data
}

async function closeTickets(tenant: Tenant): Promise<void> {
  for (const { _id } of await openTickets(tenant)) {
    await made(tenant.api('PATCH', `crm/tickets/${_id}`, { is_closed: true, resolution: 'won' }))
  }
}

const reply = (response: string, more: Json = {}) => ({
  type: 'interactive',
  interactive: { type: 'call_permission_reply', call_permission_reply: { response, ...more } },
})

const NOTICES: { what: string; message: Json }[] = [
  { what: 'a welcome', message: { type: 'request_welcome' } },
  {
    what: 'a withdrawal of a message that is not here',
    message: { type: 'revoke', revoke: { original_message_id: 'x' } },
  },
  {
    what: 'an edit of a message that is not here',
    message: { type: 'edit', edit: { original_message_id: 'x', message: { type: 'text', text: { body: 'Two' } } } },
  },
  { what: 'a reaction taken back', message: { type: 'reaction', reaction: { message_id: 'x' } } },
  {
    what: 'a reaction taken back with an empty emoji',
    message: { type: 'reaction', reaction: { message_id: 'x', emoji: '' } },
  },
  { what: 'a pin', message: { type: 'pin', pin: { message_id: 'x' } } },
  { what: 'an unpin', message: { type: 'unpin', unpin: { message_id: 'x' } } },
  {
    what: 'a changed number',
    message: { type: 'system', system: { type: 'customer_identity_changed', body: 'News' } },
  },
  { what: 'a refusal to be called', message: reply('reject') },
  { what: 'a permission to be called that WhatsApp gave', message: reply('accept', { response_source: 'automatic' }) },
]

t.test('a notice opens no ticket and no window, whoever it is of', async (t) => {
  const tenant = await makeTenant(world)
  const agent = await inboxAgent(world, tenant)
  const ids = new Map<string, string>()
  for (const { what, message } of NOTICES) {
    const [from, id] = [nextPerson(), nextId()]
    ids.set(what, id)
    await taken(t, callAsProvider(world, tenant.number, { messages: [{ from, id, ...message }] }))
    const { data } = await made(tenant.api('GET', `contacts?search=${from}`))
    t.same(
      data.map(({ windows }: Json) => windows),
      [[]],
      what,
    )
  }
  t.same(await openTickets(tenant), [])
  t.same(await agent.list(), [])
  for (const [what, id] of ids) t.ok(await stored(tenant, id), `${what} is stored all the same`)
})

t.test('a notice changes nothing of an open ticket, and opens no other after it was closed', async (t) => {
  const tenant = await makeTenant(world)
  const agent = await inboxAgent(world, tenant)
  const from = nextPerson()
  const call = (message: Json) =>
    callAsProvider(world, tenant.number, { messages: [{ from, id: nextId(), ...message }] })
  await tenant.writes(`+${from}`, { type: 'text', text: { body: 'Where is it?' } })
  const [row] = await agent.list()
  const answered = await tenant.send(`+${from}`)
  await tenant.message(answered.body.id, 'read')
  const before = await agent.row(row!.ticket_id)
  for (const { message } of NOTICES) await taken(t, call(message))
  t.same(
    await agent.row(row!.ticket_id),
    before,
    'neither unread nor waiting, and the preview is the last real message',
  )
  await closeTickets(tenant)
  for (const { message } of NOTICES) await taken(t, call(message))
  t.same(await openTickets(tenant), [])
})

t.test('what a person says or answers is work', async (t) => {
  const tenant = await makeTenant(world)
  const works: Json[] = [
    { type: 'reaction', reaction: { message_id: 'x', emoji: '👍' } },
    reply('accept', { response_source: 'user_action' }),
    { type: 'unsupported', errors: [{ code: 131051 }] },
    { type: 'newkind', newkind: { any: 1 } },
  ]
  for (const message of works) {
    await taken(t, callAsProvider(world, tenant.number, { messages: [{ from: nextPerson(), ...message }] }))
  }
  t.equal((await openTickets(tenant)).length, works.length)
})

t.test('a notice cancels no scheduled message', async (t) => {
  const tenant = await makeTenant(world)
  const agent = await inboxAgent(world, tenant)
  const from = nextPerson()
  const call = (message: Json) =>
    callAsProvider(world, tenant.number, { messages: [{ from, id: nextId(), ...message }] })
  await taken(t, call({ text: { body: 'Hi' } }))
  const [{ ticket_id }] = (await agent.list()) as [Json]
  const scheduled = await made(schedule(agent, ticket_id, { cancel_if_answered: true }))
  for (const { message } of NOTICES) await taken(t, call(message))
  t.match(await open(agent, ticket_id), [{ id: scheduled.id, status: 'scheduled' }])
  await taken(t, call({ text: { body: 'Yes' } }))
  await becomes(agent, scheduled, 'cancelled')
})

for (const [channel, begin] of Object.entries(CHATS)) {
  const start = async (name: string, events: string[] = []) => {
    const tenant = await makeTenant(world)
    if (events.length > 0) await tenant.subscribe(`${name}-${channel}`, events)
    return { tenant, chat: await begin(tenant) }
  }
  const former = async ({ _id: _, id }: Json): Promise<Json[]> =>
    (await made(world.operator('GET', `audit?target_kind=message&target_id=${id}`))).data

  t.test(`${channel}: a withdrawn message has no content any more, and is no new work`, async (t) => {
    const { tenant, chat } = await start('withdrawn', [`${channel}.message.deleted`])
    const agent = await inboxAgent(world, tenant)
    const { heard } = await listen(t, world, tenant, agent)
    const id = nextId('m_q')
    await taken(t, chat.says(id, 'My card is 4111'))
    const { id: message_id } = await stored(tenant, id)
    await closeTickets(tenant)
    await taken(t, chat.withdraws(id))
    await taken(t, chat.withdraws(id))
    const record = await stored(tenant, id)
    t.match(record, { id: message_id, type: 'text', status: 'received', deleted_at: /Z$/, edited_at: null })
    t.same(record.message, { type: 'text' })
    t.same(await openTickets(tenant), [])
    const [row] = await agent.list('?is_closed=true')
    t.match(row!.last_message, { id: message_id, deleted_at: /Z$/, text: null })
    t.same((await made(tenant.api('GET', 'crm/search?search=4111'))).data ?? [], [])
    const [entry, ...more] = await former(record)
    t.match(entry, {
      action: 'withdraw_message',
      actor: { kind: 'system' },
      before: { message: { body: 'My card is 4111' } },
    })
    t.same(more, [])
    const [event] = await eventually('the event', () => {
      const calls = world.sink.calls(`withdrawn-${channel}`)
      return calls.length > 0 && calls.map(({ body }) => body)
    })
    t.same(bodyProblems(event), [])
    t.match(event.data, { message_id, messages: [{ type: 'revoke', revoke: { original_message_id: id } }] })
    await eventually('the live console', () =>
      heard('message.updated').some((one) => one.id === message_id && one.deleted_at),
    )
  })

  t.test(`${channel}: an edited message has the new text, and is no new work`, async (t) => {
    const { tenant, chat } = await start('edited', [`${channel}.message.edited`])
    const agent = await inboxAgent(world, tenant)
    const id = nextId('m_e')
    await taken(t, chat.says(id, 'Two zebracakes'))
    await closeTickets(tenant)
    await taken(t, chat.edits(id, 'Three lemonpies'))
    await taken(t, chat.edits(id, 'Four lemonpies'))
    const record = await stored(tenant, id)
    t.match(record, { type: 'text', message: { body: 'Four lemonpies' }, edited_at: /Z$/, deleted_at: null })
    t.same(await openTickets(tenant), [])
    t.match((await agent.list('?is_closed=true'))[0]!.last_message, { text: 'Four lemonpies' })
    const found = async (word: string) => {
      const { data } = await made(tenant.api('GET', `crm/search?search=${word}`))
      return JSON.stringify(data).includes(record.id)
    }
    t.ok(await found('lemonpies'))
    t.notOk(await found('zebracakes'))
    const entries = await former(record)
    t.same(entries.map(({ before }) => before.message.body).sort(), ['Three lemonpies', 'Two zebracakes'])
    const events = await eventually('both events', () => {
      const bodies = new Map(world.sink.calls(`edited-${channel}`).map(({ body }) => [body.id, body]))
      return bodies.size === 2 && [...bodies.values()]
    })
    for (const event of events) t.same(bodyProblems(event), [])
    t.ok(events.every(({ data }: Json) => data.message_id === record.id))

    await taken(t, chat.withdraws(id))
    t.same((await stored(tenant, id)).message, { type: 'text' })
    t.notOk(JSON.stringify((await made(tenant.api('GET', 'messages'))).data).includes('lemonpies'), 'nor in the edits')
    await taken(t, chat.edits(id, 'Five'))
    t.same((await stored(tenant, id)).message, { type: 'text' }, 'a withdrawn message stays so')
    const all = (await made(tenant.api('GET', 'messages'))).data
    t.notOk(JSON.stringify(all).includes('Five'), 'nor does an edit that comes later say anything')
  })

  t.test(`${channel}: a withdrawal or an edit that arrives before its message is applied to it`, async (t) => {
    const { tenant, chat } = await start('early')
    const [withdrawn, edited, both] = [nextId('m_1'), nextId('m_2'), nextId('m_3')]
    await taken(t, chat.withdraws(withdrawn))
    await taken(t, chat.edits(edited, 'Eleven'))
    await taken(t, chat.edits(both, 'Twelve'))
    await taken(t, chat.withdraws(both))
    await taken(t, chat.says(withdrawn, 'Ten'))
    t.same(await openTickets(tenant), [], 'a message that was withdrawn before it came is no work')
    await taken(t, chat.says(edited, 'Ten'))
    await taken(t, chat.says(both, 'Ten'))
    t.match(await stored(tenant, withdrawn), { deleted_at: /Z$/, message: { body: undefined } })
    t.match(await stored(tenant, edited), { edited_at: /Z$/, message: { body: 'Eleven' } })
    t.match(await stored(tenant, both), { deleted_at: /Z$/, message: { body: undefined } })
    t.equal((await openTickets(tenant)).length, 1)
    await taken(t, chat.withdraws(edited))
    const [never, crossed] = [nextId('m_4'), nextId('m_5')]
    await taken(t, chat.edits(never, 'Thirteen'))
    await taken(t, chat.edits(never, 'Fourteen'))
    await taken(t, chat.withdraws(never))
    await taken(t, chat.withdraws(crossed))
    await taken(t, chat.edits(crossed, 'Fifteen'))
    t.notOk(JSON.stringify((await made(tenant.api('GET', 'messages'))).data).match(/Eleven|Twelve|teen/))
  })

  t.test(`${channel}: only its author changes a message`, async (t) => {
    const { tenant, chat } = await start('author')
    const id = nextId('m_a')
    await taken(t, chat.says(id, 'Mine'))
    const other = channel === 'whatsapp' ? { from: nextPerson() } : { sender: { id: nextPerson() } }
    await taken(t, chat.withdraws(id, other))
    await taken(t, chat.edits(id, 'Yours', other))
    t.match(await stored(tenant, id), { message: { body: 'Mine' }, edited_at: null, deleted_at: null })
    const elsewhere = await begin(tenant)
    if (elsewhere.channel_id !== chat.channel_id) await taken(t, elsewhere.withdraws(id))
    t.match(await stored(tenant, id), { message: { body: 'Mine' }, edited_at: null, deleted_at: null })
  })

  t.test(`${channel}: a message and its withdrawal in one call`, async (t) => {
    const { tenant, chat } = await start('together')
    const id = nextId('m_t')
    await Promise.all([taken(t, chat.says(id, 'Oops')), taken(t, chat.withdraws(id))])
    t.match(await stored(tenant, id), { deleted_at: /Z$/, message: { body: undefined } })
  })
}

t.test('a notice of a person changes no message of ours', async (t) => {
  const tenant = await makeTenant(world)
  const chat = await CHATS.whatsapp!(tenant)
  const { id: asked } = (await tenant.writes(`+${chat.from}`, { type: 'text', text: { body: 'Hi' } })).message
  const sent = await tenant.send(`+${chat.from}`)
  const ours = await tenant.message(sent.body.id, 'read')
  await taken(t, chat.withdraws(ours.provider_message_id))
  await taken(t, chat.edits(ours.provider_message_id, 'Yours'))
  t.match(await tenant.message(sent.body.id, 'read'), { message: { body: 'Hello' }, edited_at: null, deleted_at: null })
  t.match(await stored(tenant, asked), { deleted_at: null })
})

t.test('an edit that is older than the present text changes nothing', async (t) => {
  const tenant = await makeTenant(world)
  const chat = await CHATS.whatsapp!(tenant)
  const id = nextId()
  const second = Math.floor(Date.now() / 1000)
  await taken(t, chat.says(id, 'One', { timestamp: String(second) }))
  await taken(t, chat.edits(id, 'Three', { timestamp: String(second + 20) }))
  await taken(t, chat.edits(id, 'Two', { timestamp: String(second + 10) }))
  t.match(await stored(tenant, id), { message: { body: 'Three' } })
})

t.test('an edited caption leaves the file in place', async (t) => {
  const tenant = await makeTenant(world)
  const { number } = tenant
  const from = nextPerson()
  const id = nextId()
  const call = (message: Json) => callAsProvider(world, number, { messages: [{ from, ...message }] })
  const image = { id: '9001', mime_type: 'image/jpeg', caption: 'Roof' }
  await taken(t, call({ id, type: 'image', image, referral: { source_id: 'ad-1' } }))
  const { media_id } = (await stored(tenant, id)).message
  const edit = {
    original_message_id: id,
    message: { type: 'image', image: { id: '9001', mime_type: 'image/jpeg', caption: 'The roof' } },
  }
  await taken(t, call({ id: nextId(), type: 'edit', edit }))
  t.match((await stored(tenant, id)).message, {
    type: 'image',
    media_id,
    provider_media_id: '9001',
    media_status: 'pending',
    mime_type: 'image/jpeg',
    caption: 'The roof',
    referral: { source_id: 'ad-1' },
  })
  const as_text = { original_message_id: id, message: { type: 'text', text: { body: 'Our roof' } } }
  await taken(t, call({ id: nextId(), type: 'edit', edit: as_text }))
  const { message, type } = await stored(tenant, id)
  t.same(
    { type, media_id: message.media_id, caption: message.caption },
    { type: 'image', media_id, caption: 'Our roof' },
  )
})

t.test('all files of a message are withdrawn with it', async (t) => {
  const tenant = await makeTenant(world)
  const account = await connectPage(world, tenant, 'messenger')
  const sender = { id: nextPerson() }
  const attachments = [1, 2, 3].map((n) => ({ type: 'image', payload: { url: `https://files.example/${n}.png` } }))
  const [late, early] = [nextId('m_f'), nextId('m_f')]
  await taken(t, callAsPage(world, account, [{ sender, message: { mid: late, attachments } }]))
  await taken(t, callAsPage(world, account, [{ sender, message: { mid: late, is_deleted: true } }]))
  await taken(t, callAsPage(world, account, [{ sender, message: { mid: early, is_deleted: true } }]))
  await taken(t, callAsPage(world, account, [{ sender, message: { mid: early, attachments } }]))
  const all = (await made(tenant.api('GET', 'messages'))).data.filter(({ type }: Json) => type === 'image')
  t.equal(all.length, 6)
  t.ok(all.every(({ deleted_at, message }: Json) => deleted_at && message.link === undefined))
})
