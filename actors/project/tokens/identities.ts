/** The identity of a token, as `GET /v1/me` shows it. */
import { findIdentity, type Identity } from '../../../storage/mod.ts'
import { Memory } from '../turn/memory.ts'
import type { ReadKind } from '../turn/records.ts'

/** The answers as JSON, by token, until one of their names changes. */
export const identities = new Memory<Map<string, string>>(() => new Map())

/** Identities by token, for tokens without one in memory. */
export const identityReads: ReadKind<Set<string>, Map<string, Identity>> = {
  keys: () => new Set(),
  found: () => new Map(),
  async read(found, token_ids, { database, state }) {
    const known = identities.of(state)
    const unknown = [...token_ids].filter((id) => !known.has(id))
    await Promise.all(
      unknown.map(async (id) => {
        const identity = await findIdentity(database, id)
        if (identity) found.set(id, identity)
      }),
    )
  },
}
