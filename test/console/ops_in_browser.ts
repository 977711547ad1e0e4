/** The operators' part of the console, as an operator uses it. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { eventually, type Json } from '../e2e/client.ts'
import { openAgentWindow } from './agent_window.ts'

t.setTimeout(600_000)

const agent = await openAgentWindow(t)
const { page, inspect, faults, demo, operator, send, pace, h1 } = agent
const { base_url, company_id, project_id } = demo
const ops = `${base_url}/console#/ops`
const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
const nav = (name: string) => page.getByRole('navigation', { name: 'Operations' }).getByRole('link', { name })
const row = (text: string) => page.locator('.ops-table tbody tr', { hasText: text })

const [me] = (await operator('GET', `users?company_id=${company_id}`)).data as Json[]
const permissions = (list: string[]) => operator('PATCH', `users/${me!._id}`, { permissions: list })
await permissions(['console.agent'])

async function park(kind: string, type: string, count: number): Promise<void> {
  const database = await openDatabase({ url: agent.databaseUrl(), pool_size: 1 })
  await database.execute(
    `insert into dead_letter (partition, address, sender, message, error)
      select 0, ? || '/66f2a0c1d4e5f60718293a4b', 'project/66f2a0c1d4e5f60718293a4b', ?::json,
        'Error: the provider answered with a template that this release does not know' || E'\\n' || '    at receive (actors/channel/actor.ts:120)'
      from generate_series(1, ?::int)`,
    [kind, JSON.stringify({ type, message_id: 'msg_66f2a0c1d4e5f60718293a4b', token: 'secret' }), count],
  )
  await database.close()
}

t.test('an agent without the permission has no such section', async (t) => {
  await agent.openSignedIn()
  t.equal(await page.getByRole('link', { name: 'Operations' }).count(), 0)
  await page.goto(ops)
  await page.getByText('There is nothing here').waitFor()
})

t.test('an operator sees the cluster', async (t) => {
  await permissions(['console.agent', 'console.operator', 'developer.manage_tokens'])
  await page.goto(`${base_url}/console`)
  await page.reload()
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Operations' }).click()
  await page.getByText('Running', { exact: true }).waitFor()
  await page.getByText('without an owner').or(page.getByText('all with one node')).waitFor()
  t.same(await inspect('ops-cluster'), [])
})

t.test('backlogs are drawn, and the busiest projects named', async (t) => {
  await pace(4)
  await send(150, 'Autumn sale')
  await nav('Backlogs').click()
  await page.locator('.ops-line').first().waitFor({ state: 'attached' })
  await eventually('the project is busy', async () => (await page.locator('.ops-spark').count()) > 0)
  await eventually(
    'there are lines',
    async () => (await page.locator('.ops-plot svg').nth(3).innerHTML()).split('L').length > 4,
  )
  await page.locator('.ops-plot').nth(3).hover()
  t.same(await inspect('ops-backlogs'), [])
})

t.test('a channel is checked', async (t) => {
  await nav('Channels').click()
  await page.getByText('Demo project').first().waitFor()
  t.same(await inspect('ops-channels'), [])
  const first = page.getByRole('button', { name: /^Check now: .*whatsapp/i }).first()
  await first.click()
  await page.locator('.toast').waitFor()
  const history = page.getByRole('button', { name: /^History: .*whatsapp/i }).first()
  await history.click()
  t.same(await inspect('ops-history-question'), [])
  await page.getByRole('button', { name: 'Ask WhatsApp' }).click()
  await page.getByText(/The history of .* is asked for/).waitFor()
  await history.click()
  await page.getByText(/: the history is (asked for|arriving|imported) \(/).waitFor()
  await page.getByRole('navigation', { name: 'Channels' }).getByRole('link', { name: 'With a queue' }).click()
  await page
    .getByText(/oldest/)
    .first()
    .waitFor()
  t.same(await inspect('ops-channels-waiting'), [])
})

t.test('dead letters are read, replayed and dropped, with a question first', async (t) => {
  await park('channel', 'template_listed', 12)
  await park('nowhere', 'lost', 3)
  await nav('Cluster').click()
  await page.getByText('are parked as dead letters').waitFor()
  t.same(await inspect('ops-warnings'), [])
  await nav('Dead letters').click()
  await page.getByRole('button', { name: 'Drop all nowhere · lost' }).waitFor()
  t.same(await inspect('ops-dead-letters'), [])
  await row('channel · template_listed').first().getByRole('link').click()
  await page.getByRole('dialog').getByText('at receive').waitFor()
  t.notMatch(await page.getByRole('dialog').textContent(), /"secret"/)
  t.same(await inspect('ops-dead-letter'), [])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Drop all nowhere · lost' }).click()
  t.same(await inspect('ops-drop-question'), [])
  await page.getByRole('button', { name: 'Drop them for good' }).click()
  await page.getByText('3 dropped').waitFor()
  await eventually('they are gone', async () => (await row('nowhere · lost').count()) === 0)
})

t.test('a token is revoked', async (t) => {
  const expires_at = new Date(Date.now() + 2 * 86_400_000).toISOString()
  for (const [name, end] of [
    ['Nightly export', expires_at],
    ['Web shop', null],
  ] as const) {
    const scopes = ['messages:read', 'messages:write', 'webhooks:read']
    await operator('POST', 'tokens', { project_id, user_id: me!._id, name, scopes, expires_at: end })
  }
  await nav('Tokens').click()
  await row('Web shop').waitFor()
  t.same(await inspect('ops-tokens'), [])
  await page.getByRole('link', { name: 'Expire within 30 days' }).click()
  await eventually('one is left', async () => (await page.locator('.ops-table tbody tr').count()) === 1)
  await page.getByRole('button', { name: 'Revoke Nightly export' }).click()
  await page.getByRole('button', { name: 'Revoke the token' }).click()
  await page.getByText('No token is about to expire').waitFor()
})

t.test('a user is created, found and deactivated', async (t) => {
  await nav('Users').click()
  await row(me!.full_name).waitFor()
  await page.getByRole('button', { name: 'New user' }).click()
  const dialog = page.getByRole('dialog')
  await dialog
    .getByLabel('Company', { exact: true })
    .locator('option', { hasText: 'Demo' })
    .waitFor({ state: 'attached' })
  await dialog.getByRole('button', { name: 'Create the user' }).click()
  await dialog.getByText('Give the name.').waitFor()
  t.same(await inspect('ops-new-user'), [])
  await dialog.getByLabel('Company', { exact: true }).selectOption({ label: 'Demo' })
  await dialog.getByLabel('Name').fill('Zoë Zander')
  await dialog.getByLabel('E-mail').fill('zoe@example.com')
  await dialog.getByRole('button', { name: 'Make up' }).click()
  await dialog.getByRole('button', { name: 'Create the user' }).click()
  await row('Zoë Zander').waitFor()
  await page.getByRole('searchbox').fill('zo')
  await page.keyboard.press('Enter')
  await eventually('one is found', async () => (await page.locator('.ops-table tbody tr').count()) === 1)
  t.same(await inspect('ops-users'), [])
  await page.getByRole('button', { name: 'Change Zoë Zander' }).click()
  await dialog.getByLabel('Active').click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await row('Deactivated').waitFor()
})

t.test('a user without a password is invited; without a mail server the link is shown', async (t) => {
  const guest = { full_name: 'Leo Lang', email: 'leo@example.com', permissions: ['console.agent'] }
  await operator('POST', 'users', { company_id, ...guest })
  await page.goto(`${ops}/users?search=leo`)
  await page.getByRole('button', { name: 'Invite Leo Lang' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
  await dialog.getByText('This installation sends no mail.').waitFor()
  t.match(await dialog.locator('code').textContent(), /\/console#\/invitation\/[\w-]{43}\?email=leo%40example.com$/)
  t.same(await inspect('ops-invited'), [])
  await dialog.getByRole('button', { name: 'Done' }).click()
})

t.test('an operator is changed with a key alone', async (t) => {
  await page.goto(`${ops}/users?is_operator=true`)
  await page.getByRole('button', { name: `Change ${me!.full_name}` }).click()
  await page.getByText('with an operator key only').waitFor()
  t.same(await inspect('ops-locked-user'), [])
  await page.keyboard.press('Escape')
})

t.test('the audit shows who did it, and what changed', async (t) => {
  await nav('Audit').click()
  await row('ops_update_user').first().waitFor()
  await row('ops_update_user').first().locator('summary').click()
  await page.locator('.ops-diff del').first().waitFor()
  t.same(await inspect('ops-audit'), [])
  await page.getByLabel('By').selectOption({ label: 'Users' })
  await eventually('only users', async () => !(await page.locator('.ops-table').textContent())!.includes('root'))
})

t.test('all of it works with the keyboard alone', async () => {
  await page.goto(`${base_url}/console#/projects/${project_id}/broadcasts`)
  await h1().filter({ hasText: 'Broadcasts' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('o')
  await h1().filter({ hasText: 'Cluster' }).waitFor()
  await eventually('the tab has the focus', async () => {
    await page.keyboard.press('Tab')
    return (await agent.focused()).startsWith('Tokens')
  })
  await page.keyboard.press('Enter')
  await row('Web shop').waitFor()
  await eventually('the button has the focus', async () => {
    await page.keyboard.press('Tab')
    return (
      (await page.evaluate<string | null>('document.activeElement.getAttribute("aria-label")')) === 'Revoke Web shop'
    )
  })
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await eventually(
    'the focus is back',
    async () =>
      (await page.evaluate<string | null>('document.activeElement.getAttribute("aria-label")')) === 'Revoke Web shop',
  )
})

t.test('every page fits a small phone', async (t) => {
  await page.setViewportSize({ width: 360, height: 740 })
  for (const name of ['', '/backlogs', '/channels', '/webhooks', '/dead-letters', '/tokens', '/users', '/audit']) {
    await page.goto(ops + name)
    await page.locator('.ops-table, .nothing, .ops-quiet').first().waitFor()
    t.same(await inspect(`ops-phone${name.replace('/', '-') || '-cluster'}`), [])
    t.equal(await overflow(), 0, name)
  }
  await page.setViewportSize({ width: 1280, height: 800 })
})

/** The texts of tables that run out of their cells. */
const RUN_OUT = `[...document.querySelectorAll('.ops-table td, .ops-table th')].flatMap((cell) => {
  const edge = cell.getBoundingClientRect().right + 1
  const list = cell.closest('.ops-list').getBoundingClientRect().right + 1
  const range = document.createRange()
  range.selectNodeContents(cell)
  const has_run_out = [...range.getClientRects()].some(({ right, width }) => width > 1 && right > Math.min(edge, list))
  const is_shown = cell.closest('thead') === null || getComputedStyle(cell.closest('thead')).position !== 'absolute'
  return has_run_out && is_shown ? [cell.textContent.trim()] : []
})`

t.test('no cell of a table covers its neighbor, on a laptop and on a desk', async (t) => {
  const long = `Anastasia.${'Konstantinopolitanskaya'.repeat(2)}`
  const made = ['console.agent', 'developer.manage_tokens', 'developer.manage_webhooks']
  const user = { company_id, full_name: long, email: `${long.toLowerCase()}@example.com`, permissions: made }
  await operator('POST', 'users', user)
  // The styles of all sections that were opened are there.
  await page.goto(`${base_url}/console#/projects/${project_id}/broadcasts`)
  await h1().filter({ hasText: 'Broadcasts' }).waitFor()
  for (const width of [1024, 1280, 1440]) {
    await page.setViewportSize({ width, height: 800 })
    for (const name of ['', '/backlogs', '/channels', '/webhooks', '/dead-letters', '/tokens', '/users', '/audit']) {
      await page.goto(ops + name)
      await page.locator('.ops-table, .nothing, .ops-quiet').first().waitFor()
      t.same(await page.evaluate<string[]>(RUN_OUT), [], `${width} ${name}`)
      t.equal(await overflow(), 0, name)
      if (width !== 1280 && ['', '/users', '/audit'].includes(name))
        await inspect(`ops-${width}${name.replace('/', '-') || '-cluster'}`)
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 })
})

t.test('an operator who loses the permission is told so', async () => {
  await page.goto(`${ops}/users`)
  await row(me!.full_name).waitFor()
  await permissions(['console.agent'])
  await nav('Cluster').click()
  await page.getByText('lacks the permission').first().waitFor()
})

t.test('the page has no error in any of these tests', async (t) => {
  t.same(faults, [])
})
