/** The keys of `PARLEY_SECRET` that the values of an archive need. */

import { rowsOf } from '../connections/rows_of.ts'
import type { Session } from '../connections/session.ts'
import type { Database } from '../database/database.ts'
import { sql } from '../sql/sql.ts'
import { type SealedPlace, sealedPlaces } from '../vault/sealed_places.ts'
import { BackupError } from './backup_error.ts'
import type { CopiedTable } from './catalogue.ts'

/** An envelope, and the record and name that it is sealed for. */
export type Sample = { record_id: string; name: SealedPlace['name']; sealed: string }

export type SealedKey = {
  /** Null for values of a release that knew one secret only: they do not name their key. */
  id: string | null
  /** Number of values. */
  values: number
  /** Some of the values that do not name their key. */
  samples: Sample[]
}

const SAMPLES = 10

/** Counts the sealed values of each key. Tables and columns that the database does not have yet are left out. */
export async function readSealedKeys(session: Session, tables: readonly CopiedTable[]): Promise<SealedKey[]> {
  const keys = new Map<string, SealedKey>()
  for (const place of sealedPlaces) {
    const table = tables.find(({ name }) => name === place.table)
    const needed = [place.column, ...place.key.map(([name]) => name)]
    if (!needed.every((name) => table?.columns.includes(name))) continue
    const sealed = sql`(select ${place.sealed} as sealed from ${sql.id(place.table)} t) s where sealed is not null`
    const rows = await rowsOf<{ id: string; count: string }>(
      session,
      sql`select split_part(sealed, ':', 3) as id, count(*)::text as count from ${sealed} group by 1`,
    )
    for (const { id, count } of rows) {
      const key = keys.get(id) ?? { id: id || null, values: 0, samples: [] }
      keys.set(id, key)
      key.values += Number(count)
      if (id === '') key.samples.push(...(await readSamples(session, place)))
    }
  }
  return [...keys.values()].sort((one, other) => other.values - one.values)
}

async function readSamples(session: Session, { table, key, sealed, record_id, name }: SealedPlace): Promise<Sample[]> {
  const rows = await rowsOf<{ key: string[]; sealed: string }>(
    session,
    sql`select array[${sql.join(
      key.map(([name]) => sql`t.${sql.id(name)}::text`),
      ',',
    )}] as key, ${sealed} as sealed from ${sql.id(table)} t
     where split_part(${sealed}, ':', 3) = '' limit ${SAMPLES}`,
  )
  return rows.map(({ key, sealed }) => ({ record_id: record_id(key), name, sealed }))
}

/**
 * Compares the keys of the archive with those of this process.
 *
 * @param keys undefined in archives of earlier releases, which did not list them
 * @throws {BackupError} when `PARLEY_SECRET` lacks one
 */
export function mustHaveKeys({ vault }: Database, keys: readonly SealedKey[] | undefined): void {
  if (!keys || keys.length === 0) return
  const own = vault.key_ids
  const missing = keys.filter(({ id, samples }) =>
    id === null ? samples.length > 0 && !samples.some((sample) => opens(vault, sample)) : !own.includes(id),
  )
  if (missing.length === 0) return
  const values = missing.reduce((sum, key) => sum + key.values, 0)
  const ids = missing.map(({ id }) => id ?? 'of a former release')
  throw new BackupError(
    `${values} of the encrypted values of the archive need the ${ids.length === 1 ? 'key' : 'keys'} ${ids.join(', ')}, which PARLEY_SECRET does not have (it has ${own.join(', ')}): add the former secrets to the list. If they are lost, give --allow-missing-keys: these values cannot be read then, and have to be set anew.`,
  )
}

function opens(vault: Database['vault'], { record_id, name, sealed }: Sample): boolean {
  try {
    vault.open(record_id, name, sealed)
    return true
  } catch {
    return false
  }
}
