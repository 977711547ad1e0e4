/** Outcomes of messages, as the channel tells them to the project. */

export type ProviderFailure = { code: string; message: string }

/**
 * `at` and `taken_after` (of `Outcome`) in Unix milliseconds. `early_statuses`: false where none can wait under the provider's
 * id; nodes of an earlier version do not say.
 */
export type AcceptedMessage = {
  message_id: string
  provider_message_id: string
  at: number
  taken_after?: number | undefined
  early_statuses?: boolean
}
export type RefusedMessage = { message_id: string; error: ProviderFailure; at: number }
