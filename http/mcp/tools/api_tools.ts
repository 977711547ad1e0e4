/** The two tools through which every operation can be reached: one finds operations, one calls them. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import { invalidParams } from '../protocol_error.ts'
import type { Catalogue, ListedTool, OperationTool } from './catalogue.ts'
import { isAllowed, type Selection } from './selection.ts'

const MAX_FOUND = 20

export const API_SEARCH: ListedTool = {
  name: 'api_search',
  description:
    'Find operations of the whole API by words, with the full schema of their arguments. Use it when no listed tool fits, or when the arguments of a tool are unclear: its name finds it',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'Words, or the name of an operation' },
      limit: { type: 'integer', minimum: 1, maximum: MAX_FOUND, default: 5 },
    },
    required: ['query'],
  },
  outputSchema: {
    type: 'object',
    properties: {
      operations: {
        type: 'array',
        items: { type: 'object', properties: { operation: { type: 'string' }, arguments: { type: 'object' } } },
      },
    },
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
}

/** `api_call` may do anything that the token may, unless the client asked to read only. */
export function apiCall(reads_only: boolean): ListedTool {
  const annotations = reads_only
    ? { readOnlyHint: true, openWorldHint: false }
    : { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }
  return {
    name: 'api_call',
    description: 'Call an operation that api_search found',
    inputSchema: {
      type: 'object',
      properties: {
        operation: { type: 'string' },
        arguments: { type: 'object', description: 'As in the schema of the operation' },
      },
      required: ['operation'],
    },
    annotations,
  }
}

/** Best match first; among equals in the order of the API. Each word found counts, and more in the name. */
export function search(
  catalogue: Catalogue,
  sent: Readonly<Record<string, unknown>>,
  selection: Selection,
  scopes: ReadonlySet<string>,
): CallToolResult {
  const { query, limit = 5 } = sent
  if (typeof query !== 'string' || query.trim() === '') throw invalidParams('The argument query must be a text.')
  if (!Number.isInteger(limit) || (limit as number) < 1 || (limit as number) > MAX_FOUND) {
    throw invalidParams(`The argument limit must be a whole number from 1 to ${MAX_FOUND}.`)
  }
  const words = wordsOf(query)
  const exact = catalogue.find(query.trim())
  const found = catalogue.tools
    .filter((tool) => isAllowed(tool, selection, scopes))
    .map((tool) => ({ tool, score: tool === exact ? Number.POSITIVE_INFINITY : scoreOf(tool, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => (b.score === a.score ? 0 : b.score - a.score))
    .slice(0, limit as number)
  const structuredContent = { operations: found.map(({ tool }) => toolRecord(tool)) }
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
}

/** Plurals and singulars find each other. The number of words is bounded. */
function wordsOf(query: string): string[] {
  const words = query
    .slice(0, 400)
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
  return [...new Set(words.filter((word) => word.length > 1).map((word) => word.replace(/s$/, '')))].slice(0, 20)
}

function scoreOf({ name, words }: OperationTool, terms: string[]): number {
  let score = 0
  for (const word of terms) score += name.includes(word) ? 3 : words.includes(word) ? 1 : 0
  return score
}

function toolRecord(tool: OperationTool) {
  const { name, summary, scope, behaviour } = tool
  return {
    operation: name,
    summary,
    ...(scope !== undefined && { scope }),
    reads_only: behaviour.reads_only,
    needs_consent: behaviour.needs_consent,
    arguments: tool.input(),
  }
}
