/** The panel beside a thread, as an agent uses it. */
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { openAgentWindow } from './agent_window.ts'

t.setTimeout(600_000)

const agent = await openAgentWindow(t)
const { page, inspect, faults, demo, api, operator } = agent
const { base_url, project_id, company_id } = demo
const panel = page.getByRole('complementary', { name: 'Details' })

await agent.openSignedIn()

const person = { channel_type: 'whatsapp', user_id: '15550447001', name: 'Ana Torres', phone: '+15550447001' }
const contact = await api('POST', 'contacts', person)
const event = { event_type: 'payment.confirmed', data: {}, chat_user_id: contact._id }
const { ticket_id } = (await api('POST', 'crm/events', event)).event
const ticket = () => api('GET', `crm/tickets/${ticket_id}`)
const customer = await operator('POST', 'customers', {
  company_id,
  full_name: 'Ana Torres Ruiz',
  email: 'ana@example.com',
})
await operator('POST', 'custom-fields', { company_id, owner: 'ticket', key: 'order_no', name: 'Order', type: 'string' })
const rules = { require_fields: ['amount', 'order_no', 'contexto'] }
const stages = [{ name: 'Waiting' }, { name: 'Paid out', rules }]
await operator('POST', 'pipelines', { project_id, name: 'Returns', stages })
await operator('POST', 'tags', { project_id, name: 'damaged', color: '#cc0000' })

const stored = (what: string, look: (ticket: Json) => unknown) =>
  eventually(what, async () => Boolean(look(await ticket())))

t.test('the fields of a ticket are changed in place', async (t) => {
  await page.goto(`${base_url}/console#/projects/${project_id}/inbox/all/${ticket_id}`)
  await panel.getByLabel('Priority').selectOption('high')
  await stored('the priority is stored', ({ priority }) => priority === 'high')
  await page.locator('h2').first().click()
  await page.keyboard.press('a')
  await stored('the assignee is stored', ({ assigned_to }) => assigned_to !== null)
  await panel.getByRole('button', { name: /^Category/ }).click()
  await page.keyboard.type('returns')
  await page.keyboard.press('Enter')
  await stored('the category is stored', ({ category }) => category === 'returns')
  await panel.getByRole('button', { name: /^Amount/ }).click()
  await page.keyboard.type('lots')
  await page.keyboard.press('Enter')
  await panel.getByText('Write a number and a currency').waitFor()
  t.same(await inspect('panel-refused'), [])
  await page.keyboard.press('Control+a')
  await page.keyboard.type('1,250.5 mxn')
  await page.keyboard.press('Enter')
  await stored('the amount is stored', (one) => one.amount === 1250.5 && one.amount_currency === 'MXN')
  await panel.getByText(/MXN.1,250\.50/).waitFor()
  await api('PATCH', `crm/tickets/${ticket_id}`, { amount: null, amount_currency: null })
  await panel.getByLabel('Add a tag').selectOption({ label: 'damaged' })
  await stored('the tag is stored', ({ tags }) => tags.length === 1)
  await panel.getByRole('button', { name: 'Remove the tag damaged' }).waitFor()
  t.same(await inspect('panel'), [])
})

t.test('an external id that another ticket has is refused, with the way to that ticket', async (t) => {
  const lena = await api('POST', 'contacts', { ...person, user_id: '15550447009', name: 'Lena', phone: '+15550447009' })
  const other_id = (await api('POST', 'crm/events', { ...event, chat_user_id: lena._id })).event.ticket_id
  await api('PATCH', `crm/tickets/${other_id}`, { external_id: 'CASE-7' })
  const field = panel.getByRole('button', { name: /^External id/ })
  await field.click()
  await page.keyboard.type('CASE-7')
  await page.keyboard.press('Enter')
  await page.getByText('Another ticket has this external id.').waitFor()
  t.same(await inspect('panel-external-id-taken'), [])
  t.equal((await ticket()).external_id, null)
  await page.getByRole('button', { name: 'Show the other' }).click()
  await panel.getByText('CASE-7').waitFor()
  await page.goto(`${base_url}/console#/projects/${project_id}/inbox/all/${ticket_id}`)
  await panel.getByText('CASE-7').waitFor({ state: 'detached' })
  await field.click()
  await page.keyboard.type('CASE-8')
  await page.keyboard.press('Enter')
  await stored('the external id is stored', ({ external_id }) => external_id === 'CASE-8')
  await field.click()
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  await page.keyboard.press('Enter')
  await stored('the external id is cleared', ({ external_id }) => external_id === null)
  // Closing a ticket leads to the next open one.
  await api('PATCH', `crm/tickets/${other_id}`, { is_closed: true })
})

t.test('a stage asks for what it needs', async (t) => {
  await panel.getByLabel('Stage').selectOption({ label: 'Returns: Paid out' })
  const dialog = page.getByRole('dialog')
  await dialog.getByText('needs amount, order, context').waitFor()
  t.same(await inspect('panel-stage'), [])
  await dialog.getByLabel('Amount').fill('12.5')
  await dialog.getByLabel('Order').fill('A-7')
  await dialog.getByLabel('Context').fill('Arrived broken')
  await dialog.getByRole('button', { name: 'Move' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await stored('it was moved', ({ amount, stage }) => amount === 12.5 && stage.contexto === 'Arrived broken')
  await panel.getByText('Arrived broken').waitFor()
})

t.test('what a colleague does meanwhile is not undone', async (t) => {
  let is_done = false
  await page.route('**/crm/tickets/*', async (route) => {
    if (route.request().method() !== 'PATCH') return route.continue()
    if (!is_done) await api('PATCH', `crm/tickets/${ticket_id}`, { priority: 'urgent' })
    is_done = true
    await route.continue()
  })
  await panel.getByLabel('Priority').selectOption('low')
  const note = panel.getByRole('alert')
  await note.getByText('Somebody changed the priority while you did.').waitFor()
  t.same(await inspect('panel-conflict'), [])
  await note.getByRole('button', { name: 'Use mine' }).click()
  await stored('the agent decided', ({ priority }) => priority === 'low')
})

t.test('contact, customer, appointments and notes', async (t) => {
  await panel.getByRole('searchbox', { name: 'Search a customer' }).fill('Torres')
  await page.keyboard.press('Enter')
  await panel.getByRole('button', { name: 'Link' }).click()
  await panel.getByText('ana@example.com').waitFor()
  await eventually('it is linked', async () => {
    return (await api('GET', `contacts/${contact._id}`)).customer_id === customer._id
  })
  await panel.getByRole('button', { name: 'Unlink this customer' }).click()
  await panel.getByRole('searchbox', { name: 'Search a customer' }).fill('new@example.com')
  await page.keyboard.press('Enter')
  await panel.getByRole('button', { name: /^Create / }).click()
  await panel.getByText('new@example.com').waitFor()
  await eventually('a new one is linked', async () => {
    const { customer_id } = await api('GET', `contacts/${contact._id}`)
    return customer_id !== null && customer_id !== customer._id
  })
  await panel.getByRole('button', { name: 'Unlink this customer' }).click()
  await panel.getByRole('searchbox', { name: 'Search a customer' }).fill('Torres')
  await page.keyboard.press('Enter')
  await panel.locator('li', { hasText: 'ana@example.com' }).getByRole('button', { name: 'Link' }).click()
  await panel.getByText('ana@example.com').waitFor()
  await panel.getByText('Appointments').click()
  await panel.getByRole('button', { name: 'New appointment' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Begins').fill('2031-05-01T10:00')
  await dialog.getByLabel('Place').fill('Room 2')
  t.same(await inspect('panel-appointment'), [])
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await panel.getByRole('button', { name: 'Confirm' }).click()
  await panel.locator('.panel-list').getByText('confirmed').waitFor()
  await panel.getByRole('button', { name: 'Write a note' }).click()
  await page.getByRole('textbox', { name: 'Note', exact: true }).fill('Prefers mornings')
  await page.keyboard.press('Control+Enter')
  await panel.getByText('Prefers mornings').waitFor()
  t.equal((await api('GET', `crm/notes?ticket_id=${ticket_id}`)).data.length, 1)
})

t.test('a ticket is closed, and reopened from the message', async () => {
  await panel.getByRole('button', { name: 'Won' }).click()
  await stored('it is closed', ({ is_closed, resolution }) => is_closed && resolution === 'won')
  await page.getByRole('button', { name: 'Undo' }).click()
  await stored('it is open again', ({ is_closed }) => !is_closed)
})

const button = (name: string) => page.getByRole('button', { name, exact: true })

t.test('without the panel a ticket is assigned and closed in the head of its thread', async (t) => {
  await button('Details').click()
  await panel.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /^Assign, now/ }).click()
  t.same(await inspect('head-assign'), [])
  await page.getByRole('menuitemradio', { name: 'Nobody' }).click()
  await stored('nobody has it', ({ assigned_to }) => assigned_to === null)
  await button('Assign, now nobody').waitFor()
  await page.keyboard.press('a')
  await stored('the agent has it', ({ assigned_to }) => assigned_to !== null)
  await button('Close the ticket').click()
  await stored('it is closed', ({ is_closed }) => is_closed)
  await button('Reopen').first().waitFor()
  t.same(await inspect('head-closed'), [])
  await page.keyboard.press('e')
  await stored('it is open again', ({ is_closed }) => !is_closed)
  await page.getByRole('button', { name: 'Details', exact: true }).click()
  await panel.waitFor()
})

t.test('on a narrower window the details are over the thread, when they are asked for', async (t) => {
  await page.setViewportSize({ width: 1000, height: 740 })
  await panel.waitFor({ state: 'detached' })
  t.same(await inspect('panel-narrow-closed'), [])
  await button('Details').click()
  t.ok((await panel.boundingBox())!.width > 250)
  await panel.getByLabel('Priority').selectOption('urgent')
  await stored('it is changed there', ({ priority }) => priority === 'urgent')
  t.same(await inspect('panel-narrow'), [])
  await button('Details').click()
  await panel.waitFor({ state: 'detached' })
})

t.test('the panel fits a small phone', async (t) => {
  await page.setViewportSize({ width: 360, height: 740 })
  t.same(await inspect('thread-phone'), [])
  await button('Details').click()
  await panel.waitFor()
  t.equal(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'), 0)
  t.same(await inspect('panel-phone'), [])
})

t.test('nothing went wrong', async (t) => {
  t.same(faults, [])
})
