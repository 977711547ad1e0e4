import { Token } from '../../../storage/mod.ts'
import type { Command } from '../turn/feature.ts'
import { identities } from './identities.ts'

/** Revokes the requesting token. */
export type RevokeToken = { type: 'revoke_token' }

/** `DELETE /v1/me/token`. */
export const revokeToken: Command<RevokeToken> = {
  audit: {
    target: 'token',
    id: (_command, { actor_id }) => actor_id!,
    record: ({ state, now }, id) => ({ _id: id, revoked_at: state.tokens.has(id) ? null : now }),
  },
  run(turn, _command, { token_id }) {
    turn.update(Token, { _id: token_id }, { revoked_at: turn.now, updated_at: turn.now })
    turn.state.tokens.delete(token_id)
    identities.of(turn.state).delete(token_id)
    return {}
  },
}
