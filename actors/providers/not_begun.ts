import type { SendFailure } from './provider.ts'

/** The node lost what decided on the call before its first byte left: whoever has it now will make it. */
export const NOT_BEGUN: SendFailure = {
  kind: 'retry',
  code: 'not_begun',
  message: 'The node lost the channel before the call.',
  maybe_accepted: false,
}
