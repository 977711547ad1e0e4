/** The time of the database decides which records are kept, however wrong the clock of the node is. */
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { beginSession, type Database, objectIdAt, storeSlices } from '../../storage/mod.ts'
import { tempDir, testDatabase } from '../support/mod.ts'
import { shiftedClock } from '../support/shifted_clock.ts'
import { storeTenant } from './records.ts'

const DAY_MS = 86_400_000
const CHILD = fileURLToPath(new URL('./tidy_child.ts', import.meta.url))

const ago = (days: number) => new Date(Date.now() - days * DAY_MS)
const tableOf = (days: number) => `event_${ago(days).toISOString().slice(0, 10).replaceAll('-', '')}`

/** Stores one record of every kind that is deleted by its age, so many days old. */
async function store(database: Database, days: number, uploads: string): Promise<void> {
  const created_at = ago(days).toISOString()
  const id = `${objectIdAt(ago(days)).slice(0, 8)}0123456789abcdef`
  const name = `of_${days}_days`
  await database.execute(`
    insert into event values ('evt_${id}', 'p', 'x', '{}', '{wh_1}', '${created_at}');
    insert into idempotency values ('p', 'r', '${name}', 'h', 200, '{}', '${created_at}');
    insert into early_status (channel_id, provider_message_id, status, at, created_at)
      values ('c', '${name}', 'sent', '${created_at}', '${created_at}');
    insert into media (media_id, company_id, project_id, mime_type, file_size, sha256, blob_key, created_at, expires_at)
      values ('${id}', 'c', 'p', 'text/plain', 1, 'x', '${id}', '${created_at}', '${ago(days - 1).toISOString()}')`)
  await storeSlices(database, `brd_${id}`, [{ phone: '+15550001' }])
  const file = join(uploads, name)
  writeFileSync(file, 'x')
  utimesSync(file, ago(days), ago(days))
}

async function left(database: Database, uploads: string) {
  const tables = ['event', 'idempotency', 'early_status', 'media', 'broadcast_slice', 'console_session']
  const counts = tables.map((table) => `(select count(*)::int from ${table}) as ${table}`)
  const [row] = await database.execute<Record<string, number>>(`select ${counts.join()}`)
  return { ...row, uploads: readdirSync(uploads) }
}

for (const [name, ahead_ms] of [
  ['a month ahead', 31 * DAY_MS],
  ['a month behind', -31 * DAY_MS],
] as const) {
  t.test(`a node whose clock is ${name} deletes records that are old enough, and no others`, async (t) => {
    const { database, url } = await testDatabase(t)
    const uploads = join(tempDir(t), 'uploads')
    mkdirSync(uploads)
    await database.execute(`select day_tables_add('${ago(40).toISOString().slice(0, 10)}', current_date)`)
    for (const days of [0, 35]) await store(database, days, uploads)
    const { user } = await storeTenant(database)
    await database.execute(`update "user" set password_hash = 'x', permissions = '{console.agent}'`)
    await beginSession(database, { hash: 'now', user_id: user._id, password_hash: 'x' })

    const env = { ...process.env, ...shiftedClock(ahead_ms) }
    const { stdout } = await promisify(execFile)(process.execPath, [CHILD, url, uploads], { env })
    const { dropped, wall_ms } = JSON.parse(stdout)
    t.ok(Math.abs(wall_ms - Date.now() - ahead_ms) < DAY_MS / 2, 'the clock of the node was as wrong as it should be')

    t.same(await left(database, uploads), {
      event: 1,
      idempotency: 1,
      early_status: 1,
      media: 1,
      broadcast_slice: 1,
      console_session: 1,
      uploads: ['of_0_days'],
    })
    t.ok(dropped.includes(tableOf(35)))
    t.notOk(dropped.includes(tableOf(29)))
    const [ahead] = await database.execute(`select to_regclass('${tableOf(-7)}') is not null as made`)
    t.same(ahead, { made: true }, 'the days to come are made')
  })
}
