/** The inbox: its list and a thread, as an agent uses them. */
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { openAgentWindow } from './agent_window.ts'
import { ANY_IMPACT } from './window.ts'

t.setTimeout(600_000)

const agent = await openAgentWindow(t)
const { page, inspect, faults, demo, api, simulator, signIn, focused } = agent
const inbox = `${demo.base_url}/console#/projects/${demo.project_id}/inbox`
const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')

const NAMES = ['Ana Torres', 'Luis Gómez', 'Marta Ruiz', 'João Silva', 'Carla Peña', 'Pedro Díaz']
const phone = (n: number) => `1555300${String(n).padStart(4, '0')}`

/** A message of a person, who is written to by the number of the demo. */
const writes = (n: number, body: string) =>
  simulator('inbound', {
    channel: 'whatsapp',
    from: phone(n),
    name: NAMES[n % NAMES.length],
    message: { type: 'text', text: { body } },
  })
const ticketOf = async (n: number): Promise<Json> => {
  const { data } = await api('GET', `contacts?phone=%2B${phone(n)}`)
  return (await api('GET', `crm/tickets?chat_user=${data[0]._id}`)).data[0]
}
const rows = () => page.locator('.inbox-row')
const row = (text: string) => page.locator('.inbox-row', { hasText: text })
const messages = () => page.locator('.inbox-message')

await page.goto(inbox)
await signIn()
await page.locator('.connection.live').waitFor()

t.test('an empty inbox says what comes', async (t) => {
  await page.getByText('No open tickets').waitFor()
  t.same(await inspect('inbox-empty'), [])
})

t.test('tickets appear by themselves, the latest on top, with what is unread', async (t) => {
  for (const n of NAMES.keys()) await writes(n, `Hello, where is my order A-100${n}?`)
  await eventually('all are there', async () => (await rows().count()) === NAMES.length)
  await writes(1, 'Are you there?')
  await eventually('it is on top', async () => (await rows().first().textContent())?.includes('Are you there?'))
  await eventually('two are unread', async () => (await row('Luis').locator('.count').textContent()) === '2')
  t.same(await inspect('inbox-list'), [])
})

t.test('a thread shows messages, notes and events in one stream', async (t) => {
  const ticket = await ticketOf(1)
  await api('POST', 'crm/notes', {
    content: 'Called on Friday: https://shop.example.com/orders/1',
    ticket_id: ticket._id,
  })
  await api('POST', 'crm/events', {
    event_type: 'custom.order_shipped',
    data: { order: 'A-1001' },
    ticket_id: ticket._id,
  }).catch(() => {})
  await row('Luis').getByRole('link').click()
  await messages().nth(1).waitFor()
  await page.locator('.inbox-note').getByText('Called on Friday').waitFor()
  await page.locator('.inbox-unread-line').waitFor()
  await eventually('it is read', async () => (await row('Luis').locator('.count').count()) === 0)
  const to = `+${phone(1)}`
  await api('POST', 'messages', { channel: 'whatsapp', to, message: { type: 'text', body: 'It is on its way.' } })
  await page.locator('.inbox-message.is-outbound .ticks.is-read').waitFor()
  await api('POST', 'messages', {
    channel: 'whatsapp',
    to,
    message: {
      type: 'buttons',
      body_text: 'Did it help?',
      buttons: [
        { id: 'y', title: 'Yes' },
        { id: 'n', title: 'No' },
      ],
    },
  })
  await api('POST', 'messages', {
    channel: 'whatsapp',
    to,
    message: { type: 'location', latitude: 19.4326, longitude: -99.1332, name: 'Zócalo', address: 'Centro' },
  })
  await page.getByText('Zócalo', { exact: true }).waitFor()
  await writes(1, 'Thank you!')
  await page.getByRole('status').filter({ hasText: 'New message: Thank you!' }).waitFor({ state: 'attached' })
  t.same(await inspect('inbox-thread'), [])
})

t.test('what arrives in an open thread is read, for the agent’s other pages, too', async (t) => {
  const { _id } = await ticketOf(1)
  const unread = () =>
    page.evaluate<number>(
      `fetch('/console/projects/${demo.project_id}/inbox').then((answer) => answer.json())
        .then(({ data }) => data.find(({ ticket_id }) => ticket_id === '${_id}').unread_count)`,
    )
  await eventually('it is read', async () => (await unread()) === 0)
  t.equal(await row('Luis').locator('.count').count(), 0)
})

t.test('a message that failed says why', async (t) => {
  await simulator('faults', {
    match: { recipient: `+${phone(2)}` },
    statuses: { fail: { code: 131026, after: 'sent' } },
  })
  await row('Marta').getByRole('link').click()
  await messages().first().waitFor()
  await api('POST', 'messages', {
    channel: 'whatsapp',
    to: `+${phone(2)}`,
    message: { type: 'text', body: 'Hello Marta' },
  })
  await page.locator('.inbox-failure').getByText('131026').waitFor()
  await page.locator('.inbox-failure').getByRole('button', { name: 'Retry' }).waitFor()
  t.same(await inspect('inbox-failed'), [])
})

t.test('older entries load above, and what is in view stays', async (t) => {
  for (let n = 0; n < 70; n++) await writes(3, `Line ${n} of a long story`)
  await row('João').getByRole('link').click()
  await page.getByText('Line 69 of a long story').first().waitFor()
  const scroller = page.locator('.inbox-entries')
  await eventually('all are there', async () => {
    // In one step: once they are there, nothing may scroll but the page.
    return scroller.evaluate((element: Json) => {
      if (element.querySelectorAll('.inbox-message').length === 71) return true
      element.scrollTo(0, 300)
      return false
    })
  })
  t.ok(await scroller.evaluate((element: Json) => element.scrollTop > 300), 'and the view has not jumped to the top')
  await writes(3, 'One more')
  await page.locator('.inbox-jump').getByText('1 new').click()
  await eventually('the newest is in view', () =>
    scroller.evaluate((element: Json) => element.scrollHeight - element.scrollTop - element.clientHeight < 40),
  )
  await writes(3, Array.from({ length: 12 }, (_, n) => `Verse ${n}`).join('\n'))
  await page.locator('.inbox-message', { hasText: 'Verse 11' }).waitFor()
  await eventually('all of a long one is in view', () =>
    scroller.evaluate((element: Json) => element.scrollHeight - element.scrollTop - element.clientHeight < 2),
  )
})

t.test('views, filters and the search change the list and the address', async (t) => {
  await page.goto(inbox)
  await rows().first().waitFor()
  await page.getByLabel('Search the tickets').fill('Carla')
  await eventually('one is left', async () => (await rows().count()) === 1)
  t.match(page.url(), /search=Carla/)
  await page.getByLabel('Search the tickets').fill('')
  await eventually('all are back', async () => (await rows().count()) === NAMES.length)
  await page.getByRole('button', { name: /^All .*change the view/ }).click()
  t.same(await inspect('inbox-views'), [])
  await page.getByRole('menuitemradio', { name: /^Mine/ }).click()
  await page.getByText('Nothing is assigned to you').waitFor()
  await page.goto(inbox)
  await page.getByRole('button', { name: 'Filters' }).click()
  await page.getByLabel('Priority').waitFor()
  t.same(await inspect('inbox-filters'), [])
  await page.getByLabel('Channel').selectOption({ label: 'WhatsApp' })
  await page.getByRole('switch', { name: 'Unread only' }).click()
  await page.keyboard.press('Escape')
  const chips = page.getByRole('list', { name: 'Filters in use' })
  await chips.getByText('Channel: WhatsApp').waitFor()
  const shown = page.getByRole('button', { name: /change the view$/ })
  await eventually('the head counts what is shown', async () => {
    const text = await shown.getAttribute('aria-label')
    return text === `All ${await rows().count()}, change the view`
  })
  t.ok((await rows().count()) < NAMES.length, 'which is fewer than all')
  t.same(await inspect('inbox-chips'), [])
  await chips.getByRole('button', { name: 'Remove the filter Unread only' }).click()
  await eventually('the others are back', async () => (await rows().count()) === NAMES.length)
  t.match(page.url(), /channel_type=whatsapp/)
  await chips.getByRole('button', { name: /Remove the filter Channel/ }).click()
  await chips.waitFor({ state: 'hidden' })
})

t.test('an action on all that match is done by the server', async (t) => {
  await page.goto(inbox)
  await rows().first().hover()
  const place = await row('Ana').boundingBox()
  await row('Ana').getByRole('checkbox').check()
  await page.getByText('1 ticket selected').waitFor()
  t.same(await row('Ana').boundingBox(), place, 'no ticket moves under the pointer')
  await page.getByRole('button', { name: 'Select all that match' }).click()
  await page.getByText(`${NAMES.length} tickets selected`).waitFor()
  t.same(await inspect('inbox-bulk'), [])
  await page.getByRole('button', { name: 'Assign' }).click()
  await page.getByRole('menuitem', { name: 'Me', exact: true }).click()
  await page.locator('.toast').getByText(`Assigned ${NAMES.length} tickets to you.`).waitFor()
  await page.goto(`${inbox}/mine`)
  await eventually('all are mine', async () => (await rows().count()) === NAMES.length)
})

t.test('a bulk close says that it is done, is no news in the bell, and is taken back', async (t) => {
  const read = (path: string) => page.evaluate<Json>(`fetch('/console/${path}').then((answer) => answer.json())`)
  await page.goto(inbox)
  for (const name of ['Ana', 'Carla']) await row(name).getByRole('checkbox').check()
  const bar = page.getByRole('toolbar', { name: 'Selected tickets' })
  for (const name of ['Assign', 'Snooze', 'Move', 'More']) await bar.getByText(name, { exact: true }).waitFor()
  await bar.getByRole('button', { name: 'Close', exact: true }).click()
  const done = page.locator('.toast', { hasText: 'Closed 2 tickets.' })
  await done.waitFor()
  await eventually('both are gone', async () => (await rows().count()) === NAMES.length - 2)
  await done.getByRole('button', { name: 'Undo' }).click()
  await page.locator('.toast', { hasText: 'Reopened 2 tickets.' }).waitFor()
  await eventually('both are back', async () => (await rows().count()) === NAMES.length)
  await eventually('none is unread in the bell', async () => {
    const { data } = await read(`projects/${demo.project_id}/notifications`)
    const own = data.filter(({ type }: Json) => type === 'bulk_action_completed')
    return own.length >= 3 && own.every(({ read_at }: Json) => read_at)
  })
  await row('Ana').getByRole('checkbox').check()
  await bar.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Mark as read' }).click()
  await page.locator('.toast', { hasText: 'Marked 1 ticket as read' }).waitFor()
  t.equal(await row('Ana').locator('.count').count(), 0)
})

t.test('a ticket that is given to the agent who looks at it is no news in the bell', async () => {
  const { _id } = await ticketOf(2)
  const read = (path: string) => page.evaluate<Json>(`fetch('/console/${path}').then((answer) => answer.json())`)
  const { user } = await read('session')
  await page.goto(`${inbox}/all/${_id}`)
  await messages().first().waitFor()
  await api('PATCH', `crm/tickets/${_id}`, { assigned_to: null })
  await api('PATCH', `crm/tickets/${_id}`, { assigned_to: user._id })
  const given = page.locator('.inbox-event', { hasText: 'Ticket assigned' })
  await given.getByText(user.full_name).first().waitFor()
  await eventually('it is read without the bell', async () => {
    const { data } = await read(`projects/${demo.project_id}/notifications`)
    return data.some(({ type, ticket_id, read_at }: Json) => type === 'assignment' && ticket_id === _id && read_at)
  })
})

t.test('a ticket is snoozed by the keyboard', async (t) => {
  await page.keyboard.press('z')
  await page.getByRole('button', { name: 'Until the person writes' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  const said = page.locator('.toast', { hasText: /Snoozed: / })
  await said.waitFor()
  const send = await page.getByRole('button', { name: 'Send', exact: true }).boundingBox()
  const box = await said.boundingBox()
  t.ok(box!.x + box!.width < send!.x, 'and the message does not lie on the button that sends')
  await page.locator('.inbox-event', { hasText: 'Ticket snoozed' }).getByText('Until').waitFor()
  await page.locator('.inbox-who').getByText('Snoozed until').waitFor()
})

t.test('after a close the next ticket opens; the closed one is named, and opened again from the message', async (t) => {
  const closed = page.url()
  const { _id } = await ticketOf(2)
  t.match(closed, _id)
  await page.goto(`${inbox}/snoozed/${_id}`)
  await messages().first().waitFor()
  await page.keyboard.press('e')
  await page.locator('.inbox-who').getByText('Closed').waitFor()
  t.match(page.url(), _id, 'the list has no other')
  await page
    .locator('.toast', { hasText: 'The ticket of Marta Ruiz is closed.' })
    .getByRole('button', { name: 'Undo' })
    .click()
  await page.locator('.inbox-event', { hasText: 'Ticket reopened' }).waitFor()
  await page.goto(`${inbox}/all/${_id}`)
  await messages().first().waitFor()
  await eventually('it is in the list', async () => (await row('Marta').count()) === 1)
  const at = (await rows()
    .locator('a')
    .evaluateAll((links: Json[]) => links.map(({ id }) => id))) as unknown as string[]
  const next = at[at.indexOf(_id) + 1] ?? at[at.indexOf(_id) - 1]
  await page.keyboard.press('e')
  await page.waitForURL(new RegExp(String(next)))
  await page.locator('.toast', { hasText: 'Marta Ruiz is closed' }).last().getByRole('button', { name: 'Undo' }).click()
  await eventually('it is back', async () => (await row('Marta').count()) === 1)
})

t.test('keys select tickets, and lead to the priority', async () => {
  await page.goto(inbox)
  await rows().first().waitFor()
  await page.keyboard.press('j')
  await messages().first().waitFor()
  await page.keyboard.press('p')
  await eventually('the priority has the focus', () =>
    page.evaluate<boolean>(`document.activeElement?.labels?.[0]?.textContent === 'Priority'`),
  )
  await page.evaluate('document.activeElement.blur()')
  await page.keyboard.press('x')
  await page.getByText('1 ticket selected').waitFor()
  await page.keyboard.press('Shift+J')
  await page.getByText('2 tickets selected').waitFor()
  await eventually('the second is open', async () => /is-open/.test((await rows().nth(1).getAttribute('class')) ?? ''))
  await page.keyboard.press('x')
  await page.getByText('1 ticket selected').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('1 ticket selected').waitFor({ state: 'hidden' })
})

t.test('a ticket is left as unread by the keyboard, and read when it is opened again', async (t) => {
  await page.goto(inbox)
  const first = rows().first()
  await writes(2, 'Is it there?')
  // Before it is read for good, the mark of the thread would come behind that of the key.
  await first.getByText('Is it there?').waitFor()
  await eventually('it is unread', async () => (await first.locator('.count').count()) === 1)
  await page.keyboard.press('j')
  await page.locator('.inbox-row.is-open').waitFor()
  await messages().first().waitFor()
  await eventually('it is read', async () => (await first.locator('.count').count()) === 0)
  await page.keyboard.press('Shift+U')
  await eventually('it is unread', async () => (await first.locator('.count').count()) === 1)
  t.equal(await first.locator('.count').textContent(), '1')
  t.equal(await page.locator('.inbox-row.is-open').count(), 0, 'the agent has left it')
  await page.keyboard.press('j')
  await eventually('it is read', async () => (await first.locator('.count').count()) === 0)
})

t.test('the former talk of a returning customer lies above the ticket', async (t) => {
  const { _id } = await ticketOf(5)
  await api('PATCH', `crm/tickets/${_id}`, { is_closed: true, resolution: 'won' })
  await writes(5, 'Here I am again')
  await eventually('a ticket is opened', async () => (await ticketOf(5))._id !== _id)
  const present = await ticketOf(5)
  await page.goto(`${inbox}/all/${present._id}`)
  await page.getByText('Here I am again').first().waitFor()
  await messages().getByText('Hello, where is my order A-1005?').waitFor()
  const heads = page.locator('.inbox-section')
  await eventually('each ticket has its head', async () => (await heads.count()) === 2)
  t.match(await heads.nth(0).textContent(), /^Former ticket, opened .* closed .*, won$/)
  t.match(await heads.nth(1).textContent(), /^This ticket, opened /)
  t.equal(await page.locator('.inbox-event', { hasText: 'Ticket created' }).count(), 0)
  t.same(await inspect('inbox-former'), [])
  await heads.nth(0).getByRole('link').click()
  await page.waitForURL(new RegExp(_id))
})

t.test('the keyboard alone is enough', async (t) => {
  await page.goto(inbox)
  await rows().first().waitFor()
  await page.keyboard.press('j')
  await page.locator('.inbox-row.is-open').waitFor()
  await page.keyboard.press('j')
  await eventually('the second is open', async () => /is-open/.test((await rows().nth(1).getAttribute('class')) ?? ''))
  await page.keyboard.press('u')
  await eventually('none is open', async () => (await page.locator('.inbox-row.is-open').count()) === 0)
  await page.keyboard.press('?')
  await page.getByRole('dialog').getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
  t.same(await inspect('keys'), [])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('carla')
  await page.getByRole('option').filter({ hasText: 'Carla Peña' }).first().waitFor()
  t.same(await inspect('palette'), [])
  await page.getByRole('option').filter({ hasText: 'Carla Peña' }).filter({ hasText: 'Contact' }).first().click()
  await page.waitForURL(/\/contacts\/[0-9a-f]{24}$/)
  await page.getByRole('heading', { level: 1, name: 'Carla Peña' }).waitFor()
  await page.goBack()
  await rows().first().waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('s')
  await page.waitForURL(/broadcasts/)
  await eventually('its heading has the focus', async () => (await focused()) === 'Broadcasts')
})

t.test('a part that the network kept away says so, and comes by a click', async (t) => {
  const { _id } = await ticketOf(1)
  const other = await agent.context.newPage()
  await other.route('**/thread_pane.js', (route) => route.abort())
  await other.goto(`${inbox}/all/${_id}`)
  const trouble = other.locator('.inbox', { hasText: 'A part could not be loaded' })
  await trouble.waitFor()
  await other.unroute('**/thread_pane.js')
  await trouble.getByRole('button', { name: 'Try again' }).click()
  await other.locator('.inbox-message').first().waitFor()
  t.equal(await trouble.count(), 0)
  await other.close()
})

t.test('words of a message that is withdrawn are nowhere on the page', async (t) => {
  await page.goto(inbox)
  await row('Luis').getByRole('link').click()
  const { provider_message_id: original_message_id } = await writes(1, 'Sent by mistake')
  const message = page.locator('.inbox-message', { hasText: 'Sent by mistake' })
  await message.hover()
  await message.getByRole('button', { name: 'Message actions' }).click()
  await page.getByRole('button', { name: 'Reply to this' }).click()
  const bar = page.locator('.composer-quote')
  await bar.getByText('Sent by mistake').waitFor()
  const revoke = { type: 'revoke', revoke: { original_message_id } }
  await simulator('inbound', { channel: 'whatsapp', from: phone(1), message: revoke })
  await bar.getByText('Withdrawn').waitFor()
  await row('Luis').getByText('Withdrawn').waitFor()
  await eventually('nothing repeats it', async () => (await page.getByText('Sent by mistake').count()) === 0)
  await bar.getByRole('button', { name: 'Do not quote' }).click()
  const { data } = await api('GET', `contacts?phone=%2B${phone(1)}`)
  await page.goto(`${demo.base_url}/console#/projects/${demo.project_id}/contacts/${data[0]._id}`)
  await page.locator('.person-entries').getByText('Withdrew a message').waitFor()
  t.equal(await page.getByText('Sent by mistake').count(), 0)
})

t.test('a small phone shows the list or the thread', async (t) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(inbox)
  await rows().first().waitFor()
  t.equal(await overflow(), 0)
  t.same(await inspect('phone-inbox', ANY_IMPACT), [])
  await row('Luis').getByRole('link').click()
  await page.getByText('Zócalo', { exact: true }).waitFor()
  t.equal(await overflow(), 0)
  t.same(await inspect('phone-thread', ANY_IMPACT), [])
  await page.getByRole('button', { name: 'Back to the list' }).click()
  await rows().first().waitFor()
  await page.setViewportSize({ width: 1280, height: 800 })
})

t.test('the page has no error in any of these tests', async (t) => {
  t.same(faults, [])
})
