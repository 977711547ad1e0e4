/**
 * Records in the panel beside the ticket and its contact: the customer with loyalty, appointments, notes, and the other
 * tickets of the contact. Each is read for itself, and again when it may have changed. No DOM.
 */

import type { Project } from '../../data/project.ts'
import type { ProjectEvent } from '../../records/live.ts'
import type { AnyRecord } from '../../records/record.ts'
import { Reading } from '../reading.ts'

const NOTES = 5
const APPOINTMENTS = 10
const TICKETS = 6

/** The details of one ticket. */
export class Details {
  /** Null without a customer. */
  customer
  memberships
  appointments
  notes
  tickets
  #ticket_id
  #contact_id: string | undefined
  #customer_id: string | null = null

  constructor(project: Project, ticket_id: string) {
    this.#ticket_id = ticket_id
    const { api } = project
    const of = () => this.#contact_id
    this.customer = new Reading(async () => this.#customer_id && api.get(`crm/customers/${this.#customer_id}`))
    this.memberships = new Reading(async () => {
      if (!this.#customer_id) return []
      return (await api.get('loyalty/memberships', { customer_id: this.#customer_id })).data
    })
    this.appointments = new Reading(async () => {
      const query = { chat_user: of(), order: 'desc', limit: APPOINTMENTS }
      return (await api.get('scheduling/appointments', query)).data
    })
    this.notes = new Reading(() => api.get('crm/notes', { ticket_id, limit: NOTES }))
    this.tickets = new Reading(() => api.get('crm/tickets', { chat_user: of(), limit: TICKETS }))
    void this.notes.read()
  }

  /** The contact of the ticket, as soon as it is known and whenever it changes. */
  take(contact: AnyRecord | undefined) {
    if (contact === undefined) return
    const is_new = this.#contact_id === undefined
    this.#contact_id = contact._id
    if (is_new) {
      void this.appointments.read()
      void this.tickets.read()
    }
    if (is_new || contact.customer_id !== this.#customer_id) {
      this.#customer_id = contact.customer_id
      this.readCustomer()
    }
  }

  readCustomer() {
    void this.customer.read()
    void this.memberships.read()
  }

  hear(events: readonly ProjectEvent[]) {
    for (const { type, data } of events) {
      const { ticket_id, chat_user, event_type = '', _id } = data as AnyRecord
      if (type === 'customer.changed' && _id === this.#customer_id) void this.customer.read()
      if (type === 'note.created' && ticket_id === this.#ticket_id) void this.notes.read()
      const is_of_contact = this.#contact_id !== undefined && chat_user === this.#contact_id
      if (type === 'event.recorded' && is_of_contact && event_type.startsWith('appointment.')) {
        void this.appointments.read()
      }
      if (/^ticket\.(created|updated)$/.test(type) && is_of_contact && _id !== this.#ticket_id) void this.tickets.read()
    }
  }

  /** Reads everything again: events may be missing. */
  read() {
    void this.notes.read()
    if (this.#contact_id === undefined) return
    void this.appointments.read()
    void this.tickets.read()
    this.readCustomer()
  }

  close() {
    for (const reading of [this.customer, this.memberships, this.appointments, this.notes, this.tickets])
      reading.close()
  }
}

/** The details of the ticket that is open, as a part of the project. */
export class OpenDetails {
  #details: Details | undefined
  #ticket_id: string | undefined
  #project

  constructor(project: Project) {
    this.#project = project
  }

  of(ticket_id: string) {
    if (this.#details === undefined || this.#ticket_id !== ticket_id) {
      this.#details?.close()
      this.#details = new Details(this.#project, ticket_id)
      this.#ticket_id = ticket_id
    }
    return this.#details
  }

  hear(events: readonly ProjectEvent[]) {
    this.#details?.hear(events)
  }

  read() {
    this.#details?.read()
  }

  close() {
    this.#details?.close()
  }
}
