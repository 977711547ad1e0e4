/** Whose turn a ticket is, in the list and in the head of a thread, and why an assistant answered as it did. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { eventually, type Json } from '../e2e/client.ts'
import { TEST_SECRET } from '../support/mod.ts'
import { openAgentWindow } from './agent_window.ts'

t.setTimeout(600_000)

const agent = await openAgentWindow(t)
const { page, inspect, demo, api, simulator, signIn } = agent
const inbox = `${demo.base_url}/console#/projects/${demo.project_id}/inbox`
const PHONE = '15553009001'

const { assistant } = await api('POST', 'assistants', { name: 'Nox' })
await simulator('inbound', {
  channel: 'whatsapp',
  from: PHONE,
  name: 'Ana Torres',
  message: { type: 'text', text: { body: 'Where is my order?' } },
})
const contact: Json = await eventually('she is a contact', async () => {
  return (await api('GET', `contacts?phone=%2B${PHONE}`)).data[0]
})
const ticket: Json = (await api('GET', `crm/tickets?chat_user=${contact._id}`)).data[0]
const handler = async () => (await api('GET', `crm/tickets/${ticket._id}`)).handled_by
// The person has an answer, so that the assistant has nothing to say yet.
const answer: Json = await api('POST', 'messages', {
  channel: 'whatsapp',
  to: `+${PHONE}`,
  message: { type: 'text', body: 'It arrives tomorrow.' },
})

await page.goto(`${inbox}/all/${ticket._id}`)
await signIn()
const row = page.locator('.inbox-row', { hasText: 'Ana' })
const head = page.locator('.inbox-thread-head')
const bar = page.locator('.composer-bar', { hasText: 'An assistant answers this person' })

t.test('an agent lets an assistant answer, sees it in the list, and takes over again', async (t) => {
  await head.getByRole('button', { name: 'Let an assistant answer' }).click()
  await page.getByText('Let Nox answer').click()
  await head.getByText('Answered by an assistant').waitFor()
  await row.getByText('Assistant', { exact: true }).waitFor()
  await eventually('the server knows', async () => (await handler()) === 'assistant')
  t.same(await inspect('assistant-holds'), [])
  await bar.getByRole('button', { name: 'Take over' }).click()
  await eventually('a person has it', async () => (await handler()) === 'person')
  await row.getByText('Assistant', { exact: true }).waitFor({ state: 'detached' })
  t.equal(await head.getByText('Answered by an assistant').count(), 0)
})

t.test('a change by somebody else is shown at once, and a pause leaves the ticket to nobody', async (t) => {
  await api('POST', `crm/tickets/${ticket._id}/hand-back`)
  await row.getByText('Assistant', { exact: true }).waitFor()
  await bar.getByRole('button', { name: 'Pause' }).click()
  await eventually('nobody has it', async () => (await handler()) === 'nobody')
  await row.getByText('Assistant', { exact: true }).waitFor({ state: 'detached' })
  t.pass('the mark is gone')
})

t.test('an answer names its assistant, and tells why', async (t) => {
  const database = await openDatabase({ url: agent.databaseUrl(), secret: TEST_SECRET, pool_size: 1 })
  const { company_id, project_id } = demo
  const step = { kind: 'tool', name: 'find_orders', started_at: '2026-11-01T10:00:00.000Z', ms: 40, result: 'A-1042' }
  const source = { title: 'Shipping', node_id: null, url: 'https://shop.example.com/shipping' }
  await database.execute(`update message set assistant_id = '${assistant._id}' where id = '${answer.id}'`)
  await database.execute(`
    insert into assistant_turn (_id, company_id, project_id, assistant_id, origin, ticket_id, model, outcome, answer, message_id,
      sources, steps, input_tokens, output_tokens, started_at, ended_at)
    values ('6b0000000000000000000001', '${company_id}', '${project_id}', '${assistant._id}', 'conversation', '${ticket._id}',
      'model-a', 'answered', 'It arrives tomorrow.', '${answer.id}', '${JSON.stringify([source])}',
      '${JSON.stringify([step])}', 800, 40, now() - interval '3 s', now())`)
  await database.close()
  await page.reload()
  const message = page.locator('.inbox-message', { hasText: 'It arrives tomorrow.' })
  await message.getByText('Nox').waitFor()
  await message.getByRole('button', { name: 'Why?' }).click()
  const dialog = page.getByRole('dialog', { name: 'Why Nox answered so' })
  await dialog.getByText('find_orders').waitFor()
  for (const text of ['https://shop.example.com/shipping', 'A-1042', '840 tokens']) {
    t.equal(await dialog.getByText(text).count(), 1, text)
  }
  t.same(await inspect('assistant-why'), [])
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
})

t.test('an answer becomes a test case', async (t) => {
  const message = page.locator('.inbox-message', { hasText: 'It arrives tomorrow.' })
  const dialog = page.getByRole('dialog', { name: 'Why Nox answered so' })
  const ask = async () => {
    await message.getByRole('button', { name: 'Why?' }).click()
    await dialog.getByRole('button', { name: 'Make a test case…' }).click()
  }
  await ask()
  await dialog.getByText('The assistant has no test sets.').waitFor()
  await page.keyboard.press('Escape')
  const tests = `assistants/${assistant._id}/test-sets`
  const cases = [{ name: 'Hello', steps: [{ user: 'Hello' }] }]
  const { test_set } = await api('POST', tests, { name: 'Orders', cases })
  await ask()
  await dialog.getByLabel('Name of the case').fill('A late parcel')
  t.same(await inspect('assistant-case'), [])
  await page.keyboard.press('Enter')
  await dialog.getByText('The conversation is a case of').waitFor()
  const [, added] = (await api('GET', `${tests}/${test_set._id}`)).test_set.cases
  t.match(added, { name: 'A late parcel', steps: [{ user: 'Where is my order?' }] })
  await dialog.getByRole('link', { name: '“Orders”' }).click()
  await page.getByRole('heading', { name: 'Edit the test set' }).waitFor()
  await page.goto(`${inbox}/all/${ticket._id}`)
})

t.test('an assistant suggests a reply, which the agent reads, and takes out again', async (t) => {
  const field = page.getByRole('textbox', { name: 'Reply' })
  const suggested = page.locator('.composer-suggested')
  await page.getByRole('button', { name: 'Suggest a reply' }).click()
  await page.getByRole('menuitem', { name: 'Suggest a reply by Nox' }).click()
  await suggested.getByText('Suggested by Nox').waitFor()
  t.match(await field.inputValue(), /Where is my order/)
  t.same(await inspect('assistant-suggests'), [])
  await suggested.getByRole('button', { name: 'Take it out' }).click()
  await suggested.waitFor({ state: 'detached' })
  t.equal(await field.inputValue(), '')
  t.equal((await api('GET', `messages?chat_user=${contact._id}`)).data.length, 2, 'nothing was sent')
})

t.test('an assistant summarizes the conversation, and the agent saves it', async (t) => {
  await page.locator('summary', { hasText: 'Summary' }).click()
  await page.getByRole('button', { name: 'Summarize the conversation' }).click()
  await page.getByText('It is not saved.').waitFor()
  t.same(await inspect('assistant-summarizes'), [])
  await page.getByText('It is not saved.').getByRole('button', { name: 'Save' }).click()
  const summary = async () => (await api('GET', `crm/tickets/${ticket._id}`)).conversation_summary
  await eventually('it is saved', async () => /Where is my order/.test((await summary())?.motivo))
  t.pass('the ticket has it')
})

t.test('agents see that an assistant writes', async (t) => {
  await api('POST', `crm/tickets/${ticket._id}/hand-back`, { assistant_id: assistant._id })
  await simulator('inbound', {
    channel: 'whatsapp',
    from: PHONE,
    name: 'Ana Torres',
    message: { type: 'text', text: { body: 'And when does it come? model slow 4' } },
  })
  await page.locator('.composer-bar', { hasText: 'Nox is writing…' }).waitFor()
  await page.locator('.inbox-message', { hasText: 'And when does it come? model slow 4' }).nth(1).waitFor()
  await bar.waitFor()
  t.pass('the answer is there, and it writes no more')
})
