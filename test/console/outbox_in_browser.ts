/** What an agent sends while Parley cannot be reached, and who looks at which ticket: wherever the agents go meanwhile. */
import type { Page } from 'playwright-core'
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { openAgentWindow } from './agent_window.ts'

t.setTimeout(600_000)

const agent = await openAgentWindow(t)
const { page, inspect, faults, demo, api, operator, simulator, signIn, context } = agent
const { project_id, base_url } = demo
const other = await operator('POST', 'projects', { company_id: demo.company_id, name: 'Second shop' })
const phone = (n: number) => `1555410${String(n).padStart(4, '0')}`
const writes = (n: number, name: string) =>
  simulator('inbound', {
    channel: 'whatsapp',
    from: phone(n),
    name,
    message: { type: 'text', text: { body: 'Hello' } },
  })
const contactOf = async (n: number): Promise<Json> => (await api('GET', `contacts?phone=%2B${phone(n)}`)).data[0]
const ticketOf = async (n: number): Promise<Json> =>
  (await api('GET', `crm/tickets?chat_user=${(await contactOf(n))._id}`)).data[0]
/** The texts that went to a person. */
const sentTo = async (n: number): Promise<string[]> =>
  (await api('GET', `messages?chat_user=${(await contactOf(n))._id}`)).data
    .filter(({ direction }: Json) => direction === 'outbound')
    .map(({ message }: Json) => message.body)
    .reverse()
const at = (place: string) => `${base_url}/console#/projects/${project_id}/${place}`
const field = (of: Page) => of.getByRole('textbox', { name: 'Reply' })
const waiting = (of: Page, text: string) => of.locator('.inbox-message.is-pending', { hasText: text })
const unsent = page.getByRole('button', { name: /not sent/ })
const asksBeforeClosing = () =>
  page.evaluate<boolean>(`!dispatchEvent(new Event('beforeunload', { cancelable: true }))`)

/** While true, messages do not reach Parley, and everything else does. */
let is_cut = false
await context.route('**/messages', (route) => (is_cut ? route.abort() : route.continue()))

async function send(text: string, of = page) {
  await field(of).fill(text)
  await field(of).press('Enter')
}

await page.goto(at('inbox'))
await signIn()
await page.locator('.connection.live').waitFor()
for (const [n, name] of ['Ana Torres', 'Luis Gómez'].entries()) await writes(n, name)
await eventually('both are there', async () => (await ticketOf(1)) !== undefined)
const tickets = [(await ticketOf(0))._id, (await ticketOf(1))._id]
const open = async (n: number, of = page) => {
  await of.goto(at(`inbox/all/${tickets[n]}`))
  await field(of).waitFor()
}
const choose = (name: string) => page.locator('.projects select').selectOption({ label: name })
const shop = (await page.locator('.projects option').allTextContents()).find((name) => name !== other.name)!

t.test('what was sent without a connection is sent from whatever page, once and in order', async (t) => {
  await open(0)
  // The parts of the composer are there.
  await page.waitForLoadState('networkidle')
  await context.setOffline(true)
  await send('one')
  await send('two')
  await waiting(page, 'two').getByText('Sent when Parley can be reached').waitFor()
  await choose(other.name)
  await unsent.waitFor()
  t.ok(await asksBeforeClosing())
  await unsent.click()
  await page.getByText('Ana Torres').first().waitFor()
  t.same(await inspect('unsent'), [])
  await page.keyboard.press('Escape')
  await context.setOffline(false)
  await unsent.waitFor({ state: 'detached' })
  t.same(await sentTo(0), ['one', 'two'])
  t.notOk(await asksBeforeClosing())
})

t.test('it is kept while the session ends, is not sent by another user, and is sent by the same', async (t) => {
  await choose(shop)
  await open(0)
  is_cut = true
  await send('three')
  await waiting(page, 'three').getByText('Sent when').waitFor()
  await page.getByRole('button', { name: /Account of/ }).click()
  await page.getByText(/1 message of yours is not sent/).waitFor()
  await page.getByRole('button', { name: 'Sign out anyway' }).click()
  await page.getByLabel('E-mail').waitFor()
  is_cut = false
  const eva = await operator('POST', 'users', {
    ...{ company_id: demo.company_id, full_name: 'Eva Luna', email: 'eva@shop.example' },
    ...{ password: 'correct horse battery', permissions: ['console.agent'] },
  })
  await page.getByLabel('E-mail').fill(eva.email)
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
  await page.keyboard.press('Enter')
  await page.locator('.connection.live').waitFor()
  await field(page).waitFor()
  t.equal(await waiting(page, 'three').count(), 0)
  t.equal(await unsent.count(), 0)
  await page.getByRole('button', { name: /Account of/ }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await signIn()
  await eventually('the agent sends it', async () => (await sentTo(0)).length === 3)
  t.same(await sentTo(0), ['one', 'two', 'three'])
})

t.test('it outlives a tab that crashes, and of two tabs only one sends it', async (t) => {
  const second = await context.newPage()
  await open(1, second)
  await open(1)
  is_cut = true
  await send('from the first')
  await waiting(second, 'from the first').getByText('Sent when').waitFor()
  await send('from the second', second)
  await waiting(page, 'from the second').waitFor()
  await second.close({ runBeforeUnload: false })
  await page.goto('chrome://crash').catch(() => {})
  const third = await context.newPage()
  is_cut = false
  await third.goto(at(`inbox/all/${tickets[1]}`))
  await eventually('both are sent', async () => (await sentTo(1)).length === 2)
  t.same(await sentTo(1), ['from the first', 'from the second'])
  await third.locator('.inbox-message:not(.is-pending)', { hasText: 'from the second' }).waitFor()
  t.equal(await field(third).inputValue(), '', 'the draft has gone with it')
  await third.close()
})

t.test('a colleague is shown at the ticket that is open, and nowhere after leaving it', async (t) => {
  const one = await context.newPage()
  const two = await agent.openOther()
  await two.goto(at('inbox'))
  await two.getByLabel('E-mail').fill('eva@shop.example')
  await two.getByLabel('Password', { exact: true }).fill('correct horse battery')
  await two.keyboard.press('Enter')
  await two.locator('.connection.live').waitFor()
  const looking = two.locator('.inbox-watcher')
  await open(0, one)
  await looking.waitFor()
  for (let n = 0; n < 45; n++) {
    const [, place] = at(`inbox/all/${tickets[n % 2]}`).split('#')
    await one.evaluate(`location.hash = '${place}'`)
  }
  await one.bringToFront()
  await two.locator(`.inbox-row:has([id="${tickets[0]}"]) .inbox-watcher`).waitFor()
  t.equal(await looking.count(), 1)
  await one.goto(at('board'))
  await looking.waitFor({ state: 'detached' })
  t.same(faults, [])
})
