import { Unavailable } from '../../../runtime/mod.ts'
import { openHeaders } from '../../../storage/mod.ts'
import type { ModelToolCall } from '../../models/mod.ts'
import { isObject } from '../../values/is_object.ts'
import { storable } from '../../values/storable.ts'
import { fillBound, withoutBound } from './bound_arguments.ts'
import { fixtureFor, noFixture } from './fixtures.ts'
import { NOTHING_CHANGES } from './own/command_end.ts'
import { found, wrong } from './result.ts'
import { NOBODY, type ToolContext, type ToolFixture, type ToolResult } from './tool.ts'
import { type OfferedTool, readToolSet, type ToolSet } from './tool_set.ts'

/** Characters of the arguments as a model wrote them. */
const MAX_ARGUMENTS = 65_536
/** Violations that a model is told of. */
const MAX_VIOLATIONS = 10

/**
 * Runs a tool for a model. The tools are read again, so one that was taken off the assistant is not called.
 *
 * A wrong call has a result that says what is wrong. Rejects when the database cannot be read, or the project cannot be
 * asked: then the call may be repeated.
 */
export async function runTool(call: ModelToolCall, context: ToolContext): Promise<ToolResult> {
  const set = await readToolSet(context.database, context)
  const offered = set?.by_name.get(call.name)
  if (!set || !offered) return unknownTool(set)
  const values = parse(call.arguments)
  if (typeof values === 'string') return wrong('invalid_json', values)
  try {
    return await (offered.kind === 'built_in'
      ? runBuiltIn(offered, values, context, set)
      : runAgentTool(offered, call.name, values, context))
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    return wrong('busy', 'The tool cannot be called at the moment.')
  }
}

function unknownTool(set: ToolSet | undefined): ToolResult {
  const names = [...(set?.by_name.keys() ?? [])]
  return wrong('unknown_tool', `There is no such tool. The tools are: ${names.join(', ')}`)
}

/** The arguments, or what is wrong with them. */
function parse(text: string): Record<string, unknown> | string {
  if (text.length > MAX_ARGUMENTS) return `The arguments have more than ${MAX_ARGUMENTS} characters.`
  if (text.trim() === '') return {}
  let value: unknown
  try {
    // Escapes of JSON express what the text of the arguments does not show.
    value = JSON.parse(text, (_, one) => (typeof one === 'string' ? storable(one) : one))
  } catch {
    return 'The arguments are not valid JSON.'
  }
  return isObject(value) ? value : 'The arguments must be a JSON object.'
}

type BuiltInTool = Extract<OfferedTool, { kind: 'built_in' }>
type AgentsTool = Extract<OfferedTool, { kind: 'agent_tool' }>

async function runBuiltIn(
  { built_in, parameters }: BuiltInTool,
  values: Record<string, unknown>,
  context: ToolContext,
  { offer }: ToolSet,
): Promise<ToolResult> {
  const violation = await violated(parameters, values, context)
  if (violation) return violation
  const { webhooks } = context
  if (webhooks.mode === 'fixtures') {
    const given = fixtureFor(webhooks.fixtures, [built_in.name], values)
    if (given) return given
    if (built_in.changes) return noFixture()
  }
  return built_in.run(values as never, context, offer)
}

/** The facts of the person are checked with the other arguments: a tool may need one that nobody knows. */
async function runAgentTool(
  offered: AgentsTool,
  name: string,
  values: Record<string, unknown>,
  context: ToolContext,
): Promise<ToolResult> {
  const { webhooks } = context
  if (webhooks.mode === 'fixtures') {
    return resultGiven({ ...offered, name }, values, webhooks.fixtures, context)
  }
  const { tool, parameters, bound } = offered
  fillBound(values, bound, context.person)
  const violation = await violated(parameters, values, context)
  if (violation) return violation
  const { _id, url, method } = tool
  // Other methods may change something.
  if (webhooks.mode === 'read' && method !== 'GET') return wrong('nothing_changes', NOTHING_CHANGES)
  const timeout_ms = Math.max(1, Math.min(tool.timeout_ms, context.deadline - performance.now()))
  const headers = openHeaders(context.database, _id, tool.headers)
  const answer = await context.client.call({ url, method, headers, arguments: values, timeout_ms })
  const { succeeded, status_code, error, response, is_truncated } = answer
  const said = response === null ? null : readable(response)
  const body = { status: status_code, response: said, ...(is_truncated && { is_cut: true }) }
  if (succeeded) return found(body)
  const code = error?.split(':')[0] ?? 'failed'
  return wrong(code, 'The tool did not do it.', body)
}

/** The person may be nobody where results are given, so only arguments that the model writes count. */
async function resultGiven(
  { name, tool, parameters, bound }: AgentsTool & { name: string },
  values: Record<string, unknown>,
  fixtures: readonly ToolFixture[],
  context: ToolContext,
): Promise<ToolResult> {
  fillBound(values, bound, NOBODY)
  const violation = await violated(withoutBound(parameters).parameters, values, context)
  return violation ?? fixtureFor(fixtures, [name, tool.name], values) ?? noFixture()
}

/** JSON as JSON, so that it is not escaped twice. */
function readable(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

async function violated(
  parameters: Record<string, unknown>,
  values: Record<string, unknown>,
  { client, project_id }: ToolContext,
): Promise<ToolResult | undefined> {
  const verdict = await client.check({ parameters, values }, project_id)
  if ('unusable' in verdict) return wrong('unusable_tool', 'This tool cannot be used: its schema is at fault.')
  if (verdict.violations.length === 0) return undefined
  const violations = verdict.violations.slice(0, MAX_VIOLATIONS)
  return wrong('invalid_arguments', 'The arguments do not fit the schema of the tool.', violations)
}
