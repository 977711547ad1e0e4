/** An agent tries an assistant beside its editor: with unsaved texts, tools of three kinds, and nothing that is kept. */
import t from 'tap'
import type { Json } from '../e2e/client.ts'
import { openAgentWindow } from './agent_window.ts'
import { ANY_IMPACT } from './window.ts'

t.setTimeout(600_000)

const agent = await openAgentWindow(t)
const { page, inspect, faults, demo, api, signIn } = agent
const { base_url, project_id } = demo
const look = (name: string) => inspect(name, ANY_IMPACT)
const button = (name: string) => page.getByRole('button', { name, exact: true })
const editor = page.getByRole('textbox', { name: /^Content of/ })
const field = page.getByRole('textbox', { name: 'Message to the assistant' })
const log = page.getByRole('log')

const { assistant } = await api('POST', 'assistants', { name: 'Nox' })
const turns = async (): Promise<Json[]> => (await api('GET', `assistants/${assistant._id}/turns`)).data

t.test('a question is answered, and the answer says why', async (t) => {
  await page.goto(`${base_url}/console#/projects/${project_id}/assistants/${assistant._id}`)
  await signIn()
  await editor.waitFor()
  await button('Playground').click()
  await page.getByText('Nothing of this conversation is stored or sent to anybody.').waitFor()
  await page.getByText('It answers with the instructions as they are saved.').waitFor()
  await field.fill('Hello there')
  await page.keyboard.press('Enter')
  await log.getByText('Hello there').first().waitFor()
  await log.getByRole('button', { name: 'Why?' }).waitFor()
  t.same(await look('playground'), [])
  await log.getByRole('button', { name: 'Why?' }).click()
  const dialog = page.getByRole('dialog', { name: 'Why Nox answered so' })
  await dialog.getByText('simulated').first().waitFor()
  await dialog
    .getByText(/tokens/)
    .first()
    .waitFor()
  t.same(await look('playground-why'), [])
  await page.keyboard.press('Escape')
  t.same(await turns(), [], 'no turn is stored')
})

t.test('unsaved texts are used, and the page says so', async (t) => {
  await editor.fill('Always mention the blue whale')
  await page.getByText('It answers with a block that you have changed and not saved.').waitFor()
  const [request] = await Promise.all([
    page.waitForRequest((one) => one.url().endsWith('/playground')),
    (async () => {
      await field.fill('And now?')
      await button('Ask').click()
    })(),
  ])
  const body = request.postDataJSON()
  t.match(body, { blocks: [{ content: 'Always mention the blue whale' }], tools: { mode: 'read' } })
  t.same(
    body.messages.map(({ role }: Json) => role),
    ['user', 'assistant', 'user'],
    'the conversation goes on',
  )
  await log.getByText('With unsaved texts').waitFor()
})

t.test('results of tools are given as JSON, and what cannot be read is said', async (t) => {
  await page.getByLabel('Tools', { exact: true }).selectOption('fixtures')
  await page.getByLabel('Results of tools, as JSON').fill('[{')
  await field.fill('Where is my order?')
  await button('Ask').click()
  await page.getByText('The results of tools cannot be read.').waitFor()
  t.equal(await field.inputValue(), 'Where is my order?', 'the question is still there')
  t.same(await look('playground-fixtures-fault'), [])
  await page.getByLabel('Results of tools, as JSON').fill('[{ "tool": "find_orders", "result": "on its way" }]')
  await button('Ask').click()
  await log.getByText('Where is my order?').first().waitFor()
  await button('Ask').waitFor()
  await page.getByLabel('Results of tools, as JSON').fill('[{ "tool": "parley_hand_over", "result": 1 }]')
  await field.fill('Once more')
  await button('Ask').click()
  await log.locator('.note.bad').waitFor()
  await page.getByLabel('Tools', { exact: true }).selectOption('live')
  await page.getByText('All webhooks are called').waitFor()
  t.same(await look('playground-live'), [])
})

t.test('a question is cancelled, and the conversation cleared', async (t) => {
  let release: (nothing?: unknown) => void = () => {}
  const held = new Promise((resolve) => {
    release = resolve
  })
  await page.route('**/playground', async (route) => {
    await held
    // The page has given the request up.
    await route.abort().catch(() => {})
  })
  await field.fill('Take your time')
  await button('Ask').click()
  await button('Cancel').click()
  await log.getByText('Cancelled. There is no answer.').waitFor()
  release()
  await page.unroute('**/playground')
  await button('Clear').click()
  await log.getByText('Write what a person would write').waitFor()
  t.equal(await button('Clear').count(), 0)
})

t.test('on a phone the playground is below the editor', async (t) => {
  await page.setViewportSize({ width: 360, height: 740 })
  t.ok((await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')) <= 0)
  t.same(await look('playground-phone'), [])
})

t.test('the page had no errors', async (t) => t.same(faults, []))
