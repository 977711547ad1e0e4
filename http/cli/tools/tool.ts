/** A tool as the API shows it, and how the commands print it. */
import { fields, printJson, printLine } from '../terminal/terminal.ts'

export type Tool = {
  _id: string
  name: string
  description: string
  url: string
  method: string
  headers: Record<string, string>
  parameters: { properties?: Record<string, unknown>; required?: string[] }
  timeout_ms: number
  is_active: boolean
  created_at: string
  updated_at: string
}

export const EXAMPLE_ID = '66f2a0c1d4e5f60718293a50'

export function toolPath(id: string): string {
  return `/v1/agents/tools/${encodeURIComponent(id)}`
}

export function printTool(tool: Tool, { json }: { json?: boolean }): void {
  if (json) {
    printJson(tool)
    return
  }
  const { properties = {}, required = [] } = tool.parameters
  const names = Object.keys(properties).map((name) => (required.includes(name) ? `${name} (required)` : name))
  printLine(
    fields([
      ['tool', tool._id],
      ['name', tool.name],
      ['description', tool.description || 'none'],
      ['calls', `${tool.method} ${tool.url}`],
      ['headers', Object.keys(tool.headers).join(', ') || 'none'],
      ['arguments', names.join(', ') || 'none'],
      ['time limit', `${tool.timeout_ms} ms`],
      ['state', stateOf(tool)],
      ['changed', tool.updated_at],
    ]),
  )
}

export function stateOf({ is_active }: Pick<Tool, 'is_active'>): string {
  return is_active ? 'on' : 'off'
}
