/** Checks a message that names a template before it is sent. */
import type { TemplatePayload } from '../../providers/mod.ts'
import { flowButtonIndexes, refusedVariables, templateVariables } from '../../providers/whatsapp/mod.ts'
import { refuse } from '../../refuse.ts'
import type { ProjectChannel } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { findTemplate, type TemplateFacts } from './template_facts.ts'

/**
 * The template that a message names, with all that it needs.
 * @throws {Refusal} TEMPLATE_NOT_FOUND, TEMPLATE_VARIABLE_MISSING, TEMPLATE_VARIABLE_INVALID, TEMPLATE_FLOW_BUTTON_MISSING
 */
export function sendableTemplate(turn: ProjectTurn, channel: ProjectChannel, message: TemplatePayload): TemplateFacts {
  const found = findTemplate(turn, channel.id, message)
  if (!found) throw refuse('TEMPLATE_NOT_FOUND', { name: message.name, language: message.language })
  const values = message.variables ?? {}
  const missing = templateVariables(found.components).filter((name) => !Object.hasOwn(values, name))
  if (missing.length > 0) throw refuse('TEMPLATE_VARIABLE_MISSING', { variables: missing })
  const refused = refusedVariables(found.components, values)
  if (refused.length > 0) throw refuse('TEMPLATE_VARIABLE_INVALID', { variables: refused }, whiteSpaceIn(refused))
  const flow_buttons = flowButtonIndexes(found.components)
  if (message.flow && !flow_buttons.includes(message.flow.button_index ?? flow_buttons[0]!)) {
    throw refuse('TEMPLATE_FLOW_BUTTON_MISSING', { button_index: message.flow.button_index ?? null, flow_buttons })
  }
  return found
}

/** The reason for the refusal of these variables, in a sentence. */
export function whiteSpaceIn(variables: readonly string[]): string {
  const names = variables.join(', ')
  return `Line breaks, tabs, more than four spaces in a row and empty texts cannot be sent in variables: ${names}.`
}
