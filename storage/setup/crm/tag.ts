import { auditRecord, snapshot } from '../../audit/audit_record.ts'
import type { Database } from '../../database/database.ts'
import { Tag } from '../../entities/mod.ts'
import { projectNamed } from '../access/project.ts'
import { arrangeRecord } from '../arrange.ts'
import { mustBeUnheld } from '../change_refused.ts'
import { stagesThat } from '../pipelines/stage_use.ts'
import { changeRecord, type NewColumns, named, stamped } from '../records.ts'

/**
 * @throws {ChangeRefused} PROJECT_NOT_FOUND
 * @throws {ConstraintViolation} when the project has a tag of this name
 */
export function storeTag(database: Database, input: Omit<NewColumns<Tag>, 'company_id'>): Promise<Tag> {
  return named(() =>
    database.em().transactional(async (em) => {
      const { company_id } = await projectNamed(em, input.project_id)
      const row = em.create(Tag, stamped({ ...input, company_id }))
      await auditRecord(database, em, Tag, { after: snapshot(database, Tag, row) })
      return row
    }),
  )
}

/**
 * @throws {ChangeRefused} NOT_FOUND
 * @throws {ConstraintViolation} when the project has another tag of this name
 */
export function changeTag(
  database: Database,
  _id: string,
  changes: Partial<Pick<Tag, 'name' | 'color'>>,
): Promise<Tag> {
  return changeRecord(database, Tag, _id, (row) => void Object.assign(row, changes))
}

/**
 * @throws {ChangeRefused} NOT_FOUND
 * @throws {StillHeld} by stages whose rules add it
 */
export function removeTag(database: Database, _id: string): Promise<Tag> {
  return arrangeRecord(database, Tag, _id, async (row, em) => {
    const { project_id } = row
    const stages = await stagesThat(em, { project_id }, ({ add_tag_ids }) => add_tag_ids?.includes(_id))
    mustBeUnheld('tag', { stages })
    em.remove(row)
    return row
  })
}
