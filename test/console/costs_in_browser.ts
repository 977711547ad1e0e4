/** The costs of messages as an agent reads them, and the cap on marketing as an operator changes it. */
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { openAgentWindow } from './agent_window.ts'
import { ANY_IMPACT } from './window.ts'

t.setTimeout(600_000)

const agent = await openAgentWindow(t)
const { page, inspect, faults, demo, api, operator, h1 } = agent
const { base_url, project_id, company_id } = demo
const look = (name: string) => inspect(name, ANY_IMPACT)
const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
const rows = page.locator('.costs-table tbody tr')
const marketing = page.getByRole('region', { name: /^Marketing in/ })
const tab = (name: string) => page.getByRole('navigation', { name: 'Costs by' }).getByRole('link', { name })

const [me] = (await operator('GET', `users?company_id=${company_id}`)).data as Json[]
const permit = (...permissions: string[]) => operator('PATCH', `users/${me!._id}`, { permissions })
const sums = (by: string) => api('GET', `messages/costs?group_by=${by}`)
const counted = ({ totals }: Json) => totals.reduce((sum: number, { message_count }: Json) => sum + message_count, 0)

const promo = (to: string) =>
  api('POST', 'messages', {
    channel: 'whatsapp',
    to,
    message: {
      type: 'template',
      name: 'promo_picture',
      language: 'en_US',
      variables: { header_image: `${base_url}/console/files/none.jpg`, 1: 'Ana' },
    },
  })

await permit('console.agent')

t.test('without costs the page says so', async (t) => {
  await agent.openSignedIn()
  await page.keyboard.press('g')
  await page.keyboard.press('m')
  await h1().filter({ hasText: 'Costs' }).waitFor()
  await page.getByText('Nothing was charged in this month').waitFor()
  await marketing.getByText('No rates are loaded').waitFor()
  t.equal(await page.getByRole('button', { name: /cap/ }).count(), 0, 'an agent does not change the cap')
  t.same(await look('costs-empty'), [])
})

t.test('sums are shown by day, category, channel and broadcast, and messages without a price are told', async (t) => {
  const markets = [{ market: 'North America', marketing: 0.025, utility: 0.0034 }]
  await operator('POST', 'rates', { valid_from: '2025-07-01', currency: 'USD', markets })
  const id = await agent.send(3, 'November orders')
  await promo('+15550240001')
  await promo('+56912345678')
  await eventually('all are charged', async () => counted(await sums('day')) === 5)
  await page.reload()
  await page.getByText('USD 0.0352').first().waitFor()
  await page.getByText('1 message has no price').waitFor()
  t.equal(await rows.count(), 2, 'a row for each currency, and one for what has none')
  t.match(await rows.nth(1).textContent(), /No rate known/)
  t.same(await look('costs-day'), [])
  await tab('Category').click()
  await rows.filter({ hasText: 'Marketing' }).first().waitFor()
  t.match(await rows.filter({ hasText: 'Utility' }).textContent(), /Utility33USD\s0.0102/)
  t.match(page.url(), /by=category/)
  await tab('Channel').click()
  await rows.filter({ hasText: 'Demo WhatsApp number' }).first().waitFor()
  await tab('Broadcast').click()
  await rows.filter({ hasText: 'No broadcast' }).first().waitFor()
  t.same(await look('costs-broadcast'), [])
  await page.getByRole('link', { name: 'November orders' }).click()
  await h1().filter({ hasText: 'November orders' }).waitFor()
  t.ok(page.url().endsWith(`/broadcasts/${id}`))
  await page.goBack()
  await h1().filter({ hasText: 'Costs' }).waitFor()
})

t.test('the sums are a file, too', async (t) => {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download as CSV' }).click(),
  ])
  t.match(file.suggestedFilename(), /^costs-\d{4}-\d\d-01\.csv$/)
})

t.test('months before have sums of their own', async (t) => {
  const months = page.getByRole('navigation', { name: 'Month' })
  t.equal(await months.getByRole('link').count(), 1, 'there is no month after the present one')
  await months.getByRole('link').first().focus()
  await page.keyboard.press('Enter')
  await page.getByText('Nothing was charged in this month').waitFor()
  t.equal(await months.getByRole('link').count(), 2)
  await page.getByText('of the cap').waitFor({ state: 'detached' })
  await page.goBack()
  await rows.first().waitFor()
})

t.test('an operator sets the cap with the keyboard, sees it reached, and removes it', async (t) => {
  await permit('console.agent', 'console.operator')
  await page.reload()
  await marketing.getByText('USD 0.025 spent.').waitFor()
  await page.getByRole('button', { name: 'Set a cap' }).focus()
  await page.keyboard.press('Enter')
  const field = page.getByRole('textbox', { name: 'Cap in USD' })
  await field.fill('much')
  await page.keyboard.press('Enter')
  await page.getByText('Give an amount, such as 250.').waitFor()
  t.same(await look('costs-cap-wrong'), [])
  await field.fill('250 EUR')
  await page.keyboard.press('Enter')
  await page.getByText('give the cap in USD').waitFor()
  for (const [text, fault] of [
    ['0', 'Give at least 0.01'],
    ['-5', 'Give at least 0.01'],
    ['2,000,000,000', 'Give at most 1,000,000,000.'],
  ] as const) {
    await field.fill(text)
    await page.keyboard.press('Enter')
    await page.getByText(fault).waitFor()
    t.equal(await field.getAttribute('aria-invalid'), 'true', text)
  }
  await field.fill('0.1')
  await page.keyboard.press('Enter')
  const bar = page.getByRole('meter', { name: 'Spent and reserved of the cap' })
  await bar.waitFor()
  t.match(await bar.getAttribute('aria-valuetext'), /^25% of USD\s0.10$/)
  t.same(await look('costs-cap'), [])
  await page.getByRole('button', { name: 'Change the cap' }).click()
  t.equal(await field.inputValue(), '0.1 USD')
  await field.fill('0.02')
  await page.keyboard.press('Enter')
  await page.getByText('The cap is reached').waitFor()
  t.match((await operator('GET', `projects/${project_id}`)).monthly_marketing_cap, { amount: 0.02, currency: 'USD' })
  t.same(await look('costs-cap-reached'), [])
  await page.getByRole('button', { name: 'Change the cap' }).click()
  await page.getByRole('button', { name: 'Remove the cap' }).click()
  await page.getByText('Marketing has no cap.').waitFor()
  t.equal((await operator('GET', `projects/${project_id}`)).monthly_marketing_cap, null)
})

t.test('the page is read from the right, and on a phone', async (t) => {
  await tab('Category').click()
  await page.evaluate("document.documentElement.dir = 'rtl'")
  t.ok((await overflow()) <= 0)
  t.same(await look('costs-rtl'), [])
  await page.evaluate("document.documentElement.dir = ''")
  await page.setViewportSize({ width: 360, height: 740 })
  t.ok((await overflow()) <= 0, 'nothing is wider than a phone')
  t.same(await look('costs-phone'), [])
  await page.setViewportSize({ width: 1280, height: 800 })
})

t.test('a message says its price among its actions', async () => {
  const [contact] = (await api('GET', 'contacts?phone=%2B15550240001')).data
  await agent.simulator('inbound', { channel: 'whatsapp', from: '+15550240001', message: 'Hello' })
  await page.goto(`${base_url}/console#/projects/${project_id}/inbox/contact/${contact._id}`)
  await page.locator('.inbox-message.is-outbound').getByRole('button', { name: 'Message actions' }).first().click()
  await page.getByText('USD 0.025 · marketing').waitFor()
})

t.test('the page had no errors', async (t) => t.same(faults, []))
