/** Webhooks as an agent looks after them: created, tested, failing, recovered, replaced, deleted. */
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { startSink } from '../e2e/sink.ts'
import { openAgentWindow } from './agent_window.ts'
import { ANY_IMPACT } from './window.ts'

t.setTimeout(600_000)

const agent = await openAgentWindow(t)
const sink = await startSink(t)
const { page, inspect, faults, demo, api, operator, h1, focusedId } = agent
const list = `${demo.base_url}/console#/projects/${demo.project_id}/webhooks`
const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
const look = (name: string) => inspect(name, ANY_IMPACT)
const badge = page.locator('.page-name .badge')
const rows = page.locator('.webhook-table tbody tr')
const users = (await operator('GET', `users?company_id=${demo.company_id}`)).data
const user = users.find(({ email }: Json) => email === demo.agent.email)
const permit = (...permissions: string[]) => operator('PATCH', `users/${user._id}`, { permissions })

async function writeNote(content: string): Promise<void> {
  const [contact] = (await api('GET', 'contacts?limit=1')).data
  await api('POST', 'crm/notes', { content, chat_user: contact._id })
}

await operator('PATCH', `projects/${demo.project_id}`, { limits: { minute: 100_000, hour: 100_000, day: 100_000 } })
await api('POST', 'contacts', { channel_type: 'whatsapp', user_id: '15550180000', phone: '+15550180000', name: 'Ana' })
await permit('console.agent')
await agent.openSignedIn()

let id = ''

t.test('without the permission the page says what is missing', async (t) => {
  await page.keyboard.press('g')
  await page.keyboard.press('w')
  await h1().filter({ hasText: 'Webhooks' }).waitFor()
  await page.getByText('No webhooks yet').waitFor()
  const button = page.getByRole('button', { name: 'New webhook' })
  t.equal(await button.getAttribute('aria-disabled'), 'true')
  t.match(await button.getAttribute('title'), 'developer.manage_webhooks')
  t.same(await look('webhooks-forbidden'), [])
  await page.goto(`${list}/new`)
  await page.getByText('You may not change webhooks').waitFor()
  t.same(await look('webhooks-form-forbidden'), [])
})

t.test('a webhook is created, and its secret is shown once', async (t) => {
  await permit('console.agent', 'developer.manage_webhooks')
  await page.goto(list)
  await page.reload()
  await page.getByRole('link', { name: 'New webhook' }).click()
  await h1().filter({ hasText: 'New webhook' }).waitFor()
  await page.getByRole('button', { name: 'Create webhook' }).click()
  await page.getByText('Some fields need another value.').waitFor()
  t.same(await look('webhooks-form-faults'), [])
  await page.getByLabel('Name', { exact: true }).fill('Warehouse')
  await page.getByRole('textbox', { name: 'Address' }).fill(sink.url('warehouse'))
  await page.getByLabel('Search event types').fill('note')
  await page.getByLabel(/^crm\.note\.created/).check()
  await page.getByLabel('Search event types').fill('')
  await page.getByLabel(/^crm\.ticket\.\*/).check()
  t.ok(await page.getByLabel(/^crm\.ticket\.updated/).isDisabled(), 'the pattern includes it')
  await page.getByRole('button', { name: 'Add a header' }).click()
  await page.getByLabel('Name of header 1').fill('X-Api-Key')
  await page.getByLabel('Value of header 1').fill('letmein')
  await page.evaluate('scrollTo(0, 0)')
  t.same(await look('webhooks-form'), [])
  await page.getByRole('button', { name: 'Create webhook' }).click()
  const secret = page.locator('.webhook-secret code')
  t.match(await secret.textContent(), /^whsec_/)
  t.same(await look('webhooks-secret'), [])
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await h1().filter({ hasText: 'Warehouse' }).waitFor()
  const [webhook] = (await api('GET', 'webhooks')).data
  t.match(webhook, {
    name: 'Warehouse',
    events: ['crm.note.created', 'crm.ticket.*'],
    headers: { 'X-Api-Key': 'letmein' },
  })
  id = webhook.id
  t.notMatch(await page.content(), /whsec_\w{20}/)
})

t.test('a test event arrives, and its delivery shows what was sent and answered', async (t) => {
  await page.getByText('No event yet').waitFor()
  await page.keyboard.press('t')
  await page.getByRole('dialog').getByLabel('Event type').selectOption('crm.note.created')
  t.same(await look('webhooks-test'), [])
  await page.getByRole('button', { name: 'Send it' }).click()
  await rows.filter({ hasText: 'Delivered' }).waitFor()
  t.equal(sink.calls('warehouse').length, 1)
  await rows.getByRole('link').first().click()
  await h1().filter({ hasText: 'crm.note.created' }).waitFor()
  await page.locator('pre', { hasText: 'X-Svc-Attempt: 1' }).waitFor()
  await page.locator('pre', { hasText: 'thanks' }).waitFor()
  const body = JSON.parse((await page.locator('pre[aria-label="The event as JSON"]').textContent())!)
  t.same(body, sink.calls('warehouse')[0]!.body)
  t.same(await look('webhooks-delivery'), [])
  await page.getByRole('button', { name: 'Send again' }).click()
  await eventually('it came again', async () => sink.calls('warehouse').length === 2)
  await page.goBack()
  await rows.first().waitFor()
  t.match(await focusedId(), /^dlv_/, 'the row that was left has the focus')
})

t.test('failures are seen as they happen, filtered, and recovered', async (t) => {
  sink.answer('warehouse', () => 404)
  await writeNote('lost')
  await rows.filter({ hasText: 'The receiver answered with 404.' }).waitFor()
  t.same(await look('webhooks-failed'), [])
  await page.getByRole('navigation', { name: 'Deliveries by status' }).getByRole('link', { name: 'Failed' }).click()
  await eventually('one is left', async () => (await rows.count()) === 1)
  await page.getByLabel('Event type').selectOption('crm.ticket.updated')
  await page.getByText('No delivery matches.').waitFor()
  t.ok(page.url().endsWith('?status=failed&event_type=crm.ticket.updated'))
  sink.answer('warehouse', () => 200)
  await page.getByRole('button', { name: 'Recover…' }).click()
  await page.getByLabel('Since').waitFor()
  t.same(await look('webhooks-recover'), [])
  await page.getByRole('button', { name: 'Send again' }).click()
  await page.getByText('Failed deliveries were sent again').waitFor()
  await eventually('it has arrived', async () => sink.calls('warehouse').at(-1)?.body.data.content === 'lost')
})

t.test('it is edited, disabled and enabled', async (t) => {
  await page.keyboard.press('e')
  await page.getByLabel('Requests at once').fill('100')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('.field-error').waitFor()
  await page.getByLabel('Requests at once').fill('2')
  await page.getByLabel('Order').selectOption({ label: 'In order for each contact' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('2 at once, in order for each contact').waitFor()
  await page.getByRole('button', { name: 'More' }).click()
  t.same(await look('webhooks-more'), [])
  await page.getByRole('menuitem', { name: 'Disable' }).click()
  await badge.filter({ hasText: 'Disabled' }).waitFor()
  t.same(await look('webhooks-disabled'), [])
  await page.getByRole('button', { name: 'Enable' }).click()
  await badge.filter({ hasText: 'Active' }).waitFor()
  t.match(await api('GET', `webhooks/${id}`), { is_active: true, concurrency: 2, ordering: 'contact' })
})

t.test('the secret is replaced with a grace, with the keyboard alone', async (t) => {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or command' }).fill('replace the secret')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Replace the secret?' }).waitFor()
  t.same(await look('webhooks-rotate'), [])
  await page.getByRole('button', { name: 'Replace it' }).focus()
  await page.keyboard.press('Enter')
  await page.locator('.webhook-secret code').waitFor()
  await page.getByRole('button', { name: 'I have stored it' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('Former secret until').waitFor()
})

t.test('a polled webhook has no requests', async (t) => {
  await page.goto(`${list}/new`)
  await page.getByLabel('Name', { exact: true }).fill('Behind a firewall')
  await page.getByText('Let the receiver fetch').click()
  t.equal(await page.getByRole('textbox', { name: 'Address' }).count(), 0)
  await page.getByLabel(/^Everything/).check()
  await page.getByRole('button', { name: 'Create webhook' }).click()
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await page.locator('.webhook-facts').getByText('Fetched by its receiver').waitFor()
  t.equal(await page.getByRole('button', { name: 'Recover…' }).count(), 0)
  await page.goto(list)
  await page.locator('.webhook-row').nth(1).waitFor()
  t.same(await look('webhooks-list'), [])
})

t.test('the public keys of the project are shown with their address, and replaced', async (t) => {
  await page.getByText('No webhook has a public signature yet').waitFor()
  await api('PATCH', `webhooks/${id}`, { ed25519: true })
  await page.reload()
  const keys = page.getByRole('region', { name: 'Signing keys' })
  const shown = keys.locator('.webhook-key-list li')
  await shown.filter({ hasText: 'signs now' }).waitFor()
  const [{ public_key }] = (await api('GET', 'webhooks/signing-keys')).data
  await keys.getByText(public_key).waitFor()
  const address = (await keys.locator('.webhook-secret code').textContent())!
  const { keys: set } = (await (await fetch(address)).json()) as Json
  t.equal(Buffer.from(set[0].x, 'base64url').toString('base64'), public_key.replace('whpk_', ''))
  t.same(await look('webhooks-keys'), [])
  await keys.getByRole('button', { name: 'Replace the key…' }).click()
  await page.getByRole('dialog').getByLabel('The former key goes on signing').selectOption('3600')
  t.same(await look('webhooks-keys-replace'), [])
  await page.getByRole('button', { name: 'Replace it' }).click()
  await shown.filter({ hasText: 'signs too until' }).filter({ hasText: public_key }).waitFor()
  t.equal(await shown.count(), 2)
})

t.test('the pages fit a small phone', async (t) => {
  const [delivery] = (await api('GET', `webhooks/${id}/deliveries`)).data
  await page.setViewportSize({ width: 360, height: 740 })
  for (const [name, address, ready] of [
    ['webhooks-phone-list', list, '.webhook-row'],
    ['webhooks-phone-one', `${list}/${id}`, '.webhook-table'],
    ['webhooks-phone-delivery', `${list}/${id}/deliveries/${delivery.id}`, '.webhook-code'],
    ['webhooks-phone-form', `${list}/${id}/edit`, '.webhook-areas'],
  ] as const) {
    await page.goto(address)
    await page.locator(ready).first().waitFor()
    t.same(await look(name), [])
    t.equal(await overflow(), 0, name)
  }
  await page.setViewportSize({ width: 1280, height: 800 })
})

t.test('it is deleted after a confirmation', async (t) => {
  await page.goto(`${list}/${id}`)
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await page.getByRole('heading', { name: 'Delete “Warehouse”?' }).waitFor()
  t.same(await look('webhooks-delete'), [])
  await page.getByRole('button', { name: 'Delete webhook' }).click()
  await h1().filter({ hasText: 'Webhooks' }).waitFor()
  await eventually('one is left', async () => (await page.locator('.webhook-row').count()) === 1)
  t.equal((await api('GET', 'webhooks')).data.length, 1)
})

t.test('an unknown address says so', async (t) => {
  await page.goto(`${list}/wh_000000000000000000000000`)
  await page.getByText('There is no such webhook').waitFor()
  await page.goto(`${list}/${id}/nothing`)
  await page.getByText('There is nothing here').waitFor()
  t.same(await look('webhooks-nowhere'), [])
})

t.test('the page has no error in any of these tests', async (t) => {
  t.same(faults, [])
})
