/** Signing in and out, as an agent sees it. */
import type { Route } from 'playwright-core'
import t from 'tap'
import { eventually } from '../e2e/client.ts'
import { openAgentWindow } from './agent_window.ts'

t.setTimeout(600_000)

const { page, context, inspect, faults, demo, operator, list, send, signIn, h1, focused } = await openAgentWindow(t)
const { base_url } = demo

t.test('a page without a session asks for the sign-in, and then opens the wanted place', async (t) => {
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

t.test('a session that ends elsewhere ends on this page, which keeps its place', async (t) => {
  const id = await send(3, 'Autumn sale')
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

t.test('signing out leaves nothing behind', async (t) => {
  await page.getByRole('button', { name: 'Demo Agent' }).click()
  t.same(await inspect('menu'), [])
  await page.getByRole('button', { name: 'Sign out' }).click()
  await h1().filter({ hasText: 'Sign in' }).waitFor()
  t.notMatch(await page.locator('body').textContent(), /Autumn sale|session is over/)
  t.equal((await context.cookies()).length, 0)
  await page.goBack()
  await h1().filter({ hasText: 'Sign in' }).waitFor()
})

t.test('an agent changes the own password with the present one', async (t) => {
  await signIn()
  await page.getByRole('button', { name: /Account of/ }).click()
  await page.getByRole('button', { name: 'Change your password' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('New password').fill('another password')
  await dialog.getByLabel('Present password').fill('a wrong one')
  await page.keyboard.press('Enter')
  await dialog.getByText('The present password is not right.').waitFor()
  t.same(await inspect('change-password'), [])
  await dialog.getByLabel('Present password').fill(demo.agent.password)
  await page.keyboard.press('Enter')
  await page.getByText('Your password is changed.').waitFor()
  await dialog.waitFor({ state: 'hidden' })
})

t.test('an invited user chooses a password and is in the inbox, whoever was signed in before', async (t) => {
  const guest = { full_name: 'Luis Vega', email: 'luis@example.com', permissions: ['console.agent'] }
  const { _id } = await operator('POST', 'users', { company_id: demo.company_id, ...guest })
  const { url } = await operator('POST', `users/${_id}/invite`)
  await page.goto(url)
  await h1().filter({ hasText: 'Welcome to Parley' }).waitFor()
  t.equal(await page.getByLabel('E-mail').inputValue(), guest.email)
  t.equal(await focused(), '')
  t.same(await inspect('invitation'), [])
  await page.getByLabel('Password').fill('chosen by the user')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /Account of Luis Vega|Luis Vega/ }).waitFor()
  t.match(page.url(), /#\/projects\//)
  await page.goto(url)
  await page.getByLabel('Password').fill('another password')
  await page.keyboard.press('Enter')
  await page.getByText('This invitation does not work any more.').waitFor()
  t.same(await inspect('invitation-over'), [])
  await page.getByRole('link', { name: 'I have a password' }).click()
  await page.getByRole('button', { name: /Account of Luis Vega|Luis Vega/ }).waitFor()
})

t.test('the page has no error in any of these tests', async (t) => {
  t.same(faults, [])
})
