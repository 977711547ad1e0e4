/**
 * `POST /v1/mcp`: the Model Context Protocol, revisions 2026-07-28 and 2025-11-25, over Streamable HTTP without sessions.
 *
 * The token is checked by the request handler like on every route, and so are the sizes of the body and the number of
 * requests under way. The library of the protocol sees a request only after that. Operations are called through the
 * request handler again (`http/server/in_process.ts`), so their scopes are checked in one place.
 *
 * The library is loaded with the first request: it takes 70 ms of CPU and 30 MB, which nodes without agents save.
 */
import type { McpServerFactory } from '@modelcontextprotocol/server'
import { DOCUMENT_BODY_LIMIT } from '../routes/knowledge/fields.ts'
import type { Route } from '../server/route/route.ts'
import { rpcAnswer, rpcErrors, rpcRequest } from './messages.ts'
import type { McpOptions } from './serve.ts'

export type Mcp = {
  route: Route
  /** Ends waits for progress, so that their requests finish. */
  stop(): void
}

/** The route, and what stops it. `factory` replaces the tools in tests of the transport. */
export function mcpRoute(options: McpOptions, factory?: McpServerFactory): Mcp {
  const stopping = new AbortController()
  let serving: Promise<NonNullable<Route['serve']>> | undefined
  const route: Route = {
    method: 'POST',
    path: '/v1/mcp',
    operation: 'mcp',
    summary: 'Speak the Model Context Protocol, revisions 2026-07-28 and 2025-11-25',
    description:
      'Answers with JSON, or with server-sent events, each with a message, as far as `Accept` takes them. Use a client of the protocol.',
    section: { name: 'MCP', description: 'The operations as tools for AI agents.' },
    example: { body: { jsonrpc: '2.0', id: 1, method: 'ping' } },
    auth: 'token',
    pool: 'exempt',
    streams: true,
    request_headers: ['MCP-Protocol-Version', 'X-MCP-Toolsets', 'X-MCP-Tools', 'X-MCP-Readonly'],
    body: rpcRequest,
    body_limit: DOCUMENT_BODY_LIMIT,
    status: 200,
    response: rpcAnswer,
    other_statuses: { 202: 'A notification was taken. There is no body.' },
    own_errors: rpcErrors,
    async serve(request, context) {
      serving ??= import('./serve.ts').then(({ mcpServe }) => mcpServe(options, stopping.signal, factory))
      return (await serving)(request, context)
    },
  }
  return { route, stop: () => stopping.abort() }
}
