/** Contacts and customers, as agents use them. */
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { openAgentWindow } from './agent_window.ts'

t.setTimeout(600_000)

const agent = await openAgentWindow(t)
const { page, inspect, faults, demo, api, operator, simulator } = agent
const { base_url, project_id, company_id } = demo
const contacts = `${base_url}/console#/projects/${project_id}/contacts`
const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
const rows = () => page.locator('.people-row')
const row = (name: string) => page.locator('.people-row', { hasText: name })
const side = page.getByRole('complementary', { name: 'Details' })

const FIRST = ['Ana', 'Luis', 'Marta', 'João', 'Carla', 'Pedro', 'Sofía', 'Diego']
const LAST = ['Torres', 'Gómez', 'Ruiz', 'Silva', 'Peña', 'Díaz', 'Castro', 'Luna', 'Vega']
await operator('POST', 'custom-fields', { company_id, owner: 'contact', key: 'city', name: 'City', type: 'string' })
await operator('POST', 'custom-fields', {
  company_id,
  owner: 'contact',
  key: 'size',
  name: 'Shoe size',
  type: 'number',
})

await page.goto(contacts)
await agent.signIn()
await page.locator('.connection.live').waitFor()

/** The id of the contact that the second test creates. */
let ana = ''

t.test('an empty list says how people come', async (t) => {
  await page.getByText('No contacts yet').waitFor()
  t.same(await inspect('people-empty'), [])
})

t.test('a contact is created from the keyboard, and one that exists is named', async (t) => {
  await page.keyboard.press('n')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Ana Torres')
  await dialog.getByLabel('Phone').fill('+1 555 700 0000')
  t.same(await inspect('people-new'), [])
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Ana Torres', level: 1 }).waitFor()
  const { data } = await api('GET', 'contacts?search=Ana')
  t.match(data, [{ user_id: '15557000000', phone: '+15557000000' }])
  ana = data[0]._id
  await page.goto(contacts)
  await page.getByRole('button', { name: 'New contact' }).first().click()
  await dialog.getByLabel('Phone').fill('+15557000000')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByRole('link', { name: 'Open the contact' }).click()
  await page.getByRole('heading', { name: 'Ana Torres', level: 1 }).waitFor()
})

t.test('a long list exists where it is looked at, and is searched by the server', async (t) => {
  for (let n = 1; n < 130; n++) {
    const name = `${FIRST[n % FIRST.length]} ${LAST[n % LAST.length]} ${n}`
    const user_id = `1555700${String(n).padStart(4, '0')}`
    await api('POST', 'contacts', {
      channel_type: n % 4 === 0 ? 'telegram' : 'whatsapp',
      user_id,
      name,
      phone: `+${user_id}`,
    })
  }
  await page.goto(contacts)
  await page.getByText('130 found').waitFor({ state: 'attached' })
  await row('129').waitFor()
  t.ok((await rows().count()) < 40)
  t.same(await inspect('people'), [])
  await page.locator('.people-rows').evaluate((element: Json) => element.scrollTo(0, element.scrollHeight))
  await row('Ana Torres').last().waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('5557000077')
  await eventually('one is left', async () => (await rows().count()) === 1)
  t.match(page.url(), /search=5557000077/)
  await page.getByRole('searchbox').fill('')
  await page.getByLabel('Channel').selectOption({ label: 'Telegram' })
  await page.getByText('32 found').waitFor({ state: 'attached' })
  await page.getByRole('searchbox').fill('nobody at all')
  await page.getByText('Nobody matches').waitFor()
  await page.goto(contacts)
  await page.getByText('130 found').waitFor({ state: 'attached' })
  await rows().first().getByRole('link').focus()
  await page.keyboard.press('ArrowDown')
  await eventually('the second has the focus', async () => /128/.test(await agent.focused()))
})

t.test('the page of a contact has its tickets and what has happened', async (t) => {
  const message = { type: 'text', text: { body: 'Hello, where is my order A-1001?' } }
  await page.goto(`${contacts}/${ana}`)
  await page.getByText('No ticket yet').waitFor()
  await simulator('inbound', { channel: 'whatsapp', from: '15557000000', name: 'Ana Torres', message })
  await page.getByRole('link', { name: 'Open conversation' }).waitFor()
  await page.locator('.person-message').getByText('where is my order').waitFor()
  await page.getByLabel('New note').fill('Prefers to be called in the morning')
  await page.getByRole('button', { name: 'Add note' }).click()
  await page.locator('.person-entries').getByText('Prefers to be called').waitFor()
  const [{ _id: ticket_id }] = (await api('GET', `crm/tickets?chat_user=${ana}`)).data
  await api('POST', 'crm/notes', { content: 'Written on the ticket alone', ticket_id })
  await page.locator('.person-entries').getByText('Written on the ticket alone').waitFor()
  t.same(await inspect('contact'), [])
})

t.test('fields are changed in place, and what a colleague does meanwhile is not undone', async (t) => {
  await side.getByRole('button', { name: /^City/ }).click()
  await page.keyboard.type('Monterrey')
  await page.keyboard.press('Enter')
  const stored = () => api('GET', `contacts/${ana}`)
  await eventually('it is stored', async () => (await stored()).custom_fields.city === 'Monterrey')
  await api('PATCH', `contacts/${ana}`, { custom_fields: { city: 'Monterrey', size: 38 } })
  await side.getByRole('button', { name: 'Shoe size: 38. Edit' }).waitFor()
  let is_done = false
  await page.route(`**/contacts/${ana}`, async (route) => {
    if (!is_done) await api('PATCH', `contacts/${ana}`, { name: 'Ana T.', custom_fields: { city: 'Puebla', size: 38 } })
    is_done = true
    await route.continue()
  })
  await side.getByRole('button', { name: /^City/ }).click()
  await page.keyboard.type('Toluca')
  await page.keyboard.press('Enter')
  const note = page.getByRole('alert')
  await note.getByText('Somebody changed the field City while you did. It is Puebla now; you wanted Toluca.').waitFor()
  t.same(await inspect('contact-conflict'), [])
  await note.getByRole('button', { name: 'Use mine' }).click()
  await eventually('the agent decided', async () => (await stored()).custom_fields.city === 'Toluca')
  t.match(await stored(), { name: 'Ana T.', custom_fields: { size: 38 } }, 'the changes of other fields stay')
  await page.unroute(`**/contacts/${ana}`)
})

t.test('a conversation begins with a template', async (t) => {
  const other = (await api('GET', 'contacts?phone=%2B15557000001')).data[0]._id
  await page.goto(`${contacts}/${other}`)
  await page.getByRole('button', { name: 'Message' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Template').selectOption({ index: 1 })
  const fields = dialog.getByLabel(/^Variable/)
  await eventually(
    'its variables are asked for',
    async () => (await dialog.getByLabel(/^Variable|^Template/).count()) > 0,
  )
  for (let n = 0; n < (await fields.count()); n++) await fields.nth(n).fill(`value ${n}`)
  t.same(await inspect('contact-message'), [])
  await dialog.getByRole('button', { name: 'Send' }).click()
  await page.locator('.person-message.is-outbound').waitFor()
  t.equal((await api('GET', `messages?chat_user=${other}`)).data.length, 1)
})

t.test('a customer is created, linked and changed', async (t) => {
  await page.goto(`${contacts}/customers`)
  await page.getByRole('button', { name: 'New customer' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Full name').fill('Ana Torres Ruiz')
  await dialog.getByLabel('E-mail').fill('ana@example.com')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'Ana Torres Ruiz', level: 1 }).waitFor()
  await side.getByRole('button', { name: /^Tags/ }).click()
  await page.keyboard.type('vip, wholesale')
  await page.keyboard.press('Enter')
  const stored = async () => (await api('GET', 'crm/customers?search=Ana')).data[0]
  await eventually('the tags are stored', async () => (await stored()).tags.length === 2)
  await page.goto(`${contacts}/${ana}`)
  await side.getByRole('searchbox', { name: 'Search a customer' }).fill('Torres')
  await page.keyboard.press('Enter')
  await side.getByRole('button', { name: 'Link' }).click()
  await side.getByRole('link', { name: 'Ana Torres Ruiz' }).click()
  await side.getByRole('link', { name: 'Ana T.' }).waitFor()
  await page.getByRole('region', { name: 'Tickets' }).getByRole('link').waitFor()
  t.same(await inspect('customer'), [])
  await page.getByRole('link', { name: 'Customers' }).click()
  await row('Ana Torres Ruiz').waitFor()
  t.same(await inspect('customers'), [])
  const { _id } = await stored()
  const other = { company_id, full_name: 'Eva Vega', external_id: 'C-1' }
  const holder = (await operator('POST', 'customers', other))._id
  await page.goto(`${contacts}/customers/${_id}`)
  const external_id = side.getByRole('button', { name: /^External id/ })
  await external_id.click()
  await page.keyboard.type('C-1')
  await page.keyboard.press('Enter')
  await page.getByText('Another customer has this external id.').waitFor()
  t.same(await inspect('customer-external-id-taken'), [])
  await page.getByRole('button', { name: 'Show the other' }).click()
  await page.getByRole('heading', { name: 'Eva Vega', level: 1 }).waitFor()
  await external_id.click()
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  await page.keyboard.press('Enter')
  const heldId = async () => (await operator('GET', `customers/${holder}`)).external_id
  await eventually('the external id is cleared', async () => (await heldId()) === null)
  await operator('DELETE', `customers/${holder}`)
  await page.goto(`${contacts}/customers`)
  await row('Ana Torres Ruiz').waitFor()
  await operator('PATCH', `customers/${_id}`, { full_name: 'Ana Torres de Ruiz' })
  await row('Ana Torres de Ruiz').waitFor()
  await page.goto(`${contacts}/${ana}`)
  await side.getByRole('link', { name: 'Ana Torres de Ruiz' }).waitFor()
  await operator('PATCH', `customers/${_id}`, { full_name: 'Ana Torres Ruiz' })
  await side.getByRole('link', { name: 'Ana Torres Ruiz' }).waitFor()
})

t.test('what others do appears', async () => {
  await page.goto(contacts)
  await row('129').waitFor()
  await api('POST', 'contacts', { channel_type: 'whatsapp', user_id: '15557009999', name: 'Nadia Nueva' })
  await row('Nadia Nueva').waitFor()
})

t.test('a small phone shows all of it', async (t) => {
  await page.setViewportSize({ width: 360, height: 740 })
  t.equal(await overflow(), 0)
  t.same(await inspect('phone-people'), [])
  await page.goto(`${contacts}/${ana}`)
  await page.getByRole('link', { name: 'Open conversation' }).waitFor()
  t.equal(await overflow(), 0)
  t.same(await inspect('phone-contact'), [])
  await page.setViewportSize({ width: 1280, height: 800 })
})

t.test('the page has no error in any of these tests', async (t) => {
  t.same(faults, [])
})
