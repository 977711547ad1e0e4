import { AssistantConversation, readRows } from '../../../storage/mod.ts'
import { contactReads } from '../contacts/reads.ts'
import { ticketReads } from '../tickets/reads.ts'
import type { ReadKind } from '../turn/records.ts'

/**
 * Conversations that assistants hold or held, by ticket. Those of the tickets that the turn reads anyway come with them, where an
 * assistant holds them or may get them.
 */
export const conversationReads: ReadKind<Set<string>, Map<string, AssistantConversation>> = {
  keys: () => new Set(),
  found: () => new Map(),
  read: () => undefined,
  finish(found, ids, { database, state, records }) {
    const { project_id, deployments } = state
    const tickets = [
      ...records.of(contactReads).open_tickets.values(),
      ...(records.find(ticketReads)?.by_id.values() ?? []),
    ]
    const is_open_to_all = deployments.count > 0
    const held = tickets.flatMap((one) => (is_open_to_all || one.handled_by === 'assistant' ? [one._id] : []))
    const ticket_id = [...new Set([...ids, ...held])]
    if (ticket_id.length === 0) return undefined
    return readRows(database, AssistantConversation, { project_id, ticket_id }).then((rows) => {
      for (const row of rows) found.set(row.ticket_id, row)
    })
  },
}
