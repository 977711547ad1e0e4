/** The state of office hours, against times that clocks of the zones show. */
import fc from 'fast-check'
import t from 'tap'
import { openingAt } from '../../../actors/mod.ts'
import { openTimes } from '../../../actors/office_hours/mod.ts'
import type { OfficeHours } from '../../../storage/mod.ts'

const day = [{ from: '09:00', to: '18:00' }]
const week = { monday: day, tuesday: day, wednesday: day, thursday: day, friday: day }
const hoursIn = (timezone: string, weekly: OfficeHours['weekly'] = week, closed_on: string[] = []): OfficeHours => ({
  timezone,
  weekly,
  closed_on,
})
const all_day = [{ from: '00:00', to: '24:00' }]
const always = {
  ...{ monday: all_day, tuesday: all_day, wednesday: all_day, thursday: all_day },
  ...{ friday: all_day, saturday: all_day, sunday: all_day },
}

const cases: [string, OfficeHours | null, string, boolean, string | null][] = [
  ['no hours are always open', null, '2026-11-30T03:00:00Z', true, null],
  ['before the first hour', hoursIn('America/Mexico_City'), '2026-11-30T14:59:00Z', false, '2026-11-30T15:00:00Z'],
  ['the first moment', hoursIn('America/Mexico_City'), '2026-11-30T15:00:00Z', true, '2026-12-01T00:00:00Z'],
  ['the last moment is over', hoursIn('America/Mexico_City'), '2026-12-01T00:00:00Z', false, '2026-12-01T15:00:00Z'],
  ['over the weekend', hoursIn('Europe/Berlin'), '2026-11-28T12:00:00Z', false, '2026-11-30T08:00:00Z'],
  [
    'a closed day is left out',
    hoursIn('Europe/Berlin', week, ['2026-11-30']),
    '2026-11-28T12:00:00Z',
    false,
    '2026-12-01T08:00:00Z',
  ],
  [
    'a break at noon',
    hoursIn('Europe/Berlin', {
      monday: [
        { from: '09:00', to: '13:00' },
        { from: '15:00', to: '18:00' },
      ],
    }),
    '2026-11-30T12:30:00Z',
    false,
    '2026-11-30T14:00:00Z',
  ],
  [
    'times that meet at midnight are one',
    hoursIn('Europe/Berlin', { friday: [{ from: '20:00', to: '24:00' }], saturday: [{ from: '00:00', to: '04:00' }] }),
    '2026-11-27T22:00:00Z',
    true,
    '2026-11-28T03:00:00Z',
  ],
  [
    'the night in which clocks are put back has an hour more',
    hoursIn('Europe/Berlin', { sunday: [{ from: '00:00', to: '06:00' }] }),
    '2026-10-25T00:30:00Z',
    true,
    '2026-10-25T05:00:00Z',
  ],
  [
    'a time that clocks leave out is no time',
    hoursIn('Europe/Berlin', { sunday: [{ from: '02:10', to: '02:50' }] }),
    '2026-03-29T00:30:00Z',
    false,
    '2026-03-29T01:10:00Z',
  ],
  ['open at all times', hoursIn('Asia/Tokyo', always), '2026-11-30T12:00:00Z', true, null],
  ['never open', hoursIn('Asia/Tokyo', {}), '2026-11-30T12:00:00Z', false, null],
]

for (const [name, hours, at, is_open, changes_at] of cases) {
  t.test(name, async (t) => {
    const opening = openingAt(hours, new Date(at))
    t.equal(opening.is_open, is_open)
    t.equal(opening.changes_at?.toISOString() ?? null, changes_at && new Date(changes_at).toISOString())
  })
}

t.test('the state is another one at the moment that is told, and the same until then', async () => {
  const time = fc
    .integer({ min: 0, max: 47 })
    .map((half) => `${String(half >> 1).padStart(2, '0')}:${half % 2 ? 30 : '00'}`)
  const span = fc
    .tuple(time, time)
    .filter(([from, to]) => from !== to)
    .map((times) => times.sort())
    .map(([from, to]) => [{ from: from!, to: to! }])
  const weekly = fc.record({ monday: span, wednesday: span, thursday: span, sunday: span }, { requiredKeys: [] })
  const zone = fc.constantFrom('UTC', 'Asia/Kolkata', 'Europe/Lisbon', 'America/Sao_Paulo', 'Pacific/Auckland')
  const at = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) })
  fc.assert(
    fc.property(weekly, zone, at, (weekly, timezone, at) => {
      const hours = hoursIn(timezone, weekly)
      const { is_open, changes_at } = openingAt(hours, new Date(at))
      if (changes_at === null) return !is_open && Object.keys(weekly).length === 0
      const next = openingAt(hours, changes_at)
      const just_before = openingAt(hours, new Date(changes_at.getTime() - 1))
      return changes_at.getTime() > at && next.is_open === !is_open && just_before.is_open === is_open
    }),
    { numRuns: 300 },
  )
})

t.test('the open times between two moments are those at which it is open', async (t) => {
  const from = new Date('2026-10-23T10:30:00Z')
  const until = new Date('2026-10-30T10:30:00Z')
  for (const zone of ['Europe/Berlin', 'America/Mexico_City', 'Asia/Tokyo']) {
    const hours = hoursIn(zone, week, ['2026-10-27'])
    const times = openTimes(hours, from, until)
    for (let at = from.getTime(); at < until.getTime(); at += 900_000) {
      const is_open = times.some((time) => time.from <= at && at < time.to)
      if (is_open !== openingAt(hours, new Date(at)).is_open) t.fail(`${zone} at ${new Date(at).toISOString()}`)
    }
    t.ok(times.length >= 4, zone)
  }
  t.same(openTimes(hoursIn('Europe/Berlin'), until, from), [])
  t.same(openTimes(hoursIn('Europe/Berlin', {}), from, until), [])
})
