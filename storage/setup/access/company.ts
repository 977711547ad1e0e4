import { auditRecord, snapshot } from '../../audit/audit_record.ts'
import type { Database } from '../../database/database.ts'
import type { EntityManager } from '../../database/entity_manager.ts'
import { Company, CrmEventType } from '../../entities/mod.ts'
import { objectId } from '../../values/ids.ts'
import { changeRecord, type NewColumns, named, stamped } from '../records.ts'
import { removeRecord } from '../removal.ts'

/** Timeline events that the service itself records, and events that clients may record. */
const SYSTEM_TYPES: Record<string, string> = {
  'ticket.created': 'Ticket created',
  'ticket.stage_changed': 'Ticket moved to another stage',
  'ticket.assigned': 'Ticket assigned',
  'ticket.closed': 'Ticket closed',
  'ticket.reopened': 'Ticket reopened',
  'message.template_sent': 'Template sent',
  'flow.response_received': 'Flow answered',
  'appointment.created': 'Appointment created',
  'appointment.confirmed': 'Appointment confirmed',
  'appointment.cancelled': 'Appointment cancelled',
  'appointment.completed': 'Appointment completed',
  'payment.link_sent': 'Payment link sent',
  'payment.confirmed': 'Payment confirmed',
}

/** A company with its system event types, in the transaction of `em`. */
export async function foundCompany(em: EntityManager, company: Company): Promise<void> {
  const { _id: company_id, created_at, updated_at } = company
  await em.insert(Company, company)
  const types = Object.entries(SYSTEM_TYPES).map(([key, name]) => {
    return { _id: objectId(), company_id, key, name, is_system: true, fields: [], created_at, updated_at }
  })
  await em.insertMany(CrmEventType, types)
}

export async function storeCompany(database: Database, input: NewColumns<Company>): Promise<Company> {
  const company = stamped(input)
  await named(() =>
    database.em().transactional(async (em) => {
      await foundCompany(em, company)
      await auditRecord(database, em, Company, { after: snapshot(database, Company, company) })
    }),
  )
  return company
}

/** @throws {ChangeRefused} NOT_FOUND */
export function changeCompany(
  database: Database,
  _id: string,
  changes: Partial<NewColumns<Company>>,
): Promise<Company> {
  return changeRecord(database, Company, _id, (row) => void Object.assign(row, changes))
}

/** @throws {StillHeld} by projects, users or customers */
export function removeCompany(database: Database, _id: string): Promise<void> {
  return removeRecord(database, 'company', _id)
}
