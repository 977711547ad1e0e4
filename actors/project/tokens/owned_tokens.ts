import { readRows, Token, User } from '../../../storage/mod.ts'
import type { ReadKind } from '../turn/records.ts'

export type OwnedToken = { token: Token; owner: User }

/** Tokens of the project with their owners, by the token's id. */
export const ownedTokenReads: ReadKind<Set<string>, Map<string, OwnedToken>> = {
  keys: () => new Set(),
  found: () => new Map(),
  async read(found, ids, { database, state: { project_id } }) {
    const tokens = await readRows(database, Token, { _id: [...ids], project_id })
    const users = await readRows(database, User, { _id: [...new Set(tokens.map(({ user_id }) => user_id))] })
    const owners = new Map(users.map((user) => [user._id, user]))
    for (const token of tokens) found.set(token._id, { token, owner: owners.get(token.user_id)! })
  },
}
