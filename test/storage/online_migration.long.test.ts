/** Migrations run while nodes of the release before read and write. */
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { migrations } from '../../storage/migrations/list.ts'
import { type Database, literal, migrate, openDatabase } from '../../storage/mod.ts'
import { emptyDatabaseUrl, testDatabase } from '../support/mod.ts'

/** Rows of the test. The figure in docs/operations.md comes from a million. */
const ROWS = Number(process.env.MIGRATION_ROWS ?? 50_000)
/** The migrations before `windows` took the place of `last_inbound_at`. */
const before = migrations.filter(({ name }) => name < '0008')

const endOf = `to_char((last_inbound_at + interval '24 hours') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

t.test('nodes of the release before write on while tables are migrated', async (t) => {
  const { url, database } = await filled(t)
  const writers = await Promise.all([1, 2, 3].map((shard) => OldWriter.start(t, url, shard)))
  const waits = watchWaits(database)
  const began = performance.now()
  const applied = await migrate(database)
  const took = performance.now() - began
  const share = await waits.end()
  await Promise.all(writers.map((writer) => writer.end()))
  t.equal(applied.length, migrations.length - before.length)

  t.same(
    writers.flatMap(({ errors }) => errors),
    [],
    'no statement of theirs fails',
  )
  const longest = Math.max(...writers.map((writer) => writer.max_ms))
  const statements = writers.reduce((sum, writer) => sum + writer.statements, 0)
  t.comment(`${ROWS} contacts, ${Math.round(took)} ms, ${statements} statements, the longest ${Math.round(longest)} ms`)
  t.ok(longest < took / 5, `the longest waited ${longest} ms of ${took} ms`)
  t.ok(share < 0.3, `a writer waited for a lock in ${share} of all samples`)

  for (const writer of writers) t.same(await writer.lost(database), [], 'every write of theirs is there')
  const [wrong] = await database.execute(`select count(*)::integer as count from contact
    where last_inbound_at is not null and channel_id is not null and windows->>channel_id is distinct from ${endOf}`)
  t.same(wrong, { count: 0 }, 'and every window is as they wrote it')
})

t.test('a window that nodes of one release open is open for those of the other', async (t) => {
  const { database } = await testDatabase(t)
  const row = async (change: string) => {
    await database.execute(change)
    const [found] = await database.execute(`select windows, last_inbound_at from contact where _id = 'c'`)
    return found
  }
  const utc = (time: string) => `2026-01-02 ${time}+00`
  const told =
    await row(`insert into contact (_id, company_id, project_id, channel_type, user_id, channel_id, last_inbound_at)
    values ('c', 'o', 'p', 'whatsapp', '1', 'one', '${utc('10:00')}')`)
  t.match(told, { windows: { one: '2026-01-03T10:00:00.000Z' }, last_inbound_at: /^2026-01-02 10:00:00/ })
  const older = await row(`update contact set last_inbound_at = '${utc('11:00')}', name = 'Ana'`)
  t.match(older, { windows: { one: '2026-01-03T11:00:00.000Z' }, last_inbound_at: /^2026-01-02 11:00:00/ })
  const newer = await row(
    `update contact set windows = '{"one": "2026-01-03T12:00:00.000Z", "two": "2026-01-03T11:30:00.000Z"}'`,
  )
  t.match(newer, { windows: { two: '2026-01-03T11:30:00.000Z' }, last_inbound_at: /^2026-01-02 12:00:00/ })
  const late = await row(`update contact set last_inbound_at = '${utc('09:00')}'`)
  t.match(
    late,
    { windows: { one: '2026-01-03T12:00:00.000Z', two: '2026-01-03T11:30:00.000Z' } },
    'none becomes shorter',
  )
  const several = `'{"one": "2026-01-03T10:00:00.000Z", "two": "2026-01-03T13:00:00.000Z", "six": "2026-01-03T11:00:00.000Z"}'`
  const free = await row(`update contact set channel_id = null, last_inbound_at = null, windows = ${several}`)
  t.match(free, { last_inbound_at: /^2026-01-02 13:00:00/ }, 'without a channel the last of its windows counts')
})

/** Makes a database before 0008, as a node of that time left it. */
async function filled(t: Test): Promise<{ url: string; database: Database }> {
  const url = await emptyDatabaseUrl(t)
  const database = await openDatabase({ url, pool_size: 4 })
  t.teardown(() => database.close())
  await migrate(database, { list: before })
  await database.execute(`
    insert into contact (_id, company_id, project_id, channel_type, user_id, channel_id, name, last_inbound_at)
      select lpad(to_hex(n), 24, '0'), 'company', 'project', 'whatsapp', n::text, case when n % 10 > 0 then 'channel' end,
        'Person ' || n, case when n % 3 > 0 then now() - n * interval '1 second' end
      from generate_series(1, ${ROWS}) n`)
  await database.execute(`
    insert into message (id, company_id, project_id, channel, channel_id, direction, chat_user, type, message, status)
      select 'msg_' || lpad(to_hex(n), 24, '0'), 'company', 'project', 'whatsapp', 'channel', 'inbound',
        lpad(to_hex(n), 24, '0'), 'text', '{"body": "Hello"}', 'received'
      from generate_series(1, ${ROWS / 4}) n`)
  return { url, database }
}

/** Writes contacts as nodes did before 0008, one statement after the other. */
class OldWriter {
  readonly errors: string[] = []
  max_ms = 0
  statements = 0
  readonly #written = new Map<string, string>()
  readonly #database: Database
  readonly #shard: number
  #work: Promise<void> | undefined
  #ended = false

  static async start(t: Test, url: string, shard: number): Promise<OldWriter> {
    const database = await openDatabase({ url: `${url}?application_name=writer`, pool_size: 1 })
    const writer = new OldWriter(database, shard)
    t.teardown(() => writer.end().then(() => database.close()))
    writer.#work = writer.#write()
    return writer
  }

  private constructor(database: Database, shard: number) {
    this.#database = database
    this.#shard = shard
  }

  async end(): Promise<void> {
    this.#ended = true
    await this.#work
  }

  async #write(): Promise<void> {
    for (let n = 0; !this.#ended; n++) {
      const began = performance.now()
      await (n % 10 === 0 ? this.#add(n) : this.#touch()).catch((error) => this.errors.push(String(error)))
      this.max_ms = Math.max(this.max_ms, performance.now() - began)
      this.statements++
      await pause(2)
    }
  }

  async #touch(): Promise<void> {
    const at = new Date().toISOString()
    const ids = Array.from({ length: 5 }, () => {
      // Each writer has rows of its own, so that no other hides its last write.
      const row = Math.floor(Math.random() * Math.floor(ROWS / 3)) * 3 + this.#shard
      return row.toString(16).padStart(24, '0')
    })
    const rows = literal(JSON.stringify([...new Set(ids)].map((_id) => ({ _id, at }))))
    await this.#database.execute(`update contact t set last_inbound_at = r.at, last_seen_at = r.at
      from json_to_recordset(${rows}) as r(_id text, at timestamptz) where t._id = r._id`)
    for (const id of ids) this.#written.set(id, at)
  }

  /** Adds a contact with an id anywhere between the others. */
  async #add(n: number): Promise<void> {
    const at = new Date().toISOString()
    const id = `${Math.floor(Math.random() * ROWS)
      .toString(16)
      .padStart(24, '0')}_${this.#shard}_${n}`
    await this.#database.execute(`
      insert into contact (_id, company_id, project_id, channel_type, user_id, channel_id, last_inbound_at)
      values ('${id}', 'company', 'project', 'whatsapp', '${id}', 'channel', '${at}')`)
    await this.#database.execute(`
      insert into message (id, company_id, project_id, channel, channel_id, direction, chat_user, type, message, status)
      values ('msg_${id}', 'company', 'project', 'whatsapp', 'channel', 'inbound', '${id}', 'text', '{}', 'received')`)
    this.#written.set(id, at)
  }

  /** Returns the contacts that do not show the last write. */
  lost(database: Database): Promise<unknown[]> {
    const rows = literal(JSON.stringify([...this.#written].map(([_id, at]) => ({ _id, at }))))
    return database.execute(`select r._id, r.at, c.last_inbound_at
      from json_to_recordset(${rows}) as r(_id text, at timestamptz) left join contact c on c._id = r._id
      where c.last_inbound_at is distinct from r.at`)
  }
}

/** Measures the share of looks in which a writer waited for a lock. */
function watchWaits(database: Database): { end(): Promise<number> } {
  let ended = false
  const work = (async () => {
    let [looks, waiting] = [0, 0]
    for (; !ended; looks++) {
      const [row] = await database.execute<{ count: number }>(`select count(*)::integer as count from pg_stat_activity
        where application_name = 'writer' and datname = current_database() and wait_event_type = 'Lock'`)
      if (row!.count > 0) waiting++
      await pause(10)
    }
    return waiting / looks
  })()
  return {
    end() {
      ended = true
      return work
    },
  }
}
