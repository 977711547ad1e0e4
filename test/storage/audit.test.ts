/** Audit entries in the database: written with their change, never changed, without secrets and of a bounded size. */
import t from 'tap'
import {
  AuditEntry,
  actingFor,
  auditEntry,
  changeCompany,
  changeUser,
  type Database,
  eraseAudit,
  forgetAudit,
  type Origin,
  readRows,
  removeCompany,
  removeUser,
  storeCompany,
  storeProject,
  storeUser,
  systemOrigin,
  writeAudit,
} from '../../storage/mod.ts'
import { testDatabase } from '../support/mod.ts'

const { database } = await testDatabase(t)

const origin: Origin = {
  actor_kind: 'operator',
  actor_id: null,
  actor_name: 'root',
  address: '192.0.2.7',
  request_id: 'req_1',
  action: 'update_company',
}
const acting = actingFor(database, origin)

const write = (database: Database, target_id: string, before?: object, after?: object) =>
  database.em().transactional((em) => writeAudit(database, em, { target_kind: 'company', target_id, before, after }))
const read = async (target_id: string) => (await readRows(database, AuditEntry, { target_id }))[0]

t.test('an entry has its origin, and the fields that differ', async (t) => {
  const before = { _id: 'c1', name: 'Acme', limits: { minute: 1 }, updated_at: new Date(0) }
  await write(acting, 'c1', before, { ...before, name: 'Apex', updated_at: new Date(1) })
  const entry = await read('c1')
  t.match(entry, { ...origin, before: { name: 'Acme' }, after: { name: 'Apex' }, erased_at: null })
  t.strictSame(Object.keys(entry!.after!), ['name'])
  await write(acting, 'c2', before, { ...before, updated_at: new Date(1) })
  t.equal(await read('c2'), undefined, 'no entry where nothing differs')
  await write(database, 'c3', undefined, before)
  t.equal(await read('c3'), undefined, 'no entry without a caller')
  await t.rejects(
    database.em().transactional(async (em) => {
      await writeAudit(acting, em, { target_kind: 'company', target_id: 'c4', after: before })
      throw new Error('no')
    }),
  )
  t.equal(await read('c4'), undefined, 'no entry without the change')
})

t.test('no part of a secret is left where a long text is cut', async (t) => {
  const url = 'https://ana:half-a-password'
  const text = `Bearer ${'A'.repeat(3900)} `.padEnd(4000 - url.length) + url
  await write(acting, 'c6', undefined, { note: `${text}${'x'.repeat(400)}@example.com` })
  const { note } = (await read('c6'))!.after as { note: string }
  t.match(note, /^Bearer \[redacted\] /)
  t.notMatch(note, 'half')
})

t.test('the database refuses to change or delete entries', async (t) => {
  await write(acting, 'c5', undefined, { name: 'x' })
  const refused = /audit entries cannot be changed/
  await t.rejects(database.execute(`update audit_entry set action = 'other' where target_id = 'c5'`), refused)
  await t.rejects(database.execute(`delete from audit_entry where target_id = 'c5'`), refused)
  await t.rejects(database.execute('truncate audit_entry'), refused)
  await t.rejects(
    database.execute(`insert into audit_entry (_id) select _id from audit_entry where target_id = 'c5'
      on conflict (_id) do update set before = null`),
  )
  for (const door of ['retention', 'erasure']) {
    const change = database.em().transactional(async (em) => {
      await em.execute(`set local parley.audit_door = '${door}'`)
      await em.execute(`update audit_entry set action = 'other', erased_at = now(), before = null, after = null,
        actor_name = null, address = null where target_id = 'c5'`)
    })
    await t.rejects(change, refused, `${door} is no door for the facts`)
  }
  await t.rejects(
    database.em().transactional(async (em) => {
      await em.execute(`set local parley.audit_door = 'erasure'`)
      await em.execute(`delete from audit_entry where target_id = 'c5'`)
    }),
    refused,
  )
})

t.test('secrets are hidden, and their change is shown', (t) => {
  const secrets = {
    hash: 'S3CRET',
    password_hash: 'S3CRET',
    credentials: 'S3CRET',
    secret: 'S3CRET',
    headers: { 'X-Plain': 'S3CRET' },
    nested: { access_token: 'S3CRET', list: [{ appSecret: 'S3CRET' }] },
    url: 'https://ana:S3CRET@example.com/?token=S3CRET',
    long: `${'a'.repeat(950)} Bearer ${'S3CRET'.repeat(20)}${'b'.repeat(100_000)}`,
  }
  const change = { target_kind: 'x', before: { name: 'x', headers: 'sealed S3CRET' }, after: { name: 'y', ...secrets } }
  const entry = auditEntry(origin, change)!
  t.notMatch(JSON.stringify(entry), /S3C/)
  t.strictSame(entry.after!.headers, { 'X-Plain': '[redacted]' })
  const renewed = auditEntry(origin, { target_kind: 'x', before: { credentials: 'a' }, after: { credentials: 'b' } })
  t.strictSame(renewed!.before, { credentials: '[redacted]' })
  t.strictSame(renewed!.after, { credentials: '[redacted]' })
  t.end()
})

t.test('an entry is bounded, whatever the record', async (t) => {
  let deep: unknown = 'x'
  for (let depth = 0; depth < 5000; depth++) deep = { deep }
  const after = {
    text: '\0\ud800'.repeat(100_000),
    list: Array.from({ length: 10_000 }, () => 'x'.repeat(500)),
    map: Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`field_${at}`, at])),
    deep,
    number: 1e308,
    kept: 'short',
  }
  await write(acting, 'c6', undefined, after)
  const entry = await read('c6')
  t.ok(JSON.stringify(entry!.after).length < 20_000)
  t.equal(entry!.after!.kept, 'short')
  t.match(entry!.after!.list, /^\[\d+ characters\]$/)
})

t.test('changes of the service itself have an origin, too', async (t) => {
  await write(actingFor(database, systemOrigin('disable_webhook')), 'c7', undefined, { name: 'x' })
  t.match(await read('c7'), { actor_kind: 'system', action: 'disable_webhook', actor_id: null, address: null })
})

t.test('a named transaction writes an entry for the record that it changes', async (t) => {
  const { _id } = await storeCompany(acting, { name: 'Acme' })
  await changeCompany(acting, _id, { name: 'Apex' })
  await changeCompany(acting, _id, { name: 'Apex' })
  const given = { company_id: _id, full_name: 'Ana', email: 'ana@example.com', permissions: [], is_active: true }
  const user = await storeUser(acting, { ...given, password_hash: null })
  await changeUser(acting, user._id, { password_hash: 'S3CRET' })
  await removeUser(acting, user._id)
  const limits = { minute: 60, hour: 200, day: 1000, ingest_minute: 6000 }
  await t.rejects(storeProject(acting, { company_id: 'c0', name: 'Support', limits }))
  await removeCompany(acting, _id)
  const entries = await readRows(database, AuditEntry, { company_id: _id })
  entries.sort((a, b) => (a._id < b._id ? -1 : 1))
  t.match(entries, [
    { target_kind: 'company', target_id: _id, before: null, after: { name: 'Acme' } },
    { target_kind: 'company', target_id: _id, before: { name: 'Acme' }, after: { name: 'Apex' } },
    { target_kind: 'user', target_id: user._id, before: null, after: { email: 'ana@example.com' } },
    { target_kind: 'user', before: { password_hash: null }, after: { password_hash: '[redacted]' } },
    { target_kind: 'user', before: { full_name: 'Ana', password_hash: '[redacted]' }, after: null },
    { target_kind: 'company', before: { name: 'Apex' }, after: null },
  ])
  t.equal(entries.length, 6)
})

t.test('erasure removes personal data and keeps the facts', async (t) => {
  await write(acting, 'c8', { email: 'ana@example.com' }, { email: 'eva@example.com' })
  await write(acting, 'c9', undefined, { name: 'x' })
  const erased = await database.em().transactional((em) => eraseAudit(em, { target_ids: ['c8'], actor_ids: [] }))
  t.equal(erased, 1)
  const { action, request_id } = origin
  const gone = { before: null, after: null, actor_name: null, address: null }
  t.match(await read('c8'), { ...gone, action, request_id, erased_at: Date })
  t.match(await read('c9'), { after: { name: 'x' }, erased_at: null })
  t.equal(await database.em().transactional((em) => eraseAudit(em, {})), 0)
})

t.test('entries expire after some days', async (t) => {
  const entry = auditEntry(origin, { target_kind: 'company', target_id: 'c10', after: { name: 'old' } })!
  const created_at = new Date(Date.now() - 40 * 86_400_000)
  await database.em().insert(AuditEntry, { ...entry, _id: `0${entry._id.slice(1)}`, created_at })
  t.equal(await forgetAudit(database, 41), 0)
  t.equal(await forgetAudit(database, 39), 1)
  t.equal(await read('c10'), undefined)
  t.ok(await read('c9'), 'later entries stay')
})
