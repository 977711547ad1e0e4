import { type Origin, Token } from '../../../storage/mod.ts'
import { type LeakPlace, tokenLeakedMail } from '../../mail/mod.ts'
import { recordAudit } from '../turn/audit.ts'
import type { Receiver } from '../turn/feature.ts'
import { mailAboutToken, subjectOf } from './mail_about_token.ts'
import { ownedTokenReads } from './owned_tokens.ts'
import { endToken } from './refresh_token.ts'
import { lastUse } from './token_uses.ts'

/** `found`: the number of places, of which `places` may be the first. */
export type LeakedToken = { id: string; places: LeakPlace[]; found: number }

type Leaked = { tokens: LeakedToken[]; origin?: Origin | undefined }

/**
 * From a node to which tokens were reported as public: revokes those that are not revoked yet, expired ones too, and
 * mails their owners. The reply has the ids of the tokens that this message revoked. A repeat changes nothing.
 */
export const revokeLeakedTokens: Receiver<Leaked, { revoked: string[] }> = {
  reads(reads, { tokens }) {
    for (const { id } of tokens) reads.of(ownedTokenReads).add(id)
  },
  receive(turn, { tokens, origin }, { token_mails }) {
    const rows = turn.records.of(ownedTokenReads)
    const revoked: string[] = []
    for (const { id, places, found } of tokens) {
      const row = rows.get(id)
      if (!row || row.token.revoked_at) continue
      const used = turn.state.tokens.get(id)
      const last_used_at = (used && lastUse(used)) ?? row.token.last_used_at ?? null
      const changes = { revoked_at: turn.now, updated_at: turn.now, last_used_at }
      Object.assign(row.token, changes)
      turn.update(Token, { _id: id }, changes)
      endToken(turn.state, id, turn.now)
      const mail = tokenLeakedMail(subjectOf(row), places, found, turn.now)
      mailAboutToken(turn, row, 'leaked', token_mails.to, mail)
      const after = { revoked_at: turn.now, found_at: places, found }
      if (origin)
        recordAudit(turn, origin, { target_kind: 'token', target_id: id, before: { revoked_at: null }, after })
      revoked.push(id)
    }
    return { revoked }
  },
}
