import type { SendFailure } from './provider.ts'

/** The node lost the channel before the first byte of the call left: the new owner will make the call. */
export const NOT_BEGUN: SendFailure = {
  kind: 'retry',
  code: 'not_begun',
  message: 'The node lost the channel before the call.',
  maybe_accepted: false,
}
