/** The messages of an erasure with the actors that hold its subject in memory. */
import type { Origin, RightsKind } from '../../storage/mod.ts'

/** Asks an actor to forget. It tells `settled` to `reply_to` in the turn that does. */
export type ErasureAsk = { reply_to: string; round: string }

/** Asks a channel, a subscription or a broadcast. */
export type EraseMessage = ErasureAsk & {
  /** All of it goes with its project. */
  all: boolean
  /** For a channel: contacts whose messages are not to be sent any more. */
  contacts: string[]
}

export type ErasureProtocol = {
  /** From the operator API: begins the erasure of the actor's key, unless one is running. The reply is its id. */
  begin: {
    message: {
      kind: RightsKind
      company_id: string
      project_id: string | null
      origin: Origin
      reason: string | null
    }
    reply: string
  }
  /** Result of a batch. */
  worked: {
    message: { phase: number; result?: unknown; error?: string | undefined; took_ms: number }
    reply: void
  }
  /** From an actor that was asked. `round`: of the question. */
  settled: { message: { address: string; round: string }; reply: void }
  /** The pause after a batch is over. */
  go_on: { message: object; reply: void }
  /** The timer: some have not answered. */
  ask_again: { message: object; reply: void }
  wake: { message: object; reply: void }
}

type Telling = { readonly address: string; tell(address: string, message: { type: string }): void }

/** Answers the erasure that asked. */
export function tellSettled(turn: Telling, { reply_to, round }: ErasureAsk): void {
  const settled = { type: 'settled', address: turn.address, round }
  turn.tell(reply_to, settled)
}
