/** The web chat as visitors see it: as a page of its own, and within a page of another site. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { made, makeTenant, startWorld } from '../e2e/fixture.ts'
import { ANY_IMPACT, openWindow } from './window.ts'

t.setTimeout(300_000)

const world = await startWorld(t)
const tenant = await makeTenant(world)
const { _id: channel_id } = await made(
  world.operator('POST', 'channels', {
    project_id: tenant.project_id,
    channel_type: 'web',
    provider: 'cloud',
    name: 'Shop',
    credentials: { visitor_secret: 'the secret of the visitors' },
  }),
)
const isActive = (is_active: boolean) => made(world.operator('PATCH', `channels/${channel_id}`, { is_active }))
const { page, inspect: inspectFor, faults } = await openWindow(t)
const inspect = (name: string) => inspectFor(name, ANY_IMPACT)
const text = () => page.getByLabel('Write a message')
const status = (words: string) => page.getByRole('status').filter({ hasText: words })
let visitor: string

t.test('the chat as a page has a heading, a main landmark, a name and a language', async (t) => {
  await page.goto(`${world.base_url}/widget/${channel_id}`)
  await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor()
  await page.getByRole('main', { name: 'Shop' }).waitFor()
  t.equal(await page.title(), 'Shop')
  t.equal(await page.evaluate('document.documentElement.lang'), 'en')
  t.same(await inspect('chat-empty'), [])
})

t.test('a conversation shows every type that can be answered', async (t) => {
  await text().fill('Hello!')
  await page.keyboard.press('Enter')
  const stored = await eventually('it is stored', async () => {
    const { body } = await tenant.api('GET', 'messages?channel=web&status=received')
    return body.data.find((one: Json) => one.message.body === 'Hello!')
  })
  visitor = stored.from
  const messages = [
    { type: 'text', body: 'Hi! See https://example.com' },
    { type: 'buttons', body_text: 'Well?', buttons: [{ id: 'yes', title: 'Yes' }] },
    {
      type: 'list',
      body_text: 'Which one?',
      button_text: 'Sizes',
      sections: [{ title: 'All', rows: [{ id: 's', title: 'Small', description: 'A few' }] }],
    },
  ]
  for (const message of messages)
    await made(tenant.api('POST', 'messages', { channel: 'web', channel_id, to: visitor, message }))
  await page.getByText('Which one?').waitFor()
  t.same(await inspect('chat'), [])
})

t.test('a closed chat says so and takes no messages, and takes them again when it is open', async (t) => {
  await text().focus()
  await isActive(false)
  await status('The chat is closed at the moment.').waitFor()
  t.ok(await text().isDisabled())
  t.ok(await page.getByRole('button', { name: 'Send' }).isDisabled())
  t.ok(await page.getByRole('button', { name: 'Yes' }).isDisabled())
  t.equal(await page.evaluate("document.querySelector('[data-parley]').shadowRoot.activeElement?.role"), 'log')
  t.same(await inspect('chat-closed'), [])
  await isActive(true)
  await eventually('it is open', () => text().isEnabled(), 120_000)
  await text().fill('Back again')
  await page.keyboard.press('Enter')
  await eventually('nothing waits', async () => (await page.getByText('Sending…').count()) === 0)
})

t.test('the chat works within a page of another site', async (t) => {
  const host = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    const script = `<script src="${world.base_url}/widget.js" data-channel="${channel_id}" data-language="es" async></script>`
    response.end(`<!doctype html><html lang="en"><title>A shop</title>${script}<main><h1>A shop</h1></main></html>`)
  })
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  t.teardown(() => host.close())
  const { port } = host.address() as AddressInfo
  await page.goto(`http://127.0.0.1:${port}/`)
  const launcher = page.getByRole('button', { name: 'Abrir el chat' })
  await launcher.waitFor()
  t.same(await inspect('embedded'), [])
  await launcher.click()
  await page.getByRole('dialog', { name: 'Shop' }).waitFor()
  t.equal(await page.title(), 'A shop', 'the page keeps its name')
  t.same(await inspect('embedded-open'), [])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
})

t.test('a chat that is deleted says so', async (t) => {
  await page.goto(`${world.base_url}/widget/${channel_id}`)
  await eventually('it is open', () => text().isEnabled())
  t.equal((await world.operator('DELETE', `channels/${channel_id}`)).status, 204)
  await status('This chat is not available here.').waitFor()
  t.ok(await text().isDisabled())
  t.same(await inspect('chat-gone'), [])
})

t.test('the page has no error in any of these tests', async (t) => {
  t.same(faults, [])
})
