/** Which keys of `PARLEY_SECRET` the stored values need, and which may be dropped. */
import type { Database } from '../database/database.ts'
import { sql } from '../sql/sql.ts'
import { now } from '../values/time.ts'
import { type SealedPlace, sealedPlaces, typedKey } from '../vault/sealed_places.ts'
import { lagging, type NodeKeys, readNodeKeys } from './node_keys.ts'

export type SecretStatus = {
  /** Keys of this process and keys that stored values name. The one that seals first. */
  keys: {
    id: string
    is_known: boolean
    seals: boolean
    /** Stored values that need it. */
    values: number
  }[]
  /** Stored values by table and column. Values that no key of this process opens count under `unreadable`. */
  places: { table: string; name: string; values: Record<string, number>; unreadable: number }[]
  nodes: NodeKeys[]
  /** The last rotation to the key that seals. `replaced`: the keys that values had before this rotation, or an earlier one. */
  rotation: { started_at: string; finished_at: string | null; resealed: number; replaced: string[] } | null
  /** Keys of this process that a finished rotation has replaced, and that no stored value and no node needs any more. */
  may_drop: string[]
  /** Until then, addresses of uploaded files that were signed with these keys would be valid; else they end with them. */
  links_until: string | null
  /** Reasons why a key other than the first cannot be dropped, one sentence each. */
  obstacles: string[]
}

/** Signed addresses are valid for at most this long (`actors/media/links.ts`). */
const LINK_DAYS = 8
const PAGE = 2000

/** @throws {VaultError} when there is no secret */
export async function readSecretStatus(database: Database): Promise<SecretStatus> {
  const known = database.vault.key_ids
  // Before the values are counted, and after: a node that seals with another key could end, or start, meanwhile.
  const before = await lagging(database)
  const places: SecretStatus['places'] = []
  for (const place of sealedPlaces) places.push(await countPlace(database, place))
  const named = places.flatMap(({ values }) => Object.keys(values))
  const keys = [...new Set([...known, ...named])].map((id) => ({
    id,
    is_known: known.includes(id),
    seals: id === known[0],
    values: places.reduce((sum, { values }) => sum + (values[id] ?? 0), 0),
  }))
  const obstacles = [...new Set([...before, ...(await lagging(database))])]
  for (const { id, is_known, seals, values } of keys) {
    if (values === 0 || seals) continue
    const needed = `${values} ${values === 1 ? 'stored value needs' : 'stored values need'} the key ${id}`
    obstacles.push(
      is_known
        ? `${needed}: run \`parley secrets rotate\`.`
        : `${needed}, which PARLEY_SECRET does not have: add its secret to the list.`,
    )
  }
  const unreadable = places.reduce((sum, place) => sum + place.unreadable, 0)
  if (unreadable > 0) obstacles.push(`No key of PARLEY_SECRET opens ${unreadable} of the stored values.`)
  const rotation = await readRotation(database, known[0]!)
  if (rotation?.finished_at === null) {
    obstacles.push('The rotation is not finished: run `parley secrets rotate`, which continues it.')
  }
  const replaced = rotation?.replaced ?? []
  const may_drop = obstacles.length > 0 ? [] : known.slice(1).filter((id) => replaced.includes(id))
  return {
    keys,
    places,
    nodes: await readNodeKeys(database),
    rotation,
    may_drop,
    links_until: may_drop.length > 0 && rotation ? linksUntil(rotation.started_at) : null,
    obstacles,
  }
}

/** Null when the last address that was signed before the rotation has expired. */
function linksUntil(started_at: string): string | null {
  const until = Date.parse(started_at) + LINK_DAYS * 86_400_000
  return until > now() ? new Date(until).toISOString() : null
}

async function countPlace(database: Database, place: SealedPlace): Promise<SecretStatus['places'][number]> {
  const rows = await database.execute<{ key_id: string; count: string }>(
    sql`select split_part(sealed, ':', 3) as key_id, count(*)::text as count
     from (select ${place.sealed} as sealed from ${sql.id(place.table)} t) s where sealed is not null group by 1 order by 1`,
  )
  const values: Record<string, number> = {}
  let unreadable = 0
  for (const { key_id, count } of rows) if (key_id !== '') values[key_id] = Number(count)
  if (rows.some(({ key_id }) => key_id === '')) {
    for await (const { key, sealed } of unnamed(database, place)) {
      const id = opener(database, place, key, sealed)
      if (id === undefined) unreadable++
      else values[id] = (values[id] ?? 0) + 1
    }
  }
  return { table: place.table, name: place.name, values, unreadable }
}

/** Values of a release that knew one secret only: they do not name their key. */
async function* unnamed(database: Database, place: SealedPlace): AsyncGenerator<{ key: string[]; sealed: string }> {
  const names = place.key.map(([name]) => sql`t.${sql.id(name)}`)
  for (let after: string[] | undefined; ; ) {
    const where = after === undefined ? sql`` : sql`and (${sql.join(names, ',')}) > (${typedKey(place, after)})`
    const rows: { key: string[]; sealed: string }[] = await database.execute(
      sql`select array[${sql.join(
        names.map((name) => sql`${name}::text`),
        ',',
      )}] as key, ${place.sealed} as sealed
       from ${sql.id(place.table)} t where split_part(${place.sealed}, ':', 3) = '' ${where}
       order by ${sql.join(names, ',')} limit ${PAGE}`,
    )
    yield* rows
    after = rows.at(-1)?.key
    if (after === undefined) return
  }
}

function opener({ vault }: Database, place: SealedPlace, key: string[], sealed: string): string | undefined {
  try {
    return vault.keyOf(place.record_id(key), place.name, sealed)
  } catch {
    return undefined
  }
}

async function readRotation(database: Database, key_id: string): Promise<SecretStatus['rotation']> {
  const [row] = await database.execute<{
    started_at: string
    finished_at: string | null
    resealed: string
    replaced: string[]
  }>(sql`select started_at, finished_at, resealed::text, replaced from secret_rotation where key_id = ${key_id}`)
  if (!row) return null
  const iso = (time: string) => new Date(time).toISOString()
  return {
    started_at: iso(row.started_at),
    finished_at: row.finished_at === null ? null : iso(row.finished_at),
    resealed: Number(row.resealed),
    replaced: row.replaced,
  }
}
