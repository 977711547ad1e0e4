import { batched } from '../../database/batcher.ts'
import type { Database } from '../../database/database.ts'
import { Token } from '../../entities/access/token.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { newDate } from '../../values/time.ts'
import type { CountedPage, Window } from '../common/keyset.ts'
import { listRecords } from '../common/record_list.ts'
import { tables, toDate } from '../common/tables.ts'

/** The owner of a token. It never changes, so it may be cached by hash; the token's validity must not be. */
export type TokenIdentity = Pick<Token, 'company_id' | 'project_id' | 'user_id'> & { token_id: string }

/** The state that decides whether a token is admitted, and its permissions; read by the project's actor, which admits requests. */
export type TokenState = TokenIdentity & {
  name: string
  scopes: string[]
  expires_at: Date | null
  revoked_at: Date | null
  /** False when the owner has been deactivated. */
  user_is_active: boolean
  /** Milliseconds since 1970 of the last use, 0 for a token that was never used. */
  last_used_ms: number
  /** The same of the last use that is stored. */
  use_stored_ms: number
}

/** The token with this SHA-256 (hex), revoked and expired ones included: the project's actor refuses those. */
export const findTokenByHash = batched(async (database: Database, hashes: string[]) => {
  const rows = await tables(database)
    .selectFrom('token')
    .select(['_id as token_id', 'company_id', 'project_id', 'user_id', 'hash'])
    .where('hash', 'in', hashes)
    .execute()
  const found = new Map(rows.map(({ hash, ...identity }): [string, TokenIdentity] => [hash, identity]))
  return hashes.map((hash) => found.get(hash))
})

/** The tokens of these projects that are neither revoked nor expired at `now`. */
export async function listLiveTokens(
  database: Database,
  project_ids: readonly string[],
  now: Date,
): Promise<TokenState[]> {
  if (project_ids.length === 0) return []
  const rows = await tokenStates(database)
    .where('project_id', 'in', project_ids)
    .where('revoked_at', 'is', null)
    .where((is) => is.or([is('expires_at', 'is', null), is('expires_at', '>', now.toISOString())]))
    .execute()
  return rows.map(toTokenState)
}

/** One token in any state, or undefined when the project has none with this id. */
export async function findToken(
  database: Database,
  project_id: string,
  token_id: string,
): Promise<TokenState | undefined> {
  const [found] = await findTokens(database, project_id, [token_id])
  return found
}

/** Tokens in any state. Those that the project does not have are missing. */
export async function findTokens(
  database: Database,
  project_id: string,
  token_ids: readonly string[],
): Promise<TokenState[]> {
  if (token_ids.length === 0) return []
  const rows = await tokenStates(database)
    .where('token._id', 'in', token_ids)
    .where('project_id', '=', project_id)
    .execute()
  return rows.map(toTokenState)
}

export type TokenStatus = 'active' | 'revoked' | 'expired'

export type TokenFilter = {
  project_id?: string | undefined
  user_id?: string | undefined
  status?: TokenStatus | undefined
  /** A part of the name. */
  search?: string | undefined
  /** Only those that have existed, and were not used, since; ISO 8601. */
  unused_since?: string | undefined
}

/** The status of a token at `at`. */
export function tokenStatus(
  { revoked_at, expires_at }: Pick<Token, 'revoked_at' | 'expires_at'>,
  at: Date,
): TokenStatus {
  if (revoked_at) return 'revoked'
  return expires_at && expires_at <= at ? 'expired' : 'active'
}

/** The same in SQL, where each has its index. */
function hasStatus(status: TokenStatus, at: Date): Sql {
  const end = sql`${at}`
  if (status === 'revoked') return sql`revoked_at is not null`
  if (status === 'expired') return sql`revoked_at is null and expires_at <= ${end}`
  return sql`revoked_at is null and (expires_at is null or expires_at > ${end})`
}

/** One page of the tokens, newest first, and the total number that match the filter. */
export async function listTokens(
  database: Database,
  { unused_since, status, ...filter }: TokenFilter,
  page: Window,
): Promise<CountedPage<Token>> {
  const conditions = status === undefined ? [] : [hasStatus(status, newDate())]
  if (unused_since !== undefined) {
    const end = sql`${unused_since}`
    conditions.push(sql`created_at < ${end}`, sql`(last_used_at is null or last_used_at < ${end})`)
  }
  return listRecords(database, Token, filter, page, conditions)
}

/** The tokens of a user, in all projects, that have not been revoked. */
export async function listTokensOfUser(
  database: Database,
  user_id: string,
): Promise<{ token_id: string; project_id: string }[]> {
  const rows = await database.em().find(Token, { user_id, revoked_at: null })
  return rows.map(({ _id, project_id }) => ({ token_id: _id, project_id }))
}

function tokenStates(database: Database) {
  return tables(database)
    .selectFrom('token')
    .innerJoin('user', 'user._id', 'token.user_id')
    .select([
      'token._id as token_id',
      'token.company_id',
      'token.project_id',
      'token.user_id',
      'token.name',
      'token.scopes',
      'token.expires_at',
      'token.revoked_at',
      'token.last_used_at',
      'user.is_active as user_is_active',
    ])
}

type TokenRow = Awaited<ReturnType<ReturnType<typeof tokenStates>['execute']>>[number]

function toTokenState(row: TokenRow): TokenState {
  const used_ms = toDate(row.last_used_at)?.getTime() ?? 0
  return {
    token_id: row.token_id,
    company_id: row.company_id,
    project_id: row.project_id,
    user_id: row.user_id,
    name: row.name,
    scopes: row.scopes,
    expires_at: toDate(row.expires_at),
    revoked_at: toDate(row.revoked_at),
    user_is_active: row.user_is_active,
    last_used_ms: used_ms,
    use_stored_ms: used_ms,
  }
}
