import { Assistant } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import type { AssistantFields } from './create_assistant.ts'
import { assistantRecord, type Part, toldAssistant } from './part.ts'

export type UpdateAssistant = {
  type: 'update_assistant'
  id: string
  /** Only given fields change. */
  patch: Partial<AssistantFields & { is_active: boolean }>
}

/** @throws {Refusal} NOT_FOUND */
export const updateAssistant: Part<UpdateAssistant> = {
  wants: (wanted, { id }) => void wanted.assistants.add(id),
  decide(scene, { id, patch }) {
    const { catalogue, writes, now } = scene
    const assistant = catalogue.assistants.get(id)
    if (!assistant) throw refuse('NOT_FOUND')
    const changed = changedFields<Assistant>(assistant, patch)
    if (changed) {
      const written = { ...changed, updated_at: now }
      Object.assign(assistant, written)
      writes.update(Assistant, { _id: id }, written)
    }
    return { body: { assistant: assistantRecord(scene, id) }, told: toldAssistant(scene, id) }
  },
}

/** The fields of the patch that differ; undefined when there are none. */
export function changedFields<Row extends object>(row: Row, patch: Partial<Row>): Partial<Row> | undefined {
  const entries = Object.entries(patch).filter(
    ([name, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(row[name as keyof Row]),
  )
  return entries.length > 0 ? (Object.fromEntries(entries) as Partial<Row>) : undefined
}
