import { renderPrompt } from '../../../actors/mod.ts'
import { type Database, readAttached, readCurrentVersions } from '../../../storage/mod.ts'
import { assistantOf } from './work.ts'

type Place = { database: Database; project_id: string }

/** The instructions of an assistant as one text. @throws {Refusal} NOT_FOUND */
export async function promptOf({ database, project_id }: Place, id: string) {
  await assistantOf({ database, project_id }, id)
  const blocks = (await readAttached(database, [id])).get(id) ?? []
  const ids = blocks.flatMap(({ current_version_id }) => current_version_id ?? [])
  const versions = await readCurrentVersions(database, project_id, ids)
  const prompt = await renderPrompt(
    blocks.map(({ name, type, current_version_id }) => ({
      name,
      type,
      version: versions.get(current_version_id ?? ''),
    })),
  )
  return { assistant_id: id, prompt }
}
