/** A poll costs the same however often the polled subscriptions of its project were changed before. */
import t from 'tap'
import { type Database, objectIdAt, readFetched, readPolled, type Sql } from '../../storage/mod.ts'
import { testDatabase } from '../support/mod.ts'
import { textOf } from '../support/text_of.ts'

const HOUR_MS = 3_600_000
const ID = 'wh_0123456789abcdef01234567'
/** Each of them has a delivery. They are of now, and polls are of later: tables of coming days exist. */
const FORMER_GROUPS = 2000

/** Pages that the statements of `read` read. */
async function pagesOf(database: Database, read: (database: Database) => Promise<unknown>): Promise<number> {
  type Plan = { 'Shared Hit Blocks': number; 'Shared Read Blocks': number }
  let pages = 0
  await read({
    ...database,
    async execute<Row>(statement: Sql | string, params?: readonly unknown[]) {
      const [row] = await database.execute<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        `explain (analyze, buffers, format json) ${textOf(statement)}`,
      )
      const { Plan: plan } = row!['QUERY PLAN'][0]
      pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
      return database.execute<Row>(statement as string, params)
    },
  })
  return pages
}

t.test('polls and acknowledgements of the latest deliveries leave former groups out', async (t) => {
  const { database } = await testDatabase(t)
  const now = Date.now()
  const later = now + 6 * HOUR_MS
  const group = `'pgr_' || lpad(n::text, 24, '0')`
  const stored = (numbers: string, at: number) => {
    const time = `to_timestamp(${at} / 1000.0)`
    const id = (prefix: string) => `'${prefix}_${objectIdAt(new Date(at)).slice(0, 8)}' || lpad(to_hex(n), 16, '0')`
    return [
      `insert into poll_group (id, project_id, subscription_ids, used_at)
        select ${group}, 'p', array['${ID}', 'wh_' || n], ${time} from ${numbers} n`,
      `insert into event (id, project_id, type, data, subscription_ids, created_at)
        select ${id('evt')}, 'p', 'crm.event.recorded', '{}', array[${group}], ${time} from ${numbers} n`,
      `insert into delivery (id, subscription_id, project_id, event_id, event_type, status, created_at)
        select ${id('dlv')}, ${group}, 'p', ${id('evt')}, 'crm.event.recorded', 'success', ${time} from ${numbers} n`,
    ]
  }
  const former = stored(`generate_series(1, ${FORMER_GROUPS})`, now)
  const latest = stored(`generate_series(${FORMER_GROUPS + 1}, ${FORMER_GROUPS + 3})`, later)
  for (const sql of [...former, ...latest, 'vacuum analyze poll_group', 'analyze delivery']) await database.execute(sql)

  const after = `dlv_${objectIdAt(new Date(later - HOUR_MS))}`
  const poll = (database: Database) => readPolled(database, ID, after, 50)
  const { events, position, has_more } = await poll(database)
  t.strictSame([events.length, has_more], [3, false])
  const pages = await pagesOf(database, poll)
  t.ok(pages < 500, `a poll reads ${pages} pages`)

  const fetch = (database: Database) => readFetched(database, ID, position)
  t.strictSame(await fetch(database), { up_to: position, count: 1000 }, 'the first one acknowledges all before')
  await database.execute(`insert into poll_acknowledgement (subscription_id, up_to, status, acknowledged_at)
    values ('${ID}', '${after}', 'success', now())`)
  t.strictSame(await fetch(database), { up_to: position, count: 3 })
  const fetched = await pagesOf(database, fetch)
  t.ok(fetched < 500, `an acknowledgement reads ${fetched} pages`)

  const first = await readPolled(database, ID, 'dlv_000000000000000000000000', 50)
  t.strictSame([first.events.length, first.has_more], [50, true], 'those of former groups are still there')
})
