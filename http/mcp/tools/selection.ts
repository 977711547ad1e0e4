/** The tools that a client sees: chosen by headers, allowed by the token's scopes. */
import { invalidParams } from '../protocol_error.ts'
import type { Catalogue, OperationTool } from './catalogue.ts'

/** The default list, by use. With `api_search` and `api_call` it has 25 tools. */
export const DEFAULT_TOOLS = [
  'search_crm',
  'list_contacts',
  'get_contact',
  'create_contact',
  'update_contact',
  'list_messages',
  'get_message',
  'send_message',
  'mark_message_read',
  'list_templates',
  'list_tickets',
  'get_ticket',
  'update_ticket',
  'move_ticket',
  'list_ticket_timeline',
  'create_note',
  'record_event',
  'search_knowledge',
  'get_knowledge_node',
  'create_knowledge_node',
  'list_appointments',
  'confirm_appointment',
  'get_me',
] as const

export type Selection = {
  toolsets: readonly string[]
  tools: readonly string[]
  reads_only: boolean
}

/** Reads `X-MCP-Toolsets`, `X-MCP-Tools` and `X-MCP-Readonly`. */
export function selectionOf(headers: Readonly<Record<string, string>>): Selection {
  const toolsets = listOf(headers['x-mcp-toolsets'])
  const tools = listOf(headers['x-mcp-tools'])
  const readonly = headers['x-mcp-readonly']?.trim().toLowerCase()
  return {
    toolsets: toolsets.length === 0 && tools.length === 0 ? ['default'] : toolsets,
    tools,
    // Everything but a clear no restricts.
    reads_only: readonly !== undefined && !['', 'false', '0', 'no'].includes(readonly),
  }
}

/** Each name once: a header has room for a thousand, and each toolset is walked through. */
function listOf(header: string | undefined): string[] {
  const names = (header ?? '').split(',').map((name) => name.trim().toLowerCase())
  return [...new Set(names)].filter((name) => name !== '')
}

/**
 * The selected tools in the order of the default list, then of the API. A tool that writes is never among them when the
 * client asked to read only.
 * @throws {ProtocolError} for an unknown toolset or tool
 */
export function select(catalogue: Catalogue, selection: Selection, scopes: ReadonlySet<string>): OperationTool[] {
  const chosen = new Set<OperationTool>()
  const add = (names: readonly string[]) => {
    for (const name of names) {
      const tool = catalogue.find(name)
      if (tool === undefined) throw invalidParams(`There is no tool ${name}. api_search finds operations.`)
      chosen.add(tool)
    }
  }
  for (const name of selection.toolsets) {
    const known = ['default', 'all', ...catalogue.toolsets]
    if (!known.includes(name)) throw invalidParams(`There is no toolset ${name}. The toolsets are ${known.join(', ')}.`)
    if (name === 'default') add(DEFAULT_TOOLS)
    else for (const tool of catalogue.tools) if (name === 'all' || tool.toolset === name) chosen.add(tool)
  }
  add(selection.tools)
  const order = new Map<string, number>(
    [...DEFAULT_TOOLS, ...catalogue.tools.map(({ name }) => name)].map((n, at) => [n, at]).reverse() as [
      string,
      number,
    ][],
  )
  return [...chosen]
    .filter((tool) => isAllowed(tool, selection, scopes))
    .sort((a, b) => order.get(a.name)! - order.get(b.name)!)
}

/** True when the tool may be offered to the caller. A call is authorised by its route, whatever was offered. */
export function isAllowed(
  { scope, behaviour }: OperationTool,
  { reads_only }: Selection,
  scopes: ReadonlySet<string>,
): boolean {
  return (scope === undefined || scopes.has(scope)) && (behaviour.reads_only || !reads_only)
}
