/** Outcomes of messages, as the channel reports them to the project. */
import type { Cause } from '../../../runtime/mod.ts'
import type { ProvenIds } from '../../providers/mod.ts'

export type ProviderFailure = { code: string; message: string }

/**
 * `at` and `taken_after` (of `Outcome`) in Unix milliseconds. `early_statuses`: false when no early statuses can exist
 * for the provider's id; missing from nodes of an earlier version. `confirmed`: false when the provider may have taken the
 * message and nothing will tell. `person`: the contact's id, and the other form of it that the provider answered. `proven`:
 * both ids of the recipient, which nodes of an earlier version ignore. `cause`: of the send.
 */
export type AcceptedMessage = {
  message_id: string
  provider_message_id: string
  at: number
  taken_after?: number | undefined
  early_statuses?: boolean
  confirmed?: boolean
  person?: { user_id: string; becomes: string } | undefined
  proven?: ProvenIds | undefined
  cause?: Cause | undefined
}
/** `opted_out`: the id of the contact that does not want marketing messages, where that is the reason. */
export type RefusedMessage = {
  message_id: string
  error: ProviderFailure
  at: number
  opted_out?: string | undefined
  cause?: Cause | undefined
}
