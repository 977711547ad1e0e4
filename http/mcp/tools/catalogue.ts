/** The tools that operations become: one for each route that a token may call. Made once, from the description of the API. */
import type { ToolAnnotations } from '@modelcontextprotocol/server'
import type { JsonSchema } from '../../../actors/mod.ts'
import { type DescribedOperation, describeApi } from '../../openapi/describe.ts'
import type { Route } from '../../server/route/route.ts'
import { type Behaviour, behaviourOf } from './behaviour.ts'
import { briefInput, briefOutput } from './brief_schema.ts'
import { type Arguments, argumentsOf, type ObjectSchema, standalone } from './input_schema.ts'

/** As `tools/list` answers it. */
export type ListedTool = {
  name: string
  description: string
  inputSchema: ObjectSchema
  outputSchema?: ObjectSchema
  annotations: ToolAnnotations
}

export type OperationTool = {
  name: string
  summary: string
  /** Words by which a search finds it. */
  words: string
  scope: string | undefined
  toolset: string
  behaviour: Behaviour
  takes_key: boolean
  places: Arguments
  route: Route
  listed: ListedTool
  /** The whole schemas, for those who ask. */
  input(): JsonSchema
}

export type Catalogue = {
  /** In the order of the API. */
  tools: readonly OperationTool[]
  /** The tool of a name, or of a former name. */
  find(name: string): OperationTool | undefined
  /** The names of the toolsets, in the order of the API. */
  toolsets: readonly string[]
}

/**
 * Names that released tools had before. They still work, but are not listed.
 *
 * A tool is renamed with its route's operation: add `former: current` here.
 */
export const ALIASES: Readonly<Record<string, string>> = {}

/** @throws {Error} for an alias of no tool, and for one that hides a tool */
export function catalogueOf(routes: readonly Route[], aliases: Readonly<Record<string, string>> = ALIASES): Catalogue {
  const { operations, components } = describeApi(routes)
  const tools = operations.filter(({ auth }) => auth === 'token').map((operation) => toolOf(operation, components))
  const by_name = new Map(tools.map((tool) => [tool.name, tool]))
  const names = new Map(by_name)
  for (const [former, name] of Object.entries(aliases)) {
    const tool = by_name.get(name)
    if (tool === undefined || by_name.has(former)) throw new Error(`${former} is no alias: see ${name}`)
    names.set(former, tool)
  }
  return { tools, find: (name) => names.get(name), toolsets: [...new Set(tools.map(({ toolset }) => toolset))] }
}

function toolOf(operation: DescribedOperation, components: Record<string, JsonSchema>): OperationTool {
  const { id, summary, scope, section, route, takes_key, response, is_download, path, description } = operation
  const behaviour = behaviourOf(route)
  const places = argumentsOf(operation, components, behaviour.needs_consent)
  const output = response?.schema
  const has_output = output !== undefined && !is_download
  return {
    name: id,
    summary,
    words: `${id} ${summary} ${section.name} ${path} ${description}`.toLowerCase(),
    scope,
    toolset: section.name.toLowerCase().replaceAll(' ', '_'),
    behaviour,
    takes_key,
    places,
    route,
    listed: {
      name: id,
      description: summary,
      inputSchema: briefInput(places.schema, components),
      ...(has_output && { outputSchema: briefOutput(output, components) }),
      annotations: annotationsOf(behaviour),
    },
    input: () => standalone(places.schema, components),
  }
}

/** Hints whose value is the default of the protocol are left out. */
export function annotationsOf({ reads_only, is_idempotent, needs_consent, reaches_out }: Behaviour): ToolAnnotations {
  if (reads_only) return { readOnlyHint: true, openWorldHint: false }
  return {
    readOnlyHint: false,
    destructiveHint: needs_consent,
    idempotentHint: is_idempotent,
    openWorldHint: reaches_out,
  }
}
