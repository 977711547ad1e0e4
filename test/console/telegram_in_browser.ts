/** A thread of Telegram: what stands around the words of a person, as an agent reads it. */
import t from 'tap'
import type { Json } from '../e2e/client.ts'
import { openAgentWindow } from './agent_window.ts'

t.setTimeout(600_000)

const { page, inspect, demo, simulator, signIn } = await openAgentWindow(t)
const row = (text: string) => page.locator('.inbox-row', { hasText: text })
const messages = () => page.locator('.inbox-message')
const tells = (message: Json) =>
  simulator('inbound', { channel: 'telegram', from: 518273999, name: 'Irma Lund', message })

await page.goto(`${demo.base_url}/console#/projects/${demo.project_id}/inbox`)
await signIn()
await page.locator('.connection.live').waitFor()

t.test('links behind words, quotes, forwards, buttons and unknown kinds are read', async (t) => {
  const url = 'https://mills.example/bread'
  await tells({
    text: 'Fresh bread, <b>now</b>',
    entities: [
      { type: 'text_link', offset: 6, length: 5, url },
      { type: 'text_link', offset: 0, length: 5, url: 'javascript:alert(1)' },
    ],
    forward_origin: { type: 'hidden_user', date: 1, sender_user_name: 'Bo' },
    quote: { text: 'anything warm?', is_manual: true },
    reply_markup: { inline_keyboard: [[{ text: 'Map', url: 'https://mills.example/map' }]] },
  })
  await tells({ successful_payment: { currency: 'EUR', total_amount: 1250, invoice_payload: 'bread-3' } })
  await row('Irma').getByRole('link').click()
  const link = messages().getByRole('link', { name: 'bread', exact: true })
  await link.waitFor()
  t.same([await link.getAttribute('href'), await link.getAttribute('rel')], [url, 'noopener noreferrer nofollow'])
  t.equal(await messages().locator('a[href^=javascript]').count(), 0)
  for (const words of [
    '(javascript:alert(1))',
    'Forwarded from Bo',
    'anything warm?',
    'Successful payment',
    'bread-3',
  ]) {
    await messages().getByText(words).first().waitFor()
  }
  t.equal(await messages().getByRole('link', { name: 'Map' }).getAttribute('href'), 'https://mills.example/map')
  t.same(await inspect('inbox-telegram'), [])
})
