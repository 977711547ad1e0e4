import t from 'tap'
import { takeBodies } from '../../../actors/subscription/reads.ts'
import { envelopeOf, envelopes } from '../../../actors/webhook/mod.ts'
import { blank, Event, prefixedId } from '../../../storage/mod.ts'
import { testDatabase } from '../../support/mod.ts'

t.test('an envelope that is not in memory is made from its event, byte for byte the same', async (t) => {
  const { database } = await testDatabase(t)
  const events = [
    { text: 'ünïcode "quoted" \\ and 🐈', z: 1, a: { nested: [1.5, null, 'x'] }, when: '2026-11-21T10:00:00.000Z' },
    {},
  ].map((data): Event => {
    const created_at = new Date('2026-11-21T10:00:00.123Z')
    return blank(Event, { id: prefixedId('evt'), project_id: 'p', type: 'x.y', data, subscription_ids: [], created_at })
  })
  await database.em().insertMany(Event, events)
  const [first, second] = events as [Event, Event]
  envelopes.keep(first.id, envelopeOf(first), 1)
  const ids = [first.id, second.id, prefixedId('evt')]
  const expected = new Map([
    [first.id, envelopeOf(first)],
    [second.id, envelopeOf(second)],
  ])
  t.same(await takeBodies(database, ids), expected, 'one from memory, one from the table, none of what never was')
  t.same(await takeBodies(database, ids), expected, 'both from the table: memory has given its own away')
})
