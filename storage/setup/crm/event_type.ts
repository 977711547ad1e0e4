import type { Database } from '../../database/database.ts'
import type { EntityManager } from '../../database/entity_manager.ts'
import { CrmEventType, CustomField, type EventField } from '../../entities/mod.ts'
import { newDate } from '../../values/time.ts'
import { arrangeNew, arrangeRecord } from '../arrange.ts'
import { ChangeRefused } from '../change_refused.ts'
import { type NewColumns, stamped } from '../records.ts'

/** Throws when fields do not fit the company's custom fields. */
type CheckFields = (fields: EventField[], defined: CustomField[]) => void

/**
 * @throws {ChangeRefused} COMPANY_NOT_FOUND
 * @throws {ConstraintViolation} when the company has the type already
 */
export function storeEventType(
  database: Database,
  input: Omit<NewColumns<CrmEventType>, 'is_system'>,
  check: CheckFields,
): Promise<CrmEventType> {
  return arrangeNew(database, CrmEventType, input.company_id, async (em) => {
    await checkFields(em, input.company_id, input.fields, check)
    return em.create(CrmEventType, stamped({ ...input, is_system: false }))
  })
}

/** @throws {ChangeRefused} NOT_FOUND */
export function changeEventType(
  database: Database,
  _id: string,
  changes: Partial<Pick<CrmEventType, 'name' | 'fields'>>,
  check: CheckFields,
): Promise<CrmEventType> {
  return arrangeRecord(database, CrmEventType, _id, async (row, em) => {
    if (changes.fields) await checkFields(em, row.company_id, changes.fields, check)
    return Object.assign(row, changes, { updated_at: newDate() })
  })
}

/** Recorded events keep its key. @throws {ChangeRefused} NOT_FOUND, SYSTEM_EVENT_TYPE */
export function removeEventType(database: Database, _id: string): Promise<CrmEventType> {
  return arrangeRecord(database, CrmEventType, _id, async (row, em) => {
    if (row.is_system) throw new ChangeRefused('SYSTEM_EVENT_TYPE', { key: row.key })
    em.remove(row)
    return row
  })
}

async function checkFields(em: EntityManager, company_id: string, fields: EventField[], check: CheckFields) {
  if (fields.some(({ target }) => target)) check(fields, await em.find(CustomField, { company_id }))
}
