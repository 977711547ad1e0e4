import { Block, toBlockRecord } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Part } from './part.ts'
import { changedFields } from './update_assistant.ts'

export type UpdateBlock = {
  type: 'update_block'
  id: string
  /** Only given fields change. */
  patch: { name?: string | undefined; is_archived?: boolean | undefined }
}

/** An archived block disappears from lists, and stays in the prompts that have it. @throws {Refusal} NOT_FOUND */
export const updateBlock: Part<UpdateBlock> = {
  wants: (wanted, { id }) => void wanted.blocks.add(id),
  decide({ catalogue, writes, now }, { id, patch }) {
    const block = catalogue.blocks.get(id)
    if (!block) throw refuse('NOT_FOUND')
    const changed = changedFields<Block>(block, patch as Partial<Block>)
    if (changed) {
      const written = { ...changed, updated_at: now }
      Object.assign(block, written)
      writes.update(Block, { _id: id }, written)
    }
    const record = toBlockRecord(block)
    return { body: { block: record }, told: { kind: 'block', block: record, version: null } }
  },
}
