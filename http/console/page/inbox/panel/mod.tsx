/**
 * The panel beside a thread: the ticket, its contact and customer, appointments, notes and other tickets. Everything can
 * be changed in place. A change is shown at once, and taken back when it is refused; one that would undo somebody else's
 * is put to the agent.
 */

import type { ReadonlySignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { AppointmentsPart } from '../../crm/record/appointments_part.tsx'
import { ConflictNote } from '../../crm/record/conflict_note.tsx'
import { ContactPart, CustomerPart } from '../../crm/record/contact_part.tsx'
import { OpenDetails } from '../../crm/record/details.ts'
import type { TicketChanges } from '../../crm/record/ticket_changes.ts'
import type { Project } from '../../data/project.ts'
import { RecordChanges } from '../../data/record_changes.ts'
import type { AnyRecord } from '../../records/record.ts'
import { Waiting } from '../../ui/placeholders/waiting.tsx'
import { HistoryPart, NotesPart } from './history_part.tsx'
import { TicketPart } from './ticket_part.tsx'

export function Panel({
  project,
  thread,
  onNote,
}: {
  project: Project
  onNote(): void
  thread: {
    ticket_id: string
    changes: TicketChanges
    ticket: ReadonlySignal<AnyRecord | undefined>
    contact: ReadonlySignal<AnyRecord | undefined>
  }
}) {
  const { ticket_id, changes } = thread
  const details = project.part('inbox-panel', () => new OpenDetails(project)).of(ticket_id)
  const contact_id = thread.contact.value?._id ?? ''
  const of_contact = useMemo(() => new RecordChanges(project, 'contact', contact_id), [project, contact_id])
  const ticket = thread.ticket.value
  const contact = thread.contact.value
  const definitions = project.definitions.value
  useEffect(() => project.define(), [project])
  useEffect(() => details.take(contact), [details, contact?._id, contact?.customer_id])
  if (!ticket) return <Waiting label="Loading the ticket" rows={3} />
  return (
    <div class="panel">
      <ConflictNote changes={changes} />
      <ConflictNote changes={of_contact} />
      <TicketPart project={project} ticket={ticket} changes={changes} definitions={definitions} />
      {contact && [
        <ContactPart changes={of_contact} contact={contact} definitions={definitions} />,
        <CustomerPart project={project} changes={of_contact} contact={contact} details={details} />,
        <AppointmentsPart project={project} contact={contact} details={details} definitions={definitions} />,
      ]}
      <NotesPart details={details} onWrite={onNote} />
      <HistoryPart project={project} ticket={ticket} details={details} />
    </div>
  )
}
