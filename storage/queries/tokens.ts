import type { Database } from '../database.ts'
import { Token } from '../entities/token.ts'
import { User } from '../entities/user.ts'
import { tables } from './tables.ts'

/** Whose token it is. None of it ever changes, so it may be cached by hash; whether the token still counts may not. */
export type TokenIdentity = Pick<Token, 'company_id' | 'project_id' | 'user_id'> & { token_id: string }

/** What decides whether a token is let in, and how far; read by the actor that admits the requests of the project. */
export type TokenState = TokenIdentity & {
  scopes: string[]
  expires_at: Date | null
  revoked_at: Date | null
  /** False when the owner has been deactivated. */
  user_is_active: boolean
}

/** The token with this SHA-256 (hex), revoked and expired ones included: saying no is the project actor's business. */
export async function findTokenByHash(database: Database, hash: string): Promise<TokenIdentity | undefined> {
  return tables(database)
    .selectFrom('token')
    .select(['_id as token_id', 'company_id', 'project_id', 'user_id'])
    .where('hash', '=', hash)
    .executeTakeFirst()
}

/** The tokens of these projects that are neither revoked nor expired at `now`. */
export async function listLiveTokens(
  database: Database,
  project_ids: readonly string[],
  now: Date,
): Promise<TokenState[]> {
  if (project_ids.length === 0) return []
  const unexpired = { $or: [{ expires_at: null }, { expires_at: { $gt: now } }] }
  const rows = await database
    .em()
    .find(Token, { project_id: { $in: [...project_ids] }, revoked_at: null, ...unexpired })
  return withOwners(database, rows)
}

/** One token in any state, or undefined when the project has none with this id. */
export async function findToken(
  database: Database,
  project_id: string,
  token_id: string,
): Promise<TokenState | undefined> {
  const row = await database.em().findOne(Token, { _id: token_id, project_id })
  return row ? (await withOwners(database, [row]))[0] : undefined
}

/** The tokens of a user, in all projects, that have not been revoked. */
export async function listTokensOfUser(
  database: Database,
  user_id: string,
): Promise<{ token_id: string; project_id: string }[]> {
  const rows = await database.em().find(Token, { user_id, revoked_at: null })
  return rows.map(({ _id, project_id }) => ({ token_id: _id, project_id }))
}

async function withOwners(database: Database, tokens: Token[]): Promise<TokenState[]> {
  const ids = [...new Set(tokens.map(({ user_id }) => user_id))]
  const users = await database.em().find(User, { _id: { $in: ids } }, { fields: ['_id', 'is_active'] })
  const active = new Map(users.map((user) => [user._id, user.is_active]))
  return tokens.map((token) => ({
    token_id: token._id,
    company_id: token.company_id,
    project_id: token.project_id,
    user_id: token.user_id,
    scopes: token.scopes,
    expires_at: token.expires_at ?? null,
    revoked_at: token.revoked_at ?? null,
    user_is_active: active.get(token.user_id) ?? false,
  }))
}
