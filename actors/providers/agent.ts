import { Agent } from 'undici'

/**
 * Connections to a provider whose address comes from the operator, not from a user, so they do not pass the outbound
 * guard. Idle connections are closed before Meta closes them; a message sent at that moment would be lost, in doubt.
 */
export function createProviderAgent(): Agent {
  return new Agent({ allowH2: false, keepAliveTimeout: 4_000, keepAliveMaxTimeout: 30_000 })
}
