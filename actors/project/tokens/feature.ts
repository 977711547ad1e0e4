/** API tokens and their identities. */
import type { Feature } from '../turn/feature.ts'
import { readIdentity } from './read_identity.ts'
import { forgetIdentities, refreshToken } from './refresh_token.ts'
import { revokeLeakedTokens } from './revoke_leaked_tokens.ts'
import { revokeToken } from './revoke_token.ts'
import { storeTokenUses } from './token_uses.ts'
import { warnExpiringTokens } from './warn_expiring_tokens.ts'

export const tokens = {
  commands: { read_identity: readIdentity, revoke_token: revokeToken },
  receivers: {
    revoke_leaked_tokens: revokeLeakedTokens,
    store_token_uses: storeTokenUses,
    warn_expiring_tokens: warnExpiringTokens,
  },
  refreshes: {
    token: refreshToken,
    limits: forgetIdentities,
    channel: forgetIdentities,
    template: forgetIdentities,
    crm: forgetIdentities,
  },
} satisfies Feature
