/** The modules of the section of appointments that do not use the DOM, against the server and alone. */
import { join } from 'node:path'
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { makeAgent, signIn } from '../e2e/console_client.ts'
import { joinWorld, made, makeTenant } from '../e2e/fixture.ts'

const pages = join(import.meta.dirname, '../../http/console/page')
const load = (name: string): Promise<Json> => import(join(pages, name))
const { Api } = await load('data/api.ts')
const { ProjectApi } = await load('data/project_api.ts')
const { Calendar } = await load('appointments/calendar.ts')
const { blocksOf } = await load('appointments/layout.ts')
const { movedBy } = await load('appointments/keyboard_move.ts')
const { appointmentsPlace, appointmentsPlaceOf } = await load('appointments/places.ts')
const { refusalText } = await load('appointments/words.ts')
const { addDays, localOf, momentOf, weekOf, zoneText } = await load('appointments/zone.ts')

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const agent = await makeAgent(world, tenant)
const { cookie } = await signIn(world, agent as { email: string })
const base = new URL(`${world.base_url}/console/`)
const api = new ProjectApi(
  new Api(base, (url: URL, options: RequestInit) =>
    fetch(url, { ...options, headers: { ...options.headers, cookie, origin: base.origin } }),
  ),
  tenant.project_id,
)
const BERLIN = 'Europe/Berlin'
const iso = (ms: number) => new Date(ms).toISOString()

t.test('local times are moments, also where clocks change', (t) => {
  t.equal(iso(momentOf('2026-11-25', 600, 'America/Mexico_City')), '2026-11-25T16:00:00.000Z')
  t.equal(iso(momentOf('2027-03-28', 150, BERLIN)), '2027-03-28T01:30:00.000Z', 'a skipped time is after the gap')
  t.equal(iso(momentOf('2027-10-31', 150, BERLIN)), '2027-10-31T00:30:00.000Z', 'a time shown twice is the first')
  t.equal(iso(momentOf('2027-03-28', 1440, BERLIN)), '2027-03-28T22:00:00.000Z', 'the day has 23 hours')
  t.same(localOf(Date.parse('2026-12-31T23:30:00Z'), BERLIN), { day: '2027-01-01', minutes: 30 })
  for (const zone of [BERLIN, 'America/New_York', 'Asia/Kathmandu', 'Pacific/Chatham', 'UTC']) {
    for (let hour = 0; hour < 24 * 400; hour += 7) {
      const ms = Date.parse('2026-11-01T00:15:00Z') + hour * 3_600_000
      const { day, minutes } = localOf(ms, zone)
      const again = momentOf(day, minutes, zone)
      if (again !== ms) t.same(localOf(again, zone), { day, minutes }, `${zone} ${iso(ms)}`)
    }
  }
  t.same(
    weekOf('2026-11-29'),
    [23, 24, 25, 26, 27, 28, 29].map((day) => `2026-11-${day}`),
  )
  t.equal(addDays('2028-02-28', 1), '2028-02-29')
  t.equal(zoneText('UTC', 0), 'UTC')
  t.equal(zoneText('Asia/Kathmandu', 0), 'Kathmandu, GMT+5:30')
  t.end()
})

t.test('appointments that overlap are beside each other, and take the room that is free', (t) => {
  const entry = (id: string, from: string, to: string) => ({
    id,
    starts_at: `2026-11-25T${from}:00Z`,
    ends_at: `2026-11-25T${to}:00Z`,
  })
  const entries = [
    entry('a', '09:00', '12:00'),
    entry('b', '09:30', '10:00'),
    entry('c', '09:45', '10:15'),
    entry('d', '11:00', '12:00'),
    entry('e', '12:00', '12:05'),
  ]
  const blocks = blocksOf(entries, '2026-11-25', 'UTC')
  t.same(
    blocks.map(({ entry, column, columns, span }: Json) => [entry.id, column, columns, span]),
    [
      ['a', 0, 3, 1],
      ['b', 1, 3, 1],
      ['c', 2, 3, 1],
      ['d', 1, 3, 2],
      ['e', 0, 1, 1],
    ],
  )
  t.equal(blocks.at(-1).to - blocks.at(-1).from, 20, 'a short one is long enough to be read')
  const night = [{ id: 'n', starts_at: '2026-11-25T22:00:00Z', ends_at: '2026-11-26T02:00:00Z' }]
  t.match(blocksOf(night, '2026-11-25', 'UTC'), [{ from: 1320, to: 1440, begins: true, ends: false }])
  t.match(blocksOf(night, '2026-11-26', 'UTC'), [{ from: 0, to: 120, begins: false, ends: true }])
  t.same(blocksOf([{ ...night[0], ends_at: '2026-11-26T00:00:00Z' }], '2026-11-26', 'UTC'), [])
  t.end()
})

t.test('keys move an appointment by its local time', (t) => {
  const starts = Date.parse('2027-03-27T09:00:00Z')
  const moving = { starts, ends: starts + 3_600_000 }
  t.same(movedBy(moving, 'ArrowDown', false, BERLIN), { starts: starts + 900_000, ends: starts + 4_500_000 })
  t.equal(iso(movedBy(moving, 'ArrowRight', false, BERLIN).starts), '2027-03-28T08:00:00.000Z', 'ten on both days')
  t.equal(movedBy({ starts, ends: starts + 900_000 }, 'ArrowUp', true, BERLIN).ends, starts + 900_000)
  t.equal(movedBy(moving, 'x', false, BERLIN), undefined)
  t.end()
})

t.test('a calendar shows changes at once, takes refused ones back, and follows others', async (t) => {
  const contact = await made(
    tenant.api('POST', 'contacts', {
      channel_type: 'whatsapp',
      user_id: '15550449101',
      name: 'Ana',
      phone: '+15550449101',
    }),
  )
  const calendar = new Calendar(api)
  const span = {
    from: Date.parse('2031-05-05T00:00:00Z'),
    before: Date.parse('2031-05-12T00:00:00Z'),
    assigned_to: undefined,
  }
  await calendar.show(span)
  const common = { timezone: 'UTC', assigned_to: agent._id, status: 'pending' }
  const fields = { ...common, starts_at: '2031-05-05T09:00', ends_at: '2031-05-05T10:00', chat_user: contact._id }
  const one = await calendar.create(fields, 'one', { contact: { _id: contact._id, name: 'Ana', phone: null } })
  await calendar.create(fields, 'one')
  const other = await calendar.create({ ...fields, starts_at: '2031-05-06T09:00', ends_at: '2031-05-06T10:00' }, 'two')
  const shown = () => calendar.within(span).map(({ id, starts_at }: Json) => [id, starts_at])
  t.same(shown(), [
    [one.id, '2031-05-05T09:00:00.000Z'],
    [other.id, '2031-05-06T09:00:00.000Z'],
  ])
  await eventually(
    'a name that is not known is read',
    () => calendar.entries.value.get(other.id).contact?.name === 'Ana',
  )

  const taken = { starts_at: '2031-05-06T09:30:00.000Z', ends_at: '2031-05-06T10:30:00.000Z' }
  const asked = calendar.change(one.id, taken, taken)
  t.equal(calendar.entries.value.get(one.id).starts_at, taken.starts_at, 'it is shown there')
  const refused = await asked.catch((error: unknown) => error)
  t.match(refused, { code: 'APPOINTMENT_SLOT_TAKEN', details: { number: other.number } })
  t.match(refusalText(refused, 'UTC'), /^The assignee has appointment \d+ from 09:00/)
  t.equal(calendar.entries.value.get(one.id).starts_at, '2031-05-05T09:00:00.000Z', 'and back where it was')

  await eventually('those that wait are known', () => calendar.waiting.value?.length === 2)
  await calendar.step(one.id, 'confirm')
  t.same(calendar.waiting.value, [other.id])
  const ended = await calendar.step(one.id, 'confirm').catch((error: unknown) => error)
  t.equal(refusalText(ended, 'UTC'), 'It is confirmed already.')

  const known = calendar.entries.value.get(other.id)
  calendar.hear([
    { type: 'appointment.changed', data: { ...other, status: 'cancelled', updated_at: '2099-01-01T00:00:00.000Z' } },
  ])
  t.match(calendar.entries.value.get(other.id), { status: 'cancelled', contact: { name: 'Ana' } }, 'the name stays')
  t.same(calendar.waiting.value, [])
  calendar.hear([{ type: 'appointment.changed', data: known }])
  t.equal(calendar.entries.value.get(other.id).status, 'cancelled', 'an older form counts for nothing')
  t.equal((await calendar.find(one.id)).id, one.id)
})

t.test('a pending appointment whose time has passed still waits for the agent, for a month', async (t) => {
  const calendar = new Calendar(api)
  const at = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  const fields = { timezone: 'UTC', status: 'pending' }
  const past = await calendar.create({ ...fields, starts_at: at(2), ends_at: at(1.9) }, 'past')
  const forgotten = await calendar.create({ ...fields, starts_at: at(40), ends_at: at(39.9) }, 'forgotten')
  const fresh = new Calendar(api)
  await fresh.readWaiting()
  t.ok(fresh.waiting.value.includes(past.id))
  t.notOk(fresh.waiting.value.includes(forgotten.id))
})

t.test('addresses name the view, and wrong ones are told', (t) => {
  const query = { zone: 'Nowhere/Else', cancelled: '1' }
  const place = appointmentsPlaceOf({ path: ['day', '2026-11-25'], query })
  t.match(place, {
    view: 'day',
    day: '2026-11-25',
    cancelled: true,
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  })
  t.equal(appointmentsPlace('p', place), '#/projects/p/appointments/day/2026-11-25?cancelled=1')
  t.equal(appointmentsPlaceOf({ path: ['month'], query: {} }), undefined)
  t.equal(appointmentsPlaceOf({ path: ['day', '2026-13-45'], query: {} }), undefined)
  t.end()
})
