import { Block, blockTypes } from '../../../storage/mod.ts'
import { toBlockRecord, toBlockVersionRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import { insertVersion, type NewVersion } from './create_block.ts'
import type { Part } from './part.ts'

/** `by_operator`: operators write the content of catalogue types, too. */
export type SaveBlockContent = { type: 'save_block_content'; id: string; version: NewVersion; by_operator: boolean }

/** Adds a version, which becomes the current one. @throws {Refusal} NOT_FOUND, BLOCK_CONTENT_NOT_WRITABLE */
export const saveBlockContent: Part<SaveBlockContent> = {
  wants(keys, { id, version }) {
    keys.blocks.add(id)
    keys.versions.add(version.id)
  },
  decide(scene, { id, version, by_operator }) {
    const { catalogue, writes, now } = scene
    const block = catalogue.blocks.get(id)
    if (!block) throw refuse('NOT_FOUND')
    const { type } = block
    if (!by_operator && !blockTypes[type].content_writable) throw refuse('BLOCK_CONTENT_NOT_WRITABLE', { type })
    let saved = catalogue.versions.get(version.id)
    if (!saved) {
      saved = insertVersion(scene, id, version)
      const written = { current_version_id: version.id, updated_at: now }
      Object.assign(block, written)
      writes.update(Block, { _id: id }, written)
    }
    const record = toBlockVersionRecord(saved)
    return { body: record, service_record: { kind: 'block', block: toBlockRecord(block), version: record } }
  },
}
