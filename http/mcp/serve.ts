/** Answers the requests to `POST /v1/mcp` with the library of the protocol. `mcp_route.ts` loads this when it is needed. */
import {
  createMcpHandler,
  type McpServerFactory,
  PROTOCOL_VERSION_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import { parseUrl } from '../../actors/mod.ts'
import type { Log } from '../../runtime/mod.ts'
import { parseJson } from '../server/parse/json.ts'
import { accepts } from '../server/parse/media_types.ts'
import type { Route } from '../server/route/route.ts'
import { hasLargeEnvelope } from './envelope.ts'
import { sessionServer, type Visit } from './session.ts'
import { catalogueOf } from './tools/catalogue.ts'

export type McpOptions = {
  /** The routes that become tools. */
  routes: readonly Route[]
  /** Where browsers reach the node: pages of other origins are refused. */
  base_url: string
  log: Log
}

/** Shorter than the ten seconds after which uWebSockets.js closes a silent connection. */
const KEEP_ALIVE_MS = 5000

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

const JSON_TYPE = 'application/json'
const EVENTS = 'text/event-stream'
const BOTH = `${JSON_TYPE}, ${EVENTS}`

/** Revisions, the newest first. The library names the newest alone. */
const SPOKEN = ['2026-07-28', ...SUPPORTED_PROTOCOL_VERSIONS]

const NOT_ACCEPTABLE = -32_000
const INVALID_REQUEST = -32_600
const METHOD_NOT_FOUND = -32_601
const PARSE_ERROR = -32_700

/** `stopping` ends waits for progress. */
export function mcpServe(
  { routes, base_url, log }: McpOptions,
  stopping: AbortSignal,
  factory?: McpServerFactory,
): NonNullable<Route['serve']> {
  const validator = new AjvJsonSchemaValidator()
  const catalogue = catalogueOf(routes)
  const own: McpServerFactory = ({ era, authInfo }) => {
    const surroundings = { catalogue, validator, stopping }
    return sessionServer(surroundings, authInfo!.extra!.visit as Visit, era)
  }
  const handler = createMcpHandler(factory ?? own, {
    keepAliveMs: KEEP_ALIVE_MS,
    onerror: (error) => log.debug({ error: error.message }, 'an MCP request was refused'),
  })
  const origins = new Set([...LOOPBACK, new URL(base_url).hostname])
  return async (request, context) => {
    const { headers, body, signal } = request
    // A page of another site must not use a browser's connection to a private network (DNS rebinding).
    const origin = headers.origin
    if (origin !== undefined && !origins.has(parseUrl(origin)?.hostname ?? '')) {
      return refusal(403, INVALID_REQUEST, 'The Origin is not one of this server.')
    }
    const takes_events = accepts(headers.accept, EVENTS)
    if (!takes_events && !accepts(headers.accept, JSON_TYPE)) return refusal(406, NOT_ACCEPTABLE, `Accept ${BOTH}.`)
    const parsed = parseJson(body)
    if ('violations' in parsed) {
      const [violation] = parsed.violations
      const code = violation?.code === 'malformed_json' ? PARSE_ERROR : INVALID_REQUEST
      return refusal(400, code, `The body ${violation?.path ? `${violation.path} ` : ''}${violation?.message}.`)
    }
    if (hasLargeEnvelope(parsed.value)) {
      return refusal(400, INVALID_REQUEST, 'The message has too many parts beside the arguments of a tool.')
    }
    const { method, id = null } = parsed.value as { method?: unknown; id?: unknown }
    const unspoken = unspokenRevision(headers, parsed.value as Rpc)
    if (unspoken !== undefined) {
      const { code, message, data } = new UnsupportedProtocolVersionError({ supported: SPOKEN, requested: unspoken })
      return Response.json({ jsonrpc: '2.0', id: idOf(id), error: { code, message, data } }, { status: 400 })
    }
    // Nothing that a client could listen to ever changes while the node runs.
    if (factory === undefined && method === 'subscriptions/listen') {
      return refusal(200, METHOD_NOT_FOUND, 'This server has no subscriptions.', idOf(id))
    }
    const visit: Visit = { request, context }
    const authInfo = { token: '', clientId: context.token_id, scopes: [], extra: { visit } }
    // The library looks for words in both headers; what they mean was checked.
    const understood = { ...headers, accept: BOTH, 'content-type': JSON_TYPE }
    const asked = new Request(`${base_url}/v1/mcp`, { method: 'POST', headers: understood, signal })
    const answer = await handler.fetch(asked, { parsedBody: parsed.value, authInfo })
    return takes_events ? answer : lastMessage(answer)
  }
}

type Rpc = { method?: unknown; params?: { _meta?: Record<string, unknown> } }

/**
 * The revision that the header alone names, if this server does not speak it: of requests with an envelope, which name
 * theirs in it, the library checks both. `initialize` negotiates one.
 */
function unspokenRevision(headers: Record<string, string>, { method, params }: Rpc): string | undefined {
  const named = headers['mcp-protocol-version']
  const has_envelope = params?._meta?.[PROTOCOL_VERSION_META_KEY] !== undefined
  if (method === 'initialize' || has_envelope || named === undefined || SPOKEN.includes(named)) return undefined
  return named.slice(0, 100)
}

/** The answer without the events before it, for a client that takes JSON alone. */
async function lastMessage(answer: Response): Promise<Response> {
  if (!answer.headers.get('content-type')?.startsWith(EVENTS)) return answer
  const data = (await answer.text()).split('\n').filter((line) => line.startsWith('data:'))
  const messages = data.map((line) => line.slice('data:'.length).trim()).filter((text) => text !== '')
  return new Response(messages.at(-1) ?? null, { status: answer.status, headers: { 'content-type': JSON_TYPE } })
}

/** An id that JSON-RPC allows; null for any other value. */
function idOf(id: unknown): unknown {
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

/** An error of JSON-RPC. */
function refusal(status: number, code: number, message: string, id: unknown = null): Response {
  return Response.json({ jsonrpc: '2.0', id, error: { code, message } }, { status })
}
