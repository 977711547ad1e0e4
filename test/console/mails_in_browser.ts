/** E-mails in the thread and in the list, and an answer that stays in their thread. */
import { createHmac } from 'node:crypto'
import t from 'tap'
import { startMailServer, USER } from '../actors/providers/email/mail_server.ts'
import { eventually, type Json } from '../e2e/client.ts'
import { openAgentWindow } from './agent_window.ts'

t.setTimeout(600_000)

const SECRET = 'the secret of the inbound hook'
const { page, inspect, faults, demo, api, operator, signIn } = await openAgentWindow(t)
const mail_server = await startMailServer(t)
const channel = await operator('POST', 'channels', {
  project_id: demo.project_id,
  channel_type: 'email',
  provider: 'cloud',
  name: 'Lost and found',
  credentials: { smtp_url: mail_server.url, from: USER.name, inbound_secret: SECRET },
})

async function arrive(mail: Json): Promise<void> {
  const raw = JSON.stringify(mail)
  const time = Math.floor(Date.now() / 1000)
  const v1 = createHmac('sha256', SECRET).update(`${time}.${raw}`).digest('hex')
  const headers = { 'x-parley-signature': `t=${time},v1=${v1}`, 'content-type': 'application/json' }
  await fetch(`${demo.base_url}${channel.webhook_path}`, { method: 'POST', headers, body: raw })
}

const from = { address: 'rosa@ferry.example', name: 'Rosa Lund' }
await arrive({
  message_id: '<b1@ferry.example>',
  from,
  subject: 'Lost umbrella',
  authentication: 'fail',
  text: 'It is blue.\n\nOn Mon, 30 Nov 2026 Ferry wrote:\n> Welcome aboard',
  references: ['<b0@ferry.example>'],
  attachments: [
    { filename: 'umbrella.jpg', mime_type: 'image/jpeg', size: 20_480 },
    { filename: 'nothing.pdf', mime_type: 'application/pdf', size: 0 },
    { filename: 'ticket.pdf', mime_type: 'application/pdf', size: 9, url: 'https://10.0.0.1/ticket.pdf' },
  ],
})
await arrive({
  message_id: '<b2@ferry.example>',
  from,
  subject: 'Second try',
  unreadable: true,
  original: Buffer.from('Subject: Second try\n\nAño').toString('base64'),
  auto_submitted: 'auto-generated',
})
const { _id } = (await api('GET', 'contacts?search=rosa')).data[0]
const [ticket] = (await api('GET', `crm/tickets?chat_user=${_id}`)).data
await page.goto(`${demo.base_url}/console#/projects/${demo.project_id}/inbox/all/${ticket._id}`)
await signIn()
await page.locator('.connection.live').waitFor()
const bubble = (text: string) => page.locator('.inbox-message', { hasText: text })

t.test('a mail shows its subject, its files and its text, and folds what it quotes', async (t) => {
  const mail = bubble('Lost umbrella')
  await mail.getByText('It is blue.').waitFor()
  await mail.getByText('umbrella.jpg').waitFor()
  t.equal(await mail.getByText('Welcome aboard').isVisible(), false)
  await mail.getByText('Quoted text').click()
  await mail.getByText('Welcome aboard').waitFor()
})

t.test('a file that could not be fetched is fetched again with the keyboard, which stays at it', async (t) => {
  const files = bubble('Lost umbrella').locator('.inbox-files li')
  await bubble('Lost umbrella').getByText('may be forged').waitFor()
  await files.filter({ hasText: 'nothing.pdf' }).getByText('empty').waitFor()
  const ticket = files.filter({ hasText: 'ticket.pdf' })
  const asked = page.waitForResponse((response: Json) => response.url().endsWith('/fetch'))
  await ticket.getByRole('button', { name: 'Fetch again' }).focus()
  await page.keyboard.press('Enter')
  t.equal((await asked).status(), 202)
  await eventually('the focus is at the file', () =>
    ticket.locator('p').evaluate((one: Json) => one === (globalThis as Json).document.activeElement),
  )
})

t.test('a mail that could not be read shows its original', async (t) => {
  const mail = bubble('Second try')
  await mail.getByText('Automatic e-mail').waitFor()
  await mail.getByText('could not be read as a whole').waitFor()
  await mail.getByText('Show original').click()
  await mail.locator('pre', { hasText: 'Año' }).waitFor()
  t.same(await inspect('mail-thread'), [])
})

t.test('the list shows the subject of the last mail', async () => {
  await page.locator('.inbox-row', { hasText: 'Second try' }).getByText('Automatic: Second try').waitFor()
})

t.test('the answer of an agent stays in the thread of the mail', async (t) => {
  await page.keyboard.press('r')
  await page.keyboard.type('We have it.')
  await page.keyboard.press('Enter')
  const { mail } = await eventually('the mail arrives', async () => mail_server.mails[0])
  t.match(mail, { subject: 'Re: Second try', inReplyTo: '<b2@ferry.example>', text: /We have it/ })
  await bubble('Re: Second try').getByText('We have it.').waitFor()
})

t.test('nothing went wrong on the page', async (t) => {
  t.same(faults, [])
})
