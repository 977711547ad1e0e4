import * as v from 'valibot'
import { Refusal } from '../../../runtime/mod.ts'
import { type Database, findSubject, isObjectId, type NamedSubject, type RightsKind } from '../../../storage/mod.ts'
import { objectId } from '../fields.ts'

/** Fields that exports and erasures share. */
export const kind = v.picklist(['contact', 'customer', 'project'], 'must be contact, customer or project')
export const subject = { kind, id: objectId }
export const counts = v.pipe(v.record(v.string(), v.number()), v.description('Records by kind'))

/** @throws {Refusal} NOT_FOUND when there is no such contact, customer or project */
export async function subjectNamed(database: Database, kind: RightsKind, id: string): Promise<NamedSubject> {
  const found = isObjectId(id) ? await findSubject(database, kind, id) : undefined
  if (!found) throw new Refusal('NOT_FOUND', { message: `There is no ${kind} with this id.` })
  return found
}
