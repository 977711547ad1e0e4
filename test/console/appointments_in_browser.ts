/** Appointments, as agents use them. */
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { openAgentWindow } from './agent_window.ts'

t.setTimeout(600_000)

const agent = await openAgentWindow(t)
const { page, inspect, faults, demo, api, operator } = agent
const { base_url, project_id, company_id } = demo
/** A week without a change of clocks, far enough that all of it is to come. Its days begin with Monday. */
const DAYS = ['2031-05-05', '2031-05-06', '2031-05-07', '2031-05-08', '2031-05-09', '2031-05-10', '2031-05-11']
const [MONDAY, TUESDAY, WEDNESDAY] = DAYS as [string, string, string]
const home = `${base_url}/console#/projects/${project_id}/appointments`
const week = `${home}/week/${MONDAY}?zone=UTC`
const dialog = page.getByRole('dialog')
const block = (name: string) => page.locator('.cal-block').filter({ hasText: name })
const day = (date: string) => page.locator(`.cal-day[data-day="${date}"]`)
const HOUR = 52

const luis = await operator('POST', 'users', { company_id, full_name: 'Luis Vega', email: 'luis@example.com' })
const person = (name: string, n: number) =>
  api('POST', 'contacts', { channel_type: 'whatsapp', user_id: `1555044800${n}`, name, phone: `+1555044800${n}` })
const ana = await person('Ana Torres', 1)
const ben = await person('Ben Okri', 2)
const cleo = await person('Cleo Haas', 3)

const make = (date: string, from: string, to: string, fields: Json = {}): Promise<Json> =>
  operator('POST', 'appointments', {
    project_id,
    starts_at: `${date}T${from}:00Z`,
    ends_at: `${date}T${to}:00Z`,
    ...fields,
  })
const get = (id: string): Promise<Json> => api('GET', `scheduling/appointments/${id}`)
const press = async (...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key)
}
/** Drags from the middle of a block, by so many days and hours. */
async function drag(name: string, days: number, hours: number, from: 'middle' | 'end' = 'middle') {
  // A page that has just come scrolls to its first appointment: the pointer waits until the block stands still.
  await block(name).hover({ position: { x: 20, y: 8 } })
  const box = (await block(name).boundingBox())!
  const width = (await day(MONDAY).boundingBox())!.width
  const x = box.x + 20
  const y = from === 'middle' ? box.y + 8 : box.y + box.height
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + days * width, y + hours * HOUR, { steps: 6 })
}

const first = await make(MONDAY, '09:00', '10:00', { chat_user: ana._id, assigned_to: luis._id, location: 'Room 1' })
const second = await make(MONDAY, '09:30', '10:30', { chat_user: ben._id })
const busy = await make(WEDNESDAY, '09:00', '11:00', {
  chat_user: cleo._id,
  assigned_to: luis._id,
  status: 'confirmed',
})
await make(TUESDAY, '13:00', '13:30', {
  status: 'confirmed',
  modality: 'online',
  meeting_url: 'https://meet.example.com/a',
})

await agent.openSignedIn()
await page.keyboard.press('g')
await page.keyboard.press('a')
await page.locator('.cal').waitFor()

t.test('today has a line for the present time', async (t) => {
  await page.locator('.cal-now').waitFor()
  t.equal(await page.locator('.cal-day-head.is-today').count(), 1)
  t.same(await inspect('appointments-today'), [])
})

t.test('a week shows who comes when, in the chosen zone, overlapping ones side by side', async (t) => {
  await page.goto(week)
  await block('Ana Torres').waitFor()
  const [one, other] = [(await block('Ana Torres').boundingBox())!, (await block('Ben Okri').boundingBox())!]
  t.ok(one.x + one.width <= other.x + 1, 'they are beside each other')
  await page.getByText('UTC').first().waitFor()
  t.same(await inspect('appointments-week'), [])
  await page.getByRole('button', { name: /^Time zone and filter/ }).click()
  await page.getByLabel('Time zone', { exact: true }).selectOption('America/Mexico_City')
  await block('Cleo Haas').getByText('03:00 – 05:00').waitFor()
  await page.goto(week)
  await page.getByLabel('Assignee').selectOption({ label: 'Luis Vega' })
  await block('Ben Okri').waitFor({ state: 'detached' })
  await page.goto(week)
  await block('Ben Okri').waitFor()
})

t.test('an appointment is moved by dragging, and made longer at its end', async (t) => {
  await drag('Ana Torres', 1, 1)
  t.same(await inspect('appointments-dragging'), [])
  await page.mouse.up()
  await eventually('it is moved', async () => (await get(first._id)).starts_at === `${TUESDAY}T10:00:00.000Z`)
  await page.getByRole('button', { name: 'Undo' }).click()
  await eventually('it is moved back', async () => (await get(first._id)).starts_at === `${MONDAY}T09:00:00.000Z`)
  await drag('Ben Okri', 0, 0.5, 'end')
  await page.mouse.up()
  await eventually('it is longer', async () => (await get(second._id)).ends_at === `${MONDAY}T11:00:00.000Z`)
})

t.test('a finger that rests on an appointment moves it; one that does not rest scrolls', async (t) => {
  const session = await page.context().newCDPSession(page)
  const touch = (type: string, ...at: { x: number; y: number }[]) =>
    session.send('Input.dispatchTouchEvent', { type: type as 'touchStart', touchPoints: at })
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: true })
  const box = (await block('Ana Torres').boundingBox())!
  const width = (await day(MONDAY).boundingBox())!.width
  const from = { x: box.x + 20, y: box.y + 12 }
  await touch('touchStart', from)
  await page.locator('.cal-block.is-moving').waitFor()
  for (const part of [0.25, 0.5, 0.75, 1])
    await touch('touchMove', { x: from.x + part * width, y: from.y + part * HOUR })
  await day(TUESDAY).locator('.cal-block.is-moving').waitFor()
  await touch('touchEnd')
  await eventually('it is moved', async () => (await get(first._id)).starts_at === `${TUESDAY}T10:00:00.000Z`)
  t.equal(await dialog.count(), 0, 'lifting the finger opens nothing')
  await page.getByRole('button', { name: 'Undo' }).last().click()
  await eventually('it is moved back', async () => (await get(first._id)).starts_at === `${MONDAY}T09:00:00.000Z`)
  const scrolled = () => page.evaluate<number>(`document.querySelector('.cal-scroller').scrollTop`)
  const before = await scrolled()
  await touch('touchStart', from)
  for (const part of [0.5, 1, 1.5, 2]) await touch('touchMove', { x: from.x, y: from.y - part * HOUR })
  await touch('touchEnd')
  await eventually('it is scrolled', async () => (await scrolled()) > before)
  t.equal((await get(first._id)).starts_at, `${MONDAY}T09:00:00.000Z`)
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: false })
  await session.detach()
  await page.goto('about:blank')
  await page.goto(week)
  await block('Ana Torres').waitFor()
})

t.test('a taken slot is explained, and the appointment goes back', async (t) => {
  await drag('Ana Torres', 2, 0.5)
  await page.mouse.up()
  await page.getByText(`The assignee has appointment ${busy.number} from 09:00 to 11:00.`).waitFor()
  t.equal((await get(first._id)).starts_at, `${MONDAY}T09:00:00.000Z`)
  t.equal(
    await day(MONDAY).locator('.cal-block').filter({ hasText: 'Ana Torres' }).count(),
    1,
    'it is shown there again',
  )
  t.same(await inspect('appointments-taken'), [])
})

t.test('an appointment is moved with the keyboard alone', async (t) => {
  await block('Ben Okri').focus()
  await press('m', 'ArrowRight', 'ArrowDown', 'ArrowDown', 'Shift+ArrowUp')
  await page.locator('[aria-live=assertive]').filter({ hasText: 'Ben Okri: Tuesday' }).waitFor({ state: 'attached' })
  t.same(await inspect('appointments-keys'), [])
  await press('Enter')
  await eventually('it is moved', async () => {
    const { starts_at, ends_at } = await get(second._id)
    return starts_at === `${TUESDAY}T10:00:00.000Z` && ends_at === `${TUESDAY}T11:15:00.000Z`
  })
  await eventually('it has the focus', async () => (await agent.focusedId()) === `appointment-${second._id}`)
  await press('m', 'ArrowLeft')
  await day(MONDAY).locator('.cal-block:focus').filter({ hasText: 'Ben Okri' }).waitFor()
  await press('Escape')
  await day(TUESDAY).locator('.cal-block:focus').filter({ hasText: 'Ben Okri' }).waitFor()
  t.equal((await get(second._id)).starts_at, `${TUESDAY}T10:00:00.000Z`, 'Escape takes it back')
})

t.test('an appointment is confirmed, completed and linked to its contact and ticket', async (t) => {
  await block('Ana Torres').focus()
  await press('Enter')
  await dialog.getByText('Room 1').waitFor()
  await dialog.getByRole('link', { name: 'Open ticket' }).waitFor()
  t.match(await dialog.getByRole('link', { name: 'Ana Torres' }).getAttribute('href'), `inbox/contact/${ana._id}`)
  t.same(await inspect('appointments-details'), [])
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await dialog.getByText('Confirmed').waitFor()
  await dialog.getByRole('button', { name: 'Complete' }).click()
  await dialog.getByText('Completed').waitFor()
  await eventually('it is stored', async () => (await get(first._id)).status === 'completed')
  await press('Escape')
  await dialog.waitFor({ state: 'hidden' })
})

t.test('a click on a free time makes an appointment', async (t) => {
  const box = (await day(DAYS[3]!).boundingBox())!
  await page.mouse.click(box.x + 40, box.y + 14 * HOUR + 4)
  t.equal(await dialog.getByLabel('Begins').inputValue(), `${DAYS[3]}T14:00`)
  t.match(await page.evaluate('document.activeElement.placeholder'), /^Name or phone/, 'one writes at once')
  await dialog.getByLabel('Person').fill('Cleo')
  await dialog.getByRole('option', { name: /Cleo Haas/ }).waitFor()
  t.same(await inspect('appointments-new'), [])
  await press('Enter')
  await dialog.getByText('Cleo Haas').waitFor()
  await dialog.getByLabel('Assignee').selectOption({ label: 'Luis Vega' })
  await dialog.getByLabel('Begins').fill('2020-05-05T10:30')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('This time has passed.').waitFor()
  await dialog.getByLabel('as of then').waitFor()
  t.equal(await page.evaluate('document.activeElement.type'), 'checkbox', 'it is asked for first')
  const { data: hers } = await api('GET', `scheduling/appointments?chat_user=${cleo._id}`)
  t.notOk(
    hers.some(({ starts_at }: Json) => starts_at.startsWith('2020')),
    'nothing was recorded',
  )
  t.same(await inspect('appointments-past'), [])
  await dialog.getByLabel('Begins').fill(`${WEDNESDAY}T10:30`)
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText(`The assignee has appointment ${busy.number}`).waitFor()
  await dialog.getByLabel('Begins').fill(`${DAYS[3]}T14:00`)
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.waitFor({ state: 'hidden' })
  const [made] = (await api('GET', `scheduling/appointments?chat_user=${cleo._id}&order=desc`)).data
  t.match(made, { starts_at: `${DAYS[3]}T14:00:00.000Z`, ends_at: `${DAYS[3]}T14:30:00.000Z`, status: 'pending' })
  await day(DAYS[3]!).locator('.cal-block').filter({ hasText: 'Cleo Haas' }).click()
  await dialog.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByLabel('Place').fill('Room 7')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await eventually('it is changed', async () => (await get(made.id)).location === 'Room 7')
})

t.test('what another agent does is shown at once', async (t) => {
  const { _id } = await make(DAYS[4]!, '08:00', '09:00', { chat_user: ben._id, location: 'Elsewhere' })
  await day(DAYS[4]!).locator('.cal-block').filter({ hasText: 'Ben Okri' }).waitFor()
  await operator('PATCH', `appointments/${_id}`, { starts_at: `${DAYS[5]}T08:00:00Z` })
  await day(DAYS[5]!).locator('.cal-block').filter({ hasText: 'Ben Okri' }).waitFor()
  await operator('POST', `appointments/${_id}/cancel`)
  await day(DAYS[5]!).locator('.cal-block').waitFor({ state: 'detached' })
  t.pass('all was seen')
})

t.test('pending appointments are confirmed from their list', async (t) => {
  await page.locator('h1').click()
  await press('p')
  await page.locator('h1').filter({ hasText: 'Pending' }).waitFor()
  const line = page.getByRole('listitem').filter({ hasText: 'Ben Okri' })
  await line.waitFor()
  t.same(await inspect('appointments-pending'), [])
  await line.getByRole('button', { name: 'Confirm' }).click()
  await line.waitFor({ state: 'detached' })
  t.equal((await get(second._id)).status, 'confirmed')
})

t.test('a day works at a width of 360 pixels', async (t) => {
  await page.setViewportSize({ width: 360, height: 740 })
  const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  t.equal(await overflow(), 0)
  t.same(await inspect('appointments-phone-pending'), [])
  await page.goto(week)
  await block('Ana Torres').waitFor()
  t.equal(await page.locator('.cal-day').count(), 1)
  t.equal(await overflow(), 0)
  t.same(await inspect('appointments-phone-day'), [])
  await block('Ana Torres').click()
  await dialog.getByText('Room 1').waitFor()
  t.same(await inspect('appointments-phone-details'), [])
  await press('Escape')
  await page.getByRole('button', { name: 'New' }).click()
  await dialog.getByLabel('Begins').waitFor()
  t.same(await inspect('appointments-phone-new'), [])
})

t.test('nothing went wrong', async (t) => {
  t.same(faults, [])
})
