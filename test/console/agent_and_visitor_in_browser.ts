/** An agent in the console and a visitor in the web chat, side by side. */
import t from 'tap'
import { eventually } from '../e2e/client.ts'
import { openAgentWindow } from './agent_window.ts'

const { page, context, inspect, faults, demo, operator, signIn } = await openAgentWindow(t)
const { _id: channel_id } = await operator('POST', 'channels', {
  project_id: demo.project_id,
  channel_type: 'web',
  provider: 'cloud',
  name: 'Chat of the shop',
  credentials: { visitor_secret: 'the secret of the visitors' },
})
await page.goto(`${demo.base_url}/console#/projects/${demo.project_id}/inbox`)
await signIn()
await page.locator('.connection.live').waitFor()
const chat = await context.newPage()
chat.on('pageerror', (error) => faults.push(error.message))
await chat.goto(`${demo.base_url}/widget/${channel_id}`)
const text = chat.getByLabel('Write a message')
const bodies = () => chat.locator('li .bubble').allTextContents()

async function answer(words: string): Promise<void> {
  await page.locator('.composer textarea').fill(words)
  await page.keyboard.press('Enter')
  await chat.getByText(words, { exact: true }).waitFor()
}

t.test('the agent sees that the visitor writes, until the message is there', async (t) => {
  await text.fill('Hello')
  await text.press('Enter')
  await page.locator('.inbox-row', { hasText: 'Hello' }).getByRole('link').click()
  await page.locator('.inbox-message', { hasText: 'Hello' }).waitFor()
  await text.pressSequentially('Is anybody there?')
  await page.getByText('is writing…').waitFor()
  t.same(await inspect('visitor-writes'), [])
  await text.press('Enter')
  await page.locator('.inbox-message', { hasText: 'Is anybody there?' }).waitFor()
  await eventually(
    'the visitor does not write any more',
    async () => (await page.getByText('is writing…').count()) === 0,
  )
})

t.test('the visitor sees that the agent has read, and writes', async (t) => {
  await eventually('both are read', async () => (await chat.getByText('Read', { exact: true }).count()) > 0)
  await page.locator('.composer textarea').pressSequentially('Yes, I am')
  await chat.locator('.typing').waitFor()
  await page.keyboard.press('Enter')
  await chat.getByText('Yes, I am', { exact: true }).waitFor()
  await chat.locator('.typing').waitFor({ state: 'hidden' })
  t.ok(true)
})

t.test('after a reload the visitor sees the same conversation, and goes on with it', async (t) => {
  for (const words of ['One moment.', 'It left this morning.']) await answer(words)
  await text.fill('Thank you!')
  await text.press('Enter')
  await page.locator('.inbox-message', { hasText: 'Thank you!' }).waitFor()
  const before = await eventually('all are there', async () => {
    const all = await bodies()
    return all.length === 6 && all
  })
  await chat.reload()
  await chat.getByText('Thank you!').waitFor()
  await eventually('all are there again', async () => (await bodies()).length === before.length)
  t.same(await bodies(), before)
  await answer('You are welcome.')
})

t.test('neither page has an error in any of these tests', async (t) => {
  t.same(faults, [])
})
