import type { Outcome } from '../whatsapp/mod.ts'

/** The port to a provider: what a channel actor needs of an adapter. */

export type SendOutcome = Outcome

export interface Provider {
  /** One call. Never rejects. */
  send(credentials: Record<string, string>, request: Record<string, unknown>, signal: AbortSignal): Promise<SendOutcome>
}
