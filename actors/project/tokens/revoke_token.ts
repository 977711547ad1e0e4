import { Token } from '../../../storage/mod.ts'
import type { Command } from '../turn/feature.ts'
import { endToken } from './refresh_token.ts'

/** Revokes the requesting token. */
export type RevokeToken = { type: 'revoke_token' }

/** `DELETE /v1/me/token`. */
export const revokeToken = {
  audit: {
    target: 'token',
    id: (_command, { actor_id }) => actor_id!,
    record: ({ state }, id) => ({ _id: id, revoked_at: state.tokens.get(id)?.revoked_at ?? null }),
  },
  run(turn, _command, { token_id }) {
    turn.update(Token, { _id: token_id }, { revoked_at: turn.now, updated_at: turn.now, last_used_at: turn.now })
    endToken(turn.state, token_id, turn.now)
    return {}
  },
} satisfies Command<RevokeToken>
