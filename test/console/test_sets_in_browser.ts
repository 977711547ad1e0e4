/** An agent writes expectations for an assistant, runs them, sees what failed, and holds a version until they pass. */
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { openAgentWindow } from './agent_window.ts'
import { ANY_IMPACT } from './window.ts'

t.setTimeout(600_000)

const agent = await openAgentWindow(t)
const { page, inspect, faults, demo, api, operator, signIn, h1 } = agent
const { base_url, project_id, company_id } = demo
const look = (name: string) => inspect(name, ANY_IMPACT)
const button = (name: string) => page.getByRole('button', { name, exact: true })
const region = (name: string) => page.getByRole('region', { name })

const { assistant } = await api('POST', 'assistants', { name: 'Nox' })
const sets = async (): Promise<Json[]> => (await api('GET', `assistants/${assistant._id}/test-sets`)).data
const list = `${base_url}/console#/projects/${project_id}/assistants/${assistant._id}/tests`

t.test('a test set is written in a form, and faults are shown at their fields', async (t) => {
  await page.goto(list)
  await signIn()
  await page.getByText('No test sets yet').waitFor()
  t.same(await look('tests-none'), [])
  await page.getByRole('link', { name: 'New test set' }).click()
  await page.getByRole('heading', { name: 'New test set' }).waitFor()
  await page.getByLabel('Name', { exact: true }).fill('Greetings')
  const first = region('Case 1')
  await first.getByLabel('The person says').fill('Hello')
  await button('Save').click()
  await page.getByText('Some fields need another value.').waitFor()
  t.equal(await first.getByLabel('Name of the case').getAttribute('aria-invalid'), 'true')
  t.same(await look('tests-faults'), [])
  await first.getByLabel('Name of the case').fill('Says hello')
  await first.getByLabel('The answer has').fill('Goodbye | hello')
  await first.getByLabel('What happens').selectOption('answered')
  await button('Add a case').click()
  const second = region('Case 2')
  await second.getByLabel('Name of the case').fill('Knows the moon')
  await second.getByLabel('The person says').fill('Where is the moon?\n\nTell me')
  await second.getByLabel('The answer has').fill('blue cheese')
  t.same(await look('tests-form'), [])
  await button('Save').click()
  await page.getByRole('heading', { name: 'Greetings' }).waitFor()
  const [set] = await sets()
  t.match((await api('GET', `assistants/${assistant._id}/test-sets/${set!._id}`)).test_set, {
    ...{ name: 'Greetings', runs: 1, pass_rate: 1 },
    cases: [
      {
        name: 'Says hello',
        steps: [{ user: 'Hello', expect: { outcome: 'answered', includes: [['Goodbye', 'hello']] } }],
      },
      {
        name: 'Knows the moon',
        steps: [{ user: ['Where is the moon?', 'Tell me'], expect: { includes: ['blue cheese'] } }],
      },
    ],
  })
  await page.getByText('It was never run.').waitFor()
  t.same(await look('tests-set'), [])
})

t.test('another part of the assistant is not opened before the agent gives up what the form has', async (t) => {
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByLabel('Tries of each case').fill('7')
  const tools = page.getByRole('link', { name: 'Tools and knowledge' })
  const dialog = page.getByRole('dialog', { name: 'Discard your changes?' })
  await tools.click()
  await dialog.getByRole('button', { name: 'Keep editing' }).click()
  t.equal(await page.getByLabel('Tries of each case').inputValue(), '7')
  await tools.click()
  await dialog.getByRole('button', { name: 'Discard' }).click()
  await button('Choose knowledge…').waitFor()
  t.equal((await sets())[0]!.runs, 1)
  await page.goBack()
  await page.getByLabel('Tries of each case').fill('8')
  await page.getByRole('link', { name: 'Cancel' }).click()
  await page.getByText('It was never run.').waitFor()
  t.equal(await dialog.count(), 0, 'Cancel does not ask')
})

t.test('a run shows its progress, what failed, and the pass rate with its interval', async (t) => {
  await button('Run').click()
  await page.getByRole('heading', { name: /^Run of “Greetings”/ }).waitFor()
  await page.getByText('Not passed').waitFor()
  await page.getByText(/^1 of 2 passed: 50%, between \S+ and \S+$/).waitFor()
  const failed = page.locator('.tests-result', { hasText: 'Knows the moon' })
  await failed.getByText('blue cheese').first().waitFor()
  const passed = page.locator('.tests-result', { hasText: 'Says hello' })
  t.equal(await passed.locator('details').getAttribute('open'), null, 'what passed is folded')
  t.same(await look('tests-run'), [])
})

t.test('a changed set is saved, runs again and passes', async (t) => {
  await page.getByRole('link', { name: 'Greetings' }).first().click()
  await page.getByRole('link', { name: 'Edit' }).click()
  await region('Case 2').getByLabel('The answer has').fill('moon')
  await page.getByLabel('Tries of each case').fill('2')
  await button('Save').click()
  await page.getByText('Each case is tried 2 times.').waitFor()
  await button('Run').click()
  await page.getByText('Passed', { exact: true }).first().waitFor()
  await page.getByText(/^4 of 4 passed: 100%/).waitFor()
  t.equal(await page.locator('.tests-result').count(), 4)
})

t.test('a version is held for the set, tried and released', async (t) => {
  const block = (await api('GET', `assistants/${assistant._id}`)).assistant.blocks[0]
  const held = async () => (await api('GET', `blocks/${block._id}`)).block.held_version
  await page.goto(`${list.replace(/tests$/, 'instructions')}/${block._id}`)
  await page.getByRole('textbox', { name: /^Content of/ }).fill('Sing every answer')
  await button('More about the block').click()
  await page.getByRole('menuitem', { name: 'Save and hold…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save and hold' })
  await dialog.getByLabel('Held until').selectOption({ label: 'The test set “Greetings” passes with it' })
  t.same(await look('tests-hold'), [])
  await dialog.getByRole('button', { name: 'Save and hold' }).click()
  await region('Held version').getByText('until the test set “Greetings” passes with it').waitFor()
  t.equal((await held()).test_set_id, (await sets())[0]!._id)
  t.equal(await page.getByRole('textbox', { name: /^Content of/ }).inputValue(), '', 'people meet the one before')
  await button('Read it').click()
  await page.getByLabel('Text of the held version').getByText('Sing every answer').waitFor()
  t.same(await look('tests-held'), [])
  await page.goto(`${list}/${(await sets())[0]!._id}`)
  t.ok(await page.getByRole('switch', { name: 'Run with versions that are held' }).isChecked(), 'it waits for this set')
  t.same(await look('tests-run-held'), [])
  await button('Run').click()
  await page.getByText('With versions that were held of a block.').waitFor()
  await page.getByText('Passed', { exact: true }).first().waitFor()
  await eventually('it is released', async () => (await held()) === null)
  const { prompt } = await api('GET', `assistants/${assistant._id}/prompt`)
  t.match(prompt, /Sing every answer/)
})

t.test('a held version is released by hand', async (t) => {
  const block = (await api('GET', `assistants/${assistant._id}`)).assistant.blocks[0]
  const held = async () => (await api('GET', `blocks/${block._id}`)).block.held_version
  await api('PUT', `blocks/${block._id}/content`, { content: 'Whisper', hold: true })
  await page.goto(`${list.replace(/tests$/, 'instructions')}/${block._id}`)
  await page.reload()
  await button('Release').click()
  await region('Held version').waitFor({ state: 'detached' })
  t.equal(await held(), null)
  await eventually('the text is there', async () => {
    return (await page.getByRole('textbox', { name: /^Content of/ }).inputValue()) === 'Whisper'
  })
})

t.test('the pages fit a phone, and are to read without the permission', async (t) => {
  await page.setViewportSize({ width: 360, height: 740 })
  const [set] = await sets()
  for (const path of ['', `/${set!._id}`, `/${set!._id}/edit`]) {
    await page.goto(`${list}${path}`)
    await h1().waitFor()
    t.ok((await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')) <= 0, path)
  }
  t.same(await look('tests-phone'), [])
  await page.setViewportSize({ width: 1280, height: 800 })
  const users: Json[] = (await operator('GET', `users?company_id=${company_id}`)).data
  const user = users.find(({ email }) => email === demo.agent.email)!
  await operator('PATCH', `users/${user._id}`, { permissions: ['console.agent'] })
  await page.goto(`${list}/${set!._id}`)
  await page.reload()
  await page.getByRole('heading', { name: 'Greetings' }).waitFor()
  t.equal(await button('Run').count(), 0)
})

t.test('a set is deleted', async (t) => {
  const users: Json[] = (await operator('GET', `users?company_id=${company_id}`)).data
  const user = users.find(({ email }) => email === demo.agent.email)!
  const permissions = ['console.agent', 'console.manage_assistants']
  await operator('PATCH', `users/${user._id}`, { permissions })
  await page.reload()
  await button('More about the test set').click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No test sets yet').waitFor()
  t.same(await sets(), [])
})

t.test('the page had no errors', async (t) => t.same(faults, []))
