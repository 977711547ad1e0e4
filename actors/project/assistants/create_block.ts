import { Block, type BlockType, BlockVersion, blank } from '../../../storage/mod.ts'
import { toBlockRecord, toBlockVersionRecord } from '../../records/mod.ts'
import { MAX_BLOCKS } from './bounds.ts'
import { mustHaveRoom, type Part, type Scene } from './part.ts'

/** A content to save; `id` is that of the new version. */
export type NewVersion = { id: string } & (
  | { edit_mode: 'free'; content: string }
  | { edit_mode: 'assisted'; payload: Record<string, unknown> }
)

export type CreateBlock = { type: 'create_block'; id: string; name: string; block_type: BlockType; version: NewVersion }

/** Adds a block to the catalogue, with its first version. @throws {Refusal} BLOCK_LIMIT_REACHED */
export const createBlock: Part<CreateBlock> = {
  wants(keys, { id, version }) {
    keys.blocks.add(id)
    keys.versions.add(version.id)
    keys.counts = true
  },
  decide(scene, { id, name, block_type: type, version }) {
    const { catalogue, writes, now, company_id, project_id } = scene
    let block = catalogue.blocks.get(id)
    if (!block) {
      mustHaveRoom(catalogue.counts.blocks, MAX_BLOCKS, 'BLOCK_LIMIT_REACHED')
      const state = { is_archived: false, current_version_id: version.id, created_at: now, updated_at: now }
      block = blank(Block, { _id: id, company_id, project_id, name, type, ...state })
      writes.insert(Block, block)
      catalogue.blocks.set(id, block)
      catalogue.counts.blocks += 1
    }
    const saved = catalogue.versions.get(version.id) ?? insertVersion(scene, id, version)
    const record = toBlockRecord(block)
    return {
      body: { block: record },
      service_record: { kind: 'block', block: record, version: toBlockVersionRecord(saved) },
    }
  },
}

/** Adds a version to a block. */
export function insertVersion(
  { catalogue, writes, now, project_id }: Scene,
  block_id: string,
  { id: _id, ...input }: NewVersion,
): BlockVersion {
  const { edit_mode } = input
  const content = input.edit_mode === 'free' ? input.content : null
  const payload = input.edit_mode === 'assisted' ? input.payload : null
  const version: BlockVersion = { _id, project_id, block_id, edit_mode, content, payload, created_at: now }
  writes.insert(BlockVersion, version)
  catalogue.versions.set(_id, version)
  return version
}
