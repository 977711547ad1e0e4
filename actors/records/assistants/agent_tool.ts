/** The webhook tool that agents may call, and its test calls, as the API shows them. */
import * as v from 'valibot'
import { type AgentTool, type AgentToolCall, type Database, openHeaders, REDACTED } from '../../../storage/mod.ts'
import { parameterViolations } from '../../agent_tools/mod.ts'
import {
  across,
  composedText,
  dictionary,
  fieldsOf,
  type InMemory,
  maxCharacters,
  minCharacters,
  named,
  recordId,
  timestamp,
  valuesOf,
} from '../../schema/mod.ts'

const name = v.pipe(
  v.string(),
  composedText(),
  minCharacters(1),
  maxCharacters(120),
  v.check((text) => text.trim() !== '', 'must not be blank'),
  v.check((text) => !/\p{Cc}/u.test(text), 'must be one line, without control characters'),
)

const method = v.picklist(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])

const parameters = v.pipe(
  dictionary(v.unknown()),
  across((value, say) => {
    for (const { path, message } of parameterViolations(fieldsOf(value))) say(message, path)
  }),
  v.description('JSON Schema of the arguments, an object; draft 2020-12, or draft 7 when $schema names it'),
)

/** Columns that clients write, within their bounds. The address and the headers have the bounds of the node. */
export const agentToolFields = {
  name,
  description: v.pipe(v.string(), maxCharacters(2000), v.description('Tells the model when and how to use the tool')),
  method,
  parameters,
  timeout_ms: v.pipe(v.number(), v.integer(), v.minValue(100), v.maxValue(15_000)),
}

/** Columns that the record shows as they are stored. */
const columns = v.object({
  _id: recordId,
  name: v.string(),
  description: v.string(),
  url: v.string(),
  method,
  parameters: v.record(v.string(), v.unknown()),
  timeout_ms: v.number(),
  is_active: v.boolean(),
  created_at: timestamp,
  updated_at: timestamp,
})

export const agentToolRecord = named(
  'AgentTool',
  v.object({
    ...columns.entries,
    headers: v.pipe(v.record(v.string(), v.string()), v.description('The values are never shown')),
  }),
)

export type AgentToolRecord = InMemory<v.InferOutput<typeof agentToolRecord>>

/** The headers are shown by their names alone. */
export function toAgentToolRecord(database: Database, row: AgentTool): AgentToolRecord {
  const names = Object.keys(openHeaders(database, row._id, row.headers))
  return { ...valuesOf(columns, row), headers: Object.fromEntries(names.map((name) => [name, REDACTED])) }
}

export const agentToolCallRecord = named(
  'AgentToolCall',
  v.object({
    _id: recordId,
    tool_id: recordId,
    arguments: v.record(v.string(), v.unknown()),
    succeeded: v.boolean(),
    status_code: v.nullable(v.number()),
    duration_ms: v.number(),
    error: v.nullable(v.string()),
    response: v.pipe(v.nullable(v.string()), v.description('The beginning of the response, at most 16 KiB')),
    is_truncated: v.boolean(),
    created_at: timestamp,
  }),
)

export type AgentToolCallRecord = InMemory<v.InferOutput<typeof agentToolCallRecord>>

export function toAgentToolCallRecord(row: AgentToolCall): AgentToolCallRecord {
  return valuesOf(agentToolCallRecord, row)
}
