/** The question of a webhook to its project, and the answer. */
import type { CallItem } from '../turn/call_item.ts'

/** A call of a provider's webhook, unparsed, because the signature covers the raw text. */
export type RawCall = {
  channel_id: string
  raw: string
  signature: string | null
  /**
   * One item of a call that failed as a whole; `count` asks how many there are, and receives none. `failed` counts it as
   * left out.
   */
  only?: 'count' | { index: number; failed?: true }
  /**
   * The place in the call up to which all is stored. The asker goes on with the `next` of the answer until it has none; one that does not say
   * `from` would lose the rest, so its turn takes all.
   */
  from?: number
}

/**
 * The answer to the provider. `items`: their number in the call, where it was asked for. `next`: the place to go on `from`;
 * missing when all are stored.
 */
export type InboundAnswer = { status: number; body: string; items?: number; next?: number }

export type InboundCall = { answer: InboundAnswer; said: CallItem[] }
