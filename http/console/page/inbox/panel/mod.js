/**
 * The panel beside a thread: the ticket, its contact and customer, appointments, notes and other tickets. Everything can
 * be changed in place. A change is shown at once, and taken back when it is refused; one that would undo somebody else's
 * is put to the agent.
 */
import { html } from 'htm/preact'
import { useEffect, useMemo } from 'preact/hooks'
import { RecordChanges } from '../../data/record_changes.js'
import { Waiting } from '../../ui/waiting.js'
import { AppointmentsPart } from './appointments_part.js'
import { ConflictNote } from './conflict_note.js'
import { ContactPart, CustomerPart } from './contact_part.js'
import { OpenDetails } from './details.js'
import { HistoryPart, NotesPart } from './history_part.js'
import { TicketPart } from './ticket_part.js'

/** @typedef {import('../../../page_types/record.ts').AnyRecord} AnyRecord */

/**
 * @param {{
 *   project: import('../../data/project.js').Project
 *   onNote(): void
 *   thread: {
 *     ticket_id: string
 *     changes: import('./ticket_changes.js').TicketChanges
 *     ticket: import('@preact/signals').ReadonlySignal<AnyRecord | undefined>
 *     contact: import('@preact/signals').ReadonlySignal<AnyRecord | undefined>
 *   }
 * }} props
 */
export function Panel({ project, thread, onNote }) {
  const { ticket_id, changes } = thread
  const details = project.part('inbox-panel', () => new OpenDetails(project)).of(ticket_id)
  const contact_id = thread.contact.value?._id ?? ''
  const of_contact = useMemo(() => new RecordChanges(project, 'contact', contact_id), [project, contact_id])
  const ticket = thread.ticket.value
  const contact = thread.contact.value
  const definitions = project.definitions.value
  useEffect(() => project.define(), [project])
  useEffect(() => details.take(contact), [details, contact?._id, contact?.customer_id])
  if (!ticket) return html`<${Waiting} label="Loading the ticket" rows=${3} />`
  return html`<div class="panel">
    <${ConflictNote} changes=${changes} />
    <${ConflictNote} changes=${of_contact} />
    <${TicketPart} project=${project} ticket=${ticket} changes=${changes} definitions=${definitions} />
    ${
      contact && [
        html`<${ContactPart} changes=${of_contact} contact=${contact} definitions=${definitions} />`,
        html`<${CustomerPart} project=${project} changes=${of_contact} contact=${contact} details=${details} />`,
        html`<${AppointmentsPart} project=${project} contact=${contact} details=${details} definitions=${definitions} />`,
      ]
    }
    <${NotesPart} details=${details} onWrite=${onNote} />
    <${HistoryPart} project=${project} ticket=${ticket} details=${details} />
  </div>`
}
