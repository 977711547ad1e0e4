/** What an agent sees: a whole Parley with its demo, and a browser in front of it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Route } from 'playwright-core'
import t from 'tap'
import { people } from '../e2e/broadcast_client.ts'
import { type Child, startChild } from '../e2e/child.ts'
import { eventually, type Json, startClient } from '../e2e/client.ts'
import { made } from '../e2e/fixture.ts'
import { freePort, tempDir } from '../support/mod.ts'
import { openWindow } from './window.ts'

t.setTimeout(600_000)

/** So slow that there is time to look, to leave and to come back while it goes on. */
const A_SECOND = 12
const PEOPLE = 500
const UNREACHABLE = 20

const http = startClient(t)
const data_dir = join(tempDir(t), '.parley')
const env = { PARLEY_DATA_DIR: data_dir, PARLEY_PORT: String(await freePort()) }

async function start(): Promise<Child> {
  const child = startChild(t, new URL('../../http/app/serve.ts', import.meta.url), env)
  await child.line(/Ctrl-C stops everything/)
  return child
}

let parley = await start()
const demo: Json = JSON.parse(readFileSync(join(data_dir, 'demo.json'), 'utf8'))
const { base_url, project_id, agent } = demo
const api = (method: string, path: string, json?: unknown) =>
  made(http(method, `${base_url}/v1/${path}`, { json, token: demo.token }))
const operator = (method: string, path: string, json?: unknown) =>
  made(http(method, `${base_url}/admin/v1/${path}`, { json, token: demo.operator_key }))
const simulator = (path: string, json: unknown) =>
  made(http('POST', `${demo.simulator_url}/_control/${path}`, { json }))
const ORDER = { template_name: 'order_update', language: 'en_US' }
const pace = (messages_per_second: number) =>
  operator('PATCH', `channels/${demo.channels.whatsapp.id}`, { messages_per_second })

async function send(n: number, campaign_name?: string, first = 0): Promise<string> {
  return (await api('POST', 'messages/bulk', { ...ORDER, campaign_name, recipients: people(n, first) })).broadcast_id
}

await operator('PATCH', `projects/${project_id}`, { limits: { minute: 100_000, hour: 100_000, day: 100_000 } })

const window = await openWindow(t)
const { page, context, inspect } = window
const list = `${base_url}/console#/projects/${project_id}/broadcasts`
const h1 = () => page.locator('h1')
const row = (id: string) => page.locator('.row', { has: page.locator(`[id="${id}"]`) })
const badge = () => page.locator('.page-name .badge')
const shown = async (bar = page.getByRole('progressbar').first()) => Number(await bar.getAttribute('aria-valuenow'))
const processed = async (id: string) => {
  const { total, pending_count } = await api('GET', `messages/bulk/${id}`)
  return total - pending_count
}
const focused = () => page.evaluate<string>('document.activeElement.textContent.trim()')
/** Of a row: the id of its broadcast. */
const focusedId = () => page.evaluate<string>('document.activeElement.id')
const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')

async function signIn(password = agent.password) {
  await page.getByLabel('E-mail').fill(agent.email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
}

/** Set once: gone when the page was loaded again. */
const mark = () => page.evaluate('window.not_reloaded = true')
const isMarked = () => page.evaluate('window.not_reloaded === true')

t.test('who is not signed in is asked to, and comes to where they wanted to', async (t) => {
  await page.goto(`${list}?status=completed`)
  await h1().filter({ hasText: 'Sign in' }).waitFor()
  t.same(await inspect('sign-in'), [])
  await signIn('not the password')
  await page.getByText('The e-mail address or the password is not right.').waitFor()
  t.equal(await page.evaluate('document.activeElement.name'), 'password')
  t.same(await inspect('sign-in-refused'), [])
  await context.setOffline(true)
  await signIn()
  await page.getByText('Parley cannot be reached').waitFor()
  await context.setOffline(false)
  const throttled = { error: { code: 'SIGN_IN_THROTTLED', message: 'Too many.', details: { retry_after: 3 } } }
  const refuse = (route: Route) => route.fulfill({ status: 429, json: throttled, headers: { 'Retry-After': '3' } })
  await page.route('**/console/session', refuse)
  await signIn()
  await page.getByText('Too many attempts. Try again in 3 seconds.').waitFor()
  t.ok(await page.locator('button[type=submit]').isDisabled())
  t.same(await inspect('sign-in-throttled'), [])
  await page.unroute('**/console/session', refuse)
  await page.locator('button[type=submit]:enabled').waitFor()
  await signIn()
  await h1().filter({ hasText: 'Broadcasts' }).waitFor()
  t.equal(page.url(), `${list}?status=completed`)
  await page.getByText('No completed broadcast right now').waitFor()
})

t.test('where nothing was sent yet it says how to send', async (t) => {
  await page.goto(list)
  await page.getByText('npx parley broadcast send').waitFor()
  await page.locator('.connection.live').waitFor()
  t.same(await inspect('nothing-yet'), [])
})

let id = ''

t.test('a broadcast appears by itself and moves by itself', async (t) => {
  await mark()
  await pace(A_SECOND)
  id = await send(PEOPLE, 'Autumn sale')
  await row(id).waitFor()
  const bar = row(id).getByRole('progressbar')
  const seen = new Set<number>()
  await eventually('it moves again and again', async () => seen.add(await shown(bar)).size > 8)
  t.same(
    [...seen],
    [...seen].sort((a, b) => a - b),
    'and only forward',
  )
  t.ok(await isMarked(), 'without being loaded again')
  t.same(await inspect('list'), [])
  const later = await send(3, 'A later one', 3000)
  await eventually(
    'the newest is on top',
    async () => (await page.locator('.row-name a').first().getAttribute('id')) === later,
  )
})

t.test('its page says how fast it goes and how long it may take', async (t) => {
  await row(id).getByRole('link').click()
  await h1().filter({ hasText: 'Autumn sale' }).waitFor()
  await eventually('the heading has the focus', async () => (await focused()) === 'Autumn sale')
  await page.getByText(/^\d+(\.\d)?\/s$/).waitFor()
  await page.getByText('time left').waitFor()
  t.match(await page.title(), /^\d+% · Autumn sale – Parley$/)
  t.same(await inspect('broadcast-sending'), [])
})

t.test('a page that is loaded again goes on where it is', async (t) => {
  const before = await shown()
  await page.reload()
  await h1().filter({ hasText: 'Autumn sale' }).waitFor()
  t.ok((await shown()) >= before)
  const now = await shown()
  await eventually('it moves on', async () => (await shown()) > now)
})

t.test('who was offline is told, and catches up', async (t) => {
  await mark()
  await context.setOffline(true)
  await page.getByText('Reconnecting…').waitFor()
  const then = await shown()
  await eventually('it goes on meanwhile', async () => (await processed(id)) > then + 10)
  t.ok((await shown()) < (await processed(id)), 'and nobody sees it')
  await context.setOffline(false)
  await page.locator('.connection.live').waitFor()
  await eventually('it has caught up', async () => (await shown()) > then + 10)
  t.ok(await isMarked(), 'without being loaded again')
})

t.test('a node that starts again is not noticed for long', async (t) => {
  const then = await shown()
  t.equal(await parley.end('SIGTERM'), 0)
  await page.getByText('Reconnecting…').waitFor()
  parley = await start()
  await page.locator('.connection.live').waitFor()
  await eventually('it moves on', async () => (await shown()) > then)
  t.ok(await isMarked())
  await pace(80)
  await badge().filter({ hasText: 'Completed' }).waitFor({ timeout: 90_000 })
  t.equal(await shown(), PEOPLE)
  const record = await api('GET', `messages/bulk/${id}`)
  await eventually('the last numbers are the right ones', async () => {
    const words = await page.getByRole('progressbar').getAttribute('aria-valuetext')
    const now = await api('GET', `messages/bulk/${id}`)
    return words?.includes(`${now.read_count} read`) && now.read_count >= record.read_count
  })
  await page.getByText('average speed').waitFor()
  t.same(await inspect('broadcast-completed'), [])
})

t.test('recipients are shown page by page, by status, and as a file', async (t) => {
  const phones = page.locator('tbody .phone')
  await page.getByText(`1–50 of ${PEOPLE}`).waitFor()
  t.equal(await phones.first().textContent(), '+15552000000')
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByText(`51–100 of ${PEOPLE}`).waitFor()
  t.equal(await phones.first().textContent(), '+15552000050')
  await page.getByRole('button', { name: 'Previous' }).click()
  await page.getByText(`1–50 of ${PEOPLE}`).waitFor()
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'CSV' }).click()])
  t.equal(download.suggestedFilename(), `${id}.csv`)
  const lines = readFileSync((await download.path())!, 'utf8')
    .trim()
    .split('\n')
  t.equal(lines.length, 1 + PEOPLE)
})

t.test('failures are told by their reason', async (t) => {
  await simulator('faults', {
    match: { recipient: '+15552009*' },
    statuses: { fail: { code: 131026, after: 'sent' } },
  })
  const failing = await send(UNREACHABLE, 'Old numbers', 9000)
  await page.goto(`${list}/${failing}`)
  await page.getByText(`Why ${UNREACHABLE} failed`).waitFor()
  await page.locator('.failures').getByText('131026').waitFor()
  await page.getByRole('link', { name: 'Show them' }).click()
  t.ok(page.url().endsWith('?recipients=failed'))
  await page.getByText(`1–${UNREACHABLE} of ${UNREACHABLE}`).waitFor()
  await page.locator('tbody .beside').getByText('131026').first().waitFor()
  t.same(await inspect('broadcast-failures'), [])
  await page.getByRole('link', { name: 'Read 0' }).click()
  await page.getByText('Nobody is read right now.').waitFor()
})

t.test('a broadcast is cancelled after a question', async (t) => {
  await pace(A_SECOND)
  const unwanted = await send(400, 'A mistake', 4000)
  await page.goto(`${list}/${unwanted}`)
  const button = page.getByRole('button', { name: 'Cancel…' })
  await button.click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('This cannot be undone').waitFor()
  t.same(await inspect('cancel'), [])
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  await eventually('the focus is where it was', async () => (await focused()) === 'Cancel…')
  await button.click()
  await dialog.getByRole('button', { name: 'Cancel broadcast' }).click()
  await badge().filter({ hasText: 'Cancelled' }).waitFor()
  t.equal((await api('GET', `messages/bulk/${unwanted}`)).status, 'cancelled')
  await page.locator('.failures').getByText('CANCELLED', { exact: true }).waitFor()
  t.same(await inspect('broadcast-cancelled'), [])
})

t.test('one that ends while the question is open is told to have ended', async () => {
  const id = await send(300, 'Overtaken', 5000)
  await page.goto(`${list}/${id}`)
  await page.getByRole('button', { name: 'Cancel…' }).click()
  await api('POST', `messages/bulk/${id}/cancel`, {})
  await page.getByRole('dialog').getByText('It has ended meanwhile').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await badge().filter({ hasText: 'Cancelled' }).waitFor()
})

t.test('the list is filtered by status and by name, in the address too', async (t) => {
  await page.goto(list)
  await page.getByRole('navigation', { name: 'Status' }).getByRole('link', { name: 'Cancelled' }).click()
  await eventually('two are left', async () => (await page.locator('.row-name').count()) === 2)
  await page.getByLabel('Campaign name').fill('Overtaken')
  await page.keyboard.press('Enter')
  await eventually('one is left', async () => (await page.locator('.row-name').count()) === 1)
  t.ok(page.url().endsWith('?status=cancelled&campaign_name=Overtaken'))
  t.same(await inspect('list-filtered'), [])
  await page.goBack()
  await eventually('both are back', async () => (await page.locator('.row-name').count()) === 2)
})

t.test('what is not there is said so', async (t) => {
  await page.goto(`${list}/brd_000000000000000000000000`)
  await page.getByText('There is no such broadcast').waitFor()
  t.same(await inspect('no-such-broadcast'), [])
  await page.goto(`${base_url}/console#/projects/000000000000000000000000/broadcasts`)
  await page.getByText('There is nothing here').waitFor()
  t.same(await inspect('nothing-here'), [])
})

t.test('what could not be read is tried again', async (t) => {
  const cut = (route: Route) => route.abort()
  await page.route('**/messages/bulk?*', cut)
  await page.goto(`${list}?campaign_name=Overtaken`)
  await page.getByText('The broadcasts could not be loaded').waitFor()
  t.same(await inspect('not-loaded'), [])
  await page.unroute('**/messages/bulk?*', cut)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.locator('.row-name').waitFor()
})

t.test('older ones come when one scrolls to them', async (t) => {
  await pace(80)
  for (let n = 1; n <= 30; n++) await send(1, `Weekly offers ${n}`, 6000 + n)
  await page.goto(list)
  await page.getByText('Weekly offers 30', { exact: true }).waitFor()
  await page.reload()
  await page.getByText('Weekly offers 30', { exact: true }).waitFor()
  await page.mouse.wheel(0, 100_000)
  await eventually('all are there', async () => (await page.locator('.row-name').count()) > 30)
  await page.mouse.wheel(0, 100_000)
  const first = row(id).getByRole('link')
  await first.click()
  await h1().filter({ hasText: 'Autumn sale' }).waitFor()
  await page.goBack()
  await eventually('its row has the focus', async () => (await focusedId()) === id)
  t.ok(await page.evaluate<boolean>('scrollY > 500'))
})

t.test('who has several projects changes between them', async (t) => {
  const { company_id } = demo
  const other = await operator('POST', 'projects', { company_id, name: 'Another project with a rather long name' })
  await page.goto(list)
  await page.reload()
  await page.getByLabel('Project').selectOption({ label: other.name })
  await page.getByText('No broadcasts yet').waitFor()
  t.equal(page.url(), `${base_url}/console#/projects/${other._id}/broadcasts`)
  t.same(await inspect('several-projects'), [])
  await page.goto(`${base_url}/console`)
  await eventually('it begins where one was last', async () => page.url().includes(other._id))
  await page.getByLabel('Project').selectOption({ label: 'Demo project' })
  await page.locator('.row-name').first().waitFor()
})

t.test('it fits a small phone', async (t) => {
  await page.setViewportSize({ width: 360, height: 740 })
  for (const [name, address] of [
    ['phone-list', list],
    ['phone-broadcast', `${list}/${id}`],
  ] as const) {
    await page.goto(address)
    await page.getByRole('progressbar').first().waitFor()
    t.same(await inspect(name), [])
    t.equal(await overflow(), 0, name)
  }
  await page.setViewportSize({ width: 1280, height: 800 })
})

t.test('it is worked with the keyboard alone', async (t) => {
  await page.goto(list)
  await page.reload()
  await page.locator('.row-name a').first().waitFor()
  await page.keyboard.press('Tab')
  t.equal(await focused(), 'Skip to content')
  await page.keyboard.press('Enter')
  const name = 'Weekly offers 30'
  await eventually('a row has the focus', async () => {
    await page.keyboard.press('Tab')
    return (await focused()) === name
  })
  const chosen = await focusedId()
  await page.keyboard.press('Enter')
  await h1().filter({ hasText: name }).waitFor()
  await page.goBack()
  await eventually('the row has it again', async () => (await focusedId()) === chosen)
})

t.test('a session that ends elsewhere ends here, and the place is kept', async (t) => {
  await page.goto(`${list}/${id}`)
  await page.locator('.connection.live').waitFor()
  const { status } = await page.request
    .delete(`${base_url}/console/session`, { headers: { origin: base_url } })
    .then((answer) => ({ status: answer.status() }))
  t.equal(status, 204)
  await page.getByText('Your session is over. Please sign in again.').waitFor()
  t.same(await inspect('session-over'), [])
  await signIn()
  await eventually('the heading has the focus', async () => (await focused()) === 'Autumn sale')
  t.equal(page.url(), `${list}/${id}`)
})

t.test('who signs out leaves nothing behind', async (t) => {
  await page.getByRole('button', { name: 'Demo Agent' }).click()
  t.same(await inspect('menu'), [])
  await page.getByRole('button', { name: 'Sign out' }).click()
  await h1().filter({ hasText: 'Sign in' }).waitFor()
  t.notMatch(await page.locator('body').textContent(), /Autumn sale|session is over/)
  t.equal((await context.cookies()).length, 0)
  await page.goBack()
  await h1().filter({ hasText: 'Sign in' }).waitFor()
})

t.test('in all this nothing went wrong in the page', async (t) => {
  t.same(window.faults, [])
})
