import {
  countScheduled,
  type FoundScheduled,
  readCancelledByAnswer,
  readScheduledMessages,
  type ScheduledMessage,
} from '../../../storage/mod.ts'
import { addressOf } from '../contacts/identity.ts'
import { wantPerson } from '../contacts/person_reads.ts'
import { contactReads } from '../contacts/reads.ts'
import { wantDefinitions } from '../definitions/reads.ts'
import { wantLastMailOf } from '../messages/answered_mail.ts'
import { wantContent } from '../messages/send_message.ts'
import { wantTickets } from '../tickets/reads.ts'
import type { Reads } from '../turn/reads.ts'
import type { ReadKind } from '../turn/records.ts'
import { maxScheduledOfProject } from './bounds.ts'

type Keys = {
  ids: Set<string>
  /** Tickets whose messages are counted, with those of the project. */
  counted: Set<string>
  /** Tickets whose person wrote. */
  answered: Set<string>
}

type Found = {
  by_id: Map<string, ScheduledMessage>
  /** Those whose person has written since they were scheduled. */
  answered: Set<string>
  /** The contacts of those that go by another channel than the one of their contact. */
  elsewhere: Map<string, NonNullable<FoundScheduled['contact']>>
  /** Numbers of open ones. */
  project: number
  tickets: Map<string, number>
}

export const scheduledReads: ReadKind<Keys, Found> = {
  keys: () => ({ ids: new Set(), counted: new Set(), answered: new Set() }),
  found: () => ({ by_id: new Map(), answered: new Set(), elsewhere: new Map(), project: 0, tickets: new Map() }),
  async read(found, { ids, counted, answered }, { database, state: { project_id } }) {
    const [named, cancelled, counts] = await Promise.all([
      ids.size > 0 ? readScheduledMessages(database, project_id, [...ids]) : [],
      answered.size > 0 ? readCancelledByAnswer(database, project_id, [...answered]) : [],
      counted.size > 0 ? countScheduled(database, project_id, [...counted], maxScheduledOfProject) : undefined,
    ])
    for (const { is_answered, contact, ...row } of named) {
      found.by_id.set(row.id, row)
      if (is_answered) found.answered.add(row.id)
      if (row.channel_id && contact?.channel_id && contact.channel_id !== row.channel_id) {
        found.elsewhere.set(row.id, contact)
      }
    }
    for (const row of cancelled) if (!found.by_id.has(row.id)) found.by_id.set(row.id, row)
    if (counts) Object.assign(found, counts)
  },
}

/** Adds a scheduled message with all that its sending reads. `message`: the content that it gets now. */
export function wantScheduled(reads: Reads, id: string, message?: ScheduledMessage['message']): void {
  wantDefinitions(reads)
  reads.of(scheduledReads).ids.add(id)
  reads.after(scheduledReads, ({ by_id, elsewhere }) => {
    const row = by_id.get(id)
    if (!row) return
    reads.of(contactReads).ids.add(row.chat_user)
    const contact = elsewhere.get(id)
    if (contact) {
      const { channel, to } = addressOf(contact)
      wantPerson(reads, channel, to, row.channel_id!)
    }
    wantTickets(reads, row.ticket_id)
    if (row.channel === 'email' && !row.context) wantLastMailOf(reads, row.chat_user)
    wantContent(reads, { channel: row.channel, context: row.context, message: message ?? row.message })
  })
}
