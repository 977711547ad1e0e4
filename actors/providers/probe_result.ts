/** Classifies the answer to a probe, and words it for a channel's status. */
import type { Provider, SendFailure } from './provider.ts'

/** `gone`: the provider itself refuses. `unreachable`: nothing was learned about the account. */
export type ProbeResult = { is: 'good' } | { is: 'gone'; reason: string } | { is: 'unreachable'; reason: string }

type Probed = Awaited<ReturnType<Provider['probe']>>

export function verdictOf(answer: Probed): ProbeResult {
  if (!('failure' in answer)) return { is: 'good' }
  const { failure } = answer
  const { kind, code } = failure
  // An intermediary's status (`http_403`), or a time-out, says nothing about the account.
  if ((kind === 'disconnect' || kind === 'refuse') && !code.startsWith('http_')) {
    return { is: 'gone', reason: reasonOf(failure) }
  }
  const is_said = /^\d+$/.test(code)
  return { is: 'unreachable', reason: is_said ? reasonOf(failure) : `The provider could not be reached: ${code}.` }
}

/** The provider's text, with its code when it has one. */
export function reasonOf({ code, message }: Pick<SendFailure, 'code' | 'message'>): string {
  return /^\d+$/.test(code) ? `${message} (${code})` : message
}
