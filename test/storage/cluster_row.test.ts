/** The row of the cluster: a start on the same database finds no copy, whatever the server tells of itself at that time. */
import t from 'tap'
import { claimCluster, type Database, resumeCluster } from '../../storage/mod.ts'
import { testDatabase } from '../support/mod.ts'

/** Replaces what pg_control_system() of this database does, by a statement of PL/pgSQL. */
async function replace(database: Database, statement: string): Promise<void> {
  await database.execute(`set allow_system_table_mods = on;
    do $$ begin
      if to_regprocedure('pg_catalog.own_control_system()') is null then
        alter function pg_catalog.pg_control_system() rename to own_control_system;
      end if;
    end $$;
    create or replace function pg_catalog.pg_control_system(out system_identifier bigint) language plpgsql as
      $$ begin ${statement}; end $$`)
}

const failWith = (database: Database, code: string) =>
  replace(database, `raise exception 'no answer' using errcode = '${code}'`)
const answerWith = (database: Database, system: number) => replace(database, `system_identifier := ${system}`)

t.test('only another server or another database is another place', async (t) => {
  const { database } = await testDatabase(t)
  const start = () => claimCluster(database, { partitions: 4 })
  await answerWith(database, 1)
  const { identity, is_copy } = await start()
  t.equal(is_copy, false)
  const same = { identity, quiet_since: null, is_copy: false }

  for (const code of ['57014', '53300']) {
    await failWith(database, code)
    await t.rejects(start(), { code }, 'a question that failed has no answer')
  }
  await failWith(database, '42501')
  t.strictSame(await start(), same, 'a server that does not tell any more')
  await answerWith(database, 1)
  t.strictSame(await start(), same)
  await answerWith(database, 2)
  const copy = await start()
  t.match(copy, { is_copy: true, quiet_since: Date })
  t.not(copy.identity, identity)
})

t.test('a server that begins to tell its identifier is the same place, and another one later is not', async (t) => {
  const { database } = await testDatabase(t)
  const start = () => claimCluster(database, { partitions: 4 })
  await failWith(database, '42501')
  const { identity } = await start()
  await answerWith(database, 1)
  t.match(await start(), { identity, quiet_since: null, is_copy: false })
  await answerWith(database, 2)
  t.match(await start(), { quiet_since: Date, is_copy: true })
})

t.test('PARLEY_QUIET does not part a node from the nodes of a cluster that was resumed', async (t) => {
  const { database } = await testDatabase(t)
  const start = () => claimCluster(database, { partitions: 4, quiet: true })
  const { identity, quiet_since } = await start()
  t.ok(quiet_since)
  await database.execute(`select * from lease_join('000000000001', '{}', 0)`)
  t.match(await start(), { identity, quiet_since: Date, is_copy: false }, 'the second node of a copy')
  await resumeCluster(database)
  await t.rejects(start(), /Remove the setting/)
  t.match(await claimCluster(database, { partitions: 4 }), { identity, quiet_since: null, is_copy: false })
  await database.execute(`update node set renewed_at = now() - interval '1 minute'`)
  const copy = await start()
  t.ok(copy.quiet_since, 'a disk that was copied without its nodes')
  t.not(copy.identity, identity)
})
