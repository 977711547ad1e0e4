import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

export type AgentToolMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A webhook that agents may call as a tool. `headers` are encrypted (`vault/credentials.ts`). */
export const AgentTool = defineEntity({
  name: 'AgentTool',
  tableName: 'agent_tool',
  properties: {
    _id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    name: p.text(),
    /** Tells the model when and how to use the tool. */
    description: p.text(),
    url: p.text(),
    method: p.text().$type<AgentToolMethod>(),
    headers: p.text().nullable(),
    /** JSON Schema of the arguments. */
    parameters: p.json<Record<string, unknown>>().columnType('json'),
    timeout_ms: p.integer(),
    /** An agent does not call a tool that is switched off. */
    is_active: p.boolean(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type AgentTool = InferEntity<typeof AgentTool>
