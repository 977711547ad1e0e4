/** The records of a project, as the API answers them. Times are ISO 8601. */

import type { Contact, Message } from '../../../client/generated/types.ts'

export type { Contact, Message, Ticket, TimelineEvent as CrmEvent } from '../../../client/generated/types.ts'

export type Browser = NonNullable<Contact['browser']>

export type MessageStatus = Message['status']

export type { AgentNote as Note } from './generated.ts'
