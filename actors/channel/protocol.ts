/** The messages that a channel actor receives, and the records that its turns read. */
import type { Cause, Turn } from '../../runtime/mod.ts'
import type { Channel, ChannelStatus, Dispatch, ErasedDispatch } from '../../storage/mod.ts'
import type { EraseMessage } from '../data_rights/mod.ts'
import type { Outcome, ProbeResult } from '../providers/mod.ts'
import type { Announced } from './announced.ts'
import type { ChannelState } from './state.ts'

export type ToSend = { project_id: string; message_id: string; recipient: string; request: Record<string, unknown> }
export type BulkToSend = ToSend & { broadcast_id: string; cause?: Cause | undefined }

/** `paused_until`: milliseconds since the epoch, null while messages may go. `is_trying`: one call at a time finds out. */
export type ChannelHealth = {
  paused_until: number | null
  is_trying: boolean
  running: number
  unanswered_probes: number
}

/**
 * `announces`: the row is about to be changed, for the first time where there is none. `is_announced`: it was announced.
 * `late`: nothing was heard of an announced change. `is_new` and `was`, the status before, tell what was published where
 * nothing was announced.
 */
export type Refresh = {
  announces?: { project_id: string }
  is_announced?: boolean
  late?: Announced
  is_new?: boolean
  was?: ChannelStatus | undefined
}

export type ChannelProtocol = {
  /** From the project: a message to send. `request` is the provider's body. */
  dispatch: { message: ToSend; reply: void }
  /** The same for a broadcast: these messages queue behind urgent ones. */
  dispatch_bulk: { message: { items: BulkToSend[] }; reply: void }
  /** From the project: messages of a cancelled broadcast. Those without a call end as failed. */
  withdraw: { message: { message_ids: string[] }; reply: void }
  /** From the project: a status callback proved that the provider has this message. */
  confirmed: { message: { message_id: string }; reply: void }
  /** Outcome of an attempt; also from a former owner of this channel. */
  attempted: { message: { message_id: string; attempt: number; outcome: Outcome; at: number }; reply: void }
  /** The timer: a message may be tried again. */
  due: { message: object; reply: void }
  /** The pace allows more messages. */
  flow: { message: object; reply: void }
  /** The same for bulk messages. */
  bulk_tick: { message: object; reply: void }
  /** The timer: probe whether the provider still accepts the account. */
  probe: { message: object; reply: void }
  /** Result of the probe. `asked_at`: `performance.now()` at its beginning. */
  probed: { message: { verdict: ProbeResult; asked_at?: number }; reply: void }
  /** From the project: the provider's webhook calls arrive; sent now and then. */
  heard: { message: object; reply: void }
  /** Nothing has waited for a while. */
  rest: { message: object; reply: void }
  /** Memory has room for rows that wait in the table. */
  refill: { message: object; reply: void }
  /**
   * From the operator API: the row was changed, is new, or is about to be changed (`Refresh`). The reply is true for a
   * change that is announced from now on.
   */
  refresh: { message: Refresh; reply: true | undefined }
  /** From the project: the provider's webhook reported this. */
  account: { message: { status: 'connected' | 'disconnected'; reason: string | null }; reply: void }
  /** From the project: the data of these contacts, or all of the channel, are being erased. */
  erase: { message: EraseMessage; reply: void }
  /** From the console of operators: how sending goes. Changes nothing. */
  health: { message: object; reply: ChannelHealth }
  wake: { message: object; reply: void }
}

export type ChannelRecords = {
  row: Channel | null
  /** Rows for a refill. */
  more: Dispatch[]
  /** Messages that are only in the table and were withdrawn in this turn, or are new in it, by message id. */
  beyond: Map<string, Dispatch>
  /** Messages in the table that are not to be sent any more, because their contact is being erased. */
  erased: ErasedDispatch[]
  /** Messages finished in this turn, whatever was read before it. */
  ended: Set<string>
  /** True when the commit of this turn is being timed. */
  timed: boolean
}
export type ChannelTurn = Turn<ChannelState, ChannelRecords>
