import { type Database, emptyCatalogue, newDate, readCatalogue, type WriteSet } from '../../../storage/mod.ts'
import type { RecordOwner, ServiceRecord } from '../../assistants/mod.ts'
import { noKeys, type Part } from './part.ts'
import { type AssistantChange, parts } from './parts.ts'

const nowhere: WriteSet = { insert() {}, update() {}, upsert() {}, remove() {} }

/**
 * The record that the change will leave, as the database stands now. Writes nothing.
 * @throws {Refusal} as the change itself
 */
export async function rehearse(
  database: Database,
  { company_id, project_id }: RecordOwner,
  change: AssistantChange,
): Promise<ServiceRecord> {
  const part = parts[change.type] as Part<AssistantChange>
  const wants = noKeys()
  part.wants(wants, change)
  const catalogue = emptyCatalogue()
  await readCatalogue(database, project_id, wants, catalogue)
  return part.decide({ catalogue, writes: nowhere, now: newDate(), company_id, project_id }, change).service_record
}
