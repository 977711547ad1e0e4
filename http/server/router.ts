/**
 * Registers the table of routes with uWebSockets.js.
 *
 * Its own router matches first: native, by method and path as sent. Unmatched requests fall through to one handler that
 * looks again with the path percent-decoded, and distinguishes an unknown path (404) from a known path with another
 * method (405).
 */
import type * as uWS from 'uWebSockets.js'
import * as v from 'valibot'
import { Refusal } from '../../runtime/mod.ts'
import { handleRequest } from './request/request_handler.ts'
import { type CompiledRoute, compileRoute } from './route/compiled_route.ts'
import { ResponseWithHeaders } from './route/response_with_headers.ts'
import type { Method, Route } from './route/route.ts'
import type { ServerContext } from './server_context.ts'

const REGISTER = { GET: 'get', POST: 'post', PATCH: 'patch', PUT: 'put', DELETE: 'del', HEAD: 'head' } as const

const NO_PARAMS: Record<string, string> = Object.freeze({})

/** All methods of one path. */
type Resource = { segments: string[]; compiled_routes: Map<Method | 'HEAD', CompiledRoute> }

/** Registers every route, and the handler for unmatched requests. Throws when two routes are the same. */
export function registerRoutes(app: uWS.TemplatedApp, server: ServerContext, routes: readonly Route[]): void {
  const resources = new Map<string, Resource>()
  const add = (method: Method | 'HEAD', route: Route) => {
    const compiled_route = compileRoute(route, method, server.metrics)
    const shape = route.path.replace(/:\w+/g, ':')
    let resource = resources.get(shape)
    if (resource === undefined) {
      resource = { segments: route.path.split('/').slice(1), compiled_routes: new Map() }
      resources.set(shape, resource)
    }
    if (resource.compiled_routes.has(method)) throw new Error(`two routes take ${method} ${route.path}`)
    resource.compiled_routes.set(method, compiled_route)
    app[REGISTER[method]](route.path, (response, request) =>
      handleRequest(server, compiled_route, response, request, paramsOf(compiled_route, request)),
    )
  }
  for (const route of routes) {
    add(route.method, route)
    if (route.method === 'GET') add('HEAD', route)
  }
  registerRest(app, server, [...resources.values()])
}

function registerRest(app: uWS.TemplatedApp, server: ServerContext, resources: Resource[]): void {
  const planned = new Map<string, CompiledRoute>()
  /** One compiled route for each answer and each kind of caller: there are as many as there are sets of methods. */
  const rest = (url: string, routes: Resource['compiled_routes'] | undefined, asked: string) => {
    const is_question = asked === 'OPTIONS'
    const method = asked === 'HEAD' ? 'HEAD' : 'GET'
    const auth = callersOf(url)
    const allowed = routes && [...routes.keys(), 'OPTIONS'].join(', ')
    const is_exempt = routes !== undefined && [...routes.values()].every(({ route }) => route.pool === 'exempt')
    const name = `${auth} ${method} ${is_question} ${is_exempt} ${allowed}`
    const compile = () => compileRoute(nowhere(auth, allowed, is_question, is_exempt), method, server.metrics)
    const compiled_route = planned.get(name) ?? compile()
    planned.set(name, compiled_route)
    return compiled_route
  }
  for (const resource of resources) {
    // uWebSockets.js would serve such a request as one for a parameter with the literal's name, such as an id `upload`.
    for (const method of methodsOfWider(resource, resources)) {
      app[REGISTER[method]](`/${resource.segments.join('/')}`, (response, request) => {
        const refusal = rest(request.getUrl(), resource.compiled_routes, method)
        handleRequest(server, refusal, response, request, NO_PARAMS)
      })
    }
  }
  app.any('/*', (response, request) => {
    const url = request.getUrl()
    const method = request.getCaseSensitiveMethod()
    const found = match(resources, url)
    const compiled_route = found?.resource.compiled_routes.get(method as Method)
    if (found && compiled_route) return handleRequest(server, compiled_route, response, request, found.params)
    const unmatched = rest(url, found?.resource.compiled_routes, method)
    handleRequest(server, unmatched, response, request, NO_PARAMS)
  })
}

/** The methods that only paths with a parameter in the place of one of the resource's literals take. */
function methodsOfWider(resource: Resource, resources: Resource[]): Set<Method | 'HEAD'> {
  const covers = ({ segments }: Resource) =>
    segments.length === resource.segments.length &&
    segments.every((segment, index) => segment.startsWith(':') || segment === resource.segments[index])
  const wider = resources.filter((one) => one !== resource && covers(one))
  return new Set(wider.flatMap((one) => [...one.compiled_routes.keys()])).difference(resource.compiled_routes)
}

/** Unknown paths are reported only to callers who may know the known ones. */
function callersOf(url: string): Route['auth'] {
  if (url.startsWith('/v1/') || url === '/v1') return 'token'
  return url.startsWith('/admin/v1/') || url === '/admin/v1' ? 'operator' : 'none'
}

/**
 * The answer to unmatched requests. In the metrics it stands for all of them, because clients invent these paths.
 * `is_exempt`: no method of the path draws on a budget. So a client of MCP, which asks with GET whether there is a stream
 * and goes on after a 405, does so beyond the limits, too.
 */
function nowhere(auth: Route['auth'], allowed: string | undefined, is_question: boolean, is_exempt: boolean): Route {
  return {
    method: 'GET',
    path: '*',
    operation: 'unknown',
    summary: 'What matches no route',
    auth,
    is_nowhere: true,
    ...(is_exempt && { pool: 'exempt' }),
    ...(auth === 'none' && { counted_as: 'unknown_path' }),
    query: v.record(v.string(), v.string()),
    status: 204,
    read() {
      if (allowed === undefined) throw new Refusal('NOT_FOUND', { message: 'There is nothing at this path.' })
      if (is_question) return new ResponseWithHeaders(undefined, `Allow: ${allowed}\r\n`)
      throw new Refusal('METHOD_NOT_ALLOWED', { details: { allowed: allowed.split(', ') } })
    },
  }
}

function paramsOf(compiled_route: CompiledRoute, request: uWS.HttpRequest): Record<string, string> {
  const { params } = compiled_route
  if (params.length === 0) return NO_PARAMS
  const values: Record<string, string> = {}
  for (let index = 0; index < params.length; index++) {
    const text = request.getParameter(index) ?? ''
    // A malformed escape names nothing; kept as sent it will not be found.
    values[params[index]!] = decode(text) ?? text
  }
  return values
}

function match(resources: Resource[], url: string): { resource: Resource; params: Record<string, string> } | undefined {
  const sent = url.split('/').slice(1)
  // Decoding is slow where an escape is malformed, and nothing has been counted yet.
  if (!resources.some(({ segments }) => segments.length === sent.length)) return undefined
  const decoded = sent.map((segment) => decode(segment))
  let best: { resource: Resource; params: Record<string, string> } | undefined
  for (const resource of resources) {
    const { segments } = resource
    if (segments.length !== decoded.length) continue
    const params: Record<string, string> = {}
    const fits = segments.every((segment, index) => {
      const text = decoded[index]
      if (!segment.startsWith(':')) return segment === text
      if (!text) return false
      params[segment.slice(1)] = text
      return true
    })
    if (!fits) continue
    // A literal segment is a better match than a parameter.
    if (!best || Object.keys(params).length < Object.keys(best.params).length) best = { resource, params }
  }
  return best
}

/** Undefined for a malformed escape. */
function decode(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
