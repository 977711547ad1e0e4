import type { InboundIgnored } from './provider.ts'

/** A field of a call that has no meaning here. `account`: the one that the call is about, if it names one. */
export function ignoredField(name: string, account: string | null = null): InboundIgnored {
  return { kind: 'ignored', account, what: 'field', name }
}

/** A part of a call that is about an account of the provider without a channel. */
export function ignoredAccount(name: string): InboundIgnored {
  return { kind: 'ignored', account: null, what: 'account', name }
}
