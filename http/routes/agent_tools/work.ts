/** The work of agents' tools outside the database: checks in threads, and test calls. */
import type { ArgumentViolation, ToolClient } from '../../../actors/mod.ts'
import { type Log, Refusal, Unavailable } from '../../../runtime/mod.ts'
import { type AgentTool, type Database, findAgentTool, objectId, openHeaders } from '../../../storage/mod.ts'
import type { Operation, Outcome } from '../../server/changes/operation.ts'
import type { Violation } from '../../server/errors/api_error.ts'
import { clip } from '../../server/errors/clip.ts'
import { Shares } from '../../server/limits/fair_shares.ts'

/** The client that calls tools, and the log of the calls. */
export type ToolHooks = { client: ToolClient; log: Log }

type Where = { database: Database; project_id: string }

/** Maximum test calls under way, on a node and of a project. A hanging tool holds its place for 15 s at most. */
const UNDER_WAY = { all: 64, kinds: { project: 4 } }
/** Characters of the arguments as JSON. */
const MAX_ARGUMENTS_LENGTH = 65_536

export class AgentToolTests {
  readonly #tools: ToolClient
  readonly #log: Log
  readonly #under_way = new Shares<'project'>(UNDER_WAY)

  constructor({ client, log }: ToolHooks) {
    this.#tools = client
    this.#log = log
  }

  /** Calls the tool once. A tool that fails is an answer, too: the test tells how. */
  async test(where: Where, id: string, values: Record<string, unknown>, { deadline }: Operation): Promise<Outcome> {
    const tool = await toolOf(where, id)
    const holder = { project: where.project_id }
    if (!this.#under_way.take(holder, 1)) throw new Unavailable('Too many test calls of tools are under way.')
    try {
      await this.#check(tool, values, where.project_id)
      const { url, method } = tool
      const headers = openHeaders(where.database, tool._id, tool.headers)
      const timeout_ms = Math.max(1, Math.min(tool.timeout_ms, deadline - performance.now()))
      const answer = await this.#tools.call({ url, method, headers, arguments: values, timeout_ms })
      const { status_code, duration_ms, error } = answer
      const { project_id } = where
      this.#log.info({ project_id, tool_id: tool._id, status_code, duration_ms, error }, 'a tool was tested')
      const call = { id: objectId(), tool_id: tool._id, arguments: values, ...answer }
      return { changes: [{ type: 'record_tool_call', ...call }], answer: { record: true } }
    } finally {
      this.#under_way.give(holder, 1)
    }
  }

  /** @throws {Refusal} AGENT_TOOL_ARGUMENTS_INVALID, AGENT_TOOL_PARAMETERS_UNUSABLE */
  async #check({ parameters }: AgentTool, values: Record<string, unknown>, project_id: string): Promise<void> {
    if (JSON.stringify(values).length > MAX_ARGUMENTS_LENGTH) {
      const message = `must be at most ${MAX_ARGUMENTS_LENGTH} characters of JSON`
      throw invalidArguments([{ path: 'arguments', message, code: 'too_long' }])
    }
    const verdict = await this.#tools.check({ parameters, values }, project_id)
    if ('unusable' in verdict) {
      throw new Refusal('AGENT_TOOL_PARAMETERS_UNUSABLE', { details: { reason: verdict.unusable } })
    }
    if (verdict.violations.length > 0) throw invalidArguments(verdict.violations)
  }
}

/** Compiles the patterns of parameters in a thread. */
export async function examineParameters(
  client: ToolClient,
  parameters: Record<string, unknown>,
  project_id: string,
): Promise<Violation[]> {
  const found = await client.checkPatterns(parameters, project_id)
  return found.map(({ path, message }) => ({
    path: ['parameters', ...path].map(clip).join('.'),
    message,
    code: 'invalid_value',
  }))
}

/** One violation is said in the message, too. */
function invalidArguments(violations: ArgumentViolation[]): Refusal {
  const [only] = violations.length === 1 ? violations : []
  const message = only && `${only.path} ${only.message}.`
  return new Refusal('AGENT_TOOL_ARGUMENTS_INVALID', { message, details: { violations } })
}

/** The tool of the project. @throws {Refusal} NOT_FOUND */
export async function toolOf({ database, project_id }: Where, id: string): Promise<AgentTool> {
  const tool = await findAgentTool(database, project_id, id)
  if (!tool) throw new Refusal('NOT_FOUND')
  return tool
}
