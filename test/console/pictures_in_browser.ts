/**
 * The pictures of the documents: one shop with customers, agents and appointments, as its agents and operators see it.
 * `npm run pictures` stores them in docs/pictures. One file, because all pictures show one shop, which takes most of the time.
 */
import t from 'tap'
import { Chance } from '../../http/app/demo/conversations/chance.ts'
import { picture } from '../../http/app/demo/conversations/files.ts'
import { eventually, type Json } from '../e2e/client.ts'
import { startSink } from '../e2e/sink.ts'
import { openAgentWindow } from './agent_window.ts'

t.setTimeout(600_000)

// Only on a fine screen do letters have their exact distances.
const agent = await openAgentWindow(t, { deviceScaleFactor: 2 })
const { page, inspect, faults, demo, api, operator, simulator, signIn, h1 } = agent
const { base_url, project_id, company_id } = demo
const place = (path: string) => `${base_url}/console#/projects/${project_id}/${path}`
const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
/** Takes a picture, of which both pages have nothing to complain about. */
const take = async (name: string) => {
  await page.evaluate('document.activeElement.blur()')
  t.same(await inspect(name), [], name)
  t.equal(await overflow(), 0, name)
}

const users = (await operator('GET', `users?company_id=${company_id}`)).data
const eva = users.find(({ email }: Json) => email === demo.agent.email)
const permissions = ['console.agent', 'console.operator', 'console.manage_assistants', 'developer.manage_webhooks']
await operator('PATCH', `users/${eva._id}`, { full_name: 'Eva Luna', permissions })
const tomas = await operator('POST', 'users', {
  company_id,
  full_name: 'Tomás Ortega',
  email: 'tomas@example.com',
  permissions: ['console.agent'],
})
await operator('POST', 'custom-fields', { company_id, owner: 'ticket', key: 'order_no', name: 'Order', type: 'string' })
const tags = await Promise.all(
  [
    ['damaged', '#b42318'],
    ['regular', '#067647'],
  ].map(([name, color]) => operator('POST', 'tags', { project_id, name, color })),
)
const stages = ['New', 'In progress', 'Waiting for the parcel', 'Refund'].map((name) => ({ name }))
const pipeline = await operator('POST', 'pipelines', {
  project_id,
  name: 'Orders',
  stages: [...stages, { name: 'Done', rules: { close_with: 'won' } }],
})

type Customer = { channel: string; from: string; name: string; lines: string[]; stage: number; fields: Json }

const CUSTOMERS: Customer[] = [
  {
    channel: 'tiktok',
    from: '7700283947100008',
    name: 'yuki.novak',
    lines: ['Is the green one available?'],
    stage: 0,
    fields: {},
  },
  {
    channel: 'email',
    from: 'pavel.santos@example.com',
    name: 'Pavel Santos',
    lines: ['I need an invoice with the tax number of my company: Acme Trading, B-12345678.'],
    stage: 1,
    fields: { assigned_to: tomas._id, conversation_summary: { motivo: 'Needs an invoice for his company' } },
  },
  {
    channel: 'messenger',
    from: '77002839471004',
    name: 'Ben Okafor',
    lines: ['The code SUMMER10 does not work.', 'It says the code is not valid for this basket.'],
    stage: 0,
    fields: { conversation_summary: { motivo: 'A voucher is refused' } },
  },
  {
    channel: 'telegram',
    from: '518270006',
    name: 'Noor Lindqvist',
    lines: ['Can I still change the size of my order? I ordered M and need L.'],
    stage: 2,
    fields: { amount: 79, amount_currency: 'EUR', assigned_to: eva._id, priority: 'high' },
  },
  {
    channel: 'whatsapp',
    from: '15557710002',
    name: 'Luis Vega',
    lines: ['Buenas tardes, ¿tienen cita para mañana?', 'Por la tarde me queda mejor.'],
    stage: 1,
    fields: { add_tag_ids: [tags[1]!._id], conversation_summary: { motivo: 'Asks for an appointment tomorrow' } },
  },
  {
    channel: 'instagram',
    from: '77002839471002',
    name: 'Chiara Moreau',
    lines: ['Do you deliver to the islands?', 'To Lanzarote.'],
    stage: 3,
    fields: { amount: 129.9, amount_currency: 'EUR', assigned_to: tomas._id },
  },
  {
    channel: 'whatsapp',
    from: '15557710003',
    name: 'Ines Ríos',
    lines: ['I was charged twice, on the 14th and on the 15th.'],
    stage: 3,
    fields: { amount: 240, amount_currency: 'EUR', priority: 'urgent', add_tag_ids: [tags[1]!._id] },
  },
  {
    channel: 'whatsapp',
    from: '15557710001',
    name: 'Marta Keller',
    lines: ['Hello! My order A-1042 has arrived.'],
    stage: 1,
    fields: {
      amount: 89.9,
      amount_currency: 'EUR',
      priority: 'high',
      assigned_to: eva._id,
      add_tag_ids: [tags[0]!._id],
      custom_fields: { order_no: 'A-1042' },
      conversation_summary: { motivo: 'A lamp arrived broken' },
    },
  },
]

const writes = (customer: Pick<Customer, 'channel' | 'from' | 'name'>, message: unknown) => {
  const { channel, from, name } = customer
  return simulator('inbound', { channel, from, name, message })
}

const tickets = new Map<string, Json>()
for (const customer of CUSTOMERS) {
  const { channel, lines, stage, fields } = customer
  for (const line of lines) await writes(customer, line)
  const ticket = await eventually(`a ticket of ${customer.name}`, async () => {
    const [first] = (await api('GET', `messages?channel=${channel}&status=received&limit=1`)).data
    if (first) await api('PATCH', `contacts/${first.chat_user}`, { name: customer.name })
    return first && (await api('GET', `crm/tickets?chat_user=${first.chat_user}`)).data[0]
  })
  if (Object.keys(fields).length > 0) await api('PATCH', `crm/tickets/${ticket._id}`, fields)
  await api('POST', `crm/tickets/${ticket._id}/stage`, { stage_id: pipeline.stages[stage]._id })
  tickets.set(customer.name, ticket)
}
const marta = CUSTOMERS.at(-1)!
const martas = tickets.get(marta.name)!

await page.goto(place('inbox'))
await signIn()
await page.locator('.connection.live').waitFor()

t.test('the inbox, with a thread and its panel', async (t) => {
  const answer = async (text: string) => {
    await page.locator('.composer textarea').fill(text)
    await page.keyboard.press('Enter')
    await page.locator('.inbox-message.is-outbound', { hasText: text }).locator('.ticks.is-read').waitFor()
  }
  await page.goto(place(`inbox/all/${martas._id}`))
  await page.locator('.inbox-message', { hasText: 'has arrived' }).waitFor()
  await writes(marta, {
    type: 'image',
    image: {
      data: picture(new Chance(4)).toString('base64'),
      mime_type: 'image/png',
      caption: 'But the lamp is broken, look.',
    },
  })
  await page.locator('.inbox-message', { hasText: 'But the lamp' }).waitFor()
  await answer('I am sorry to see that! Do you want a new one, or your money back?')
  await writes(marta, 'A new one, please. The same colour.')
  await page.locator('.inbox-message', { hasText: 'The same colour' }).waitFor()
  await api('POST', 'crm/notes', { content: 'The third broken one of this carrier this week.', ticket_id: martas._id })
  await page.locator('.inbox-note').waitFor()
  await answer('A new one leaves our warehouse this afternoon.')
  await page.locator('.inbox-new', { hasText: `${CUSTOMERS.length - 1} unread` }).waitFor()
  await eventually('all pictures are there', () =>
    page.evaluate<boolean>('[...document.images].every((image) => image.complete && image.naturalWidth > 0)'),
  )
  await take('inbox')
  t.ok(true)
})

t.test('the same list on a small phone', async (t) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(place('inbox'))
  await eventually('all are there', async () => (await page.locator('.inbox-row').count()) >= CUSTOMERS.length)
  await take('inbox-phone')
  await page.setViewportSize({ width: 1280, height: 800 })
  t.ok(true)
})

t.test('the board', async (t) => {
  await page.goto(place(`board/${pipeline._id}`))
  await eventually('all are there', async () => (await page.locator('.board-card').count()) >= CUSTOMERS.length)
  t.equal(await page.locator('.board-card', { hasText: marta.name }).locator('.count').count(), 0)
  const isOutside =
    'document.querySelectorAll(".board-card-body").values().some((one) => one.scrollWidth > one.clientWidth)'
  t.notOk(await page.evaluate(isOutside), 'all of a card is within it')
  await take('board')
  t.ok(true)
})

t.test('a week of appointments', async (t) => {
  const contact = async (name: string, n: number) =>
    api('POST', 'contacts', {
      channel_type: 'whatsapp',
      user_id: `1555772000${n}`,
      name,
      phone: `+1555772000${n}`,
    })
  const people = await Promise.all(['Ana Torres', 'Tom Ríos', 'Carla Peña', 'João Silva'].map(contact))
  const at: [day: number, from: string, to: string, person: number, fields: Json][] = [
    [5, '09:00', '10:00', 0, { assigned_to: eva._id, status: 'confirmed', location: 'Shop' }],
    [5, '09:30', '10:30', 1, { assigned_to: tomas._id }],
    [6, '11:00', '12:30', 2, { assigned_to: eva._id, status: 'confirmed' }],
    [7, '10:00', '11:00', 3, { assigned_to: tomas._id, status: 'confirmed', location: 'Shop' }],
    [7, '13:00', '13:30', 1, { modality: 'online', meeting_url: 'https://meet.example.com/a' }],
    [8, '09:00', '10:30', 2, { assigned_to: tomas._id }],
    [9, '12:00', '13:00', 0, { assigned_to: eva._id, status: 'confirmed' }],
    [9, '10:00', '10:45', 3, { assigned_to: eva._id }],
  ]
  for (const [day, from, to, person, fields] of at)
    await operator('POST', 'appointments', {
      project_id,
      starts_at: `2031-05-0${day}T${from}:00Z`,
      ends_at: `2031-05-0${day}T${to}:00Z`,
      chat_user: people[person]._id,
      ...fields,
    })
  await page.goto(place('appointments/week/2031-05-05?zone=UTC'))
  await eventually('all are there', async () => (await page.locator('.cal-block').count()) === at.length)
  await take('appointments')
  t.ok(true)
})

t.test('knowledge', async (t) => {
  await page.goto(place('knowledge'))
  const item = (name: string) => page.getByRole('treeitem', { name, exact: true })
  await item('Policies').waitFor()
  await page.getByRole('tree').focus()
  for (const key of ['Home', 'ArrowRight']) await page.keyboard.press(key)
  await item('Returns').click()
  await h1().filter({ hasText: 'Returns' }).waitFor()
  await take('knowledge')
  t.ok(true)
})

t.test('an assistant', async (t) => {
  await page.goto(place('assistants'))
  await page.getByRole('link', { name: 'Demi' }).click()
  await page.getByRole('textbox', { name: /^Content of/ }).waitFor()
  await page.getByRole('button', { name: 'Playground' }).click()
  await page.getByRole('textbox', { name: 'Message to the assistant' }).fill('How long does a delivery take?')
  await page.keyboard.press('Enter')
  await page.getByRole('log').getByRole('button', { name: 'Why?' }).waitFor()
  await page.evaluate('scrollTo(0, 0)')
  await take('assistants')
  t.ok(true)
})

t.test('the composer of a broadcast', async (t) => {
  const people = [
    'name,phone,order',
    'Ana,+5215512345678,A-1001',
    'Luis,+5215512345679,A-1002',
    'Rosa,+5215512345681,A-1004',
  ]
  await page.goto(place('broadcasts/new'))
  await page.getByLabel('Search templates').fill('order on its way en')
  await eventually('one is left', async () => (await page.locator('.compose-choice').count()) === 1)
  await page.keyboard.press('Enter')
  const file = { name: 'customers.csv', mimeType: 'text/csv', buffer: Buffer.from(`${people.join('\n')}\n`) }
  await page.getByLabel('CSV file').setInputFiles(file)
  await page.getByLabel('{{1}}', { exact: true }).selectOption({ index: 1 })
  await page.getByLabel('{{2}}', { exact: true }).selectOption({ index: 3 })
  await page.getByLabel('Campaign name').fill('Autumn sale')
  await page.locator('.compose-bar').getByText('Ready to send').waitFor()
  await page.evaluate('scrollTo(0, 0)')
  await take('broadcast')
  t.ok(true)
})

t.test('webhooks and their deliveries', async (t) => {
  const sink = await startSink(t)
  const webhook = (name: string, path: string, events: string[]) =>
    api('POST', 'webhooks', { name, url: sink.url(path), events })
  const { id } = await webhook('Warehouse', 'warehouse', ['crm.note.created', 'crm.ticket.*'])
  const note = (content: string) => api('POST', 'crm/notes', { content, ticket_id: martas._id })
  await page.goto(place(`webhooks/${id}`))
  const rows = page.locator('.webhook-table tbody tr')
  await note('Called the carrier.')
  await rows.filter({ hasText: 'Delivered' }).first().waitFor()
  await api('PATCH', `crm/tickets/${martas._id}`, { priority: 'urgent' })
  await rows.filter({ hasText: 'crm.ticket.updated' }).first().waitFor()
  sink.answer('warehouse', () => 404)
  await note('The carrier calls back tomorrow.')
  await rows.filter({ hasText: '404' }).first().waitFor()
  await take('webhooks')
  t.ok(true)
})

t.test('operations', async (t) => {
  await agent.pace(4)
  await agent.send(150, 'Autumn sale')
  await page.goto(`${base_url}/console#/ops/backlogs`)
  await page.reload()
  await eventually(
    'there are lines',
    async () => (await page.locator('.ops-plot svg').nth(3).innerHTML()).split('L').length > 14,
  )
  await take('operations')
  t.ok(true)
})

t.test('the web chat', async (t) => {
  const { _id: channel_id } = await operator('POST', 'channels', {
    project_id,
    channel_type: 'web',
    provider: 'cloud',
    name: 'Chat of the shop',
    credentials: { visitor_secret: 'the secret of the visitors' },
  })
  await page.setViewportSize({ width: 400, height: 640 })
  await page.goto(`${base_url}/widget/${channel_id}`)
  const says = async (text: string) => {
    await page.getByLabel('Write a message').fill(text)
    await page.keyboard.press('Enter')
    await page.locator('li .bubble', { hasText: text }).waitFor()
  }
  await says('Hi! Do you have this lamp in green, too?')
  const stored = await eventually('it is stored', async () => {
    const { data } = await api('GET', 'messages?channel=web&status=received&limit=5')
    return data.find(({ message }: Json) => message.body?.startsWith('Hi! Do you'))
  })
  const [ticket] = (await api('GET', `crm/tickets?chat_user=${stored.chat_user}`)).data
  await api('PATCH', `crm/tickets/${ticket._id}`, { assigned_to: eva._id })
  const answers = (message: Json) => api('POST', 'messages', { channel: 'web', channel_id, to: stored.from, message })
  await answers({ type: 'text', body: 'Hello! Yes, in two sizes.' })
  await answers({
    type: 'buttons',
    body_text: 'Which one do you need?',
    buttons: [
      { id: 's', title: 'Small' },
      { id: 'l', title: 'Large' },
    ],
  })
  await page.getByRole('button', { name: 'Large' }).waitFor()
  await page.getByText('Eva Luna').first().waitFor()
  await take('web-chat')
  t.ok(true)
})

t.test('no page has an error', async (t) => {
  t.same(faults, [])
})
