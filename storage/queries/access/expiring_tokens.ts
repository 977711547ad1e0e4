import type { Database } from '../../database/database.ts'
import { sql } from '../../sql/sql.ts'

export type ExpiringToken = { token_id: string; project_id: string; expires_at: string }

/**
 * Tokens for which a warning is due at `now`, by expiry; at most `limit` of those after `after`. The project's actor
 * decides (`actors/project/tokens/warn_expiring_tokens.ts`). This is the same rule, so tokens whose warning was sent
 * are not found again.
 *
 * @param warning_days days before the expiry at which warnings are due
 */
export function listExpiringTokens(
  database: Database,
  { now, warning_days, after, limit }: Search,
): Promise<ExpiringToken[]> {
  const most = Math.max(0, ...warning_days)
  return database.execute<ExpiringToken>(sql`select t._id as token_id, t.project_id, t.expires_at
      from token t join "user" u on u._id = t.user_id cross join (select ${now}::timestamptz as now) c
      where t.revoked_at is null and u.is_active
        and t.expires_at > c.now and t.expires_at <= c.now + ${most} * interval '24 hours'
        and (t.expires_at, t._id) > (${after?.expires_at ?? now.toISOString()}::timestamptz, ${after?.token_id ?? ''})
        and exists (
          select from unnest(${sql.numbers(warning_days)}::integer[]) w (days)
          where t.expires_at <= c.now + w.days * interval '24 hours'
            and t.expires_at >= t.created_at + w.days * interval '24 hours'
            and (t.warned_expires_at is distinct from t.expires_at or t.warned_days > w.days))
      order by t.expires_at, t._id limit ${limit}`)
}

type Search = { now: Date; warning_days: readonly number[]; after?: ExpiringToken | undefined; limit: number }
