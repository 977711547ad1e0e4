import { Token } from '../../../storage/mod.ts'
import { type LeakPlace, tokenLeakedMail } from '../../mail/mod.ts'
import type { Receiver } from '../turn/feature.ts'
import { identities } from './identities.ts'
import { mailAboutToken, subjectOf } from './mail_about_token.ts'
import { ownedTokenReads } from './owned_tokens.ts'

/** `found`: the number of places, of which `places` may be the first. */
export type LeakedToken = { id: string; places: LeakPlace[]; found: number }

/**
 * From a node to which tokens were reported as public: revokes those that are not revoked yet, expired ones too, and
 * mails their owners. The reply has the ids of the tokens that this message revoked. A repeat changes nothing.
 */
export const revokeLeakedTokens: Receiver<{ tokens: LeakedToken[] }, { revoked: string[] }> = {
  reads(reads, { tokens }) {
    for (const { id } of tokens) reads.of(ownedTokenReads).add(id)
  },
  receive(turn, { tokens }, { token_mails }) {
    const rows = turn.records.of(ownedTokenReads)
    const revoked: string[] = []
    for (const { id, places, found } of tokens) {
      const row = rows.get(id)
      if (!row || row.token.revoked_at) continue
      row.token.revoked_at = turn.now
      turn.update(Token, { _id: id }, { revoked_at: turn.now, updated_at: turn.now })
      turn.state.tokens.delete(id)
      identities.of(turn.state).delete(id)
      const mail = tokenLeakedMail(subjectOf(row), places, found, turn.now)
      mailAboutToken(turn, row, 'leaked', token_mails.to, mail)
      revoked.push(id)
    }
    return { revoked }
  },
}
