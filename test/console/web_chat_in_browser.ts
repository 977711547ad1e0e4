/**
 * The web chat as visitors see it: as a page of its own, and within a page of another site. One file, because all tests share
 * one browser and one node.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { made, makeTenant, startWorld } from '../e2e/fixture.ts'
import { connectWeb } from '../http/visitor_page.ts'
import type { Owner } from '../support/mod.ts'
import { ANY_IMPACT, openWindow } from './window.ts'

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

/** A picture of 600 pixels that takes a while. */
async function slowPicture(t: Owner): Promise<string> {
  const host = createServer((_, response) => {
    response.setHeader('content-type', 'image/svg+xml')
    const drawing =
      '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="600"><rect width="300" height="600"/></svg>'
    setTimeout(() => response.end(drawing), 500)
  })
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  t.teardown(() => host.close())
  return `http://127.0.0.1:${(host.address() as AddressInfo).port}/picture.svg`
}

/** Pixels between what is in view and the end of the thread. */
const BELOW = `(() => {
  const log = document.querySelector('[data-parley]').shadowRoot.querySelector('[role=log]')
  return Math.round(log.scrollHeight - log.scrollTop - log.clientHeight)
})()`
const PICTURES = `[...document.querySelector('[data-parley]').shadowRoot.querySelectorAll('.log img')]`
const haveLoaded = (where = page) =>
  eventually('the pictures are there', () =>
    where.evaluate<boolean>(`${PICTURES}.length > 0 && ${PICTURES}.every(({ naturalHeight }) => naturalHeight > 0)`),
  )
const atTheEnd = (what: string, where = page) => eventually(what, async () => (await where.evaluate<number>(BELOW)) < 2)
const answer = (message: Json) =>
  made(tenant.api('POST', 'messages', { channel: 'web', channel_id, to: visitor, message }))

t.test('the end of the thread stays in view', async (t) => {
  const link = await slowPicture(t)
  await answer({ type: 'image', link, caption: 'The first' })
  await page.getByText('The first').waitFor()
  await haveLoaded()
  await atTheEnd('when a picture has loaded')
  const buttons = [{ id: 'yes', title: 'That one' }]
  await answer({ type: 'buttons', body_text: 'This one?', buttons })
  await page.getByRole('button', { name: 'That one' }).waitFor()
  const second = await page.context().newPage()
  t.teardown(() => second.close())
  await second.goto(`${world.base_url}/widget/${channel_id}`)
  await second.getByText('This one?').waitFor()
  await haveLoaded(second)
  await atTheEnd('in a second tab', second)
  await second.close()
  // Further up than the distance at which new messages are followed, with the button in view.
  await page.evaluate(`(() => {
    const log = document.querySelector('[data-parley]').shadowRoot.querySelector('[role=log]')
    log.scrollTop = log.scrollHeight - log.clientHeight - 120
  })()`)
  await answer({ type: 'text', body: 'Take your time' })
  await page.getByText('Take your time').waitFor()
  t.ok((await page.evaluate<number>(BELOW)) > 80, 'one who reads further up is left there')
  await page.getByRole('button', { name: 'That one' }).dispatchEvent('click')
  await atTheEnd('after an answer by a button')
})

t.test('outside the office hours the chat says when people are back, and asks for an address', async (t) => {
  const night = await makeTenant(world)
  const shut = Object.fromEntries([
    [
      new Date(Date.now() + 2 * 86_400_000)
        .toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' })
        .toLowerCase(),
      [{ from: '09:00', to: '18:00' }],
    ],
  ])
  await made(
    world.operator('PATCH', `projects/${night.project_id}`, { office_hours: { timezone: 'UTC', weekly: shut } }),
  )
  const channel = await connectWeb(world, night)
  const context = await page.context().browser()!.newContext()
  t.teardown(() => context.close())
  const visitors = await context.newPage()
  await visitors.goto(`${world.base_url}/widget/${channel}`)
  await visitors.getByText(/^We are back \w+day, \d/).waitFor()
  const field = visitors.getByRole('textbox', { name: 'E-mail address' })
  t.equal(await field.isVisible(), false, 'a stranger is not asked')
  await visitors.getByLabel('Write a message').fill('Is anybody here?')
  await visitors.keyboard.press('Enter')
  await field.waitFor()
  await field.fill('ana')
  await visitors.keyboard.press('Enter')
  await visitors.getByText('Write an address such as ana@example.com.').waitFor()
  await field.fill('ana@example.com')
  await visitors.getByRole('button', { name: 'Save' }).click()
  await visitors.getByText('We can write to ana@example.com.').waitFor()
  await eventually('the contact has it', async () => {
    const { body } = await night.api('GET', 'contacts?channel_type=web')
    return body.data[0]?.email === 'ana@example.com'
  })
  await visitors.reload()
  await visitors.getByText('Is anybody here?').waitFor()
  t.equal(await field.isVisible(), false, 'nobody is asked twice')
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

t.test(
  'the window stays as the visitor left it over the pages of a shop, and answers are shown beside the button',
  async (t) => {
    const home = await shop(t, '')
    const dialog = page.getByRole('dialog', { name: 'Shop' })
    await page.goto(home)
    await page.getByRole('button', { name: 'Open chat' }).click()
    await dialog.waitFor()
    await page.goto(`${home}basket`)
    await dialog.waitFor()
    await text().fill('Is it in stock?')
    await page.keyboard.press('Enter')
    const stored = await eventually('it is stored', async () => {
      const { body } = await tenant.api('GET', 'messages?channel=web&status=received')
      return body.data.find((one: Json) => one.message.body === 'Is it in stock?')
    })
    await page.getByRole('button', { name: 'Close chat' }).first().click()
    await dialog.waitFor({ state: 'hidden' })
    await page.goto(`${home}checkout`)
    const launcher = page.getByRole('button', { name: 'Open chat' })
    await launcher.waitFor()
    const say = (body: string) =>
      made(
        tenant.api('POST', 'messages', {
          channel: 'web',
          channel_id,
          to: stored.from,
          message: { type: 'text', body },
        }),
      )
    await say('Yes, two of them')
    const preview = page.getByRole('button', { name: 'Shop Yes, two of them' })
    await preview.waitFor()
    t.equal(await dialog.count(), 0, 'the page was loaded with a closed window')
    t.same(await inspect('embedded-preview'), [])
    await page.getByRole('button', { name: 'Hide this message' }).click()
    await preview.waitFor({ state: 'hidden' })
    t.match(await page.evaluate(ACTIVE), /launcher/)
    await say('Shall I keep one?')
    await page.getByRole('button', { name: 'Shop Shall I keep one?' }).click()
    await dialog.getByText('Shall I keep one?').waitFor()
    t.equal(await page.getByRole('button', { name: 'Hide this message' }).count(), 0, 'the window shows it now')
  },
)

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
