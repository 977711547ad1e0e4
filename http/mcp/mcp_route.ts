/**
 * `POST /v1/mcp`: the Model Context Protocol, revisions 2026-07-28 and 2025-11-25, over Streamable HTTP without sessions.
 *
 * The token is checked by the request handler like on every route, and so are the sizes of the body and the number of
 * requests under way. The library of the protocol sees a request only after that. Operations are called through the
 * request handler again (`http/server/in_process.ts`), so their scopes are checked in one place.
 */
import { createMcpHandler, type McpServerFactory } from '@modelcontextprotocol/server'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import type { Log } from '../../runtime/mod.ts'
import { parseJson } from '../server/json.ts'
import type { RequestContext, Route, ServedRequest } from '../server/route.ts'
import { sessionServer, type Visit } from './session.ts'
import { catalogueOf } from './tools/catalogue.ts'

export type McpOptions = {
  /** The routes that become tools. */
  routes: readonly Route[]
  /** Where browsers reach the node: pages of other origins are refused. */
  base_url: string
  log: Log
}

export type Mcp = {
  route: Route
  /** Ends waits for progress, so that their requests finish. */
  stop(): void
}

/** Shorter than the ten seconds after which uWebSockets.js closes a silent connection. */
const KEEP_ALIVE_MS = 5000

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

const INVALID_REQUEST = -32_600
const METHOD_NOT_FOUND = -32_601
const PARSE_ERROR = -32_700

/** The route, and what stops it. `factory` replaces the tools in tests of the transport. */
export function mcpRoute({ routes, base_url, log }: McpOptions, factory?: McpServerFactory): Mcp {
  const stopping = new AbortController()
  const validator = new AjvJsonSchemaValidator()
  let catalogue: ReturnType<typeof catalogueOf> | undefined
  const own: McpServerFactory = ({ era, authInfo }) => {
    // Made with the first request, so that a start of the node costs nothing.
    catalogue ??= catalogueOf(routes)
    const surroundings = { catalogue, validator, stopping: stopping.signal }
    return sessionServer(surroundings, authInfo!.extra!.visit as Visit, era)
  }
  const handler = createMcpHandler(factory ?? own, {
    keepAliveMs: KEEP_ALIVE_MS,
    onerror: (error) => log.debug({ error: error.message }, 'an MCP request was refused'),
  })
  const origins = new Set([...LOOPBACK, new URL(base_url).hostname])
  const serve = async (request: ServedRequest, context: RequestContext): Promise<Response> => {
    const { headers, body, signal } = request
    // A page of another site must not use a browser's connection to a private network (DNS rebinding).
    const origin = headers.origin
    if (origin !== undefined && !origins.has(URL.parse(origin)?.hostname ?? '')) {
      return refusal(403, INVALID_REQUEST, 'The Origin is not one of this server.')
    }
    const parsed = parseJson(body)
    if ('violations' in parsed) {
      const [violation] = parsed.violations
      const code = violation?.code === 'malformed_json' ? PARSE_ERROR : INVALID_REQUEST
      return refusal(400, code, `The body ${violation?.path ? `${violation.path} ` : ''}${violation?.message}.`)
    }
    const { method, id = null } = parsed.value as { method?: unknown; id?: unknown }
    // Nothing that a client could listen to ever changes while the node runs.
    if (factory === undefined && method === 'subscriptions/listen') {
      return refusal(200, METHOD_NOT_FOUND, 'This server has no subscriptions.', id)
    }
    const visit: Visit = { request, context }
    const authInfo = { token: '', clientId: context.token_id, scopes: [], extra: { visit } }
    const asked = new Request(`${base_url}/v1/mcp`, { method: 'POST', headers: { ...headers }, signal })
    return handler.fetch(asked, { parsedBody: parsed.value, authInfo })
  }
  const route: Route = {
    method: 'POST',
    path: '/v1/mcp',
    operation: 'mcp',
    summary: 'Speak the Model Context Protocol, revisions 2026-07-28 and 2025-11-25',
    description: 'Answers with JSON, or with server-sent events where progress is reported.',
    auth: 'token',
    pool: 'exempt',
    status: 200,
    serve,
  }
  return { route, stop: () => stopping.abort() }
}

/** An error of JSON-RPC. */
function refusal(status: number, code: number, message: string, id: unknown = null): Response {
  return Response.json({ jsonrpc: '2.0', id, error: { code, message } }, { status })
}
