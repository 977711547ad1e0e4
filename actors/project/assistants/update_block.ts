import { Block } from '../../../storage/mod.ts'
import { toBlockRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import { MAX_BLOCKS } from './bounds.ts'
import { mustHaveRoom, type Part } from './part.ts'
import { changedFields } from './update_assistant.ts'

export type UpdateBlock = {
  type: 'update_block'
  id: string
  /** Only given fields change. */
  patch: { name?: string | undefined; is_archived?: boolean | undefined }
}

/**
 * An archived block disappears from lists, and stays in the prompts that have it.
 * @throws {Refusal} NOT_FOUND, BLOCK_LIMIT_REACHED
 */
export const updateBlock: Part<UpdateBlock> = {
  wants(keys, { id, patch }) {
    keys.blocks.add(id)
    if (patch.is_archived !== undefined) keys.counts = true
  },
  decide({ catalogue, writes, now }, { id, patch }) {
    const block = catalogue.blocks.get(id)
    if (!block) throw refuse('NOT_FOUND')
    const changed = changedFields<Block>(block, patch as Partial<Block>)
    if (changed?.is_archived === false) mustHaveRoom(catalogue.counts.blocks, MAX_BLOCKS, 'BLOCK_LIMIT_REACHED')
    if (changed) {
      if (changed.is_archived !== undefined) catalogue.counts.blocks += changed.is_archived ? -1 : 1
      const written = { ...changed, updated_at: now }
      Object.assign(block, written)
      writes.update(Block, { _id: id }, written)
    }
    const record = toBlockRecord(block)
    return { body: { block: record }, service_record: { kind: 'block', block: record, version: null } }
  },
}
