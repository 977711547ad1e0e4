/**
 * Warnings before tokens expire. A warning and the record of it are committed in one turn of the project, so each
 * recipient has one mail for each token, expiry and threshold, however many nodes ask for it.
 */
import { Token } from '../../../storage/mod.ts'
import { tokenExpiringMail } from '../../mail/mod.ts'
import type { Receiver } from '../turn/feature.ts'
import { mailAboutToken, subjectOf } from './mail_about_token.ts'
import { ownedTokenReads } from './owned_tokens.ts'

const DAY_MS = 86_400_000

type Warned = Pick<Token, 'created_at' | 'expires_at' | 'warned_days' | 'warned_expires_at'>

/** From a node that searches for tokens that expire soon: warns of those for which a warning is due. */
export const warnExpiringTokens: Receiver<{ ids: string[] }> = {
  reads(reads, { ids }) {
    for (const id of ids) reads.of(ownedTokenReads).add(id)
  },
  receive(turn, { ids }, { token_mails: { to, warning_days } }) {
    const rows = turn.records.of(ownedTokenReads)
    for (const id of ids) {
      const row = rows.get(id)
      if (!row?.owner.is_active || row.token.revoked_at) continue
      const days = dueWarning(row.token, warning_days, turn.now)
      if (days === undefined) continue
      const expires_at = row.token.expires_at!
      const changes = { warned_days: days, warned_expires_at: expires_at }
      Object.assign(row.token, changes)
      turn.update(Token, { _id: id }, changes)
      const mail = tokenExpiringMail(subjectOf(row), expires_at, turn.now)
      mailAboutToken(turn, row, `expiring.${expires_at.getTime()}.${days}`, to, mail)
    }
  },
}

/**
 * The smallest threshold that the token has passed, unless that warning was sent: after an outage one mail stands for
 * all that were missed. A threshold before the token was made is none, so short-lived tokens cause no mails. A token
 * whose expiry was moved is warned of anew. `storage/queries/access/expiring_tokens.ts` has the same rule in SQL.
 */
export function dueWarning(token: Warned, warning_days: readonly number[], now: Date): number | undefined {
  const { created_at, expires_at, warned_days, warned_expires_at } = token
  if (!expires_at || expires_at <= now) return undefined
  const left_ms = expires_at.getTime() - now.getTime()
  const life_ms = expires_at.getTime() - created_at.getTime()
  const passed = warning_days.filter((days) => days * DAY_MS >= left_ms && days * DAY_MS <= life_ms)
  if (passed.length === 0) return undefined
  const days = Math.min(...passed)
  const was_sent = warned_expires_at?.getTime() === expires_at.getTime() && (warned_days ?? days) <= days
  return was_sent ? undefined : days
}
