import { connect } from 'node:net'
import { Agent, request } from 'undici'
import {
  localAssistants,
  OutboundGuard,
  type Pool,
  type ProjectReply,
  type ProjectRequest,
  WhatsAppClient,
  WhatsAppFlows,
  WhatsAppTemplates,
  type Windows,
} from '../../actors/mod.ts'
import { type ApiHooks, apiRoutes, type HttpConfig, HttpServer, type Readiness } from '../../http/mod.ts'
import type { Route } from '../../http/server/route/route.ts'
import { type Log, type Runtime, silentLog } from '../../runtime/mod.ts'
import type { Database } from '../../storage/mod.ts'
import { storeTenant, type Tenant } from '../storage/records.ts'
import { refuseDrift } from '../support/drift.ts'
import { type Owner, sharedDatabase } from '../support/mod.ts'

/** The project of a test, which gives the answers. `asked` keeps its requests. */
export type Project = (message: ProjectRequest) => ProjectReply | Promise<ProjectReply>

export type Answer = {
  status: number
  headers: Record<string, string | string[] | undefined>
  // biome-ignore lint/suspicious/noExplicitAny: answers of every route
  body: any
  text: string
}

export type Call = {
  method?: string
  /** A body that is sent as JSON. */
  json?: unknown
  /** A body that is sent unchanged. */
  raw?: string | Buffer | AsyncIterable<Uint8Array>
  headers?: Record<string, string>
  /** Null sends no `Authorization`. */
  token?: string | null
}

export type ServerContext = {
  port: number
  tenant: Tenant
  database: Database
  server: HttpServer
  asked: ProjectRequest[]
  call(path: string, call?: Call): Promise<Answer>
  /**
   * Writes bytes on a socket of its own. Resolves to everything that came back until the server closed or `until` came.
   */
  send(bytes: string | Buffer, until?: RegExp): Promise<string>
}

export type ServerOptions = {
  project?: Project
  /** True when the project answers at once, without a promise. Default true. */
  peek?: boolean
  config?: Partial<HttpConfig>
  hooks?: Partial<ApiHooks> | ((database: Database) => Partial<ApiHooks>)
  readiness?: Readiness
  /** Further routes, perhaps made from those of the API. */
  routes?: Route[] | ((api: Route[]) => Route[])
  log?: Log
}

export const windows: Windows = {
  minute: { limit: 60, remaining: 59, reset: 60 },
  hour: { limit: 200, remaining: 199, reset: 3600 },
  day: { limit: 1000, remaining: 999, reset: 86400 },
}

/** The guard of a production start without further networks. */
const guard = new OutboundGuard()

const polls: Windows = { poll: { limit: 6000, remaining: 5999, reset: 60 } }
const ingest: Windows = { ingest: { limit: 6000, remaining: 5999, reset: 60 } }

/** The windows of a budget. */
export function windowsOf(pool: Pool): Windows | undefined {
  if (pool === 'exempt') return undefined
  return pool === 'ingest' ? ingest : pool === 'poll' ? polls : windows
}

/** A project that lets everything in and answers a command with its name. */
export const admitting: Project = ({ command, pool, draws }) => ({
  admission: { ok: true, windows: windowsOf(draws ?? pool) },
  result: command && { body: command },
})

/** Starts a real server over a database that other tests use too, with a project that answers as the test says. */
export async function startTestServer(t: Owner, options: ServerOptions = {}): Promise<ServerContext> {
  const database = await sharedDatabase(t)
  const tenant = await storeTenant(database)
  const asked: ProjectRequest[] = []
  const project = options.project ?? admitting
  const take = (message: ProjectRequest) => {
    if (!message.looks) asked.push(message)
    return project(message)
  }
  const runtime = {
    id: 'node-of-the-test',
    tryAsk: (_: string, message: ProjectRequest) => (options.peek === false ? undefined : take(message)),
    isHere: () => true,
    ask: async (_: string, message: ProjectRequest) => take(message),
  }
  const hooks: ApiHooks = {
    provider: async () => ({ status: 200, body: '{}' }),
    allow_url: (url) => guard.checkUrl(url).ok,
    whatsapp: { client: new WhatsAppClient(), flows: new WhatsAppFlows(), templates: new WhatsAppTemplates() },
    providers: {} as never,
    tools: {} as never,
    assistants: { service: localAssistants, models: ['model'], services: {} as never },
    media: {} as never,
    polls: { poll: async () => '{}' },
    ...(typeof options.hooks === 'function' ? options.hooks(database) : options.hooks),
  }
  const api = apiRoutes(hooks)
  const { routes = [] } = options
  const server = new HttpServer({
    runtime: runtime as unknown as Runtime,
    database,
    routes: [...api, ...(typeof routes === 'function' ? routes(api) : routes)],
    readiness: options.readiness ?? (async () => ({ ok: true, checks: {} })),
    log: options.log ?? silentLog,
    config: { host: '127.0.0.1', port: 0, unauthorized_ms: 10, ...options.config },
  })
  const port = await server.listen()
  const agent = new Agent({ pipelining: 1 })
  t.teardown(async () => {
    await agent.destroy()
    await server.close()
  })
  return {
    port,
    tenant,
    database,
    server,
    asked,
    async call(path, { method = 'GET', json, raw, headers = {}, token = tenant.secret } = {}) {
      const all: Record<string, string> = { ...headers }
      if (token !== null) all.authorization ??= `Bearer ${token}`
      if (json !== undefined) all['content-type'] ??= 'application/json'
      const body = json === undefined ? raw : JSON.stringify(json)
      const response = await request(`http://127.0.0.1:${port}${path}`, {
        method: method as 'GET',
        headers: all,
        body: body as string,
        dispatcher: agent,
      })
      const text = await response.body.text()
      const is_json = String(response.headers['content-type']).startsWith('application/json') && text !== ''
      const answer = {
        status: response.statusCode,
        headers: response.headers,
        text,
        body: is_json ? JSON.parse(text) : undefined,
      }
      // A success has what the test answers for the project, and so have refusals of a project that the test makes.
      if (answer.status >= 400 && options.project === undefined)
        refuseDrift({ method, url: `http://x${path}`, json: undefined, ...answer })
      return answer
    },
    send(bytes, until) {
      return new Promise((resolve) => {
        const socket = connect(port, '127.0.0.1')
        let text = ''
        socket.on('data', (chunk) => {
          text += chunk
          if (until?.test(text)) socket.destroy()
        })
        socket.on('error', () => {})
        socket.on('close', () => resolve(text))
        socket.write(bytes)
      })
    },
  }
}

/** Returns the violations of an answer as `path code`. */
export function violations(answer: Answer): string[] {
  return answer.body.error.details.violations.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)
}
