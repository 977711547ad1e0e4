/** The documentation as a reader sees it: its pages, its search, its samples, on a wide window and on a phone. */
import t from 'tap'
import { docsRoutes } from '../../http/docs/routes.ts'
import { startTestServer } from '../http/test_server.ts'
import { allRoutes } from '../support/hostile/routes.ts'
import { ANY_IMPACT, openWindow } from './window.ts'

t.setTimeout(600_000)

const { port } = await startTestServer(t, { routes: docsRoutes(allRoutes(), 'https://parley.example') })
const { page, context, faults, inspect } = await openWindow(t)
const docs = `http://127.0.0.1:${port}/docs`
const foreign: string[] = []
page.on('request', (request) => {
  if (!request.url().startsWith(`http://127.0.0.1:${port}/`)) foreign.push(request.url())
})
const wide = { width: 1280, height: 800 }
const phone = { width: 360, height: 740 }

const PAGES = {
  'docs-home': '',
  'docs-guide': '/webhooks',
  'docs-operations': '/api',
  'docs-operation': '/api/send_message',
  'docs-event': '/events/whatsapp.message.received',
  'docs-operator': '/operator/create_channel',
  'docs-missing': '/nowhere',
}

t.test('every kind of page reads well, in both color schemes, on a wide window and on a phone', async (t) => {
  for (const [name, path] of Object.entries(PAGES)) {
    await page.setViewportSize(wide)
    await page.goto(`${docs}${path}`)
    await page.locator('h1').waitFor()
    t.same(await inspect(name, ANY_IMPACT), [])
    await page.setViewportSize(phone)
    t.same(await inspect(`${name}-phone`, ANY_IMPACT), [])
    const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    t.equal(overflow, 0, `${path} does not scroll sideways`)
  }
  await page.setViewportSize(wide)
})

t.test('the search finds guides, operations and events by the keyboard alone', async (t) => {
  await page.goto(docs)
  await page.locator('#page-search').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('verify signature')
  await page.locator('.search-result').first().waitFor()
  t.same(await inspect('docs-search', ANY_IMPACT), [])
  await page.keyboard.press('Control+A')
  await page.keyboard.type('send_mess')
  await page.locator('.search-result', { hasText: 'Send message' }).first().waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(`${docs}/api/send_message`)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('no such word zzz')
  await page.getByText('Nothing found').waitFor()
  await page.keyboard.press('Escape')
  t.equal(await page.locator('dialog[open]').count(), 0)
})

t.test('samples have tabs by language, the choice stays, and code is copied', async (t) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`${docs}/api/send_message`)
  await page.getByRole('tab', { name: 'Python' }).click()
  await page.goto(`${docs}/api/get_message`)
  t.equal(await page.getByRole('tab', { name: 'Python' }).getAttribute('aria-selected'), 'true')
  await page.keyboard.press('Tab')
  await page.locator('[role=tabpanel]:not([hidden]) .copy').click()
  await page.locator('.copy', { hasText: 'Copied' }).first().waitFor()
  const shown = await page.locator('[role=tabpanel]:not([hidden]) code').textContent()
  t.equal(await page.evaluate('navigator.clipboard.readText()'), shown)
})

t.test('the colors can be chosen and stay, and the menu opens on a phone', async (t) => {
  await page.goto(docs)
  await page.locator('#page-theme').click()
  await page.reload()
  t.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark')
  await page.setViewportSize(phone)
  t.notOk(await page.locator('#page-menu').isVisible())
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.locator('#page-menu').getByRole('link', { name: 'First steps' }).click()
  await page.waitForURL(`${docs}/first_steps`)
  await page.setViewportSize(wide)
})

t.test('nothing went wrong on the way, and nothing was fetched from elsewhere', async (t) => {
  t.same(faults, [])
  t.same(foreign, [])
})
