import { Assistant, AssistantBlock, Block, blank } from '../../../storage/mod.ts'
import { MAX_ASSISTANTS, MAX_BLOCKS } from './bounds.ts'
import {
  assistantAtService,
  assistantRecord,
  mustBeTargets,
  mustHaveNodes,
  mustHaveRoom,
  type Part,
  wantHandOver,
} from './part.ts'

export type AssistantFields = {
  name: string
  description: string | null
  avatar_url: string | null
  avatar_emoji: string | null
  model: string
  knowledge_node_ids: string[]
  /** A node of the release before asks without them. */
  settable_ticket_fields?: string[]
  hand_over?: Assistant['hand_over']
  budget?: Assistant['budget']
}

/** `block_ids`: the ids of the two blocks that come with the assistant. */
export type CreateAssistant = { type: 'create_assistant'; id: string; block_ids: [string, string] } & AssistantFields

/** The blocks that come with an assistant, in the order of the prompt. Their content was never saved. */
const STARTING = [
  { type: 'personification', name: 'Personification' },
  { type: 'response_policy', name: 'Response policy' },
] as const

/**
 * @throws {Refusal} KNOWLEDGE_NODE_NOT_FOUND, ASSIGNEE_NOT_FOUND, STAGE_NOT_FOUND, TAG_NOT_FOUND, ASSISTANT_LIMIT_REACHED,
 *   BLOCK_LIMIT_REACHED
 */
export const createAssistant: Part<CreateAssistant> = {
  wants(keys, { id, knowledge_node_ids, hand_over }) {
    keys.assistants.add(id)
    wantHandOver(keys, hand_over)
    for (const node_id of knowledge_node_ids) keys.nodes.add(node_id)
    keys.counts = true
  },
  decide(scene, { type: _, id, block_ids, ...fields }) {
    const { catalogue, writes, now, company_id, project_id } = scene
    if (!catalogue.assistants.has(id)) {
      const { counts } = catalogue
      mustHaveNodes(catalogue, fields.knowledge_node_ids)
      mustBeTargets(catalogue, fields.hand_over)
      mustHaveRoom(counts.assistants, MAX_ASSISTANTS, 'ASSISTANT_LIMIT_REACHED')
      mustHaveRoom(counts.blocks + STARTING.length - 1, MAX_BLOCKS, 'BLOCK_LIMIT_REACHED')
      const owner = { company_id, project_id }
      const stamps = { created_at: now, updated_at: now }
      const assistant = blank(Assistant, {
        ...{ _id: id, ...owner, settable_ticket_fields: [], ...fields, is_active: true, ...stamps },
      })
      writes.insert(Assistant, assistant)
      catalogue.assistants.set(id, assistant)
      const links = STARTING.map(({ type, name }, order): AssistantBlock => {
        const block_id = block_ids[order]!
        const block = blank(Block, { _id: block_id, ...owner, name, type, is_archived: false, ...stamps })
        writes.insert(Block, block)
        catalogue.blocks.set(block_id, block)
        const link = { assistant_id: id, block_id, project_id, type, order, created_at: now }
        writes.insert(AssistantBlock, link)
        return link
      })
      catalogue.links.set(id, links)
      counts.assistants += 1
      counts.blocks += STARTING.length
    }
    return { body: { assistant: assistantRecord(scene, id) }, service_record: assistantAtService(scene, id) }
  },
}
