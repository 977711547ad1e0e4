/** The board of a pipeline, as agents use it. */
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { openAgentWindow } from './agent_window.ts'

t.setTimeout(600_000)

const agent = await openAgentWindow(t)
const { page, inspect, faults, demo, api, operator, simulator } = agent
const { base_url, project_id, company_id } = demo
const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')

const PEOPLE = ['Ana Torres', 'Luis Gómez', 'Marta Ruiz', 'João Silva', 'Carla Peña', 'Pedro Díaz', 'Sofía Castro']
const MOTIVES = [
  'Wants a refund for order A-1001, which arrived broken',
  'Asks for a quote of 40 chairs and 10 tables for an office in Monterrey, delivered before the end of the month',
  'Change of address',
  null,
]

await operator('POST', 'custom-fields', { company_id, owner: 'ticket', key: 'order_no', name: 'Order', type: 'string' })
const tag = await operator('POST', 'tags', { project_id, name: 'damaged', color: '#cc0000' })
const rules = { require_fields: ['amount', 'order_no'] }
const stages = [
  { name: 'New lead' },
  { name: 'Contacted' },
  { name: 'Offer sent' },
  { name: 'Waiting for payment', rules },
  { name: 'Shipped' },
  { name: 'Sold', rules: { require_fields: ['category'], close_with: 'won' } },
]
const pipeline = await operator('POST', 'pipelines', { project_id, name: 'Sales', stages })
const [lead, contacted, offer, payment, , sold] = pipeline.stages.map(({ _id }: Json) => _id)
const colleague = await operator('POST', 'users', {
  company_id,
  full_name: 'Eva Luna',
  email: 'eva@acme.example',
  password: 'correct horse battery',
  permissions: ['console.agent'],
})

const tickets: string[] = []
for (const [n, name] of PEOPLE.entries()) {
  const from = `1555600000${n}`
  const message = { type: 'text', text: { body: 'Hello, I have a question about my order' } }
  await simulator('inbound', { channel: 'whatsapp', from, name, message })
  const contact = await eventually('it is there', async () => (await api('GET', `contacts?phone=%2B${from}`)).data[0])
  const ticket = (await api('GET', `crm/tickets?chat_user=${contact._id}`)).data[0]
  await api('PATCH', `crm/tickets/${ticket._id}`, {
    ...(n % 2 === 0 && { amount: 1250.5 + n * 100, amount_currency: 'MXN' }),
    ...(n % 3 === 0 && { priority: n === 0 ? 'urgent' : 'high' }),
    ...(n === 1 && { add_tag_ids: [tag._id] }),
    ...(n === 2 && { assigned_to: colleague._id }),
    conversation_summary: { motivo: MOTIVES[n % MOTIVES.length] },
  })
  await api('POST', `crm/tickets/${ticket._id}/stage`, { stage_id: n < 4 ? lead : n < 6 ? contacted : offer })
  tickets.push(ticket._id)
}
const stored = (n: number, what: string, look: (ticket: Json) => unknown) =>
  eventually(what, async () => Boolean(look(await api('GET', `crm/tickets/${tickets[n]}`))))

const board = `${base_url}/console#/projects/${project_id}/board/${pipeline._id}`
const column = (name: string) => page.getByRole('region', { name: new RegExp(`^${name}`) })
const card = (name: string) => page.locator('.board-card', { hasText: name })
const isIn = (person: string, stage: string) => column(stage).locator('.board-card', { hasText: person }).waitFor()

await page.goto(board)
await agent.signIn()
await page.locator('.connection.live').waitFor()

t.test('a column for each stage, with its cards, their number and their sum', async (t) => {
  await isIn('Ana', 'New lead')
  await isIn('Sofía', 'Offer sent')
  await column('New lead').getByRole('heading', { name: 'New lead , 4 tickets' }).waitFor()
  await column('New lead').locator('.board-column-sum').getByText('MXN').waitFor()
  t.same(await inspect('board'), [])
})

t.test('the pointer drags a card to a stage', async (t) => {
  await card('Ana').hover()
  await page.mouse.down()
  const box = (await column('Contacted').boundingBox())!
  await page.mouse.move(box.x + 100, box.y + 200, { steps: 8 })
  await page.locator('.board-column.is-over').waitFor()
  t.same(await inspect('board-drag'), [])
  await page.mouse.up()
  await isIn('Ana', 'Contacted')
  await stored(0, 'the move is stored', ({ stage }) => stage.stage_id === contacted)
  t.notMatch(page.url(), /inbox/, 'and the ticket was not opened')
})

t.test('five stages fit a window of 1440 pixels', async (t) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  const room = () =>
    page.evaluate<number>(`(() => {
      const { scrollWidth, clientWidth } = document.querySelector('.board-columns')
      return scrollWidth - clientWidth
    })()`)
  await eventually('nothing is beside the window', async () => (await room()) <= 0)
  t.equal(await page.locator('.board-column').count(), 5)
  t.same(await inspect('board-1440'), [])
  await page.setViewportSize({ width: 1280, height: 800 })
})

t.test('the keyboard carries a card, and says where it is', async () => {
  await card('Luis').getByRole('link').focus()
  await page.keyboard.press('Space')
  await page.getByText(/Luis Gómez is picked up, in New lead, stage 1 of 6/).waitFor({ state: 'attached' })
  await page.keyboard.press('ArrowRight')
  await page.getByText('Over Contacted, stage 2 of 6.').waitFor({ state: 'attached' })
  await page.keyboard.press('ArrowRight')
  await isIn('Luis', 'Offer sent')
  await eventually('the card keeps the focus', async () => /Luis/.test(await agent.focused()))
  await page.keyboard.press('Escape')
  await isIn('Luis', 'New lead')
  await eventually('the card keeps the focus', async () => /Luis/.test(await agent.focused()))
  await page.keyboard.press('Space')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Space')
  await stored(1, 'the move is stored', ({ stage }) => stage.stage_id === contacted)
  await page.getByText('Luis Gómez is in Contacted.').waitFor({ state: 'attached' })
  await eventually('the card keeps the focus', async () => /Luis/.test(await agent.focused()))
})

t.test('a stage asks for what it needs; without it the card goes back', async (t) => {
  await card('Sofía').getByRole('link').focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('needs amount, order').waitFor()
  await isIn('Sofía', 'Offer sent')
  t.same(await inspect('board-stage'), [])
  await dialog.getByLabel('Order').fill('A-7')
  await dialog.getByRole('button', { name: 'Move' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await isIn('Sofía', 'Waiting for payment')
  await stored(
    6,
    'both are stored',
    (ticket) => ticket.stage.stage_id === payment && ticket.custom_fields.order_no === 'A-7',
  )
})

t.test('what colleagues do appears, and a move that would undo theirs is asked about', async (t) => {
  const other = await page
    .context()
    .browser()!
    .newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })
  t.teardown(() => other.close())
  const theirs = await other.newPage()
  await theirs.goto(board)
  await theirs.getByLabel('E-mail').fill('eva@acme.example')
  await theirs.getByLabel('Password', { exact: true }).fill('correct horse battery')
  await theirs.keyboard.press('Enter')
  await theirs
    .locator('.board-card', { hasText: 'Marta' })
    .getByRole('button', { name: /Actions/ })
    .click()
  await theirs.getByRole('menuitem', { name: 'Move to Offer sent' }).click()
  await isIn('Marta', 'Offer sent')
  await simulator('inbound', {
    channel: 'whatsapp',
    from: '15556009999',
    name: 'Nadia Nueva',
    message: { type: 'text', text: { body: 'Hi' } },
  })
  let is_done = false
  await page.route('**/stage', async (route) => {
    if (!is_done) await api('POST', `crm/tickets/${tickets[3]}/stage`, { stage_id: offer })
    is_done = true
    await route.continue()
  })
  await card('João')
    .getByRole('button', { name: /Actions/ })
    .click()
  t.same(await inspect('board-menu'), [])
  await page.getByRole('menuitem', { name: 'Move to Contacted' }).click()
  await page.getByText('Somebody moved it to Offer sent while you moved João Silva.').waitFor()
  await isIn('João', 'Offer sent')
  t.same(await inspect('board-conflict'), [])
  await page.getByRole('button', { name: 'Move to Contacted' }).click()
  await stored(3, 'the agent decided', ({ stage }) => stage.stage_id === contacted)
  await page.unroute('**/stage')
})

t.test('a ticket is closed from the board, and comes back', async (t) => {
  t.equal(await column('Sold').count(), 0, 'the stage that closes is no column')
  await card('Carla').getByRole('link').focus()
  await page.keyboard.press('w')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Category').fill('returns')
  await dialog.getByRole('button', { name: 'Move' }).click()
  await stored(
    4,
    'it is closed',
    ({ is_closed, resolution, stage }) => is_closed && resolution === 'won' && stage.stage_id === sold,
  )
  await eventually('the card is gone', async () => (await card('Carla').count()) === 0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await isIn('Carla', 'Contacted')
  await stored(4, 'it is where it was', ({ is_closed, stage }) => !is_closed && stage.stage_id === contacted)
  await card('Pedro').hover()
  await page.mouse.down()
  await page.mouse.move(640, 500, { steps: 5 })
  const box = (await page.locator('.board-closings').getByText('Lost').boundingBox())!
  await page.mouse.move(box.x + 20, box.y + 10, { steps: 5 })
  await page.locator('.board-closings .is-lost.is-over').waitFor()
  t.same(await page.locator('.board-closings span').allInnerTexts(), ['Close', 'Sold', 'Lost'], 'each once')
  t.same(await inspect('board-close'), [])
  await page.mouse.up()
  await stored(5, 'it is lost', ({ is_closed, resolution }) => is_closed && resolution === 'lost')
  t.equal(await card('Pedro').count(), 0)
})

t.test('filters change the cards, the totals and the address', async (t) => {
  await page.getByLabel('Tag', { exact: true }).selectOption({ label: 'damaged' })
  await eventually('one is left', async () => (await page.locator('.board-card').count()) === 1)
  await page.getByText('1 open ticket').waitFor()
  t.match(page.url(), /tag_id=/)
  t.same(await inspect('board-filtered'), [])
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByLabel('Search the cards').fill('marta')
  await eventually('one is left', async () => (await page.locator('.board-card').count()) === 1)
  await page.getByLabel('Search the cards').fill('')
  await isIn('Ana', 'Contacted')
})

t.test('a card opens the thread of its ticket', async (t) => {
  await card('Ana').getByRole('link').focus()
  await page.keyboard.press('Enter')
  await page.getByText('Hello, I have a question').first().waitFor()
  t.match(page.url(), new RegExp(`inbox/all/${tickets[0]}`))
  await page.keyboard.press('g')
  await page.keyboard.press('b')
  await page.waitForURL(/board/)
})

t.test('a stage of 100,000 tickets keeps the page small and quick', async (t) => {
  const shown = Number(process.env.BOARD_PRESSES ?? 60)
  let rows = 0
  const made = (stage_id: string, n: number): Json => ({
    // All digits of the number have a place of their own: the 50th card of a stage would have the id of the first otherwise.
    ticket_id: stage_id.slice(-12) + `${n}`.padStart(12, '0'),
    version: 1,
    is_closed: false,
    closed_at: null,
    created_at: '2026-11-01T10:00:00.000Z',
    contact: {
      _id: stage_id.slice(-12) + `${n}`.padStart(12, '0'),
      name: `Person ${n}`,
      avatar: null,
      phone: null,
      user_id: `${n}`,
      channel_type: 'whatsapp',
      channel_id: null,
    },
    last_message: null,
    last_activity_at: new Date(Date.UTC(2026, 10, 20) - n * 1000).toISOString(),
    waiting_since: null,
    snoozed_at: null,
    snoozed_until: null,
    reply_window_ends_at: null,
    unread_count: n % 3,
    assigned_to: null,
    stage: { stage_id, name: 'x' },
    tags: [{ id: tag._id, name: 'damaged', color: '#cc0000' }],
    priority: 'high',
    amount: n,
    amount_currency: 'MXN',
    summary: 'A long summary of a conversation that goes on for a while',
  })
  await page.route(/\/board\?/, async (route) => {
    const url = new URL(route.request().url())
    const limit = Number(url.searchParams.get('limit'))
    const from = Number(url.searchParams.get('cursor')?.split('_')[0] ?? 0)
    const wanted = url.searchParams.get('stage_id')
    const ids = wanted ? [wanted] : [lead, contacted, offer, payment]
    rows += limit * ids.length
    const columns = ids.map((stage_id) => ({
      stage_id,
      data: Array.from({ length: limit }, (_, n) => made(stage_id, from + n)),
      next_cursor: `${from + limit}_${'0'.repeat(24)}`,
    }))
    await route.fulfill({ json: { columns } })
  })
  await page.goto(`${base_url}/console#/projects/${project_id}/inbox`)
  await page.goto(`${board}?priority=high`)
  await card('Person 0').first().getByRole('link').focus()
  await page.evaluate(`window.slow = []; new PerformanceObserver((list) => window.slow.push(...list.getEntries().map((e) => e.duration)))
    .observe({ type: 'event', durationThreshold: 16 })`)
  for (let n = 0; n < 10; n++) await page.keyboard.press('F8')
  const least = await page.evaluate<number[]>('window.slow.splice(0)')
  t.comment(`a key without meaning: ${Math.max(0, ...least)} ms`)
  for (let n = 0; n < shown; n++) await page.keyboard.press('PageDown')
  await page.keyboard.press('Space')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Escape')
  await eventually('hundreds of cards are read', () => rows > 400)
  t.ok((await page.locator('.board-card').count()) < 100, 'only the cards in view exist')
  t.ok((await page.evaluate<number>('document.querySelectorAll("*").length')) < 4000)
  const slow = await page.evaluate<number[]>('window.slow')
  t.comment(`interaction to next paint: ${slow.sort((a, b) => b - a).slice(0, 12)} ms, ${rows} cards read`)
  await page.unroute(/\/board\?/)
})

t.test('a small phone shows a column at a time', async (t) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`${base_url}/console#/projects/${project_id}/inbox`)
  await page.goto(board)
  await card('Ana').waitFor()
  t.equal(await overflow(), 0)
  t.same(await inspect('phone-board'), [])
  await page.setViewportSize({ width: 1280, height: 800 })
})

t.test('the page has no error in any of these tests', async (t) => {
  t.same(faults, [])
})
