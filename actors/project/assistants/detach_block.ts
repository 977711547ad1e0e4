import { Assistant, AssistantBlock } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import { assistantAtService, type Part } from './part.ts'

export type DetachBlock = { type: 'detach_block'; id: string; block_id: string }

/** The block stays in the catalogue. Detaching it again changes nothing. @throws {Refusal} NOT_FOUND */
export const detachBlock: Part<DetachBlock> = {
  wants: (keys, { id }) => void keys.assistants.add(id),
  decide(scene, { id, block_id }) {
    const { catalogue, writes, now } = scene
    const assistant = catalogue.assistants.get(id)
    const links = catalogue.links.get(id) ?? []
    const left = links.filter((link) => link.block_id !== block_id)
    if (!assistant || left.length === links.length) throw refuse('NOT_FOUND')
    writes.remove(AssistantBlock, { assistant_id: id, block_id })
    catalogue.links.set(id, left)
    assistant.updated_at = now
    writes.update(Assistant, { _id: id }, { updated_at: now })
    return { body: undefined, service_record: assistantAtService(scene, id) }
  },
}
