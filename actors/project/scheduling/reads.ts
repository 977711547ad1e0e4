import { Refusal } from '../../../runtime/mod.ts'
import {
  type Appointment,
  type HeldSlot,
  readAppointments,
  readHeldSlots,
  readLastNumber,
  type Slot,
} from '../../../storage/mod.ts'
import { customerReads } from '../contacts/customers.ts'
import { contactReads, readContacts } from '../contacts/reads.ts'
import { wantTickets } from '../tickets/reads.ts'
import type { Reads } from '../turn/reads.ts'
import type { ReadKind } from '../turn/records.ts'
import { type TimesInput, timesAfter } from './times.ts'

/** The slot that a message asks for: missing fields are those of the appointment `id`. */
type AskedSlot = TimesInput & { id?: string; assigned_to?: string | null | undefined }

type Keys = {
  ids: Set<string>
  slots: AskedSlot[]
  /** An appointment is to be created. */
  next_number: boolean
}

export type AppointmentRecords = {
  by_id: Map<string, Appointment>
  /** Appointments of any project that hold a slot which the turn may need, by id. */
  held: Map<string, HeldSlot>
  last_number: number
}

/** Appointments by id with their contacts, and what decides whether a slot is free. */
export const appointmentReads: ReadKind<Keys, AppointmentRecords> = {
  keys: () => ({ ids: new Set(), slots: [], next_number: false }),
  found: () => ({ by_id: new Map(), held: new Map(), last_number: 0 }),
  async read(found, { ids, next_number }, context) {
    const { database, state } = context
    const { project_id } = state
    const counting = next_number ? readLastNumber(database, project_id) : 0
    for (const row of ids.size > 0 ? await readAppointments(database, project_id, ids) : [])
      found.by_id.set(row.id, row)
    const rows = [...found.by_id.values()]
    const _id = rows.map(({ chat_user }) => chat_user).filter((id) => typeof id === 'string')
    const customer_id = rows.flatMap((row) => (row.chat_user || !row.customer_id ? [] : [row.customer_id]))
    const where = [
      ...(_id.length > 0 ? [{ project_id, _id }] : []),
      ...(customer_id.length > 0 ? [{ project_id, customer_id }] : []),
    ]
    if (where.length > 0) await readContacts(context, where)
    found.last_number = await counting
  },
  /**
   * An earlier message of the turn may change what a later one asks for. Then the table refuses the commit if a slot is
   * taken, and the message is decided again alone.
   */
  async finish(found, { slots }, { database }) {
    const slot_rows = slots.flatMap((asked) => slotOf(found, asked) ?? [])
    if (slot_rows.length === 0) return
    for (const held of await readHeldSlots(database, slot_rows)) found.held.set(held.id, held)
  },
}

/** The slot, or undefined where nobody is assigned or the command will be refused anyway. */
function slotOf({ by_id }: AppointmentRecords, { id, assigned_to, ...times }: AskedSlot): Slot | undefined {
  const before = id === undefined ? undefined : by_id.get(id)
  const assignee = assigned_to === undefined ? before?.assigned_to : assigned_to
  if (!assignee || (id !== undefined && !before)) return undefined
  try {
    return { assigned_to: assignee, ...timesAfter(before, times) }
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** Call this for each message about an appointment that exists. */
export function wantAppointment(reads: Reads, id: string): void {
  wantTickets(reads)
  reads.of(appointmentReads).ids.add(id)
}

/** Call this for each message that may take a slot. */
export function wantSlot(reads: Reads, asked: AskedSlot): void {
  reads.of(appointmentReads).slots.push(asked)
}

/** Call this for each message that takes the contact off an appointment: the contacts of its customer replace it. */
export function wantCustomerOf(reads: Reads, id: string): void {
  reads.after(appointmentReads, ({ by_id }) => {
    const customer_id = by_id.get(id)?.customer_id
    if (customer_id) reads.of(contactReads).customer_ids.add(customer_id)
  })
}

type Person = { chat_user?: string | null | undefined; customer_id?: string | null | undefined }

/** Call this for each message that names the person of an appointment. */
export function wantPersonOf(reads: Reads, { chat_user, customer_id }: Person): void {
  wantTickets(reads)
  if (chat_user) reads.of(contactReads).ids.add(chat_user)
  if (!customer_id) return
  reads.of(contactReads).customer_ids.add(customer_id)
  reads.of(customerReads).add(customer_id)
}
