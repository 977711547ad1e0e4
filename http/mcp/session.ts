/**
 * One request of an MCP client: its tools and resources, bound to the caller of the HTTP request. The server keeps
 * nothing between requests, so each one gets an instance of its own.
 */
import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type jsonSchemaValidator,
  Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server'
import { now } from '../../storage/mod.ts'
import { invalid } from '../server/errors/api_error.ts'
import { InnerAnswerTooLarge } from '../server/in_process.ts'
import { parseJson } from '../server/parse/json.ts'
import type { RequestContext, ServedRequest } from '../server/route/route.ts'
import { type Channel, canonical, confirmationState, confirmed } from './confirmation.ts'
import { invalidParams } from './protocol_error.ts'
import { question } from './question.ts'
import { listDocuments, RESOURCE_TEMPLATES, type Read, readDocument } from './resources.ts'
import { API_SEARCH, apiCall, search } from './tools/api_tools.ts'
import type { Catalogue, OperationTool } from './tools/catalogue.ts'
import { requestOf, resultOf, type Sent, toolError, WrongArgument } from './tools/operation_call.ts'
import { FOLLOWED, follow } from './tools/progress.ts'
import { type Selection, select, selectionOf } from './tools/selection.ts'
import { continueTrace, type Trace } from './trace.ts'

const NAME = 'parley'
const VERSION = '1'
const HOUR_MS = 3_600_000

const INSTRUCTIONS =
  'Messaging and CRM of one project. Find people with search_crm, read their messages and tickets, answer with send_message. ' +
  'Every operation of the API can be found with api_search and called with api_call. ' +
  'Times are ISO 8601 in UTC. Broadcasts, deletions and whatever cannot be undone are confirmed by the user.'

/** Parts of the node that a session uses. */
export type Surroundings = {
  catalogue: Catalogue
  validator: jsonSchemaValidator
  /** Aborted when the node stops. */
  stopping: AbortSignal
}

export type Visit = { request: ServedRequest; context: RequestContext }

/** The server of one request, for the library to connect. */
export function sessionServer(surroundings: Surroundings, visit: Visit, era: 'legacy' | 'modern'): Server {
  const server = new Server(
    { name: NAME, title: 'Parley', version: VERSION },
    {
      capabilities: { tools: {}, resources: {} },
      instructions: INSTRUCTIONS,
      jsonSchemaValidator: surroundings.validator,
      // A request of an earlier revision cannot be asked back, because no session is kept.
      inputRequired: { legacyShim: false },
      cacheHints: {
        'server/discover': { ttlMs: HOUR_MS, cacheScope: 'public' },
        'tools/list': { ttlMs: HOUR_MS / 12, cacheScope: 'private' },
        'resources/templates/list': { ttlMs: HOUR_MS, cacheScope: 'public' },
        'resources/list': { ttlMs: 0, cacheScope: 'private' },
        'resources/read': { ttlMs: 0, cacheScope: 'private' },
      },
    },
  )
  const session = new Session(surroundings, visit, era)
  server.setRequestHandler('tools/list', ({ params }) => session.listTools(params?.cursor))
  server.setRequestHandler('tools/call', ({ params }, ctx) =>
    session.callTool(params.name, params.arguments ?? {}, ctx),
  )
  server.setRequestHandler('resources/list', ({ params }, ctx) => session.listResources(params?.cursor, ctx))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: RESOURCE_TEMPLATES }))
  server.setRequestHandler('resources/read', ({ params }, ctx) => session.readResource(params.uri, ctx))
  return server
}

class Session {
  readonly #surroundings: Surroundings
  readonly #visit: Visit
  readonly #era: 'legacy' | 'modern'
  readonly #selection: Selection

  constructor(surroundings: Surroundings, visit: Visit, era: 'legacy' | 'modern') {
    this.#surroundings = surroundings
    this.#visit = visit
    this.#era = era
    this.#selection = selectionOf(visit.request.headers)
  }

  async listTools(cursor: string | undefined) {
    if (cursor !== undefined) throw invalidParams('The list of tools has one page.')
    const tools = select(this.#surroundings.catalogue, this.#selection, await this.#scopes())
    const listed = [...tools.map(({ listed }) => listed), API_SEARCH, apiCall(this.#selection.reads_only)]
    return { tools: listed as Tool[] }
  }

  async callTool(name: string, sent: Sent, ctx: ServerContext): Promise<CallToolResult | InputRequiredResult> {
    const { catalogue } = this.#surroundings
    if (name === API_SEARCH.name) return search(catalogue, sent, this.#selection, await this.#scopes())
    if (name === 'api_call') {
      const inner = objectOf(sent.arguments ?? {})
      if (typeof inner !== 'object' || Array.isArray(inner)) throw invalidParams('arguments must be an object.')
      return this.#operate(String(sent.operation), inner as Sent, ctx)
    }
    return this.#operate(name, sent, ctx)
  }

  async listResources(cursor: string | undefined, ctx: ServerContext) {
    return listDocuments(cursor, this.#reader(continueTrace(ctx.mcpReq._meta)))
  }

  async readResource(uri: string, ctx: ServerContext) {
    return readDocument(uri, this.#reader(continueTrace(ctx.mcpReq._meta)))
  }

  async #operate(name: string, sent: Sent, ctx: ServerContext): Promise<CallToolResult | InputRequiredResult> {
    const tool = this.#surroundings.catalogue.find(name)
    if (tool === undefined) throw invalidParams(`There is no tool ${name.slice(0, 100)}. api_search finds operations.`)
    if (this.#selection.reads_only && !tool.behaviour.reads_only) {
      return toolError('READ_ONLY', `The client asked to read only (X-MCP-Readonly), and ${name} writes.`)
    }
    const trace = continueTrace(ctx.mcpReq._meta)
    const asked = tool.behaviour.needs_consent ? await this.#consent(tool, sent, ctx) : undefined
    if (asked !== undefined && 'answer' in asked) return asked.answer
    const result = await this.#call(tool, sent, trace, asked?.key)
    const followed = await this.#follow(tool, result, ctx, trace)
    return trace.traceparent === undefined ? followed : { ...followed, _meta: { traceparent: trace.traceparent } }
  }

  /** The key under which a confirmed operation runs, or the answer that asks for the confirmation. */
  async #consent(
    tool: OperationTool,
    { confirmation, ...sent }: Sent,
    { mcpReq }: ServerContext,
  ): Promise<{ key: string } | { answer: CallToolResult | InputRequiredResult }> {
    const { context } = this.#visit
    const keys = context.database.vault.keysFor('mcp confirmation')
    const at = now()
    // Only for arguments that are valid, or that come with a confirmation: it takes as long as reading them.
    const subject = () => ({ token_id: context.token_id, operation: tool.name, text: canonical(sent) })
    const channel: Channel = this.#canAsk(mcpReq.envelope) ? 'person' : 'argument'
    const state = channel === 'person' ? mcpReq.requestState() : confirmation
    if (state !== undefined) {
      const nonce = typeof state === 'string' ? confirmed(keys, channel, subject(), state, at) : undefined
      if (nonce === undefined) {
        if (channel === 'argument') return { answer: toolError('CONFIRMATION_INVALID', INVALID) }
        throw invalidParams('Invalid or expired requestState', { reason: 'invalid_request_state' })
      }
      if (channel === 'argument') return { key: `mcp ${nonce}` }
      const view = inputResponse(mcpReq.inputResponses, 'confirm')
      const agreed = view.kind === 'elicit' && view.action === 'accept' && view.content?.confirm === true
      return agreed ? { key: `mcp ${nonce}` } : { answer: toolError('DECLINED', 'The user did not agree.') }
    }
    // A call that would be refused puts no question to the user.
    const checked = await this.#call(tool, sent, NO_TRACE, undefined, true)
    if (checked.isError) return { answer: checked }
    const asks = question(tool, sent)
    const fresh = confirmationState(keys, channel, subject(), at)
    if (channel === 'argument') {
      const message = `${asks} Ask the user. If they agree, call again with the same arguments and this confirmation.`
      return { answer: toolError('CONFIRMATION_REQUIRED', message, { confirmation: fresh }) }
    }
    const confirm = inputRequired.elicit({ message: asks, requestedSchema: CONFIRM })
    return { answer: inputRequired({ inputRequests: { confirm }, requestState: fresh }) }
  }

  /** True when the client can put a question to its user. */
  #canAsk(envelope: ServerContext['mcpReq']['envelope']): boolean {
    const capabilities = (envelope as Record<string, unknown> | undefined)?.[
      'io.modelcontextprotocol/clientCapabilities'
    ] as { elicitation?: { form?: unknown; url?: unknown } } | undefined
    const elicitation = capabilities?.elicitation
    return this.#era === 'modern' && elicitation !== undefined && (elicitation.form !== undefined || !elicitation.url)
  }

  async #call(
    tool: OperationTool,
    sent: Sent,
    trace: Trace,
    key?: string,
    only_checks = false,
  ): Promise<CallToolResult> {
    try {
      const request = { ...requestOf(tool, sent, trace, key), only_checks }
      return resultOf(tool, request.path, await this.#visit.request.call(tool.route, request))
    } catch (error) {
      // An error of the tool, which the model sees and can mend.
      if (error instanceof WrongArgument) {
        const { code, message, details } = invalid([error.violation])
        return toolError(code, message!, details)
      }
      if (!(error instanceof InnerAnswerTooLarge)) throw error
      return toolError('ANSWER_TOO_LARGE', 'The file is too large for a tool. Download it over HTTP.')
    }
  }

  async #follow(tool: OperationTool, result: CallToolResult, { mcpReq }: ServerContext, trace: Trace) {
    const progressToken = mcpReq._meta?.progressToken
    const followed = FOLLOWED[tool.name]
    if (followed === undefined || progressToken === undefined || result.isError) return result
    return follow(followed, result, {
      call: (operation, sent) => this.#call(this.#surroundings.catalogue.find(operation)!, sent, trace),
      report: (progress) => mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...progress } }),
      signal: AbortSignal.any([mcpReq.signal, this.#visit.request.signal, this.#surroundings.stopping]),
    })
  }

  #reader(trace: Trace): Read {
    return async (operation, sent) => {
      const tool = this.#surroundings.catalogue.find(operation)!
      const { status, body } = await this.#visit.request.call(tool.route, requestOf(tool, sent, trace))
      const json = JSON.parse(Buffer.from(body).toString())
      return status < 400
        ? { body: json }
        : { code: json.error?.code ?? 'UNAUTHENTICATED', message: json.error?.message }
    }
  }

  async #scopes(): Promise<ReadonlySet<string>> {
    const me = await this.#reader(NO_TRACE)('get_me', {})
    return new Set('body' in me ? (me.body.scopes as string[]) : [])
  }
}

/** Models often send an object as the text of its JSON. */
function objectOf(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const parsed = parseJson(Buffer.from(value))
  if ('value' in parsed) return parsed.value
  const [violation] = parsed.violations
  throw invalidParams(`arguments must be an object; as a text of JSON, ${violation!.path} ${violation!.message}.`)
}

const NO_TRACE: Trace = { request_id: undefined, traceparent: undefined }

const INVALID =
  'The confirmation was altered, belongs to another call or is older than ten minutes. Call without it first.'

const CONFIRM = {
  type: 'object' as const,
  properties: { confirm: { type: 'boolean' as const, title: 'Go ahead', default: false } },
  required: ['confirm'],
}
