/**
 * Records shown beside the fields of one contact or customer: tickets, appointments, loyalty, and what has happened.
 * Each is read for itself, and again when it may have changed. No DOM.
 */

import { signal } from '@preact/signals'
import { Reading } from '../crm/reading.ts'
import type { Change } from '../data/apply_event.ts'
import { faultOf } from '../data/errors.ts'
import type { Project } from '../data/project.ts'
import { RecordChanges } from '../data/record_changes.ts'
import type { Fault } from '../records/fault.ts'
import type { ProjectEvent } from '../records/live.ts'
import type { AnyRecord } from '../records/record.ts'
import type { Kind } from './places.ts'
import { Timeline } from './timeline.ts'

const TICKETS = 20
const APPOINTMENTS = 20
/** Contacts of a customer whose tickets are shown. */
const MAX_CONTACTS = 20
const AGAIN_EVERY_MS = 1_500

export class Person {
  readonly kind: Kind
  readonly id: string

  fault = signal<Fault | null>(null)
  /** The customer of a contact, null without one. */
  customer
  memberships
  appointments
  tickets
  /** The contacts of a customer. */
  contacts
  /** Only contacts have these. */
  timeline
  merges
  /** The contact that this one was merged into. */
  moved_to = signal<string | null>(null)
  changes
  #project
  #timer: number | undefined

  constructor(project: Project, kind: Kind, id: string) {
    const { api } = project
    this.#project = project
    this.kind = kind
    this.id = id
    this.changes = new RecordChanges(project, kind, id)
    const is_contact = kind === 'contact'
    const customerId = () => (is_contact ? this.record.peek()?.customer_id : id)
    this.customer = new Reading(async () => {
      const customer_id = customerId()
      return customer_id ? api.get(`crm/customers/${customer_id}`) : null
    })
    this.memberships = new Reading(async () => {
      const customer_id = customerId()
      return customer_id ? (await api.get('loyalty/memberships', { customer_id })).data : []
    })
    this.appointments = new Reading(async () => {
      const of = is_contact ? { chat_user: id } : { customer_id: id }
      return (await api.get('scheduling/appointments', { ...of, order: 'desc', limit: APPOINTMENTS })).data
    })
    this.contacts = new Reading(async () => (await api.get('contacts', { customer_id: id, limit: MAX_CONTACTS })).data)
    this.tickets = new Reading(async () => {
      if (is_contact) return (await api.get('crm/tickets', { chat_user: id, limit: TICKETS })).data
      const contacts = (await api.get('contacts', { customer_id: id, limit: MAX_CONTACTS })).data
      const lists = await Promise.all(
        contacts.map(({ _id }: AnyRecord) => api.get('crm/tickets', { chat_user: _id, limit: TICKETS })),
      )
      const all = lists.flatMap(({ data }) => data)
      return all.sort((one, other) => (one.last_activity_at < other.last_activity_at ? 1 : -1)).slice(0, TICKETS)
    })
    this.timeline = new Timeline(api, id)
    this.merges = new Reading<AnyRecord[]>(async () => (await api.get(`contacts/${id}/merges`, { limit: 200 })).data)
  }

  /** The record, undefined until it is known. */
  get record() {
    return this.#project.records.signal(this.kind, this.id)
  }

  /** Reads everything. */
  read() {
    void this.#readRecord()
    void this.appointments.read()
    void this.tickets.read()
    if (this.kind === 'contact') {
      void this.timeline.read()
      void this.merges.read()
    } else void this.contacts.read()
  }

  /** The customer and its loyalty, as soon as the customer is known and when it is another one. */
  readCustomer() {
    if (this.kind === 'contact') void this.customer.read()
    void this.memberships.read()
  }

  hear(events: readonly ProjectEvent[], changes: readonly Change[]) {
    const ids = new Set([this.id, ...(this.contacts.data.peek() ?? []).map(({ _id }: AnyRecord) => _id)])
    for (const { _id } of this.tickets.data.peek() ?? []) ids.add(_id)
    const is_ours = changes.some(({ id, before, after }) => {
      const { chat_user, ticket_id } = after ?? before ?? {}
      return ids.has(chat_user ?? ticket_id ?? id)
    })
    const is_told = events.some(({ type, data }) => {
      const { chat_users } = data as AnyRecord
      return type === 'broadcast.messages' && (chat_users === null || chat_users.includes(this.id))
    })
    const is_linked = changes.some(({ kind, after }) => kind === 'contact' && after?.customer_id === this.id)
    const customer_id = this.kind === 'customer' ? this.id : this.record.peek()?.customer_id
    const is_customer = events.some(({ type, data }) => type === 'customer.changed' && data._id === customer_id)
    if (is_customer) this.readCustomer()
    if (is_ours || is_told || is_linked || (is_customer && this.kind === 'customer'))
      this.#timer ??= setTimeout(() => this.#again(), AGAIN_EVERY_MS)
  }

  close() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.timeline.close()
    for (const one of [this.customer, this.memberships, this.appointments, this.tickets, this.contacts]) one.close()
    this.merges.close()
  }

  #again() {
    this.#timer = undefined
    this.read()
  }

  async #readRecord() {
    const path = this.kind === 'contact' ? `contacts/${this.id}` : `crm/customers/${this.id}`
    try {
      const found = await this.#project.api.get(path)
      this.#project.records.keep(this.kind, found)
      this.fault.value = null
      if (found._id !== this.id) this.moved_to.value = found._id
    } catch (error) {
      this.fault.value = faultOf(error)
    }
  }
}
