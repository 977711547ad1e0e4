/** The messages a channel actor receives, and what its turns read. */
import type { Turn } from '../../runtime/mod.ts'
import type { Channel, Dispatch } from '../../storage/mod.ts'
import type { Outcome, Verdict } from '../providers/mod.ts'
import type { ChannelState } from './state.ts'

export type ToSend = { project_id: string; message_id: string; recipient: string; request: Record<string, unknown> }
export type BulkToSend = ToSend & { broadcast_id: string }

export type ChannelProtocol = {
  /** From the project: a message to send. `request` is the provider's body. */
  dispatch: { message: ToSend; reply: void }
  /** The same, of a broadcast: they go behind what somebody waits for. */
  dispatch_bulk: { message: { items: BulkToSend[] }; reply: void }
  /** From the project: messages of a broadcast that was cancelled. Those that no call was made for end as failed. */
  withdraw: { message: { message_ids: string[] }; reply: void }
  /** From the project: a status callback proved that the provider has this message. */
  confirmed: { message: { message_id: string; provider_message_id: string }; reply: void }
  /** What came of an attempt; also from a former owner of this channel. */
  attempted: { message: { message_id: string; attempt: number; outcome: Outcome; at: number }; reply: void }
  /** The timer: something may be tried again. */
  due: { message: object; reply: void }
  /** The pace lets more go. */
  flow: { message: object; reply: void }
  /** The same, of bulk messages. */
  bulk_tick: { message: object; reply: void }
  /** The timer: time to look whether the provider still knows the account. */
  probe: { message: object; reply: void }
  /** What the look showed. */
  probed: { message: { verdict: Verdict }; reply: void }
  /** From the project: the provider's webhook was heard, now and then. */
  heard: { message: object; reply: void }
  /** Memory has room for rows that wait in the table. */
  refill: { message: object; reply: void }
  /** From the operator API: the row was changed, or is new. */
  refresh: { message: { is_new?: boolean }; reply: void }
  /** From the project: the provider's webhook said so. */
  account: { message: { status: 'connected' | 'disconnected'; reason: string | null }; reply: void }
  wake: { message: object; reply: void }
}

export type ChannelRecords = {
  row: Channel | null
  /** For a refill. */
  more: Dispatch[]
  /** In the table alone, and called back by a message of this turn, or new in it. By message id. */
  beyond: Map<string, Dispatch>
  /** Done with in this turn, whatever was read before it. */
  ended: Set<string>
  /** The commit of this turn is being timed. */
  timed: boolean
}
export type ChannelTurn = Turn<ChannelState, ChannelRecords>
