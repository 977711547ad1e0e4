/** The port to a provider: what a channel actor needs of an adapter. */

/** The provider's verdict on one message. */
export type SendOutcome =
  | { sent: string }
  | {
      failure: {
        /** What to do: try again, try again slower, give up, or treat the account as signed out. */
        kind: 'retry' | 'slow_down' | 'refuse' | 'disconnect' | 'unknown'
        code: string
        message: string
        retry_after_s?: number | undefined
        /** True when the provider may have taken the message although no answer says so. */
        maybe_accepted: boolean
      }
    }

export interface Provider {
  /** One call. Never rejects. */
  send(credentials: Record<string, string>, request: Record<string, unknown>, signal: AbortSignal): Promise<SendOutcome>
}
