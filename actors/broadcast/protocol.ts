/** The messages between a broadcast and its project, and those that the broadcast gets from others. */
import type { Broadcast, Origin, Price, RecipientStatus } from '../../storage/mod.ts'
import type { EraseMessage } from '../data_rights/mod.ts'
import type { BroadcastRecord } from '../records/mod.ts'

/** Recipients for whom the project is to make messages. */
export type BulkSlice = Pick<Broadcast, 'channel_id' | 'template_name' | 'language'> & {
  broadcast_id: string
  recipients: BulkRecipient[]
}
export type BulkRecipient = {
  index: number
  message_id: string
  phone: string
  variables: Record<string, string>
  /** Why there is to be no message, said when the broadcast was made. */
  error?: { code: string; message: string } | undefined
}

/** Outcome of a recipient, as the project reports it. */
export type Reported = {
  index: number
  from: RecipientStatus
  to: RecipientStatus
  error: { code: string; message: string } | null
  /** False when no message was created for it. */
  has_message: boolean
  /** The message was charged. Then `from` may be the same as `to`. */
  charged?: Price
}

export type BroadcastProtocol = {
  /** From the project: the broadcast is stored. */
  begin: { message: object; reply: void }
  /**
   * From the project: it has processed a slice. `together`: slices it had in that turn. `held`: the last recipients of the
   * slice, for whom the cap on marketing leaves no room.
   */
  slice_taken: { message: { count: number; together: number; held?: number }; reply: void }
  /** From the project: messages of this broadcast changed. */
  statuses: { message: { items: Reported[] }; reply: void }
  /** From the project: the cap on marketing was changed. */
  resume: { message: object; reply: void }
  /** To itself: the wait for other work, or for room under the cap, is over. */
  go_on: { message: object; reply: void }
  /** To a new owner, while recipients remain to be taken up. */
  wake: { message: object; reply: void }
  /** To itself: watched fields changed a moment ago. */
  show: { message: object; reply: void }
  /** From an erasure: the slices were changed, or the broadcast goes with its project. */
  erase: { message: EraseMessage; reply: void }
  /** From the API. Refused once all messages were answered; repeating it changes nothing. */
  cancel: { message: { project_id: string; origin?: Origin | undefined }; reply: BroadcastRecord }
}
