import type { AgentToolMethod } from '../../../storage/mod.ts'

/** The fields of a tool that clients set. */
export type AgentToolFields = {
  name: string
  description: string
  url: string
  method: AgentToolMethod
  headers: Record<string, string>
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>
  timeout_ms: number
  is_active: boolean
}
