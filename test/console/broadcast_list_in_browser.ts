/** The list of broadcasts and the ways through the console, as an agent uses them. */
import type { Route } from 'playwright-core'
import t from 'tap'
import { eventually } from '../e2e/client.ts'
import { openAgentWindow, SLOWLY } from './agent_window.ts'

t.setTimeout(600_000)

const agent = await openAgentWindow(t)
const { page, inspect, faults, demo, list, api, operator, pace, send, h1, row, focused, focusedId } = agent
const { base_url } = demo
const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')

await agent.openSignedIn()

t.test('an empty list explains how to send', async (t) => {
  await page.goto(list)
  await page.getByText('npx parley broadcast send').waitFor()
  await page.locator('.connection.live').waitFor()
  t.same(await inspect('nothing-yet'), [])
})

let id = ''

t.test('the list is filtered by status and by name, in the address too', async (t) => {
  id = await send(3, 'Autumn sale')
  await pace(SLOWLY)
  for (const [name, first] of [
    ['A mistake', 4000],
    ['Overtaken', 5000],
  ] as const) {
    const unwanted = await send(100, name, first)
    await api('POST', `messages/bulk/${unwanted}/cancel`, {})
  }
  await page.goto(list)
  await page.getByRole('navigation', { name: 'Status' }).getByRole('link', { name: 'Cancelled' }).click()
  await eventually('two are left', async () => (await page.locator('.row-name').count()) === 2)
  await page.getByLabel('Search by a part of the name').fill('vertak')
  await eventually('one is left', async () => (await page.locator('.row-name').count()) === 1)
  t.ok(page.url().endsWith('?status=cancelled&search=vertak'))
  t.same(await inspect('list-filtered'), [])
  await page.goBack()
  await eventually('both are back', async () => (await page.locator('.row-name').count()) === 2)
})

t.test('an unknown address says so', async (t) => {
  await page.goto(`${list}/brd_000000000000000000000000`)
  await page.getByText('There is no such broadcast').waitFor()
  t.same(await inspect('no-such-broadcast'), [])
  await page.goto(`${base_url}/console#/projects/000000000000000000000000/broadcasts`)
  await page.getByText('There is nothing here').waitFor()
  t.same(await inspect('nothing-here'), [])
})

t.test('a failed read is tried again', async (t) => {
  const reads = '**/messages/bulk?*'
  const cut = (route: Route) => route.abort()
  await page.route(reads, cut)
  await page.goto(`${list}?search=overtaken`)
  await page.getByText('The broadcasts could not be loaded').waitFor()
  t.same(await inspect('not-loaded'), [])
  // The page reads again by itself as well: until the button is pressed, no read may be answered.
  const { promise: pressed, resolve: press } = Promise.withResolvers<void>()
  await page.route(reads, async (route) => {
    await pressed
    await route.continue()
  })
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Loading broadcasts').waitFor({ state: 'attached' })
  press()
  await page.locator('.row-name').waitFor()
  await page.unrouteAll({ behavior: 'wait' })
})

t.test('older broadcasts load when the agent scrolls to them', async (t) => {
  await pace(80)
  for (let n = 1; n <= 30; n++) await send(1, `Weekly offers ${n}`, 6000 + n)
  await page.goto(list)
  await page.getByText('Weekly offers 30', { exact: true }).waitFor()
  await page.reload()
  await page.getByText('Weekly offers 30', { exact: true }).waitFor()
  // A page that was just loaded may still be put to its place, so the agent scrolls until the end is there.
  await eventually('all are there', async () => {
    await page.mouse.wheel(0, 100_000)
    return (await page.locator('.row-name').count()) > 30
  })
  await page.mouse.wheel(0, 100_000)
  const first = row(id).getByRole('link')
  await first.click()
  await h1().filter({ hasText: 'Autumn sale' }).waitFor()
  await page.goBack()
  await eventually('its row has the focus', async () => (await focusedId()) === id)
  t.ok(await page.evaluate<boolean>('scrollY > 500'))
})

t.test('an agent with several projects switches between them', async (t) => {
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
  await page.getByRole('link', { name: 'Broadcasts' }).click()
  await page.locator('.row-name').first().waitFor()
})

t.test('the list fits a small phone', async (t) => {
  await page.setViewportSize({ width: 360, height: 740 })
  for (const [name, address] of [
    ['phone-list', list],
    ['phone-broadcast', `${list}/${id}`],
  ] as const) {
    await page.goto(address)
    await page.getByRole('progressbar').first().waitFor()
    t.same(await inspect(name), [])
    t.equal(await overflow(), 0, name)
    const section = page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Broadcasts' })
    const { x, width } = (await section.boundingBox())!
    t.ok(x >= 0 && x + width <= 360, `${name}: the row of sections shows the one of the page`)
  }
  await page.setViewportSize({ width: 1280, height: 800 })
})

t.test('the list works with the keyboard alone', async (t) => {
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

t.test('the page has no error in any of these tests', async (t) => {
  t.same(faults, [])
})
