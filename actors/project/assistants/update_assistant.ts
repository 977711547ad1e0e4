import { Assistant } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import { MAX_ASSISTANTS } from './bounds.ts'
import type { AssistantFields } from './create_assistant.ts'
import {
  assistantAtService,
  assistantRecord,
  mustBeTargets,
  mustHaveNodes,
  mustHaveRoom,
  type Part,
  wantHandOver,
} from './part.ts'

export type UpdateAssistant = {
  type: 'update_assistant'
  id: string
  /** Only given fields change. */
  patch: Partial<AssistantFields & { is_active: boolean }>
}

/**
 * @throws {Refusal} NOT_FOUND, KNOWLEDGE_NODE_NOT_FOUND, ASSIGNEE_NOT_FOUND, STAGE_NOT_FOUND, TAG_NOT_FOUND,
 *   ASSISTANT_LIMIT_REACHED
 */
export const updateAssistant: Part<UpdateAssistant> = {
  wants(keys, { id, patch }) {
    keys.assistants.add(id)
    wantHandOver(keys, patch.hand_over)
    for (const node_id of patch.knowledge_node_ids ?? []) keys.nodes.add(node_id)
    if (patch.is_active !== undefined) keys.counts = true
  },
  decide(scene, { id, patch }) {
    const { catalogue, writes, now } = scene
    const assistant = catalogue.assistants.get(id)
    if (!assistant) throw refuse('NOT_FOUND')
    // A client that sends back what it read must not be refused for it, so ids that are stored stay allowed.
    const added = patch.knowledge_node_ids?.filter((node_id) => !assistant.knowledge_node_ids.includes(node_id))
    mustHaveNodes(catalogue, added ?? [])
    mustBeTargets(catalogue, patch.hand_over, assistant.hand_over)
    const changed = changedFields<Assistant>(assistant, patch)
    if (changed?.is_active) mustHaveRoom(catalogue.counts.assistants, MAX_ASSISTANTS, 'ASSISTANT_LIMIT_REACHED')
    if (changed) {
      if (changed.is_active !== undefined) catalogue.counts.assistants += changed.is_active ? 1 : -1
      const written = { ...changed, updated_at: now }
      Object.assign(assistant, written)
      writes.update(Assistant, { _id: id }, written)
    }
    return { body: { assistant: assistantRecord(scene, id) }, service_record: assistantAtService(scene, id) }
  },
}

/** The fields of the patch that differ; undefined when there are none. */
export function changedFields<Row extends object>(row: Row, patch: Partial<Row>): Partial<Row> | undefined {
  const entries = Object.entries(patch).filter(
    ([name, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(row[name as keyof Row]),
  )
  return entries.length > 0 ? (Object.fromEntries(entries) as Partial<Row>) : undefined
}
