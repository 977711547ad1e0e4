import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A test call of an agent's tool. */
export const AgentToolCall = defineEntity({
  name: 'AgentToolCall',
  tableName: 'agent_tool_call',
  properties: {
    _id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    tool_id: p.text(),
    arguments: p.json<Record<string, unknown>>().columnType('json'),
    /** The tool answered with a 2xx status. */
    succeeded: p.boolean(),
    /** Null when there was no status line. */
    status_code: p.integer().nullable(),
    duration_ms: p.integer(),
    /** `http_<status>`, or a slug such as `timeout`; null after a success. */
    error: p.text().nullable(),
    /** Beginning of the response as text; null when it was compressed or there was none. */
    response: p.text().nullable(),
    is_truncated: p.boolean(),
    created_at: p.datetime(3),
  },
})

export type AgentToolCall = InferEntity<typeof AgentToolCall>
