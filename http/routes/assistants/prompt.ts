import { missingBlock, readInstructions, type Tried } from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import type { Database } from '../../../storage/mod.ts'
import { assistantOf } from './work.ts'

type Place = { database: Database; project_id: string }

/** The instructions of an assistant as one text. @throws {Refusal} NOT_FOUND, BLOCK_NOT_FOUND */
export async function promptOf({ database, project_id }: Place, assistant_id: string, tried?: Tried) {
  await assistantOf({ database, project_id }, assistant_id)
  const { text, blocks } = await readInstructions(database, { project_id, assistant_id }, tried)
  const missing = missingBlock(tried, blocks)
  if (missing !== undefined) throw blockNotFound(missing)
  return { assistant_id, prompt: text }
}

/** Contents are tried for blocks of the assistant alone. */
export function blockNotFound(block_id: string): Refusal {
  return new Refusal('BLOCK_NOT_FOUND', {
    message: 'The assistant has no block with this block_id.',
    details: { block_id },
  })
}
