/**
 * Checks that this process has the `PARLEY_SECRET` with which the database was made. A known text is kept sealed in the
 * database. Under another secret neither this text nor any other sealed value opens.
 */

import type { Database } from '../database/database.ts'
import { advisoryLock } from '../sql/advisory_locks.ts'
import { type Sql, sql } from '../sql/sql.ts'
import { type Vault, VaultError } from '../vault/credentials.ts'
import type { SealedName } from '../vault/sealed_places.ts'

/** `message` is a sentence that tells the operator what to do. */
export class SecretMismatch extends VaultError {
  override name = 'SecretMismatch'
}

/** One first start at a time. */
const LOCK = advisoryLock('canary')
const TEXT = 'The secret of this database.'
/** Number of the oldest records of each kind that are tried when there is no canary yet. */
const TRIED = 10

const OTHER =
  'The database was made with another PARLEY_SECRET, so nothing that is sealed in it can be read: set the PARLEY_SECRET it was made with'
const MISSING =
  'The database does not say which PARLEY_SECRET it was made with, so it is not the one this node was started on: start the node anew.'

/**
 * Compares at a start. The first start on a database writes the canary. On a database older than canaries the oldest
 * sealed records have to open first. Any number of nodes may call this at once.
 *
 * @throws {SecretMismatch} when the database was made with another secret
 * @throws {VaultError} when there is no secret
 */
export async function confirmSecret(database: Database): Promise<void> {
  const found = await readCanary(database)
  if (found !== undefined) return expect(database, [found])
  const mine = database.vault.seal(CANARY.id, CANARY.place, TEXT)
  await database.em().transactional(async (em) => {
    const execute = async <Row>(statement: Sql): Promise<Row[]> => em.execute<Row[]>(statement)
    await execute(sql`select pg_advisory_xact_lock(${LOCK})`)
    const made = await readCanary({ execute })
    if (made !== undefined) return expect(database, [made])
    expect(database, await execute<Sealed>(OLDEST))
    await execute(sql`insert into vault_canary (id, sealed) values (1, ${mine})`)
  })
}

/**
 * Compares without writing, for a running node: its database may have been exchanged.
 *
 * @throws {SecretMismatch} when the database has another canary, or none
 */
export async function checkSecret(database: Database): Promise<void> {
  const found = await readCanary(database)
  if (found === undefined) throw new SecretMismatch(MISSING)
  expect(database, [found])
}

/**
 * Compares as a start would, without writing. Returns false when the database has nothing sealed to compare with.
 *
 * @throws {SecretMismatch} when the database was made with another secret
 */
export async function compareSecret(database: Database): Promise<boolean> {
  const found = await readCanary(database)
  const records = found === undefined ? await database.execute<Sealed>(OLDEST) : [found]
  expect(database, records)
  return records.length > 0
}

/** A sealed value and its column, which is authenticated with it. */
type Sealed = { id: string; place: SealedName; sealed: string }

const CANARY = { id: 'vault_canary', place: 'sealed' } as const

const OLDEST = sql`
  (select _id as id, 'credentials' as place, credentials as sealed from channel where credentials is not null
   order by _id limit ${TRIED})
  union all
  (select id, 'secret' as place, secret as sealed from subscription order by id limit ${TRIED})`

type Execute = <Row>(statement: Sql) => Promise<Row[]>

async function readCanary({ execute }: { execute: Execute }): Promise<Sealed | undefined> {
  const [found] = await execute<{ sealed: string }>(sql`select sealed from vault_canary`)
  return found && { ...CANARY, ...found }
}

/** Throws unless most of them open: a single record may be damaged. */
function expect({ vault }: Database, records: readonly Sealed[]): void {
  const opened = records.filter(({ id, place, sealed }) => {
    try {
      vault.open(id, place, sealed)
      return true
    } catch {
      return false
    }
  })
  if (opened.length * 2 < records.length) throw new SecretMismatch(`${OTHER}${keysIn(vault, records)}.`)
}

/** The key that the values name, and those of this process. Values of a release that knew one secret name none. */
function keysIn(vault: Vault, records: readonly Sealed[]): string {
  const named = new Set(records.flatMap(({ sealed }) => sealed.split(':')[2] ?? []))
  if (named.size === 0) return ''
  return ` (its key is ${[...named].join(', ')}; this one has ${vault.key_ids.join(', ')})`
}
