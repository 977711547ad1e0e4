/** The records of a project, as the API answers them. Times are ISO 8601. */

import type { Contact, Message, Note as PublicNote } from '../../../client/generated/types.ts'

export type { Contact, Message, Ticket, TimelineEvent as CrmEvent } from '../../../client/generated/types.ts'

export type Browser = NonNullable<Contact['browser']>

export type MessageStatus = Message['status']

export type Note = PublicNote & {
  /** Ids of users. */
  mentions: string[]
}
