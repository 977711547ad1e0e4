/** Exports and uploads that are cut off, at the worst moments: nothing is lost, and no byte is left that no row leads to. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { filesOf, sha256, upload } from '../http/media_client.ts'
import { type Owner, tempDir } from '../support/mod.ts'
import { eventually, type Json } from './client.ts'
import { made, makeTenant, OPERATOR_KEY, type Tenant, text, type World } from './fixture.ts'
import { startKillable } from './killable.ts'

const world = await startKillable(t)
const { operator } = world
const database = await openDatabase({ url: world.config.database_url!, pool_size: 3 })
t.teardown(() => database.close())

/** Archives and uploaded files in the store, and what is on the way there. */
const files = () => filesOf(world as unknown as World)
const archives = () => files().filter((path) => path.includes('export_'))
const spooled = () => readdirSync(join(world.config.data_dir, 'exports'))

/** Resolves when a statement waits for a lock of this kind. */
const waits = (locktype: 'relation' | 'advisory') =>
  eventually(`a statement waits for a lock (${locktype})`, async () => {
    const rows = await database.execute(
      `select 1 from pg_locks join pg_stat_activity using (pid)
      where not granted and locktype = ? and datname = current_database()`,
      [locktype],
    )
    return rows.length > 0
  })

/** Runs `work` while a statement is held back. Any node waits for it for five seconds, then fails. */
async function holding(lock: string, work: () => Promise<void>): Promise<void> {
  const session = await database.session()
  try {
    await session.query(`set idle_in_transaction_session_timeout = 0; begin; ${lock}`)
    await work()
  } finally {
    await session.end()
  }
}

/** From here on, a statement that fires this trigger waits for whoever holds the lock 4711. */
const holdAt = (table: string, moment: string) =>
  database.execute(`
    create function held() returns trigger language plpgsql as $$ begin
      perform pg_advisory_xact_lock(4711); return new; end $$;
    create trigger held ${moment} on ${table} execute function held()`)
const LOCK = 'select pg_advisory_xact_lock(4711)'
const release = () => database.execute('drop function held cascade')

/** Switches the number off, so that Parley itself keeps uploaded files. */
async function uploaded(tenant: Tenant, bytes: Buffer): Promise<Json> {
  await made(operator('PATCH', `channels/${tenant.number.channel_id}`, { is_active: false }))
  const file = await made(upload(tenant, bytes, { filename: 'a.txt', part_type: 'text/plain' }))
  await made(operator('PATCH', `channels/${tenant.number.channel_id}`, { is_active: true }))
  return file
}

/** Unpacks an archive with the system's `tar`. */
async function unpacked(owner: Owner, id: string): Promise<{ directory: string; sum: string }> {
  const directory = tempDir(owner)
  const answer = await fetch(`${world.base_url}/admin/v1/exports/${id}/file`, {
    headers: { authorization: `Bearer ${OPERATOR_KEY}` },
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  const path = join(directory, 'archive.tar')
  writeFileSync(path, bytes)
  execFileSync('tar', ['-xf', path, '-C', directory])
  return { directory, sum: createHash('sha256').update(bytes).digest('hex') }
}

const KEYS: Record<string, string> = {
  contact: '_id',
  ticket: '_id',
  note: '_id',
  message: 'id',
  media: 'media_id',
  event: 'id',
  delivery: 'id',
  attempt: 'delivery_id',
}

/** The rows of a project, by table, as PostgreSQL shows them. */
async function rowsOf(project_id: string): Promise<Record<string, Json[]>> {
  const tables = Object.keys(KEYS).map(async (table) => {
    const where =
      table === 'attempt'
        ? `delivery_id in (select id from delivery where project_id = '${project_id}')`
        : `project_id = '${project_id}'`
    const rows = await database.execute<{ row: Json }>(
      `select to_jsonb(t) as row from ${table} t where ${where} order by t.${KEYS[table]}`,
    )
    return [table, rows.map(({ row }) => row)] as const
  })
  return Object.fromEntries(await Promise.all(tables))
}

const isMoment = (value: unknown) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value)
const plain = (value: unknown) => (isMoment(value) ? new Date(value as string).toISOString() : value)

t.test('an export that is killed while it reads and before it ends is complete in the end', async (t) => {
  const tenant = await makeTenant(world)
  const { project_id } = tenant
  await tenant.subscribe('all', ['whatsapp.message.received', 'crm.contact.created'])
  for (let n = 0; n < 5; n++) await tenant.writes(`+1555888000${n}`, `line\nbreak "quoted" ${n} ünïcode 🐈 \\`)
  const sent = await made(tenant.send('+15558880001', { message: text('Hello') }))
  await tenant.message(sent.id, 'read')
  const bytes = Buffer.from('a file of more than one block '.repeat(50))
  const { media_id } = await uploaded(tenant, bytes)
  await database.execute(`
    insert into message (id, company_id, project_id, channel, channel_id, direction, type, message, status)
    select 'msg_' || lpad(to_hex(n), 24, '0'), '${tenant.company_id}', '${project_id}', 'whatsapp',
      '${tenant.number.channel_id}', 'inbound', 'text', jsonb_build_object('body', repeat(n::text || E'\\n', 100)), 'received'
    from generate_series(1, 4000) n`)
  await eventually('all is told', async () => {
    const [row] = await database.execute<{ count: number }>(
      `select count(*)::int as count from delivery where project_id = '${project_id}' and status <> 'success'`,
    )
    return row!.count === 0
  })

  let id = ''
  await holding('lock table delivery in access exclusive mode', async () => {
    id = (await made(operator('POST', 'exports', { kind: 'project', id: project_id })))._id
    await waits('relation')
    t.same(spooled(), [], 'what has been read has no name on the disk')
    await world.process().end('SIGKILL')
  })
  await holdAt('data_export', 'before update of status')
  await holding(LOCK, async () => {
    await world.start()
    await waits('advisory')
    t.equal(archives().length, 1, 'the file is stored, and the export is not done')
    await world.process().end('SIGKILL')
    // PostgreSQL would still run the last statement of the killed node.
    await database.execute(`
      select pg_terminate_backend(pid) from pg_stat_activity join pg_locks using (pid)
      where not granted and datname = current_database()`)
  })
  await release()
  t.same(spooled(), [])
  const before = await rowsOf(project_id)
  await world.start()
  const done: Json = await eventually('the export is done', async () => {
    const { body } = await operator('GET', `exports/${id}`)
    return body.status === 'done' && body
  })
  t.same(
    archives().map((path) => basename(path)),
    [`export_${id}_3`],
    'the file of the killed attempt is gone',
  )

  const { directory, sum } = await unpacked(t, id)
  t.equal(sum, done.sha256)
  const lines: Json[] = readFileSync(join(directory, 'data.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const byType = Map.groupBy(lines, ({ type }) => type)
  const counts = Object.fromEntries([...byType].map(([type, { length }]) => [type, length]))
  t.same(counts, done.counts)
  t.match(JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8')), { counts, files: 1, export_id: id })
  t.equal(sha256(readFileSync(join(directory, 'media', media_id))), sha256(bytes))
  for (const [table, rows] of Object.entries(before)) {
    const exported = (byType.get(table) ?? []).map(({ record }) => record)
    t.ok(exported.length > 0 || table === 'note', `there is a ${table}`)
    const key = KEYS[table]!
    const sorted = exported.toSorted((one, other) => (one[key] < other[key] ? -1 : 1))
    const columns = Object.keys(sorted[0] ?? {})
    const same = (row: Json) => Object.fromEntries(columns.map((column) => [column, plain(row[column])]))
    t.same(sorted.map(same), rows.map(same), `each ${table} is there, as it is in the database`)
  }
})

t.test('a stopped export ends, and another one of the same record begins', async (t) => {
  const tenant = await makeTenant(world)
  const begin = { kind: 'project', id: tenant.project_id }
  let first = ''
  let second = ''
  await holding('lock table note in access exclusive mode', async () => {
    first = (await made(operator('POST', 'exports', begin)))._id
    await waits('relation')
    t.equal((await operator('DELETE', `exports/${first}`)).status, 204)
    second = (await made(operator('POST', 'exports', begin)))._id
    t.not(second, first)
  })
  await eventually(
    'the second one is done',
    async () => (await operator('GET', `exports/${second}`)).body.status === 'done',
  )
  t.match(await made(operator('GET', `exports/${first}`)), { status: 'expired', file_size: null })
  t.same(
    archives().filter((path) => path.includes(first)),
    [],
  )
})

t.test('a project that is erased during an upload leaves neither row nor bytes', async (t) => {
  const tenant = await makeTenant(world)
  await made(operator('PATCH', `channels/${tenant.number.channel_id}`, { is_active: false }))
  const before = files()
  await holdAt('media', 'after insert')
  let uploading: Promise<Json> | undefined
  let erasure = ''
  await holding(LOCK, async () => {
    uploading = upload(tenant, Buffer.from('the last one'), { filename: 'a.txt', part_type: 'text/plain' })
    await waits('advisory')
    const begun = await made(operator('POST', 'erasures', { kind: 'project', id: tenant.project_id, confirm: true }))
    erasure = begun._id
    await eventually('the erasure comes to the project', async () => {
      const { body } = await operator('GET', `erasures/${erasure}`)
      return body.phase === 'project' || body.status === 'done'
    })
  })
  await release()
  await uploading
  const proof: Json = await eventually('it is erased', async () => {
    const { body } = await operator('GET', `erasures/${erasure}`)
    return body.status === 'done' && body
  })
  t.match(proof.counts, { project: 1 })
  t.same(files(), before, 'no bytes are left')
  const rows = await database.execute('select 1 from media where project_id = ?', [tenant.project_id])
  t.equal(rows.length, 0)
})
