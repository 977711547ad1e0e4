import { blank } from '../../database/blank.ts'
import type { Database } from '../../database/database.ts'
import type { EntityManager } from '../../database/entity_manager.ts'
import { Customer, CustomField } from '../../entities/mod.ts'
import { newDate } from '../../values/time.ts'
import { arrangeNew, arrangeRecord } from '../arrange.ts'
import { ChangeRefused } from '../change_refused.ts'
import { type NewColumns, stamped } from '../records.ts'
import { removeRecord } from '../removal.ts'

type Fields = Partial<Omit<NewColumns<Customer>, 'company_id'>>
/** Throws when values do not match the company's definitions. */
type CheckValues = (values: Record<string, unknown>, defined: CustomField[]) => void

/** @throws {ChangeRefused} COMPANY_NOT_FOUND, EXTERNAL_ID_TAKEN */
export function storeCustomer(
  database: Database,
  input: Pick<NewColumns<Customer>, 'company_id' | 'full_name'> & Fields,
  check: CheckValues,
): Promise<Customer> {
  return arrangeNew(database, Customer, input.company_id, async (em) => {
    await checkValues(em, input.company_id, input, check)
    await mustBeFree(em, input)
    return em.create(Customer, blank(Customer, stamped({ tags: [], custom_fields: {}, ...input })))
  })
}

/** @throws {ChangeRefused} NOT_FOUND, EXTERNAL_ID_TAKEN */
export function changeCustomer(
  database: Database,
  _id: string,
  changes: Fields,
  check: CheckValues,
): Promise<Customer> {
  return arrangeRecord(database, Customer, _id, async (row, em) => {
    await checkValues(em, row.company_id, changes, check)
    await mustBeFree(em, { ...row, ...changes })
    return Object.assign(row, changes, { updated_at: newDate() })
  })
}

/**
 * A contact that is being linked to the customer prevents the deletion, because its row refers to the customer. @throws
 * {StillHeld} by contacts
 */
export function removeCustomer(database: Database, _id: string): Promise<void> {
  return removeRecord(database, 'customer', _id)
}

/** The lock of `arrange` keeps others from taking the id meanwhile. */
async function mustBeFree(em: EntityManager, { _id, company_id, external_id }: Partial<Customer>): Promise<void> {
  if (external_id == null) return
  const holder = await em.findOne(Customer, { company_id, external_id }, { fields: ['_id'] })
  if (holder && holder._id !== _id) throw new ChangeRefused('EXTERNAL_ID_TAKEN', { id: holder._id })
}

async function checkValues(em: EntityManager, company_id: string, { custom_fields }: Fields, check: CheckValues) {
  if (!custom_fields || Object.keys(custom_fields).length === 0) return
  check(custom_fields, await em.find(CustomField, { company_id, owner: 'customer' }))
}
