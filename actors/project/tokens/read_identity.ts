import type { Command } from '../turn/feature.ts'
import { identities, identityReads } from './identities.ts'

/**
 * Answers the `Identity` of the requesting token, as `json`. The actor keeps the text until one of its names changes.
 */
export type ReadIdentity = { type: 'read_identity' }

/** `GET /v1/me`. */
export const readIdentity = {
  peek(state, token_id) {
    const json = identities.of(state).get(token_id)
    return json === undefined ? undefined : { json }
  },
  reads(reads, _command, token_id) {
    reads.of(identityReads).add(token_id)
  },
  run({ state, records }, _command, { token_id }) {
    const kept = identities.of(state)
    const cached = kept.get(token_id)
    if (cached) return { json: cached }
    const json = JSON.stringify(records.of(identityReads).get(token_id))
    kept.set(token_id, json)
    return { json }
  },
} satisfies Command<ReadIdentity>
