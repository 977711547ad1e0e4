import type { Database } from '../../database/database.ts'
import type { EntityManager } from '../../database/entity_manager.ts'
import { CrmEventType, CustomField } from '../../entities/mod.ts'
import { newDate } from '../../values/time.ts'
import { arrangeNew, arrangeRecord } from '../arrange.ts'
import { mustBeUnheld } from '../change_refused.ts'
import { stagesThat } from '../pipelines/stage_use.ts'
import { type NewColumns, stamped } from '../records.ts'

type Named = Pick<CustomField, 'company_id' | 'owner' | 'key'>

/**
 * @param check gets the event types that write the field, and throws when the field does not fit them
 * @throws {ChangeRefused} COMPANY_NOT_FOUND
 * @throws {ConstraintViolation} when the company has the field already
 */
export function storeCustomField(
  database: Database,
  input: NewColumns<CustomField>,
  check: (writers: CrmEventType[]) => void,
): Promise<CustomField> {
  return arrangeNew(database, CustomField, input.company_id, async (em) => {
    check(await typesThatWrite(em, input))
    return em.create(CustomField, stamped(input))
  })
}

/**
 * @param check gets the former field, and throws when the changes do not fit it
 * @throws {ChangeRefused} NOT_FOUND
 */
export function changeCustomField(
  database: Database,
  _id: string,
  changes: Partial<Pick<CustomField, 'name' | 'options'>>,
  check: (field: CustomField) => void,
): Promise<CustomField> {
  return arrangeRecord(database, CustomField, _id, async (row) => {
    check(row)
    return Object.assign(row, changes, { updated_at: newDate() })
  })
}

/**
 * Stored values stay.
 * @throws {ChangeRefused} NOT_FOUND
 * @throws {StillHeld} by event types that write the field, and by stages whose rules name it
 */
export function removeCustomField(database: Database, _id: string): Promise<CustomField> {
  return arrangeRecord(database, CustomField, _id, async (row, em) => {
    const event_types = (await typesThatWrite(em, row)).length
    const stages = row.owner === 'ticket' ? await stagesThatName(em, row) : 0
    mustBeUnheld('custom field', { event_types, stages })
    em.remove(row)
    return row
  })
}

async function typesThatWrite(em: EntityManager, { company_id, owner, key }: Named): Promise<CrmEventType[]> {
  const target = `${owner}.${key}`
  const types = await em.find(CrmEventType, { company_id })
  return types.filter(({ fields }) => fields.some((field) => field.target === target))
}

function stagesThatName(em: EntityManager, { company_id, key }: Named): Promise<number> {
  return stagesThat(em, { company_id }, ({ require_fields = [], set_fields = {} }) => {
    return require_fields.includes(key) || Object.hasOwn(set_fields, key)
  })
}
