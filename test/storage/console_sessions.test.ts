import t from 'tap'
import {
  beginSession,
  type Database,
  dropSessionsOver,
  endSession,
  endSessionsOf,
  findSession,
  findSignIn,
  liveSessions,
  renewSessions,
  User,
} from '../../storage/mod.ts'
import { eventually } from '../e2e/client.ts'
import { testDatabase } from '../support/mod.ts'
import { storeTenant } from './records.ts'

const HOUR_MS = 3_600_000
const password_hash = 'scrypt:…'
let sessions = 0

async function makeAgent(database: Database, permissions = ['console.agent']) {
  const tenant = await storeTenant(database)
  await database.em().nativeUpdate(User, tenant.user._id, { password_hash, permissions })
  return tenant
}

const begin = async (database: Database, user_id: string) => {
  const hash = (++sessions).toString(16).padStart(64, '0')
  return { hash, begun: await beginSession(database, { hash, user_id, password_hash }) }
}

const find = (database: Database, hash: string, project_id: string | null = null) =>
  findSession(database, { hash, project_id })

/** Makes a session look as if `hours` had passed. */
const age = (database: Database, hash: string, hours: number) =>
  database.execute(
    `update console_session set created_at = created_at - interval '${hours} hours',
      used_at = used_at - interval '${hours} hours', expires_at = expires_at - interval '${hours} hours' where hash = ?`,
    [hash],
  )

t.test('a session is found with its company, and with a project of that company alone', async (t) => {
  const { database } = await testDatabase(t)
  const [one, other] = [await makeAgent(database), await makeAgent(database)]
  const { hash, begun } = await begin(database, one.user._id)
  const { hash: second } = await begin(database, other.user._id)
  t.ok(Math.abs(begun!.expires_at.getTime() - Date.now() - 12 * HOUR_MS) < HOUR_MS / 10)
  const found = await Promise.all([
    find(database, hash),
    find(database, hash, one.project._id),
    find(database, hash, other.project._id),
    find(database, second, other.project._id),
    find(database, 'unknown', one.project._id),
  ])
  const session = {
    hash,
    user_id: one.user._id,
    user_name: 'Ana Díaz',
    company_id: one.company._id,
    permissions: ['console.agent'],
    is_fresh: true,
    ...begun,
  }
  t.same(found.slice(0, 3), [
    { ...session, project_id: null },
    { ...session, project_id: one.project._id },
    { ...session, project_id: null },
  ])
  t.match(found[3], { hash: second, user_id: other.user._id, project_id: other.project._id })
  t.equal(found[4], undefined)
})

t.test('a session ends 12 hours after its last use, and a week after the sign-in however busy', async (t) => {
  const { database } = await testDatabase(t)
  const { user } = await makeAgent(database)
  const { hash } = await begin(database, user._id)
  for (let hours = 0; hours < 7 * 24 - 11; hours += 11) {
    t.ok(await find(database, hash), `after ${hours} hours`)
    await age(database, hash, 11)
    await renewSessions(database, [hash])
  }
  t.match(await find(database, hash), { is_fresh: true })
  await age(database, hash, 11)
  await renewSessions(database, [hash])
  t.equal(await find(database, hash), undefined, 'a week has passed')
  const { hash: idle } = await begin(database, user._id)
  await age(database, idle, 12)
  await renewSessions(database, [idle])
  t.equal(await find(database, idle), undefined, 'what is over is not renewed')
  t.same([...(await liveSessions(database, [hash, idle]))], [])
  const { hash: live } = await begin(database, user._id)
  await dropSessionsOver(database)
  t.same(await database.execute('select hash from console_session'), [{ hash: live }])
})

t.test('a session that was used minutes ago is not written again', async (t) => {
  const { database } = await testDatabase(t)
  const { user } = await makeAgent(database)
  const { hash } = await begin(database, user._id)
  const row = () => database.execute('select * from console_session where hash = ?', [hash])
  const before = await row()
  await renewSessions(database, [hash])
  t.same(await row(), before)
})

t.test('a session counts only as long as its user is an agent', async (t) => {
  const { database } = await testDatabase(t)
  for (const change of [{ is_active: false }, { permissions: ['developer.manage_tokens'] }]) {
    const { user } = await makeAgent(database)
    const { hash } = await begin(database, user._id)
    t.same([...(await liveSessions(database, [hash, 'other']))], [hash])
    await database.em().nativeUpdate(User, user._id, change)
    t.equal(await find(database, hash), undefined)
    t.equal((await liveSessions(database, [hash])).size, 0)
    t.equal((await begin(database, user._id)).begun, undefined, 'and no other one begins')
  }
})

t.test('a sign-in with the old password at the moment of its change leaves no session', async (t) => {
  const { database } = await testDatabase(t)
  const { user } = await makeAgent(database)
  await begin(database, user._id)
  const locked = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const changed = database.em().transactional(async (em) => {
    await em.execute('select from "user" where _id = ? for update', [user._id])
    locked.resolve()
    await asked.promise
    const over = await endSessionsOf(em, user._id)
    await em.nativeUpdate(User, user._id, { password_hash: 'another' })
    return over
  })
  await locked.promise
  const late = begin(database, user._id)
  await eventually('the sign-in waits for the change', async () => {
    const waiting = await database.execute(`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into console_session%'`)
    return waiting.length === 1
  })
  asked.resolve()
  t.equal((await changed).length, 1)
  t.equal((await late).begun, undefined)
  t.same(await database.execute('select hash from console_session'), [])
})

t.test('a session ends with a sign-out, and with its user', async (t) => {
  const { database } = await testDatabase(t)
  const { user } = await makeAgent(database)
  const [one, other] = [await begin(database, user._id), await begin(database, user._id)]
  t.equal(await endSession(database, one.hash), true)
  t.equal(await endSession(database, one.hash), false)
  t.equal(await find(database, one.hash), undefined)
  t.ok(await find(database, other.hash))
  await database.execute('delete from token')
  await database.em().nativeDelete(User, user._id)
  t.same(await database.execute('select hash from console_session'), [])
})

t.test('a user is found by the e-mail address in any case', async (t) => {
  const { database } = await testDatabase(t)
  const { user } = await makeAgent(database)
  await database.em().nativeUpdate(User, user._id, { email: 'Ana.Ünal@Example.com' })
  const found = await findSignIn(database, 'ANA.üNAL@example.com')
  t.match(found, { user: { _id: user._id, password_hash, is_active: true, permissions: ['console.agent'] } })
  t.same(await findSignIn(database, 'Ana.Ünal@Example.com'), found)
  t.same(await findSignIn(database, 'NOBODY@example.com'), { email: 'nobody@example.com', user: undefined })
})
