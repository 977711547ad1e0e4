/** The office hours of a project: operators set them, and visitors of the web chat are told whether people answer now. */
import t from 'tap'
import { connectWeb, visitPage } from '../http/visitor_page.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const hours = {
  timezone: 'America/Mexico_City',
  weekly: {
    monday: [
      { from: '09:00', to: '13:00' },
      { from: '15:00', to: '18:00' },
    ],
    saturday: [],
  },
  closed_on: ['2026-12-25'],
}
const set = (project_id: string, office_hours: unknown) =>
  world.operator('PATCH', `projects/${project_id}`, { office_hours })

t.test('a project has none, is given some, and is open at all times again', async (t) => {
  const { project_id } = await makeTenant(world)
  const path = `projects/${project_id}`
  t.equal((await made(world.operator('GET', path))).office_hours, null)
  t.same((await made(set(project_id, hours))).office_hours, hours)
  t.same((await made(world.operator('PATCH', path, { name: 'Another' }))).office_hours, hours, 'they stay')
  t.same((await made(set(project_id, { ...hours, timezone: 'europe/berlin' }))).office_hours.timezone, 'Europe/Berlin')
  t.same((await made(set(project_id, { timezone: 'UTC', weekly: {} }))).office_hours.closed_on, [])
  t.equal((await made(set(project_id, null))).office_hours, null)
})

const wrong: [string, object, string][] = [
  ['an unknown zone', { ...hours, timezone: 'Mexico' + '_City' }, 'office_hours.timezone'],
  ['an unknown day', { ...hours, weekly: { moonday: [] } }, 'office_hours.weekly.moonday'],
  [
    'a time that no clock shows',
    { ...hours, weekly: { monday: [{ from: '9:00', to: '25:00' }] } },
    'office_hours.weekly.monday.0.from',
  ],
  [
    'an end before its beginning',
    { ...hours, weekly: { monday: [{ from: '18:00', to: '09:00' }] } },
    'office_hours.weekly.monday.0.to',
  ],
  [
    'times that overlap',
    {
      ...hours,
      weekly: {
        monday: [
          { from: '09:00', to: '13:00' },
          { from: '12:00', to: '18:00' },
        ],
      },
    },
    'office_hours.weekly.monday.1.from',
  ],
  ['a day that is in no calendar', { ...hours, closed_on: ['2026-02-30'] }, 'office_hours.closed_on.0'],
]
for (const [name, office_hours, path] of wrong) {
  t.test(`${name} is refused, and nothing is written`, async (t) => {
    const { project_id } = await makeTenant(world)
    const { status, body } = await set(project_id, office_hours)
    t.equal(status, 400)
    t.equal(body.error.details.violations[0].path, path)
    t.equal((await made(world.operator('GET', `projects/${project_id}`))).office_hours, null)
  })
}

const whole_day = [{ from: '00:00', to: '24:00' }]
const always = Object.fromEntries(
  ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'].map((day) => [day, whole_day]),
)

/** What a page of a visitor is told of the times. */
async function told(office_hours: object | null): Promise<Json> {
  const tenant = await makeTenant(world)
  await made(set(tenant.project_id, office_hours))
  const channel = await connectWeb(world, tenant)
  const visitor = await visitPage(t, { base_url: world.base_url, channel })
  return eventually('the availability', () => visitor.availability)
}

t.test('a visitor is told that people are here', async (t) => {
  t.same(await told(null), { is_open: true, changes_at: null, replies_in_s: null })
  t.same(await told({ timezone: 'UTC', weekly: always }), { is_open: true, changes_at: null, replies_in_s: null })
})

t.test('a visitor is told when people are back', async (t) => {
  t.same(await told({ timezone: 'UTC', weekly: {} }), { is_open: false, changes_at: null, replies_in_s: null })
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  const today = new Date().toISOString().slice(0, 10)
  const { is_open, changes_at } = await told({ timezone: 'UTC', weekly: always, closed_on: [today, tomorrow] })
  t.equal(is_open, false)
  t.match(changes_at, /T00:00:00\.000Z$/)
  t.ok(new Date(changes_at) > new Date(tomorrow))
})

t.test('a visitor who has written leaves an address, which the contact then has', async (t) => {
  const tenant = await makeTenant(world)
  const hook = await tenant.subscribe('addresses', ['crm.contact.updated'])
  const channel = await connectWeb(world, tenant)
  const visitor = await visitPage(t, { base_url: world.base_url, channel })
  t.match(
    await visitor.ask('email', { email: 'ana@example.com' }),
    { error: { code: 'MALFORMED' } },
    'a stranger has no contact',
  )
  await visitor.write('Hello')
  t.equal((await visitor.ask('history')).has_email, false)
  for (const email of ['ana', 'ana@', '', 7, null, `${'a'.repeat(300)}@example.com`])
    t.match(await visitor.ask('email', { email }), { error: { code: 'MALFORMED' } }, String(email))
  t.same(await visitor.ask('email', { email: ' ana@example.com ' }), {})
  t.equal((await visitor.ask('history')).has_email, true)
  const { data } = await made(tenant.api('GET', `contacts?search=${visitor.user_id}`))
  t.match(data, [{ email: 'ana@example.com', customer_id: null }], 'an address that nothing proves links no customer')
  const delivery = await eventually('the event', async () => (await tenant.deliveries(hook.id))[0])
  t.equal(delivery.event_type, 'crm.contact.updated')
})
