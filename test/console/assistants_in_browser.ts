/** Assistants as an agent sets them up: listed with their day, written, given tools and knowledge, and put to work. */
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { openAgentWindow } from './agent_window.ts'
import { ANY_IMPACT } from './window.ts'

t.setTimeout(600_000)

const agent = await openAgentWindow(t)
const { page, inspect, faults, demo, api, operator, simulator, h1 } = agent
const { base_url, company_id, project_id } = demo
const list = `${base_url}/console#/projects/${project_id}/assistants`
const look = (name: string) => inspect(name, ANY_IMPACT)
const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
const users: Json[] = (await operator('GET', `users?company_id=${company_id}`)).data
const user = users.find(({ email }) => email === demo.agent.email)!
const permit = (...permissions: string[]) => operator('PATCH', `users/${user._id}`, { permissions })
const part = (name: string) =>
  page.getByRole('navigation', { name: 'Parts of the assistant' }).getByRole('link', { name })
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })
const editor = page.getByRole('textbox', { name: /^Content of/ })
const prompt = page.getByLabel('Text of the prompt')

await permit('console.agent')
let id = ''
const stored = async (): Promise<Json> => (await api('GET', `assistants/${id}`)).assistant

t.test('without the permission the page is there to read', async (t) => {
  const other = await operator('POST', 'projects', { company_id, name: 'Without assistants' })
  await agent.openSignedIn()
  await page.goto(`${base_url}/console#/projects/${other._id}/assistants`)
  await page.reload()
  await page.getByText('No assistants yet').waitFor()
  t.equal(await button('New assistant').getAttribute('aria-disabled'), 'true')
  t.same(await look('assistants-none'), [])
  await page.goto(list)
  await page.getByRole('link', { name: 'Demi' }).click()
  await h1().filter({ hasText: 'Demi' }).waitFor()
  await page.getByText('You may read this and not change it.').waitFor()
  t.equal(await button('Switch off').count(), 0)
  await editor.waitFor()
  t.ok(await editor.isEditable().then((is_editable) => !is_editable))
  await part('Settings').click()
  t.ok(await page.getByLabel('Name', { exact: true }).isDisabled())
  t.same(await look('assistants-reader'), [])
})

t.test('an assistant is created with the keyboard', async (t) => {
  await permit('console.agent', 'console.manage_assistants')
  await page.goto(list)
  await page.reload()
  await h1().filter({ hasText: 'Assistants' }).waitFor()
  await page.getByRole('link', { name: 'New assistant' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'New assistant' })
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.locator('.field-error').waitFor()
  t.same(await look('assistants-new'), [])
  await dialog.getByLabel('Name').fill('Nox')
  await page.keyboard.press('Enter')
  await h1().filter({ hasText: 'Nox' }).waitFor()
  id = page.url().split('/').at(-1)!
  t.match(await stored(), { name: 'Nox', is_active: true })
})

t.test('blocks are written, moved and taken off, and the prompt shows what is not saved', async (t) => {
  await editor.fill('Friendly and short')
  await prompt.filter({ hasText: 'Friendly and short' }).waitFor()
  await page.getByText('With what you have written and not saved.').waitFor()
  t.equal((await api('GET', `assistants/${id}/prompt`)).prompt, '', 'nothing is stored')
  t.same(await look('assistants-unsaved'), [])
  await page.keyboard.press('Control+s')
  await page.getByText('“Personality” is saved.').waitFor()
  t.match((await api('GET', `assistants/${id}/prompt`)).prompt, /Friendly and short/)
  await button('Add a block').click()
  await page.getByRole('menuitem', { name: 'New block…' }).click()
  const dialog = page.getByRole('dialog', { name: 'New block' })
  await dialog.getByLabel('Name').fill('Orders')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Steps: Orders' }).waitFor()
  await editor.fill('1. Ask for the number')
  await button('Save').click()
  await page.getByText('“Steps: Orders” is saved.').waitFor()
  const names = async () => (await stored()).blocks.map(({ type }: Json) => type)
  t.same(await names(), ['personification', 'response_policy', 'steps'])
  await page.locator('.assistant-block a', { hasText: 'Steps: Orders' }).focus()
  await page.keyboard.press('Alt+ArrowUp')
  await eventually('it is moved', async () => (await names())[1] === 'steps')
  await page.getByText('Steps: Orders is block 2 of 3 now.').waitFor()
  await button('Move Steps: Orders up').click()
  await eventually('it is first', async () => (await names())[0] === 'steps')
  t.same(await look('assistants-blocks'), [])
  await button('More about the block').click()
  await page.getByRole('menuitem', { name: 'Take it off the prompt' }).click()
  await eventually('it is off', async () => (await names()).length === 2)
  await button('Undo').click()
  await eventually('it is back', async () => (await names()).length === 3)
})

t.test('of two who save a block at once, the second one decides', async (t) => {
  await page.locator('.assistant-block a', { hasText: 'Steps: Orders' }).click()
  await page.getByRole('heading', { name: 'Steps: Orders' }).waitFor()
  const block = (await stored()).blocks.find(({ type }: Json) => type === 'steps')
  const content = async () => (await api('GET', `blocks/${block._id}/content`)).content
  await editor.fill('1. Ask for the number\n2. Say where it is')
  await api('PUT', `blocks/${block._id}/content`, { content: '1. Ask for the name' })
  await button('Save').click()
  await page.getByText('Somebody else saved this block while you were editing it.').waitFor()
  t.equal(await content(), '1. Ask for the name', 'nothing is replaced')
  t.same(await look('assistants-conflict'), [])
  await button('Save mine').click()
  await page.getByText('Somebody else saved this block').waitFor({ state: 'detached' })
  // The conflict is over when it is decided, and the content is saved after that.
  await eventually('the second one has decided', async () => {
    return (await content()) === '1. Ask for the number\n2. Say where it is'
  })
  await button('More about the block').click()
  await page.getByRole('menuitem', { name: 'Versions…' }).click()
  const versions = page.getByRole('dialog', { name: 'Versions of Steps: Orders' })
  await versions.getByRole('listitem').nth(1).getByRole('button').click()
  await versions.getByText('1. Ask for the name').waitFor()
  t.same(await look('assistants-versions'), [])
  await versions.getByRole('button', { name: 'Take this text' }).click()
  t.equal(await editor.inputValue(), '1. Ask for the name')
})

t.test('unsaved texts ask before they are left', async (t) => {
  await part('Settings').click()
  await part('Instructions').click()
  await page.locator('.assistant-block a', { hasText: 'Steps: Orders' }).click()
  t.equal(await editor.inputValue(), '1. Ask for the name', 'parts of the page keep it')
  await page.getByRole('link', { name: 'Costs' }).click()
  const question = page.getByRole('dialog', { name: 'Discard your changes?' })
  await question.getByRole('button', { name: 'Keep editing' }).click()
  await button('Discard').click()
  t.match(await editor.inputValue(), /Say where it is/)
})

t.test('settings are saved as far as they changed, and never over those of somebody else', async (t) => {
  await part('Settings').click()
  await page.getByLabel('Description').fill('Answers questions about orders')
  await page.getByLabel('Tokens in a conversation').fill('much')
  await button('Save').click()
  await page.getByText('Some fields need another value.').waitFor()
  t.same(await look('assistants-settings-faults'), [])
  await page.getByLabel('Tokens in a conversation').fill('50 000')
  await page.getByLabel('Assign it to').selectOption({ index: 1 })
  await page.getByLabel('Priority').check()
  await api('PATCH', `assistants/${id}`, { avatar_emoji: '🌙' })
  await button('Save').click()
  await page.getByText('Saved', { exact: true }).waitFor()
  t.match(await stored(), {
    description: 'Answers questions about orders',
    avatar_emoji: '🌙',
    budget: { conversation_tokens: 50_000 },
    settable_ticket_fields: ['priority'],
  })
  t.type((await stored()).hand_over.assigned_to, 'string')
  await page.getByLabel('Description').fill('Mine')
  await api('PATCH', `assistants/${id}`, { description: 'Theirs' })
  await button('Save').click()
  await page.getByText('Somebody else has changed the description meanwhile.').waitFor()
  t.equal((await stored()).description, 'Theirs')
  await button('Save mine').click()
  await eventually('it is replaced', async () => (await stored()).description === 'Mine')
  t.same(await look('assistants-settings'), [])
})

t.test('tools are switched on, and knowledge is chosen from its tree', async (t) => {
  const tool = await api('POST', 'agents/tools', { name: 'find_parcel', url: 'https://shop.example.com/parcels' })
  const before = (await stored()).tools
  await part('Tools and knowledge').click()
  await page.reload()
  await page.getByRole('switch', { name: 'find_parcel' }).check()
  await eventually('it has the tool', async () => (await stored()).tools.includes(tool._id))
  t.equal((await stored()).tools.length, before.length + 1)
  await button('Choose knowledge…').click()
  const dialog = page.getByRole('dialog', { name: 'Choose knowledge' })
  await dialog.getByRole('checkbox').first().check()
  t.same(await look('assistants-knowledge'), [])
  await dialog.getByRole('button', { name: 'Add' }).click()
  await eventually('it has knowledge', async () => (await stored()).knowledge_node_ids.length === 1)
  await button(/^Take off/).click()
  await eventually('it has none', async () => (await stored()).knowledge_node_ids.length === 0)
  t.same(await look('assistants-tools'), [])
})

t.test('places say in a sentence what they mean, and are saved', async (t) => {
  await part('Where it works').click()
  await page.getByText('It answers nowhere.').waitFor()
  await button('Add a place').click()
  await page.getByText('On every channel, while the office hours are over.').waitFor()
  await page.getByLabel('When', { exact: true }).selectOption('unanswered')
  await page.getByLabel('Minutes without an answer').fill('30')
  await page
    .getByRole('checkbox', { name: /WhatsApp · / })
    .first()
    .check()
  await page.getByText(/^On .*, when nobody has answered for 30 minutes\.$/).waitFor()
  t.same(await look('assistants-places'), [])
  await button('Save').click()
  await page.getByText('Saved', { exact: true }).first().waitFor()
  const { deployments } = await api('GET', `assistants/${id}/deployments`)
  t.match(deployments, [{ answers: 'unanswered', after_minutes: 30, tag_ids: [], is_active: true }])
  t.equal(deployments[0].channel_ids.length, 1)
  await page.getByLabel('Minutes without an answer').fill('0')
  await button('Save').click()
  await page.getByText('It was not saved.').waitFor()
  await button('Discard').click()
})

t.test('figures of today follow answers while the page is open', async (t) => {
  const whatsapp = demo.channels.whatsapp.id
  await api('PUT', `assistants/${id}/deployments`, { deployments: [{ answers: 'always', channel_ids: [whatsapp] }] })
  await page.goto(list)
  const row = page.getByRole('row', { name: /Nox/ })
  await row.waitFor()
  const figure = (label: string) => row.locator(`[data-label="${label}"]`)
  t.equal(await figure('Answered').textContent(), '0')
  await simulator('inbound', {
    channel: 'whatsapp',
    from: '15553009101',
    name: 'Ana Torres',
    message: { type: 'text', text: { body: 'How long does a delivery take?' } },
  })
  await figure('Answered')
    .filter({ hasText: '1' })
    .or(figure('Handed over').filter({ hasText: '1' }))
    .waitFor()
  t.same(await look('assistants-list'), [])
})

t.test('an assistant is switched off and on', async (t) => {
  await page.getByRole('link', { name: 'Nox' }).click()
  await button('Switch off').click()
  await eventually('it is off', async () => !(await stored()).is_active)
  await button('Switch on').click()
  await eventually('it is on', async () => (await stored()).is_active)
  t.pass('both are stored')
})

t.test('the pages fit a phone and are read from the right', async (t) => {
  await page.setViewportSize({ width: 360, height: 740 })
  for (const [name, path] of Object.entries({ list: '', work: `/${id}`, places: `/${id}/places` })) {
    await page.goto(`${list}${path}`)
    await h1().waitFor()
    t.ok((await overflow()) <= 0, `${name} is no wider than a phone`)
    t.same(await look(`assistants-phone-${name}`), [])
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto(`${list}/${id}`)
  await page.evaluate("document.documentElement.dir = 'rtl'")
  t.ok((await overflow()) <= 0)
  t.same(await look('assistants-rtl'), [])
  await page.evaluate("document.documentElement.dir = ''")
})

t.test('the page had no errors', async (t) => t.same(faults, []))
