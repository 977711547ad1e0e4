import { Assistant, AssistantTool } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import { assistantAtService, assistantRecord, type Part } from './part.ts'

/** `tools`: ids of the tools that the assistant holds from now on, in this order. */
export type SetTools = { type: 'set_tools'; id: string; tools: string[] }

/**
 * Replaces the tools of an assistant. A foreign key keeps each of them from being deleted at the same time; then the turn
 * fails, reads again and refuses.
 * @throws {Refusal} NOT_FOUND, AGENT_TOOL_NOT_FOUND
 */
export const setTools: Part<SetTools> = {
  wants(keys, { id, tools }) {
    keys.assistants.add(id)
    for (const tool of tools) keys.tools.add(tool)
  },
  decide(scene, { id, tools }) {
    const { catalogue, writes, now, company_id, project_id } = scene
    const assistant = catalogue.assistants.get(id)
    if (!assistant) throw refuse('NOT_FOUND')
    const unknown = tools.filter((tool_id) => !catalogue.tools.has(tool_id))
    if (unknown.length > 0) throw refuse('AGENT_TOOL_NOT_FOUND', { tools: unknown })
    const before = catalogue.held_tools.get(id) ?? []
    const after = tools.map((tool_id, position) => ({ assistant_id: id, tool_id, company_id, project_id, position }))
    for (const { tool_id } of before) {
      if (!tools.includes(tool_id)) writes.remove(AssistantTool, { assistant_id: id, tool_id })
    }
    for (const row of after) {
      const { tool_id, position } = row
      const known = before.find((one) => one.tool_id === tool_id)
      if (!known) writes.insert(AssistantTool, row)
      else if (known.position !== position) writes.update(AssistantTool, { assistant_id: id, tool_id }, { position })
    }
    if (String(tools) !== String(before.map(({ tool_id }) => tool_id))) {
      assistant.updated_at = now
      writes.update(Assistant, { _id: id }, { updated_at: now })
    }
    catalogue.held_tools.set(id, after)
    return { body: { assistant: assistantRecord(scene, id) }, service_record: assistantAtService(scene, id) }
  },
}
