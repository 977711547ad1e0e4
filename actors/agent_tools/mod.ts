/** Tools of agents: the schema of their arguments, and calls of them. */
export type { ArgumentViolation } from './arguments.ts'
export { BIND, type Binding, parameterViolations } from './parameters.ts'
export { type ToolAnswer, ToolClient } from './tool_client.ts'
