/** An assistant answers in the web chat: the visitor reads the answer while it is written, a screen reader hears it once. */
import t from 'tap'
import { openDesk } from '../e2e/assistant_desk.ts'
import { eventually } from '../e2e/client.ts'
import { made, makeTenant, startWorld } from '../e2e/fixture.ts'
import { addDocument, indexed } from '../e2e/knowledge_client.ts'
import { connectWeb } from '../http/visitor_page.ts'
import { ANY_IMPACT, openWindow } from './window.ts'

const world = await startWorld(t)
const tenant = await makeTenant(world)
const channel_id = await connectWeb(world, tenant)
const desk = await openDesk(world, tenant)
const { page, inspect, faults } = await openWindow(t)

t.test('the answer grows, and then it is a message with its sources', async (t) => {
  const url = 'https://www.example.com/help/shipping'
  const node = await addDocument(tenant, 'Shipping', 'Parcels arrive within two days.', { source_url: url })
  await indexed(tenant, [node])
  await made(tenant.api('PATCH', `assistants/${desk.id}`, { knowledge_node_ids: [node] }))
  await desk.script(
    'parcel',
    { tool_calls: [{ name: 'parley_search_knowledge', arguments: { query: 'parcels arrive' } }] },
    {
      answer: 'Your parcel left our house this morning [1]. It arrives within two days, before noon, at your door.',
      piece_ms: 400,
    },
  )
  await page.goto(`${world.base_url}/widget/${channel_id}`)
  await page.getByLabel('Write a message').fill('When does my parcel arrive?')
  await page.keyboard.press('Enter')
  const draft = page.locator('.draft')
  await draft.filter({ hasText: 'Your parcel left our house this morning.' }).waitFor()
  t.equal(await draft.getAttribute('aria-hidden'), 'true', 'a screen reader does not hear each word')
  t.match(await draft.textContent(), / …$/, 'it is shown as unfinished')
  await page.getByRole('status').filter({ hasText: 'Ana is writing' }).waitFor()
  await page.getByRole('heading', { name: 'Ana' }).waitFor()
  t.same(await inspect('chat-draft', ANY_IMPACT), [])
  await page
    .getByRole('listitem')
    .filter({ hasText: 'It arrives within two days, before noon, at your door.' })
    .waitFor()
  await eventually('the draft is gone', () => draft.isHidden())
  t.equal(await page.getByRole('link', { name: 'Shipping' }).getAttribute('href'), url)
  t.same(await inspect('chat-sources', ANY_IMPACT), [])
  await page.reload()
  await page.getByRole('link', { name: 'Shipping' }).waitFor()
})

t.test('nothing failed in the page', async (t) => {
  t.same(faults, [])
})
