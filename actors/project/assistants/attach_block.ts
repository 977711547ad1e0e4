import { Assistant, AssistantBlock, blockTypes } from '../../../storage/mod.ts'
import { toAttachedBlockRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import { MAX_BLOCKS_OF_ASSISTANT } from './bounds.ts'
import { assistantAtService, attachedBlock, mustHaveRoom, type Part, type Scene } from './part.ts'

/** `order`: place in the prompt; the last one by default. */
export type AttachBlock = { type: 'attach_block'; id: string; block_id: string; order?: number | undefined }

/**
 * Attaches a block, or moves one that is attached. A block in the wanted place moves by one, and so do those that it
 * meets.
 *
 * @throws {Refusal} NOT_FOUND, BLOCK_NOT_FOUND, ASSISTANT_DUPLICATE_IDENTITY_BLOCK, BLOCK_LIMIT_REACHED
 */
export const attachBlock: Part<AttachBlock> = {
  wants(keys, { id, block_id }) {
    keys.assistants.add(id)
    keys.blocks.add(block_id)
  },
  decide(scene, { id, block_id, order }) {
    const { catalogue, writes, now, project_id } = scene
    const assistant = catalogue.assistants.get(id)
    if (!assistant) throw refuse('NOT_FOUND')
    const block = catalogue.blocks.get(block_id)
    if (!block) throw refuse('BLOCK_NOT_FOUND', { block_id })
    const links = catalogue.links.get(id)!
    const present = links.find((link) => link.block_id === block_id)
    const others = links.filter((link) => link !== present)
    const { type } = block
    const rival = others.find((link) => link.type === type)
    if (rival && blockTypes[type].family === 'identity') {
      throw refuse('ASSISTANT_DUPLICATE_IDENTITY_BLOCK', { type, block_id: rival.block_id })
    }
    if (!present) mustHaveRoom(links.length, MAX_BLOCKS_OF_ASSISTANT, 'BLOCK_LIMIT_REACHED')
    const last = Math.max(-1, ...others.map((link) => link.order))
    const place = order ?? present?.order ?? last + 1
    const link = present ?? { assistant_id: id, block_id, project_id, type, order: place, created_at: now }
    if (!present || present.order !== place) {
      makeRoom(scene, others, place)
      link.order = place
      if (present) writes.update(AssistantBlock, { assistant_id: id, block_id }, { order: place })
      else writes.insert(AssistantBlock, link)
      catalogue.links.set(id, [...others, link])
      assistant.updated_at = now
      writes.update(Assistant, { _id: id }, { updated_at: now })
    }
    return {
      body: { block: attachedBlock(catalogue, link).map(toAttachedBlockRecord)[0] },
      service_record: assistantAtService(scene, id),
    }
  },
}

/** Moves the blocks from `place` on until no two share a place. */
function makeRoom({ writes }: Scene, links: AssistantBlock[], place: number): void {
  let taken = place
  for (const link of links.toSorted((one, other) => one.order - other.order)) {
    if (link.order < place || link.order > taken) continue
    taken += 1
    link.order = taken
    const { assistant_id, block_id, order } = link
    writes.update(AssistantBlock, { assistant_id, block_id }, { order })
  }
}
