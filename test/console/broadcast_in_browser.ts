/** One broadcast, as an agent follows it. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { eventually } from '../e2e/client.ts'
import { openAgentWindow, SLOWLY } from './agent_window.ts'

t.setTimeout(600_000)

const PEOPLE = 500
const UNREACHABLE = 20

const agent = await openAgentWindow(t)
const { page, context, inspect, faults, list, api, simulator, pace, send, h1, row, badge, focused } = agent
let { parley } = agent
const shown = async (bar = page.getByRole('progressbar').first()) => Number(await bar.getAttribute('aria-valuenow'))
const processed = async (id: string) => {
  const { total, pending_count } = await api('GET', `messages/bulk/${id}`)
  return total - pending_count
}

/** A mark that disappears when the page is loaded again. */
const mark = () => page.evaluate('window.not_reloaded = true')
const isMarked = () => page.evaluate('window.not_reloaded === true')

await agent.openSignedIn()
await page.locator('.connection.live').waitFor()

let id = ''

t.test('a broadcast appears by itself and moves by itself', async (t) => {
  await mark()
  await pace(SLOWLY)
  const phone = '15552000001'
  await api('POST', 'contacts', { channel_type: 'whatsapp', user_id: phone, phone: `+${phone}`, name: 'Ana Torres' })
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

t.test('the page of a broadcast shows its speed and the time left', async (t) => {
  await row(id).getByRole('link').click()
  await h1().filter({ hasText: 'Autumn sale' }).waitFor()
  await eventually('the heading has the focus', async () => (await focused()) === 'Autumn sale')
  await page.getByText(/^\d+(\.\d)?\/s$/).waitFor()
  await page.getByText('time left').waitFor()
  t.match(await page.title(), /^\d+% · Autumn sale – Parley$/)
  t.same(await inspect('broadcast-sending'), [])
})

t.test('a page that is loaded again continues at the same place', async (t) => {
  const before = await shown()
  await page.reload()
  await h1().filter({ hasText: 'Autumn sale' }).waitFor()
  t.ok((await shown()) >= before)
  const now = await shown()
  await eventually('it moves on', async () => (await shown()) > now)
})

t.test('a page that was offline says so, and catches up', async (t) => {
  await mark()
  await context.setOffline(true)
  await page.getByText('Reconnecting…').waitFor()
  const then = await shown()
  await eventually('it goes on meanwhile', async () => (await processed(id)) > then + 10)
  t.ok((await shown()) < (await processed(id)), 'and nobody sees it')
  const elapsed = page.locator('.figure', { hasText: 'elapsed when last seen' })
  const stopped = await elapsed.textContent()
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 1500))')
  t.equal(await elapsed.textContent(), stopped, 'the time stands still')
  await context.setOffline(false)
  await page.locator('.connection.live').waitFor()
  await eventually('it has caught up', async () => (await shown()) > then + 10)
  t.ok(await isMarked(), 'without being loaded again')
})

t.test('a restart of the node interrupts the page only briefly', async (t) => {
  const then = await shown()
  t.equal(await parley.end('SIGTERM'), 0)
  await page.getByText('Reconnecting…').waitFor()
  parley = await agent.start()
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
  t.equal(await phones.nth(1).textContent(), 'Ana Torres+15552000001')
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

t.test('failures are grouped by their reason', async (t) => {
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

t.test('a broadcast is cancelled after a confirmation', async (t) => {
  await pace(SLOWLY)
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

t.test('a broadcast that ends while the question is open is shown as ended', async () => {
  const id = await send(300, 'Overtaken', 5000)
  await page.goto(`${list}/${id}`)
  await page.getByRole('button', { name: 'Cancel…' }).click()
  await api('POST', `messages/bulk/${id}/cancel`, {})
  await page.getByRole('dialog').getByText('It has ended meanwhile').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await badge().filter({ hasText: 'Cancelled' }).waitFor()
})

t.test('the page has no error in any of these tests', async (t) => {
  t.same(faults, [])
})
