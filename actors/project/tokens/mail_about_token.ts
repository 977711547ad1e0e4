import type { TokenSubject } from '../../mail/mod.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import type { OwnedToken } from './owned_tokens.ts'

/**
 * Mails about a token to each recipient, once for each `reason`. `recipients`: addresses, or `owner` for the user of
 * the token.
 */
export function mailAboutToken(
  turn: ProjectTurn,
  { token, owner }: OwnedToken,
  reason: string,
  recipients: readonly string[],
  mail: { subject: string; text: string },
): void {
  const addresses = new Set(recipients.map((recipient) => (recipient === 'owner' ? owner.email : recipient)))
  for (const [n, to] of [...addresses].entries()) {
    turn.tell(`mail/${reason}.${token._id}${n === 0 ? '' : `.${n}`}`, { type: 'send', to, ...mail })
  }
}

export function subjectOf({ token }: OwnedToken): TokenSubject {
  const { _id: id, name, prefix, project_id, user_id, scopes, last_used_at = null } = token
  return { id, name, prefix, project_id, user_id, scopes, last_used_at }
}
