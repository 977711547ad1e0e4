/** What the answer to a probe says of an account, and in which words a channel's status repeats it. */
import type { Provider, SendFailure } from './provider.ts'

/** `gone`: the provider itself says no. `unreachable`: nothing was learned of the account. */
export type Verdict = { is: 'good' } | { is: 'gone'; reason: string } | { is: 'unreachable'; reason: string }

type Probed = Awaited<ReturnType<Provider['probe']>>

export function verdictOf(answer: Probed): Verdict {
  if (!('failure' in answer)) return { is: 'good' }
  const { failure } = answer
  const { kind, code } = failure
  // Something in between (`http_403`), or a time-out, says nothing of the account.
  if ((kind === 'disconnect' || kind === 'refuse') && !code.startsWith('http_')) {
    return { is: 'gone', reason: reasonOf(failure) }
  }
  const is_said = /^\d+$/.test(code)
  return { is: 'unreachable', reason: is_said ? reasonOf(failure) : `The provider could not be reached: ${code}.` }
}

/** The provider's words, with its code when it has one. */
export function reasonOf({ code, message }: Pick<SendFailure, 'code' | 'message'>): string {
  return /^\d+$/.test(code) ? `${message} (${code})` : message
}
