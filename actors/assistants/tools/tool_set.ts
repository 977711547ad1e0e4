/** The tools of an assistant in a conversation. */
import {
  type AgentTool,
  type Assistant,
  type Database,
  findAssistant,
  readOfferedTools,
  readToolFacts,
  type ToolFacts,
} from '../../../storage/mod.ts'
import type { ModelTool } from '../../models/mod.ts'
import { asTried, type Tried } from '../tried.ts'
import { type BoundArgument, closedWhereBound, withoutBound } from './bound_arguments.ts'
import type { BuiltIn, BuiltInOffer } from './built_in.ts'
import { bookAppointmentTool, listFreeAppointmentsTool, readAppointmentsTool } from './own/appointments.ts'
import { handOverTool } from './own/hand_over.ts'
import { readEventsTool, readOrdersTool } from './own/own_history.ts'
import { searchKnowledgeTool } from './own/search_knowledge.ts'
import { setTicketFieldsTool } from './own/set_ticket_fields.ts'
import type { BoundPerson } from './tool.ts'
import { modelNames } from './tool_names.ts'

const BUILT_IN: readonly BuiltIn[] = [
  handOverTool,
  searchKnowledgeTool,
  setTicketFieldsTool,
  listFreeAppointmentsTool,
  bookAppointmentTool,
  readAppointmentsTool,
  readOrdersTool,
  readEventsTool,
]

/** The names of Parley's own tools. */
export const builtInNames: readonly string[] = BUILT_IN.map(({ name }) => name)

export type OfferedTool =
  | { kind: 'built_in'; built_in: BuiltIn; parameters: Record<string, unknown> }
  /** `parameters`: with the bound arguments. */
  | { kind: 'agent_tool'; tool: AgentTool; parameters: Record<string, unknown>; bound: BoundArgument[] }

export type ToolSet = {
  assistant: Assistant
  offer: BuiltInOffer
  /** The same tools in the form that the model sees. */
  tools: ModelTool[]
  by_name: Map<string, OfferedTool>
}

type Where = {
  company_id: string
  project_id: string
  assistant_id: string
  person: BoundPerson
  tried?: Tried | undefined
}

/** Undefined when the project has no such assistant. */
export async function readToolSet(database: Database, where: Where): Promise<ToolSet | undefined> {
  const { company_id, project_id, assistant_id, person, tried } = where
  const [assistant, facts, held] = await Promise.all([
    findAssistant(database, project_id, assistant_id),
    readToolFacts(database, { company_id, project_id, chat_user: person.contact.id }),
    readOfferedTools(database, project_id, assistant_id),
  ])
  return assistant && toolSetOf({ assistant: asTried(assistant, tried), facts, held, person })
}

/** `held`: the tools of the assistant that are switched on. */
export function toolSetOf({
  assistant,
  facts,
  held,
  person,
}: {
  assistant: Assistant
  facts: ToolFacts
  held: readonly AgentTool[]
  person: BoundPerson
}): ToolSet {
  const offer = { assistant, facts, has_ticket: person.ticket_id !== null }
  const by_name = new Map<string, OfferedTool>()
  const tools: ModelTool[] = []
  const names = modelNames(held.map(({ name }) => name))
  for (const [at, tool] of held.entries()) {
    const full = closedWhereBound(tool.parameters)
    const { parameters, bound } = withoutBound(full)
    const name = names[at]!
    by_name.set(name, { kind: 'agent_tool', tool, parameters: full, bound })
    tools.push({ name, description: tool.description || tool.name, parameters })
  }
  for (const built_in of BUILT_IN) {
    if (!built_in.isOffered(offer)) continue
    const { name, description } = built_in
    const parameters = built_in.parameters(offer)
    by_name.set(name, { kind: 'built_in', built_in, parameters })
    tools.push({ name, description, parameters })
  }
  return { assistant, offer, tools, by_name }
}
