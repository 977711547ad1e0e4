/** The Ed25519 keys of a project. The first subscription that wants to be signed so makes the first key. */
import { type Database, readRows, WebhookKey } from '../../../storage/mod.ts'
import { makeSigningKey } from '../../webhook/mod.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** All keys of the project, the newest first. */
export const signingKeyReads: ReadKind<{ all: boolean }, WebhookKey[]> = {
  keys: () => ({ all: false }),
  found: () => [],
  async read(found, { all }, { database, state: { project_id } }) {
    if (!all) return
    const rows = await readRows(database, WebhookKey, { project_id })
    found.push(...rows.sort((one, other) => other.number - one.number))
  },
}

/** Makes a key when the project has none. */
export function ensureSigningKey(turn: ProjectTurn, database: Database): void {
  const keys = turn.records.of(signingKeyReads)
  if (keys.length === 0) addSigningKey(turn, database)
}

/** Adds the next key, which signs from now on. The id makes sure that no two are the next one. */
export function addSigningKey(turn: ProjectTurn, database: Database): WebhookKey {
  const { project_id } = turn.state
  const keys = turn.records.of(signingKeyReads)
  const number = (keys[0]?.number ?? 0) + 1
  const id = `${project_id}-${number}`
  const { public_key, private_key } = makeSigningKey()
  const sealed = database.vault.seal(id, 'sealed', private_key)
  const row: WebhookKey = { id, project_id, number, public_key, sealed, created_at: turn.now, valid_until: null }
  turn.insert(WebhookKey, row)
  keys.unshift(row)
  return row
}
