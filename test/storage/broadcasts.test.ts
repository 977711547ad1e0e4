import t from 'tap'
import { Broadcast, dropSlicesLeft, listRecipients, objectIdAt, SLICE, storeSlices } from '../../storage/mod.ts'
import { testDatabase } from '../support/mod.ts'
import { storeTenant } from './records.ts'

const people = (n: number) => Array.from({ length: n }, (_, i) => ({ phone: `+1555000${1000 + i}` }))
const DAY_MS = 24 * 3_600_000

t.test('recipients are stored in slices and listed in their order', async (t) => {
  const { database } = await testDatabase(t)
  const { project } = await storeTenant(database)
  const id = `brd_${objectIdAt(new Date())}`
  const recipients = people(2 * SLICE + 50)
  recipients[7]!.phone = '+15550001'
  await storeSlices(database, id, recipients)
  const { _id: project_id, company_id } = project
  const about = { project_id, company_id, channel_id: 'x', template_name: 'a', language: 'en', campaign_name: null }
  const counts = { pending_count: 250, sent_count: 0, delivered_count: 0, read_count: 0, failed_count: 0 }
  const stamps = { created_at: new Date(), updated_at: new Date(), started_at: null, completed_at: null }
  const progress = { status: 'queued' as const, total: 250, taken_up: 0, handed_on: 0 }
  await database.em().insert(Broadcast, { id, ...about, ...progress, ...counts, ...stamps })
  const first = await listRecipients(database, id, undefined, { limit: 120, cursor: undefined })
  const second = await listRecipients(database, id, 'pending', { limit: 200, cursor: Number(first.next_cursor) })
  t.equal(second.next_cursor, null)
  const listed = [...first.data, ...second.data]
  t.same(
    listed.map(({ index, phone }) => [index, phone]),
    recipients.map(({ phone }, index) => [index, phone]),
  )
  t.same((await listRecipients(database, id, 'failed', { limit: 10, cursor: undefined })).data, [])

  await t.rejects(database.execute(`update broadcast set sent_count = 1`), /broadcast_total_check/)
  await t.rejects(
    database.execute(`update broadcast set sent_count = 300, pending_count = -50`),
    /broadcast_counts_check/,
  )
})

t.test('slices whose broadcast was never made are dropped after a day', async (t) => {
  const { database } = await testDatabase(t)
  const idOf = (ago_ms: number) => `brd_${objectIdAt(new Date(Date.now() - ago_ms))}`
  const [young, old] = [idOf(DAY_MS / 2), idOf(2 * DAY_MS)]
  await storeSlices(database, young, people(1))
  await storeSlices(database, old, people(150))
  await dropSlicesLeft(database)
  const rows = await database.execute('select broadcast_id, size from broadcast_slice')
  t.same(rows, [{ broadcast_id: young, size: 1 }])
})
