/**
 * Checks that the `PARLEY_SECRET` of this process is the one the database was made with. A known text is kept sealed in the
 * database: under another secret it does not open, and neither would anything else.
 */
import { VaultError } from './credentials.ts'
import type { Database } from './database.ts'

/** `message` is a sentence that says what to do. */
export class SecretMismatch extends VaultError {
  override name = 'SecretMismatch'
}

/** The key of a lock that this file alone takes, like that of migrations. */
const LOCK = 7_307_264_813
const TEXT = 'The secret of this database.'
/** So many of the oldest records of each kind are tried, where there is no canary yet. */
const TRIED = 10

const OTHER =
  'The database was made with another PARLEY_SECRET, so nothing that is sealed in it can be read: set the PARLEY_SECRET it was made with.'
const MISSING =
  'The database does not say which PARLEY_SECRET it was made with, so it is not the one this node was started on: start the node anew.'

/**
 * Compares at a start. The first start on a database writes the canary; on one that is older than canaries only after the
 * oldest sealed records have opened. Any number of nodes may call it at once.
 *
 * @throws {SecretMismatch} when the database was made with another secret
 * @throws {VaultError} when there is no secret
 */
export async function confirmSecret(database: Database): Promise<void> {
  const found = await readCanary(database)
  if (found !== undefined) return expect(database, [found])
  const mine = database.vault.seal(CANARY.id, CANARY.place, TEXT)
  await database.em().transactional(async (em) => {
    const execute = async <Row>(sql: string, params: readonly unknown[] = []): Promise<Row[]> =>
      em.execute(sql, [...params])
    await execute('select pg_advisory_xact_lock(?)', [LOCK])
    const made = await readCanary({ execute })
    if (made !== undefined) return expect(database, [made])
    expect(database, await execute<Sealed>(OLDEST))
    await execute('insert into vault_canary (id, sealed) values (1, ?)', [mine])
  })
}

/**
 * Compares without writing anything, for a node that runs: its database may have been exchanged.
 *
 * @throws {SecretMismatch} when the database has another canary, or none
 */
export async function checkSecret(database: Database): Promise<void> {
  const found = await readCanary(database)
  if (found === undefined) throw new SecretMismatch(MISSING)
  expect(database, [found])
}

/**
 * Compares as a start would, without writing anything. False when there is nothing yet to compare with.
 *
 * @throws {SecretMismatch} when the database was made with another secret
 */
export async function compareSecret(database: Database): Promise<boolean> {
  const found = await readCanary(database)
  const records = found === undefined ? await database.execute<Sealed>(OLDEST) : [found]
  expect(database, records)
  return records.length > 0
}

/** Something sealed, and where it lies, which is sealed with it. */
type Sealed = { id: string; place: string; sealed: string }

const CANARY = { id: 'vault_canary', place: 'sealed' }

const OLDEST = `
  (select _id as id, 'credentials' as place, credentials as sealed from channel where credentials is not null
   order by _id limit ${TRIED})
  union all
  (select id, 'secret' as place, secret as sealed from subscription order by id limit ${TRIED})`

async function readCanary({ execute }: Pick<Database, 'execute'>): Promise<Sealed | undefined> {
  const [found] = await execute<{ sealed: string }>('select sealed from vault_canary')
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
  if (opened.length * 2 < records.length) throw new SecretMismatch(OTHER)
}
