/**
 * The sections of a conversation: one for each ticket, from its opening on. The opening and the end of a former ticket are
 * events among the entries. No DOM.
 */
import type { AnyRecord } from '../../../records/record.ts'
import type { Entry } from './thread_entry.ts'

/** `closed_at` and `resolution` are null while it is not known that the ticket is closed. */
export type Section = {
  ticket_id: string
  created_at: string
  is_own: boolean
  closed_at: string | null
  resolution: string | null
}

/**
 * The sections by their first entries; none where all entries belong to the ticket of the thread.
 *
 * @param entries the oldest first
 * @param ticket that of the thread
 */
export function sectionsOf(
  entries: readonly Entry[],
  eventOf: (id: string) => AnyRecord | undefined,
  ticket: AnyRecord | undefined,
): Map<string, Section> {
  const sections = new Map<string, Section>()
  const first = entries[0]
  if (!ticket || !first || first.at >= ticket.created_at) return sections
  const tickets = new Map<string, Section>()
  const open = (ticket_id: string, created_at: string) => {
    const is_own = ticket_id === ticket._id
    tickets.set(ticket_id, { ticket_id, created_at, is_own, closed_at: null, resolution: null })
  }
  for (const { kind, id } of entries) {
    const event = kind === 'event' ? eventOf(id) : undefined
    if (event?.event_type === 'ticket.created') open(event.ticket_id, event.created_at)
    const former = event && tickets.get(event.ticket_id)
    if (!former) continue
    if (event.event_type === 'ticket.closed')
      Object.assign(former, { closed_at: event.created_at, resolution: event.data?.resolution ?? null })
    if (event.event_type === 'ticket.reopened') Object.assign(former, { closed_at: null, resolution: null })
  }
  if (!tickets.has(ticket._id)) open(ticket._id, ticket.created_at)
  const waiting = [...tickets.values()].sort((one, other) => (one.created_at < other.created_at ? -1 : 1))
  for (const { id, at } of entries) {
    while (waiting[0] && waiting[0].created_at <= at) {
      const section = waiting.shift() as Section
      sections.set(id, section)
    }
  }
  return sections
}
