import { Refusal } from '../../../runtime/mod.ts'
import { type AssistantTestSet, findAssistant, findTestSet } from '../../../storage/mod.ts'
import type { Where } from './work.ts'

type Place = Pick<Where, 'database' | 'project_id'>

/** The id of an assistant of the project. @throws {Refusal} NOT_FOUND */
export async function assistantIdOf({ database, project_id }: Place, id: string): Promise<string> {
  const assistant = await findAssistant(database, project_id, id.toLowerCase())
  if (!assistant) throw new Refusal('NOT_FOUND')
  return assistant._id
}

/** @throws {Refusal} NOT_FOUND */
export async function testSetFor(
  { database, project_id }: Place,
  { id, test_set_id }: { id: string; test_set_id: string },
): Promise<AssistantTestSet> {
  const row = await findTestSet(database, { project_id, assistant_id: id.toLowerCase() }, test_set_id.toLowerCase())
  if (!row) throw new Refusal('NOT_FOUND')
  return row
}
