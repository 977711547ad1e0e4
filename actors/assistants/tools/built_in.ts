/** The form of Parley's own tools. */
import type { Assistant, ToolFacts } from '../../../storage/mod.ts'
import type { ToolContext, ToolResult } from './tool.ts'

export type BuiltInOffer = { assistant: Assistant; facts: ToolFacts; has_ticket: boolean }

export type BuiltIn = {
  name: string
  description: string
  /** It writes something. */
  changes?: true
  /** False where the tool could do nothing. */
  isOffered(offer: BuiltInOffer): boolean
  /** JSON Schema of the arguments. */
  parameters(offer: BuiltInOffer): Record<string, unknown>
  /** `values` have been checked by the schema. */
  run(values: never, context: ToolContext, offer: BuiltInOffer): ToolResult | Promise<ToolResult>
}

export function object(properties: Record<string, unknown>, required: string[] = []): Record<string, unknown> {
  return { type: 'object', properties, required, additionalProperties: false }
}

export function text(description: string, maxLength: number): Record<string, unknown> {
  return { type: 'string', description, maxLength }
}
