import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A tool that an assistant holds. The foreign keys keep the tool while an assistant holds it. */
export const AssistantTool = defineEntity({
  name: 'AssistantTool',
  tableName: 'assistant_tool',
  properties: {
    assistant_id: p.text().primary(),
    tool_id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    /** Place in the assistant's list, from 0. */
    position: p.integer(),
  },
})

export type AssistantTool = InferEntity<typeof AssistantTool>
