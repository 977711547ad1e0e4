/** A bulk send from a file to its progress, as an agent composes it. */
import type { Route } from 'playwright-core'
import t from 'tap'
import { eventually } from '../e2e/client.ts'
import { openAgentWindow } from './agent_window.ts'
import { ANY_IMPACT } from './window.ts'

t.setTimeout(600_000)

const agent = await openAgentWindow(t)
const { page, inspect, faults, list, api, h1, focused } = agent
const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
const look = (name: string) => inspect(name, ANY_IMPACT)
const bar = page.locator('.compose-bar')
const bubble = page.locator('.compose-bubble')

const PEOPLE = `name,phone,order,city
Ana,+5215512345678,A-1001,Puebla
Luis,+52 (155) 1234-5679,A-1002,Oaxaca
Eva,5215512345680,A-1003,León
Ana,+5215512345678,A-1001,Puebla
Rosa,+5215512345681,,Mérida
"Pérez, Juan",+5215512345682,A-1005,Toluca
`
const file = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })

await agent.openSignedIn()

t.test('the page is a command away, and says what is missing', async (t) => {
  await page.getByRole('link', { name: 'New broadcast' }).waitFor()
  t.same(await look('compose-nothing-sent'), [])
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('new broadcast')
  await page.keyboard.press('Enter')
  await h1().filter({ hasText: 'New broadcast' }).waitFor()
  await page.getByLabel('Search templates').waitFor()
  await bar.getByText('Choose a template. One more thing is missing.').waitFor()
  t.same(await look('compose-empty'), [])
})

t.test('a template is found by a part of its text, with the keyboard alone', async (t) => {
  await page.getByLabel('Search templates').fill('order on its way en')
  await eventually('one is left', async () => (await page.locator('.compose-choice').count()) === 1)
  await page.keyboard.press('Enter')
  await eventually('the button has the focus', async () => (await focused()) === 'Change')
  t.match(await bubble.textContent(), 'Hi {{1}}, your order {{2}} is on its way.')
})

t.test('a file is read: its columns are recognised, its mistakes have line numbers', async (t) => {
  await page.getByLabel('CSV file').setInputFiles(file('people.csv', PEOPLE))
  await page.getByRole('heading', { name: '2 rows have mistakes' }).waitFor()
  const mistakes = await page.locator('.compose-faults li').allTextContents()
  t.match(mistakes[0], /Line 4.*“5215512345680” is no phone number: it must begin with \+ and the country code/)
  t.match(mistakes[1], /Line 6.*“order” is empty/)
  await page.getByText('1 phone number is listed again').waitFor()
  t.equal(await page.getByLabel('Phone numbers are in').inputValue(), '1')
  t.same(await look('compose-mistakes'), [])
})

t.test('each person’s message is shown', async (t) => {
  await page.getByLabel('{{1}}', { exact: true }).selectOption({ index: 1 })
  await page.getByLabel('{{2}}', { exact: true }).selectOption({ index: 3 })
  await eventually('the first', async () => (await bubble.textContent())?.includes('Hi Ana, your order A-1001'))
  await page.getByRole('button', { name: 'Next recipient' }).click()
  await eventually('the second', async () => (await bubble.textContent())?.includes('Hi Luis, your order A-1002'))
  await page.getByLabel('Where {{2}} is empty').fill('of today')
  await page.getByRole('heading', { name: '1 row has a mistake' }).waitFor()
  await page.getByLabel('Leave this row out').check()
  await bar.getByText('4 recipients').waitFor()
  await bar.getByText('Ready to send').waitFor()
  await page.getByLabel('Campaign name').fill('Autumn sale')
  await page.evaluate('scrollTo(0, 0)')
  t.same(await look('compose-ready'), [])
})

t.test('the draft survives a reload', async (t) => {
  await page.getByText('The draft is kept in this browser').waitFor()
  await eventually('it is stored', () =>
    page.evaluate<boolean>(`new Promise((resolve) => {
      const opening = indexedDB.open('parley console')
      opening.onsuccess = () => {
        const found = opening.result.transaction('drafts').objectStore('drafts').getAll()
        found.onsuccess = () => resolve(found.result.some(({ value }) => value.campaign_name === 'Autumn sale'))
      }
    })`),
  )
  await page.reload()
  await bar.getByText('Ready to send').waitFor()
  t.equal(await page.getByLabel('Campaign name').inputValue(), 'Autumn sale')
  t.match(await bubble.textContent(), 'Hi Ana, your order A-1001')
})

t.test('it fits a small phone', async (t) => {
  await page.setViewportSize({ width: 360, height: 740 })
  t.same(await look('compose-phone'), [])
  t.equal(await overflow(), 0)
  await page.setViewportSize({ width: 1280, height: 800 })
})

t.test('an answer that is lost, and a reload before the next one, send once', async (t) => {
  // The server gets the request, and the page no answer.
  const keys: (string | undefined)[] = []
  const lose = async (route: Route) => {
    keys.push(route.request().headers()['idempotency-key'])
    await route.fetch()
    await route.abort()
  }
  const isSend = (url: URL) => url.pathname.endsWith('/messages/bulk')
  await page.route(isSend, lose)
  await bar.getByRole('button', { name: 'Send to 4 people…' }).click()
  await page.getByRole('heading', { name: 'Send to 4 people?' }).waitFor()
  t.same(await look('compose-confirm'), [])
  await page.getByRole('button', { name: 'Send to 4 people', exact: true }).click()
  await eventually('it was asked twice', async () => keys.length > 1)
  await page.reload()
  await page.getByText('It is not known whether this broadcast was sent').waitFor()
  t.ok(await page.getByLabel('Campaign name').isDisabled(), 'it cannot change meanwhile')
  t.same(await look('compose-unsure'), [])
  await page.unroute(isSend, lose)
  await page.getByRole('button', { name: 'Ask again' }).click()
  await h1().filter({ hasText: 'Autumn sale' }).waitFor()
  t.equal(new Set(keys).size, 1)
  const { data } = await api('GET', 'messages/bulk')
  t.equal(data.length, 1)
  t.match(data[0], { campaign_name: 'Autumn sale', total: 4, template_name: 'order_update', language: 'en_US' })
  const recipients = (await api('GET', `messages/bulk/${data[0].id}/recipients`)).data
  t.same(
    recipients.map(({ phone }: { phone: string }) => phone),
    ['+5215512345678', '+5215512345679', '+5215512345681', '+5215512345682'],
  )
  await page.getByText('of 4').first().waitFor()
  await eventually('it is completed', async () => (await api('GET', `messages/bulk/${data[0].id}`)).pending_count === 0)
})

t.test('pasted numbers are enough for a template without variables; 5000 of them are read in slices', async (t) => {
  await page.goto(`${list}/new`)
  await page.getByLabel('Search templates').fill('hello_world')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Paste instead' }).click()
  const numbers = Array.from({ length: 5_001 }, (_, n) => `+15553${String(n).padStart(6, '0')}`)
  // A text, because the types of these tests have no DOM.
  const paste = (text: string) =>
    page.evaluate(`{
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', ${JSON.stringify(text)})
      const pasted = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
      document.querySelector('.compose-paste textarea').dispatchEvent(pasted)
    }`)
  await paste(numbers.join('\n'))
  await bar.getByText('A broadcast has up to 5,000 recipients, this one has 5,001').waitFor()
  t.notOk(await page.getByLabel('The first row names the columns').isChecked())
  await page.getByRole('button', { name: 'Replace' }).click()
  await page.getByRole('button', { name: 'Paste instead' }).click()
  await page.getByLabel('One person a line').fill('+15553000000\n+15553000001\n')
  await page.getByRole('button', { name: 'Use these' }).click()
  await bar.getByText('2 recipients').waitFor()
  await page.getByRole('button', { name: 'Replace' }).click()
  await page.getByLabel('CSV file').setInputFiles(file('many.csv', `phone\n${numbers.slice(1).join('\n')}`))
  await bar.getByText('Ready to send').waitFor()
  await bar.getByText(/about 2 min at 80 a second/).waitFor()
  t.same(await look('compose-many'), [])
  await page.getByRole('button', { name: 'Discard' }).click()
  await bar.getByText('No recipients yet').waitFor()
})

t.test('a template that is not approved is a warning', async (t) => {
  await page.getByLabel('Search templates').fill('paused')
  await page.keyboard.press('Enter')
  await page.getByText('WhatsApp has not approved this template (paused)').waitFor()
  await page.getByText('This template has none: everybody gets the same text.').waitFor()
  t.same(await look('compose-paused'), [])
})

t.test('a file that is no text says so', async () => {
  const image = { name: 'a.png', mimeType: 'image/png', buffer: Buffer.from([0x89, 0x50, 0xff, 0xfe, 0, 1]) }
  await page.getByLabel('CSV file').setInputFiles(image)
  await page.getByText('This is not a text file in UTF-8').waitFor()
})

t.test('the page has no error in any of these tests', async (t) => {
  t.same(faults, [])
})
