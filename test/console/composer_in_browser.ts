/** The composer below a thread, as agents use it. */
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { openAgentWindow } from './agent_window.ts'

t.setTimeout(600_000)

const agent = await openAgentWindow(t)
const { page, inspect, faults, demo, api, operator, simulator, signIn, context } = agent
const inbox = `${demo.base_url}/console#/projects/${demo.project_id}/inbox`
const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')

const phone = (n: number) => `1555400${String(n).padStart(4, '0')}`
const writes = (n: number, body: string, name = 'Ana Torres') =>
  simulator('inbound', { channel: 'whatsapp', from: phone(n), name, message: { type: 'text', text: { body } } })
const contactOf = async (n: number): Promise<Json> => (await api('GET', `contacts?phone=%2B${phone(n)}`)).data[0]
const ticketOf = async (n: number): Promise<Json> =>
  (await api('GET', `crm/tickets?chat_user=${(await contactOf(n))._id}`)).data[0]
const open = async (n: number) => {
  await page.goto(`${inbox}/all/${(await ticketOf(n))._id}`)
  await page.locator('.inbox-message').first().waitFor()
  await composer.waitFor()
}
const sentTo = async (n: number): Promise<Json[]> =>
  (await api('GET', `messages?chat_user=${(await contactOf(n))._id}`)).data.filter(
    ({ direction }: Json) => direction === 'outbound',
  )
const field = page.getByRole('textbox', { name: 'Reply' })
const note = page.getByRole('textbox', { name: 'Note', exact: true })
const composer = page.getByRole('region', { name: 'Composer' })
const bubble = (text: string) => page.locator('.inbox-message.is-outbound', { hasText: text })

await page.goto(inbox)
await signIn()
await page.locator('.connection.live').waitFor()
await writes(1, 'Where is my order?')
await writes(2, 'Hello?', 'Luis Gómez')
await eventually('both are there', async () => (await ticketOf(2)) !== undefined)

t.test('a reply is written and sent with the keyboard alone', async (t) => {
  await open(1)
  await page.keyboard.press('r')
  await page.keyboard.type('It is on its way.')
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('It arrives tomorrow.')
  await composer.getByText('Saved', { exact: true }).waitFor()
  t.same(await inspect('composer'), [])
  await page.keyboard.press('Enter')
  await bubble('It arrives tomorrow.').locator('.ticks.is-read').waitFor()
  t.equal(await field.inputValue(), '')
  t.match(await sentTo(1), [{ message: { type: 'text', body: 'It is on its way.\nIt arrives tomorrow.' } }])
})

t.test('an emoji is found by its name, and marks of WhatsApp are shown as there', async (t) => {
  await composer.getByRole('button', { name: 'Emoji' }).click()
  const search = page.getByRole('searchbox', { name: 'Search emoji' })
  await eventually('the search has the focus', () => search.evaluate((field) => field.matches(':focus')))
  await page.keyboard.type('package')
  await page.getByText('1 emoji', { exact: true }).waitFor({ state: 'attached' })
  t.same(await inspect('composer-emoji'), [])
  await page.keyboard.press('Enter')
  await eventually('it is in the text', async () => (await field.inputValue()) === '📦')
  await eventually('the field has the focus', () => field.evaluate((field) => field.matches(':focus')))
  await page.keyboard.type(' *sent* `A-7` <b>')
  await page.keyboard.press('Enter')
  const shown = bubble('sent').locator('.inbox-text')
  await shown.locator('strong').filter({ hasText: 'sent' }).waitFor()
  await shown.locator('code').filter({ hasText: 'A-7' }).waitFor()
  await eventually('it is sent', async () => (await sentTo(1)).length === 2)
  t.equal(await shown.textContent(), '📦 sent A-7 <b>', 'and nothing else becomes HTML')
})

t.test('a note is for colleagues, and mentions them', async (t) => {
  await page.keyboard.press('Escape')
  await page.keyboard.press('n')
  await page.keyboard.type('Please look at this, @')
  await page.getByRole('listbox', { name: 'Colleagues' }).waitFor()
  t.same(await inspect('composer-mention'), [])
  await page.keyboard.press('Enter')
  await eventually('the name is there', async () => /@\S+ \S+ $/.test(await note.inputValue()))
  await page.keyboard.press('Enter')
  await page.locator('.inbox-note').getByText('Please look at this').waitFor()
  await page
    .locator('.inbox-note .mention')
    .filter({ hasText: /^@\S+ \S+$/ })
    .waitFor()
  t.same(await inspect('note-mention'), [])
  t.equal((await sentTo(1)).length, 2)
})

t.test('the server keeps the draft, and another window of the agent shows it', async (t) => {
  await open(2)
  await page.keyboard.press('r')
  await page.keyboard.type('Half a sentence')
  await composer.getByText('Saved', { exact: true }).waitFor()
  const other = await context.newPage()
  await other.goto(page.url())
  const second = other.getByRole('textbox', { name: 'Reply' })
  await eventually('it is in the other window', async () => (await second.inputValue()) === 'Half a sentence')
  await page.keyboard.type(', and the rest')
  await eventually('what is typed arrives', async () => (await second.inputValue()) === 'Half a sentence, and the rest')
  await page.keyboard.press('Enter')
  await bubble('and the rest').waitFor()
  await eventually('it is gone after the send', async () => (await second.inputValue()) === '')
  await other.close()
  await open(2)
  t.equal(await field.inputValue(), '')
})

t.test('files are refused before their upload, or sent with the text as caption', async (t) => {
  const picture = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC',
    'base64',
  )
  await composer.getByLabel('Files', { exact: true }).setInputFiles([
    { name: 'label.png', mimeType: 'image/png', buffer: picture },
    { name: 'program.exe', mimeType: 'application/x-msdownload', buffer: Buffer.from('MZ') },
  ])
  await composer.getByText('WhatsApp does not take files of the type').waitFor()
  await field.fill('The label')
  t.same(await inspect('composer-files'), [])
  await composer.getByRole('button', { name: 'Remove program.exe' }).click()
  await eventually('it is uploaded', async () => (await composer.locator('progress').count()) === 0)
  await page.keyboard.press('Enter')
  await bubble('The label').locator('.inbox-picture').waitFor()
  await eventually('it is sent', async () => (await sentTo(2)).some(({ type }) => type === 'image'))
  t.match((await sentTo(2)).find(({ type }) => type === 'image')?.message, { caption: 'The label' })
})

t.test('canned responses are made, found by / and filled', async (t) => {
  await field.click()
  await page.keyboard.type('/')
  await composer.getByText('No canned responses yet').waitFor()
  await page.keyboard.press('Enter')
  await composer.getByText('No canned responses yet').waitFor({ state: 'hidden' })
  t.equal(await field.inputValue(), '/', 'what was typed for the list is not sent')
  await page.keyboard.press('Backspace')
  await page.keyboard.type('/')
  await page.getByRole('button', { name: 'Manage canned responses' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('No canned responses yet').waitFor()
  await dialog.getByRole('button', { name: 'New' }).click()
  await eventually('its first field has the focus', () =>
    dialog.getByLabel('Shortcut').evaluate((element: Json) => element === element.ownerDocument.activeElement),
  )
  await dialog.getByLabel('Shortcut').fill('late')
  await dialog.getByLabel('Text').fill('Dear {{contact.first_name}}, your order is late. – {{agent.name}}')
  t.same(await inspect('composer-canned-form'), [])
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('/late').waitFor()
  await dialog.getByRole('button', { name: 'Delete /late' }).click()
  await dialog.getByRole('button', { name: 'Keep' }).click()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  await page.keyboard.press('Backspace')
  await page.keyboard.type('/la')
  t.equal(await field.inputValue(), '/la', 'the field takes keys again')
  await page.getByRole('option', { name: /late/ }).waitFor()
  t.same(await inspect('composer-canned'), [])
  await page.keyboard.press('Tab')
  await eventually('the variables are filled', async () =>
    (await field.inputValue()).startsWith('Dear Luis, your order'),
  )
  await field.fill('')
  await field.pressSequentially('/late')
  await page.keyboard.press('Enter')
  await eventually('Enter at once takes it, too', async () => (await field.inputValue()).startsWith('Dear Luis'))
  await field.fill('')
  t.notOk((await sentTo(2)).some(({ message }) => message.body?.startsWith('/')))
})

t.test('buttons and a location are made in forms', async (t) => {
  await composer.getByRole('button', { name: 'Insert', exact: true }).click()
  t.same(await inspect('composer-insert'), [])
  await page.getByRole('menuitem', { name: 'Buttons' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  await dialog.getByText('Name at least one button.').waitFor()
  await dialog.getByLabel('Text', { exact: true }).fill('Shall we ship it?')
  await dialog.getByLabel('Button 1', { exact: true }).fill('Yes')
  await dialog.getByLabel('Button 2', { exact: true }).fill('No')
  t.same(await inspect('composer-buttons'), [])
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  await bubble('Shall we ship it?').waitFor()
  await composer.getByRole('button', { name: 'Insert', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Location' }).click()
  await dialog.getByLabel('Place').fill('https://www.google.com/maps/place/X/@19.4326,-99.1332,17z')
  await dialog.getByLabel('Name').fill('Our shop')
  t.same(await inspect('composer-location'), [])
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  await bubble('Our shop').waitFor()
  await eventually('both are sent', async () => {
    const types = (await sentTo(2)).map(({ type }) => type)
    return types.includes('buttons') && types.includes('location')
  })
})

t.test('outside of the window a template is chosen, filled and sent', async (t) => {
  await api('POST', 'contacts', {
    channel_type: 'whatsapp',
    user_id: phone(3),
    name: 'Marta Ruiz',
    phone: `+${phone(3)}`,
  })
  const { _id } = await contactOf(3)
  await api('POST', 'crm/events', { event_type: 'payment.confirmed', data: {}, chat_user_id: _id })
  await page.goto(`${inbox}/all/${(await ticketOf(3))._id}`)
  await composer.getByText('Only templates reach this person now').waitFor()
  t.same(await inspect('composer-closed-window'), [])
  await composer.getByRole('button', { name: 'Choose a template' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Search the templates').fill('order update')
  t.same(await inspect('composer-templates'), [])
  await dialog
    .getByRole('button', { name: /order_update/ })
    .first()
    .click()
  await dialog.getByLabel('{{1}}').fill('Marta')
  await dialog.getByLabel('{{2}}').fill('A-1001')
  t.same(await inspect('composer-template'), [])
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  await eventually('it is sent', async () => (await sentTo(3)).some(({ type }) => type === 'template'))
  await bubble('Hola Marta, tu pedido A-1001 está en camino.').waitFor()
  t.same(await inspect('thread-template'), [])
  await writes(3, 'Hello', 'Marta Ruiz')
  await field.waitFor()
  await composer.getByText('left to reply').waitFor()
})

t.test('colleagues see who replies, and nobody answers twice by accident', async (t) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  const { company_id } = demo
  const colleague = { full_name: 'Eva Luna', email: 'eva@demo.example', password: 'correct horse battery' }
  const eva = await operator('POST', 'users', { company_id, ...colleague, permissions: ['console.agent'] })
  const other_context = await context.browser()!.newContext({ locale: 'en-GB' })
  const other = await other_context.newPage()
  await open(2)
  await other.goto(page.url())
  await other.getByLabel('E-mail').fill(colleague.email)
  await other.getByLabel('Password', { exact: true }).fill(colleague.password)
  await other.keyboard.press('Enter')
  const hers = other.getByRole('textbox', { name: 'Reply' })
  await hers.waitFor()
  await field.click()
  await page.keyboard.type('I look into it')
  await other.locator('.composer').getByText('Demo Agent is replying').waitFor()
  await hers.click()
  await other.keyboard.type('It is done')
  await composer.getByText('Eva Luna is replying').waitFor()
  await other.keyboard.press('Enter')
  // Hers came after this agent began, and his draft came before hers.
  await composer.getByText('Eva Luna answered at').waitFor()
  await page.keyboard.press('Enter')
  await composer.getByText('Send yours as well?').waitFor()
  t.same(await inspect('composer-collision'), [])
  t.notOk((await sentTo(2)).some(({ message }) => message.body === 'I look into it'))
  await composer.getByRole('button', { name: 'Send anyway' }).click()
  await bubble('I look into it').waitFor()
  t.test('a mention rings the bell of the colleague', async () => {
    // A notification of the ticket that she looks at would be read at once.
    await other.goto(`${inbox}/all`)
    await other.locator('.inbox-row').first().waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('n')
    await note.waitFor()
    await page.keyboard.type('@eva')
    await page.getByRole('listbox', { name: 'Colleagues' }).getByText('Eva Luna').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.type('can you refund this?')
    await page.keyboard.press('Control+Enter')
    await other.getByRole('button', { name: 'Notifications 1 unread' }).click()
    await other.getByText('Demo Agent mentioned you').waitFor()
    await other.getByRole('link', { name: /mentioned you/ }).click()
    await other.getByRole('button', { name: 'Notifications', exact: true }).waitFor()
    await operator('PATCH', `users/${eva._id}`, { is_active: false })
  })
  t.teardown(() => other_context.close())
})

t.test('a message is quoted, and gets a reaction', async (t) => {
  await open(2)
  const first = page.locator('.inbox-message', { hasText: 'Hello?' })
  await first.hover()
  await first.getByRole('button', { name: 'Message actions' }).click()
  t.same(await inspect('composer-message-menu'), [])
  await page.getByRole('button', { name: 'React with 👍' }).click()
  await first.locator('.inbox-reactions').getByText('👍').waitFor()
  await first.hover()
  await first.getByRole('button', { name: 'Message actions' }).click()
  await page.getByRole('button', { name: 'Reply to this' }).click()
  await composer.locator('.composer-quote').getByText('Hello?').waitFor()
  await page.keyboard.type('Hello Luis')
  t.same(await inspect('composer-quote'), [])
  await page.keyboard.press('Enter')
  await bubble('Hello Luis').locator('.inbox-quote').waitFor()
})

t.test('a reply is sent later, and cancelled', async (t) => {
  await field.fill('Did it arrive?')
  await composer.getByRole('button', { name: 'More ways to send' }).click()
  await page.getByRole('menuitem', { name: 'Send later…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /^Tomorrow morning/ }).click()
  t.same(await inspect('composer-later'), [])
  await dialog.getByRole('button', { name: /^Send: Tomorrow/ }).click()
  await composer.getByText('1 message is scheduled').click()
  await eventually('the field is empty', async () => (await field.inputValue()) === '')
  t.same(await inspect('composer-scheduled'), [])
  await composer.getByRole('button', { name: 'Change' }).click()
  await dialog.getByLabel('Message').fill('Did your order arrive?')
  await dialog.getByRole('button', { name: /^In a week/ }).click()
  await dialog.getByRole('button', { name: /^Save:/ }).click()
  await composer.getByText('Did your order arrive?').waitFor()
  await composer.getByRole('button', { name: 'Cancel' }).click()
  await eventually('it is gone', async () => (await composer.locator('.composer-scheduled').count()) === 0)
})

t.test('a ticket is snoozed, and comes back', async (t) => {
  await page.getByRole('button', { name: 'Snooze', exact: true }).click()
  t.same(await inspect('snooze'), [])
  await page.getByRole('button', { name: /^Tomorrow morning/ }).click()
  await page.getByText('Snoozed: Tomorrow').waitFor()
  await page.getByRole('button', { name: 'Snoozed', exact: true }).click()
  await page.getByRole('button', { name: 'Bring it back now' }).click()
  await page.getByRole('button', { name: 'Snooze', exact: true }).waitFor()
})

t.test('the list shows drafts, and is saved as a view', async (t) => {
  await field.fill('Not sent yet')
  await page.locator('.inbox-row', { hasText: 'Luis' }).getByText('Draft').waitFor()
  await page.goto(`${inbox}/all?is_unread=true`)
  await page.getByRole('button', { name: /change the view/ }).click()
  await page.getByRole('menuitem', { name: 'Save as a view…' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('To read')
  t.same(await inspect('view-dialog'), [])
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: /^To read( \d+)?, change the view/ }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: /^To read( \d+)?, change the view/ }).click()
  await page.getByRole('menuitem', { name: 'Change To read…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: /^All.*change the view/ }).waitFor()
})

t.test('a saved view has its count, which follows the tickets', async () => {
  await page.goto(`${inbox}/unassigned?priority=urgent`)
  await page.getByRole('button', { name: /change the view/ }).click()
  await page.getByRole('menuitem', { name: 'Save as a view…' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Urgent')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: /^Urgent 0, change the view/ }).waitFor()
  const urgent = async (n: number) =>
    api('PATCH', `crm/tickets/${(await ticketOf(n))._id}`, { priority: 'urgent', assigned_to: null })
  await urgent(1)
  await page.getByRole('button', { name: /^Urgent 1, change the view/ }).click()
  await page.getByRole('menuitemradio', { name: 'Urgent (1)' }).waitFor()
  await page.keyboard.press('Escape')
  await urgent(3)
  await page.getByRole('button', { name: /^Urgent 2, change the view/ }).click()
  await page.getByRole('menuitem', { name: 'Change Urgent…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: /^All.*change the view/ }).waitFor()
})

t.test('a small phone has room for all of it', async (t) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await open(2)
  await field.fill('A text on a phone')
  t.equal(await overflow(), 0)
  t.same(await inspect('composer-phone'), [])
  await composer.getByRole('button', { name: 'Insert', exact: true }).click()
  await page.getByRole('menuitem', { name: 'List', exact: true }).click()
  await page.getByRole('dialog').getByLabel('Choice 1', { exact: true }).fill('Monday')
  t.equal(await overflow(), 0)
  t.same(await inspect('composer-phone-list'), [])
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 1280, height: 800 })
})

t.test('the page has no error in any of these tests', async (t) => {
  t.same(faults, [])
})
