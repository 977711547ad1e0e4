/** Two contacts of one person are merged and separated by agents, and a conversation is taken over from another app. */
import t from 'tap'
import type { Json } from '../e2e/client.ts'
import { openAgentWindow } from './agent_window.ts'
import { ANY_IMPACT } from './window.ts'

t.setTimeout(600_000)

const agent = await openAgentWindow(t)
const { page, inspect, faults, demo, api, simulator } = agent
const { base_url, project_id } = demo
const contacts = `${base_url}/console#/projects/${project_id}/contacts`
const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
const others = page.locator('details', {
  has: page.getByRole('heading', { name: 'Other contacts of this person' }),
})
const dialog = page.getByRole('dialog')
const NUMBERS = ['+15557100001', '+15557100002'] as const

async function write(from: string, message: string): Promise<Json> {
  await simulator('inbound', { channel: 'whatsapp', from, name: 'Ana Torres', message })
  const { data } = await api('GET', `contacts?phone=${encodeURIComponent(from)}`)
  return data[0]
}

const stays = await write(NUMBERS[0], 'From my new phone')
const goes = await write(NUMBERS[1], 'From my old phone')

await page.goto(`${contacts}/${stays._id}`)
await agent.signIn()
await page.locator('.connection.live').waitFor()
await page.getByRole('heading', { name: 'Ana Torres', level: 1 }).waitFor()

/** A colleague looks at the contact that becomes a part of the other one. */
const colleague = await page.context().newPage()
await colleague.goto(`${contacts}/${goes._id}`)
await colleague.getByRole('heading', { name: 'Ana Torres', level: 1 }).waitFor()

async function find(search: string): Promise<void> {
  await others.getByRole('searchbox').fill(search)
  await page.keyboard.press('Enter')
}

t.test('two contacts with the same name are told apart, by screen readers too', async (t) => {
  await find('Nobody')
  await others.getByText('No other contact on WhatsApp was found').waitFor()
  await find('Ana')
  const open = others.getByRole('button', { name: `Merge… Ana Torres (${NUMBERS[1]})` })
  await open.waitFor()
  await open.focus()
  await page.keyboard.press('Enter')
  await dialog.getByRole('radio', { name: NUMBERS[0] }).waitFor()
  t.ok(await dialog.getByRole('radio', { name: NUMBERS[0] }).isChecked(), 'the open contact stays')
  await dialog.getByText(`Ana Torres (${NUMBERS[1]}) becomes a part of Ana Torres (${NUMBERS[0]})`).waitFor()
  t.same(await inspect('merge', ANY_IMPACT), [])
  await page.setViewportSize({ width: 320, height: 640 })
  t.equal(await overflow(), 0)
  t.same(await inspect('phone-merge', ANY_IMPACT), [])
  await page.setViewportSize({ width: 1280, height: 800 })
})

t.test(
  'after a merge nothing offers it again, and the page of the other contact becomes that of the one',
  async (t) => {
    await dialog.getByRole('button', { name: 'Merge' }).click()
    await page.getByText(`Ana Torres (${NUMBERS[1]}) is part of Ana Torres (${NUMBERS[0]}) now`).waitFor()
    await others.getByText('Merged').waitFor()
    t.equal(await others.getByRole('button', { name: /^Merge/ }).count(), 0)
    t.equal(await page.evaluate('document.activeElement.type'), 'search', 'the focus is where one goes on')
    await colleague.waitForURL(`${contacts}/${stays._id}`)
    t.match(await api('GET', `contacts/${goes._id}`), { _id: stays._id })
    t.same(await inspect('merged', ANY_IMPACT), [])
  },
)

t.test('a merge is undone after a reload, and each page says what the other contact was', async (t) => {
  await page.reload()
  await others.getByRole('button', { name: `Separate again: ${NUMBERS[1]}` }).click()
  await page.getByText(`Ana Torres (${NUMBERS[1]}) is a contact of its own again`).waitFor()
  await others.getByText('Separated').waitFor()
  t.equal(await others.getByRole('button', { name: /^Separate/ }).count(), 0)
  await page.goto(`${contacts}/${goes._id}`)
  await page.getByRole('heading', { name: 'Ana Torres', level: 1 }).waitFor()
  const link = others.getByRole('link', { name: 'another contact' })
  await link.waitFor()
  t.equal(await others.getByText(NUMBERS[1].slice(1)).count(), 0, 'a contact is no other contact of itself')
  t.same(await inspect('separated', ANY_IMPACT), [])
  await link.click()
  await page.waitForURL(`${contacts}/${stays._id}`)
})

t.test('an agent whose ticket a merge closed sees that the draft is kept', async () => {
  const inbox = `${base_url}/console#/projects/${project_id}/inbox`
  await colleague.goto(`${inbox}/contact/${goes._id}`)
  await colleague.getByLabel('Reply', { exact: true }).fill('Half a sentence')
  await api('POST', `contacts/${stays._id}/merge`, { from_contact_id: goes._id })
  await colleague.getByText('This ticket is closed').waitFor()
  await colleague.getByText('Your draft is kept: “Half a sentence”').waitFor()
  const composer = colleague.getByRole('region', { name: 'Composer' })
  await composer.getByRole('button', { name: 'Reopen' }).click()
  await colleague.getByText('The contact has another open ticket.').waitFor()
  await colleague.getByRole('button', { name: 'Show the other' }).click()
  await colleague.getByText('This ticket is closed').waitFor({ state: 'detached' })
})

t.test('a conversation is taken over and given back from the keyboard, and the focus stays', async (t) => {
  await simulator('threads', { channel: 'whatsapp', recipient: NUMBERS[0], holder: 'meta_agent' })
  await page.locator('h1').focus()
  await page.keyboard.press('r')
  const held = page.getByText('Meta’s agent answers this conversation.')
  await held.waitFor()
  t.same(await inspect('held', ANY_IMPACT), [])
  const take = page.getByRole('button', { name: 'Take over' })
  await take.focus()
  await page.keyboard.press('Enter')
  await held.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Give back' }).waitFor()
  await page.locator('[aria-label=Reply]:focus').waitFor()
  await page.getByRole('button', { name: 'Give back' }).click()
  await page.getByRole('button', { name: 'Give back' }).waitFor({ state: 'detached' })
  await page.getByText('No app has this conversation until the person writes.').waitFor()
  await page.locator('[aria-label=Reply]:focus').waitFor()
})

t.test('no page had a fault', (t) => {
  t.same(faults, [])
  t.end()
})
