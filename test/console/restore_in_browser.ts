/** A page of the console that is loaded again: what it asks for, and that it shows the same. */
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { openAgentWindow } from './agent_window.ts'

t.setTimeout(600_000)

const OPEN = 30
const { page, faults, demo, api, simulator, signIn } = await openAgentWindow(t)
const inbox = `${demo.base_url}/console#/projects/${demo.project_id}/inbox`
const phone = (n: number) => `1555400${String(n).padStart(4, '0')}`
const writes = (n: number, body: string) =>
  simulator('inbound', {
    channel: 'whatsapp',
    from: phone(n),
    name: `Person ${n}`,
    message: { type: 'text', text: { body } },
  })
const rows = () => page.locator('.inbox-row')
const panel = page.locator('.panel')

/** Requests of the API, and connections, since the page began to load. */
const asked: string[] = []
page.on('request', (request) => {
  const { pathname } = new URL(request.url())
  if (request.isNavigationRequest()) asked.length = 0
  else if (!/^\/console\/(?:files|boot)/.test(pathname)) asked.push(`${request.method()} ${pathname}`)
})
page.on('websocket', (socket) => asked.push(`socket ${new URL(socket.url()).pathname}`))

for (let n = 0; n < OPEN; n++) await writes(n, `Hello from ${n}`)
await eventually('all are stored', async () => {
  return (await api('GET', 'crm/tickets?is_closed=false&limit=1')).total === OPEN
})
const [contact] = (await api('GET', `contacts?phone=%2B${phone(3)}`)).data
const [ticket] = (await api('GET', `crm/tickets?chat_user=${contact._id}`)).data
await api('POST', 'crm/notes', { content: 'Called on Friday', ticket_id: ticket._id })
await page.goto(inbox)
await signIn()
await eventually('the list is there', async () => (await rows().count()) > 5)
const customers = `${demo.base_url}/console/projects/${demo.project_id}/crm/customers`
const headers = { origin: demo.base_url }
const customer = await (
  await page.request.post(customers, { headers, data: { full_name: 'The Torres family' } })
).json()
await api('PATCH', `contacts/${contact._id}`, { customer_id: customer._id })

/** Resolves when everything is shown that an agent had before: the list, the thread, the composer and the panel. */
async function isRestored() {
  await page.locator('.connection.live').waitFor()
  await page.getByRole('button', { name: `All ${OPEN}, change the view` }).waitFor()
  await page.locator('.inbox-message', { hasText: 'Hello from 3' }).waitFor()
  await page.getByLabel('Reply', { exact: true }).waitFor()
  await panel.getByText('Called on Friday').waitFor()
  await panel.getByText('The Torres family').first().waitFor()
}

t.test('with 30 open conversations, a page that is loaded again asks three times', async (t) => {
  await page.goto(`${inbox}/all/${ticket._id}`)
  await isRestored()
  await page.reload()
  await isRestored()
  await page.waitForLoadState('networkidle')
  t.same(
    asked.toSorted(),
    ['GET /console/projects/:project/snapshot', 'GET /console/session', 'socket /console/socket.io/'].map((one) =>
      one.replace(':project', demo.project_id),
    ),
  )
  t.equal(await page.locator('[aria-setsize]').first().getAttribute('aria-setsize'), String(OPEN))
})

t.test('a saved view is restored by as many', async (t) => {
  await page.goto(`${inbox}/all?channel_type=whatsapp`)
  await page.getByRole('button', { name: /change the view/ }).click()
  await page.getByRole('menuitem', { name: 'Save as a view…' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('On the phone')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: /^On the phone/ }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: `On the phone ${OPEN}, change the view` }).waitFor()
  await eventually('its list is there', async () => (await rows().count()) > 5)
  await page.waitForLoadState('networkidle')
  t.equal(asked.length, 3, asked.join(', '))
})

t.test('what happens while the page is loaded is shown', async () => {
  const path = '**/snapshot?*'
  const { promise: read, resolve } = Promise.withResolvers<void>()
  const { promise: go, resolve: release } = Promise.withResolvers<void>()
  await page.route(path, async (route) => {
    const response = await route.fetch()
    resolve()
    await go
    await route.fulfill({ response })
  })
  await page.goto(`${inbox}/all/${ticket._id}`)
  await page.reload()
  await read
  await writes(3, 'Between the answer and the page')
  await writes(OPEN, 'Somebody new')
  await api('POST', 'crm/notes', { content: 'Called on Monday', ticket_id: ticket._id })
  await eventually('it is stored', async () => {
    const { data } = await api('GET', `messages?chat_user=${contact._id}`)
    return data.some(({ message }: Json) => message.body === 'Between the answer and the page')
  })
  release()
  await page.locator('.inbox-message', { hasText: 'Between the answer and the page' }).waitFor()
  await panel.getByText('Called on Monday').waitFor()
  await page.locator('.inbox-row', { hasText: 'Somebody new' }).waitFor()
  await page.locator('.inbox-row', { hasText: 'Between the answer' }).waitFor()
  await page.unrouteAll({ behavior: 'wait' })
})

t.test('the page has no error in any of these tests', async (t) => {
  t.same(faults, [])
})
