/** Exports and erasures know every table. */
import t from 'tap'
import { walkOn } from '../../storage/data_rights/erasure/walk.ts'
import { recordKinds } from '../../storage/data_rights/records/list.ts'
import { tableOf } from '../../storage/database/write_set.ts'
import { sql } from '../../storage/sql/sql.ts'
import { testDatabase } from '../support/mod.ts'

/** Tables without data of people or projects, or whose rows end with those of another table. */
const OTHERS: Record<string, string> = {
  actor_state: 'searched by a phase',
  attempt: 'walked by a phase',
  audit_entry: 'blanked by a phase',
  blob_removal: 'keys of files to remove, for a day',
  cluster: 'the engine',
  company: 'not erased',
  console_session: 'users of the company',
  contact_separation: 'progress of a walk',
  custom_field: 'the company',
  customer_gram: 'counted by a trigger of customer; empty ones are deleted with the customer',
  data_erasure: 'the proof',
  data_erasure_identity: 'the proof',
  data_erasure_part: 'emptied at the end of each erasure',
  data_erasure_pepper: 'a key',
  data_export: 'expired by a phase',
  dead_letter: 'searched by a phase',
  event_type: 'the company',
  knowledge_posting: 'deleted with knowledge_node',
  lane: 'the engine',
  media_thumbnail: 'deleted with media',
  message_text_progress: 'progress of a walk',
  migration: 'the engine',
  migration_progress: 'the engine',
  node: 'the engine',
  operator_key: 'operators',
  outbox: 'a phase waits until it is empty',
  partition: 'the engine',
  rate: 'operators',
  retention_walk: 'progress of a walk',
  secret_rotation: 'the engine',
  sign_in_window: 'users of the company',
  timer: 'searched by a phase',
  user: 'users of the company',
  user_invitation: 'users of the company',
  user_photo: 'users of the company',
  vault_canary: 'the engine',
}

t.test('every table has a kind of record, or a reason why it needs none', async (t) => {
  const { database } = await testDatabase(t)
  const rows = await database.execute<{ name: string }>(`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace
      and relkind in ('r', 'p') and not relispartition order by 1`)
  const known = new Set([...recordKinds.map(({ table }) => table), ...Object.keys(OTHERS)])
  t.same(
    rows.map(({ name }) => name).filter((name) => !known.has(name)),
    [],
  )
  const present = new Set(rows.map(({ name }) => name))
  t.same(
    [...known].filter((name) => !present.has(name)),
    [],
    'and none is listed that is not there',
  )
})

t.test('the conditions of all kinds are valid, and secrets are never exported', async (t) => {
  const { database } = await testDatabase(t)
  const none = { contacts: [], customers: [], tickets: [], records: [], identities: [], known: [] }
  const subject = { subject_id: 'x', company_id: 'c', project_id: 'x', projects: ['x'], ...none }
  for (const { type, table, entity, person, project, hidden = [] } of recordKinds) {
    for (const [kind, condition] of Object.entries({ contact: person, project })) {
      const where = condition?.({ ...subject, kind: kind as 'contact' })
      if (where !== undefined) {
        t.same(await database.execute(`select 1 from ${table} where ${where.sql} limit 1`), [], `${type} of a ${kind}`)
      }
    }
    if (!entity) continue
    const columns = [...tableOf(database.orm, entity).types.keys()].filter((column) => !hidden.includes(column))
    t.notOk(
      columns.some((column) => /^(hash|secret|credentials|headers|password_hash|sealed)$/.test(column)),
      `${type} has no secret`,
    )
  }
})

t.test('a walk ends at the last row that was there when it began, and takes a bounded number at a time', async (t) => {
  const { database } = await testDatabase(t)
  const add = (from: number, to: number) =>
    database.execute(`insert into audit_entry (_id, actor_kind, action, target_kind, company_id)
      select lpad(n::text, 24, '0'), 'system', 'x', 'x', 'c' from generate_series(${from}, ${to}) n`)
  await add(1, 2500)
  const walk = { table: 'audit_entry', key: ['_id'], hits: sql`company_id = 'c'`, set: sql`erased_at = now()` }
  const counts: number[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const place: string = cursor
    const progress = await database.em().transactional(async (em) => {
      await em.execute(`set local parley.audit_door = 'erasure'`)
      return walkOn(em, walk, place)
    })
    cursor = progress.cursor
    counts.push(progress.counts!.audit_entry!)
    // More comes than the walk takes.
    const n = 10_000 * counts.length
    await add(n, n + 2000)
  }
  t.same(counts, [1000, 1000, 500])
})
