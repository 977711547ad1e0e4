import {
  type EndingRecord,
  listEndingRecords,
  listUnsentTo,
  type Message,
  readTicketIdsOf,
} from '../../../storage/mod.ts'
import { contactReads } from '../contacts/reads.ts'
import { keepMessage } from '../messages/reads.ts'
import type { Reads } from '../turn/reads.ts'
import type { ReadKind } from '../turn/records.ts'

type Found = { tickets: { _id: string; chat_user: string }[]; unsent: Message[]; ending: EndingRecord[] }

/** Tickets, unsent messages and records of agents that the project holds of contacts being erased. */
export const peopleReads: ReadKind<Set<string>, Found> = {
  wanted: () => new Set(),
  found: () => ({ tickets: [], unsent: [], ending: [] }),
  async read(found, contact_ids, { database, state: { project_id }, records }) {
    const ids = [...contact_ids]
    const [tickets, unsent, ending] = await Promise.all([
      readTicketIdsOf(database, ids),
      listUnsentTo(database, project_id, ids),
      listEndingRecords(database, ids),
    ])
    Object.assign(found, { tickets, ending })
    // Shared with the other messages of the turn.
    found.unsent = unsent.map((row) => keepMessage(records, row))
  },
}

export function wantPeople(reads: Reads, contact_ids: readonly string[]): void {
  for (const id of contact_ids) {
    reads.of(contactReads).ids.add(id)
    reads.of(peopleReads).add(id)
  }
}
