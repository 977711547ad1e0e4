import { Agent } from 'undici'

/**
 * Connections to a provider whose address comes from the operator, not from a user: they do not pass the outbound guard.
 * Those that idle longer than Meta keeps them would lose the message sent at that moment, in doubt.
 */
export function createProviderAgent(): Agent {
  return new Agent({ allowH2: false, keepAliveTimeout: 4_000, keepAliveMaxTimeout: 30_000 })
}
