/** The connection of one simulated person to Parley, over the provider's simulator or the web chat. */

export type Said =
  | { kind: 'text'; text: string }
  | { kind: 'picture' | 'document'; text: string; filename: string; bytes: Buffer }

export type Line = {
  /** Rejects when it could not be said. */
  say(said: Said): Promise<void>
  /** The person looks at the messages that have arrived. */
  read(): Promise<void>
}

/** Called with each message that arrives for the person. */
export type Heard = () => void
