/** The answers of people to Flows. */
import type { Message } from '../../../storage/mod.ts'
import { isObject, type Json, objects, parseCall, textOf } from '../../providers/json.ts'

export type FlowAnswer = {
  /** That of the send; null where neither the answer nor the answered message has one. */
  flow_token: string | null
  /** The answers by the names of the Flow's fields; empty where they could not be read. */
  response: Json
  /** The answers are no JSON object. The message has them as they came. */
  unreadable?: true
}

/** True for a message that may answer a Flow: its context is needed to tell. */
export function mayAnswerFlow({ message }: Pick<Message, 'message'>): boolean {
  return isObject(message.nfm_reply)
}

/**
 * The answer to a Flow; undefined for any other message. `nfm_reply` is also the form of other answers, such as an
 * address, which have a `name` of their own. `answered`: the message that the context names, if it is known.
 */
export function flowAnswer(
  { message }: Pick<Message, 'message'>,
  answered: Message | undefined,
): FlowAnswer | undefined {
  const { nfm_reply: reply } = message
  if (!isObject(reply)) return undefined
  const sent = answered?.direction === 'outbound' ? tokenOf(answered.message) : null
  const is_flow = sent !== null || reply.name === undefined || reply.name === null || reply.name === 'flow'
  if (!is_flow) return undefined
  const response = answersIn(reply.response_json)
  if (!response) return { flow_token: sent, response: {}, unreadable: true }
  return { flow_token: textOf(response.flow_token) ?? sent, response }
}

function answersIn(json: unknown): Json | undefined {
  const answers = typeof json === 'string' ? parseCall(json) : json
  return isObject(answers) ? answers : undefined
}

/** The token of a sent Flow: of a message of ours, of a template with a Flow, or of a body in the provider's format. */
function tokenOf(message: Json): string | null {
  const own = textOf(message.flow_token) ?? textOf(at(message, 'flow', 'flow_token'))
  if (own !== null) return own
  const interactive = textOf(at(message, 'interactive', 'action', 'parameters', 'flow_token'))
  if (interactive !== null) return interactive
  for (const component of objects(at(message, 'template', 'components'))) {
    for (const parameter of objects(component.parameters)) {
      const token = textOf(at(parameter, 'action', 'flow_token'))
      if (token !== null) return token
    }
  }
  return null
}

function at(node: unknown, ...path: string[]): unknown {
  return path.reduce((found, field) => (isObject(found) ? found[field] : undefined), node)
}
