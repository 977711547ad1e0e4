import { Attempt } from './attempt.ts'
import { Broadcast } from './broadcast.ts'
import { BroadcastRecipient } from './broadcast_recipient.ts'
import { BroadcastSlice } from './broadcast_slice.ts'
import { Channel } from './channel.ts'
import { Company } from './company.ts'
import { Contact } from './contact.ts'
import { Delivery } from './delivery.ts'
import { Dispatch } from './dispatch.ts'
import { Event } from './event.ts'
import { Flow } from './flow.ts'
import { Idempotency } from './idempotency.ts'
import { Media } from './media.ts'
import { Message } from './message.ts'
import { Project } from './project.ts'
import { RateWindow } from './rate_window.ts'
import { Subscription } from './subscription.ts'
import { Template } from './template.ts'
import { Token } from './token.ts'
import { User } from './user.ts'

/** What MikroORM maps. A new entity is added here and in a migration. */
export const entities = [
  Company,
  Project,
  User,
  Token,
  Channel,
  Template,
  Flow,
  Contact,
  Message,
  Media,
  Dispatch,
  Broadcast,
  BroadcastSlice,
  BroadcastRecipient,
  Event,
  Subscription,
  Delivery,
  Attempt,
  Idempotency,
  RateWindow,
]

export type { RateCount, RateCounts } from './rate_window.ts'
export {
  Attempt,
  Broadcast,
  BroadcastRecipient,
  BroadcastSlice,
  Channel,
  Company,
  Contact,
  Delivery,
  Dispatch,
  Event,
  Flow,
  Idempotency,
  Media,
  Message,
  Project,
  RateWindow,
  Subscription,
  Template,
  Token,
  User,
}
