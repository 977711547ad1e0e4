/** The web chat as visitors see it: as a page of its own, and within a page of another site. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { made, makeTenant, startWorld } from '../e2e/fixture.ts'
import type { Owner } from '../support/mod.ts'
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

t.test('the chat as a page speaks the language of the browser', async (t) => {
  const context = await page.context().browser()!.newContext({ locale: 'es-MX' })
  t.teardown(() => context.close())
  const spanish = await context.newPage()
  await spanish.goto(`${world.base_url}/widget/${channel_id}`)
  await spanish.getByText('¿En qué podemos ayudarte?').waitFor()
  await eventually('one writes at once', async () => (await spanish.evaluate(ACTIVE)) === 'text')
  t.equal(await spanish.evaluate('document.documentElement.lang'), 'es')
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

t.test('a closed chat says so, has nothing to write in, and takes messages when it is open again', async (t) => {
  await text().focus()
  await isActive(false)
  await status('The chat is closed at the moment.').waitFor()
  t.equal(await text().isVisible(), false)
  t.equal(await page.getByRole('button', { name: 'Send', exact: true }).count(), 0)
  t.ok(await page.getByRole('button', { name: 'Yes' }).isDisabled())
  t.equal(await page.evaluate("document.querySelector('[data-parley]').shadowRoot.activeElement?.role"), 'log')
  t.same(await inspect('chat-closed'), [])
  await isActive(true)
  await text().waitFor({ timeout: 120_000 })
  await text().fill('Back again')
  await page.keyboard.press('Enter')
  await eventually('nothing waits', async () => (await page.getByText('Sending…').count()) === 0)
})

/** A page of another site, with these attributes on the script, and this language. */
async function shop(t: Owner, attributes: string, language = 'en', direction = 'ltr') {
  const host = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    const script = `<script src="${world.base_url}/widget.js" data-channel="${channel_id}" ${attributes} async></script>`
    response.end(
      `<!doctype html><html lang="${language}" dir="${direction}"><title>A shop</title>${script}<main><h1>A shop</h1></main></html>`,
    )
  })
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  t.teardown(() => host.close())
  return `http://127.0.0.1:${(host.address() as AddressInfo).port}/`
}

t.test('the chat works within a page of another site, in the language of the page', async (t) => {
  const requests: string[] = []
  page.on('request', (request) => requests.push(new URL(request.url()).pathname))
  await page.goto(await shop(t, 'data-accent="#ffd54a" data-avatar="data:,"', 'es-MX'))
  const launcher = page.getByRole('button', { name: 'Abrir el chat' })
  await launcher.waitFor()
  t.same(
    requests.filter((path) => path.startsWith('/widget')),
    ['/widget.js', '/widget/files/words_es.js'],
    'nothing else is loaded before it is opened',
  )
  t.same(await inspect('embedded'), [])
  await launcher.click()
  const dialog = page.getByRole('dialog', { name: 'Shop' })
  await dialog.waitFor()
  await page.getByText('¿En qué podemos ayudarte?').waitFor()
  t.equal(await page.evaluate(ACTIVE), 'text', 'the keyboard is where one writes')
  t.equal(await page.title(), 'A shop', 'the page keeps its name')
  t.same(await inspect('embedded-open'), [])
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  t.match(await page.evaluate(ACTIVE), /launcher/, 'the keyboard is back on the button')
})

const ACTIVE = `(() => {
  const { activeElement } = document.querySelector('[data-parley]').shadowRoot
  return activeElement?.id || activeElement?.className || ''
})()`

t.test('on a phone the window fills the screen, keeps the keyboard, and nothing is cut off', async (t) => {
  await page.setViewportSize({ width: 360, height: 640 })
  t.teardown(() => page.setViewportSize({ width: 1280, height: 800 }))
  await page.goto(await shop(t, 'data-theme="dark" data-language="en"', 'ar', 'rtl'))
  await page.getByRole('button', { name: 'Open chat' }).click()
  const dialog = page.getByRole('dialog', { name: 'Shop' })
  await dialog.waitFor()
  t.equal(await dialog.getAttribute('aria-modal'), 'true')
  const whole = { x: 0, y: 0, width: 360, height: 640 }
  await eventually('it has arrived', async () => isDeepStrictEqual(await dialog.boundingBox(), whole))
  t.equal(await page.evaluate('document.documentElement.scrollWidth'), 360)
  for (let n = 0; n < 12; n++) {
    await page.keyboard.press('Tab')
    t.ok(await page.evaluate(`${ACTIVE} !== ''`), 'the keyboard stays in the window')
  }
  t.same(await inspect('phone'), [])
  await page.getByRole('button', { name: 'Close chat' }).click()
  await dialog.waitFor({ state: 'hidden' })
})

t.test('the page can open and close the chat, and hears of messages', async (t) => {
  await page.goto(await shop(t, ''))
  await page.getByRole('button', { name: 'Open chat' }).waitFor()
  await page.evaluate(`globalThis.heard = []; for (const name of ['open', 'close', 'message', 'unread'])
    parley.on(name, (value) => heard.push([name, value?.message?.body ?? value]))`)
  await page.evaluate('parley.open()')
  await text().fill('From the shop')
  await page.keyboard.press('Enter')
  const stored = await eventually('it is stored', async () => {
    const { body } = await tenant.api('GET', 'messages?channel=web&status=received')
    return body.data.find((one: Json) => one.message.body === 'From the shop')
  })
  await page.evaluate('parley.close()')
  const message = { type: 'text', body: 'Hello, shop' }
  await made(tenant.api('POST', 'messages', { channel: 'web', channel_id, to: stored.from, message }))
  await page.getByRole('button', { name: 'Open chat, 1 new message' }).waitFor()
  const heard = await page.evaluate<[string, unknown][]>('heard')
  for (const one of [
    ['open', undefined],
    ['close', undefined],
    ['message', 'Hello, shop'],
    ['unread', 1],
  ])
    t.ok(
      heard.some(([name, value]) => name === one[0] && (one[1] === undefined || value === one[1])),
      `${one}`,
    )
  await page.getByRole('button', { name: 'Open chat' }).click()
  await page.getByText('Hello, shop').waitFor()
})

t.test('a chat that is deleted says so', async (t) => {
  await page.goto(`${world.base_url}/widget/${channel_id}`)
  await text().waitFor()
  t.equal((await world.operator('DELETE', `channels/${channel_id}`)).status, 204)
  await status('This chat is not available here.').waitFor()
  t.equal(await text().isVisible(), false)
  t.same(await inspect('chat-gone'), [])
})

t.test('the page has no error in any of these tests', async (t) => {
  t.same(faults, [])
})
