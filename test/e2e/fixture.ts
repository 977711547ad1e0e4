/**
 * A whole Parley with its provider simulator and a receiver of webhooks, seen from outside. One file: most of it is the types
 * that all end-to-end tests share.
 */
import { scopes } from '../../actors/mod.ts'
import { demoModels } from '../../http/app/demo/models.ts'
import type { Waits } from '../../http/app/node/place.ts'
import { type Parley as Node, startParley } from '../../http/app/parley.ts'
import { type Config, readConfig } from '../../http/app/settings/mod.ts'
import { Parley } from '../../http/client/mod.ts'
import { createLog } from '../../http/server/log.ts'
import { type SimulatorOptions, startSimulator } from '../../http/simulator/mod.ts'
import type { Log } from '../../runtime/mod.ts'
import { freePort, type Owner, plainQuery, TEST_SECRET, tempDir, testDatabaseUrl, testNats } from '../support/mod.ts'
import { askRun } from '../support/shared.ts'
import { watchNode } from '../support/watched_fetch.ts'
import { type Answer, type Call, type Client, eventually, type Json, patiently, startClient } from './client.ts'
import { type Judge, type Sink, startSink } from './sink.ts'

export const OPERATOR_KEY = 'the key of the operator in tests'

/** A Parley that other files may use at the same time: a test makes a company of its own there. */
export type World = {
  config: Config
  base_url: string
  simulator_url: string
  /** Returns the address of the figures. */
  metrics_url(): string
  sink: Sink
  http: Client
  operator(method: string, path: string, json?: unknown): Promise<Answer>
  control(method: string, path: string, json?: unknown): Promise<Answer>
  /**
   * The control API of the model of assistants: its script (``), its calls (`calls`). Files that share a node share the
   * model too, so a prepared reply has a `match` of its own.
   */
  model(method: string, path: string, json?: unknown): Promise<Answer>
}

export type OwnWorld = World & {
  /** Ends this Parley and starts another one on the same database. */
  restart(): Promise<void>
}

/** Where the node is that files share. Plain data, because it comes from another process. */
export type SharedNode = { config: Config; base_url: string; metrics_url: string }

export type WorldOptions = {
  config?: Partial<Config>
  waits?: Waits
  simulator?: Partial<SimulatorOptions>
  log?: Log
  /** The models at the simulator of this address. */
  models?: (simulator_url: string) => Config['models']
}

/** Statuses follow each other fast. Refused callbacks come again soon. */
const FAST: Partial<SimulatorOptions> = {
  numbers: [],
  statuses: { sent_ms: 5, delivered_ms: 30, read_ms: 60 },
  webhooks: { retry_base_ms: 50, retry_cap_ms: 500, attempts: 200 },
}

/** Longer than a busy machine needs for an answer or a callback: a message in doubt too early would be sent twice. */
export const WAITS: Waits = { confirm_ms: 20_000, send_ms: 5000, webhook_ms: 3000 }

/** Settings of the node that files share, beyond those of all nodes: models that no provider has, before the usual ones. */
export const SHARED = {
  assistant_models: ['model-a', 'model-b', ...readConfig({ PARLEY_ENV: 'development' }).assistant_models],
}

export async function settings(t: Owner, changes: Partial<Config> = {}): Promise<Config> {
  const [database_url, nats] = [await testDatabaseUrl(t), await testNats(t)]
  return {
    ...readConfig({ PARLEY_ENV: 'development' }),
    database_url,
    nats_url: nats.url,
    nats_prefix: nats.prefix,
    nats_replicas: nats.replicas,
    data_dir: tempDir(t),
    port: await freePort(),
    operator_key: OPERATOR_KEY,
    // Each process stretches a secret once.
    secret: TEST_SECRET,
    partitions: 8,
    webhook_schedule: [0, 0.1, 0.1, 0.1, 0.1],
    ...changes,
  }
}

/** The first words of the subjects of a node's cluster, once it has started. */
export async function subjectsOf({ database_url, nats_prefix }: Config): Promise<string> {
  const [row] = await plainQuery(database_url!, 'select identity from cluster')
  return `${nats_prefix}.${row!.identity}`
}

/**
 * Joins the Parley that the files of a run share, with a simulator and a receiver of webhooks of the test's own. A file
 * that changes settings, restarts the node, counts what all tenants do or stops something calls `startWorld`.
 */
export async function joinWorld(t: Judge, options: Partial<SimulatorOptions> = {}): Promise<World> {
  const node = await askRun<SharedNode>('node')
  if (!node) return startWorld(t, { config: SHARED, simulator: options })
  const { config, base_url, metrics_url } = node
  const http = startClient(t)
  const sink = await startSink(t)
  const simulator = await startOrderlySimulator(t, options)
  const model = modelOf(http, config)
  return { ...outside(http, base_url, simulator.url), config, sink, model, metrics_url: () => metrics_url }
}

/** Starts a Parley for this test alone. */
export async function startWorld(t: Judge, options: WorldOptions = {}): Promise<OwnWorld> {
  const http = startClient(t)
  const sink = await startSink(t)
  const simulator = await startOrderlySimulator(t, options.simulator)
  const given = await settings(t, options.config)
  const config = { ...given, models: options.models?.(simulator.url) ?? demoModels(given, simulator.url) }
  // Log entries of the level error are faults of the product. The test that causes one shows it.
  const log = options.log ?? createLog('error', process.stderr)
  const start = () => startParley(config, { log, waits: { ...WAITS, ...options.waits } })
  let parley: Node = await start()
  t.teardown(() => parley.stop())
  const base_url = parley.base_url
  return {
    ...outside(http, base_url, simulator.url),
    config,
    sink,
    model: modelOf(http, config),
    metrics_url: () => parley.metrics_url,
    async restart() {
      await parley.stop()
      parley = await start()
    },
  }
}

function modelOf(http: Client, { models }: Config): World['model'] {
  const control = models[0]?.url.replace('/models/v1', '/_control/model')
  return (method, path, json) => http(method, path === '' ? control! : `${control}/${path}`, { json })
}

/**
 * A call of the simulator begins when the one before has been answered: calls on two connections may overtake each other,
 * and a message that was read first is never delivered.
 */
const IN_ORDER = { in_flight: 1 }

function startOrderlySimulator(t: Owner, options: Partial<SimulatorOptions> = {}) {
  return startSimulatorFor(t, { ...options, webhooks: { ...IN_ORDER, ...options.webhooks } })
}

export async function startSimulatorFor(t: Owner, options: Partial<SimulatorOptions> = {}) {
  const statuses = { ...FAST.statuses, ...options.statuses }
  const webhooks = { ...FAST.webhooks, ...options.webhooks }
  const simulator = await startSimulator({ numbers: [], ...options, statuses, webhooks })
  t.teardown(() => simulator.close())
  return simulator
}

/**
 * Has the callbacks about the next message come a second after its answer. One that overtakes the answer causes what the
 * answer would have caused.
 */
export function delayCallbacks(
  { control }: Pick<Outside, 'control'>,
  { number }: Pick<Tenant, 'number'>,
): Promise<Json> {
  const match = { phone_number_id: number.phone_number_id }
  return made(control('POST', 'faults', { match, statuses: { late_ms: 1000 }, times: 1 }))
}

/** Makes the calls to a Parley and to its simulator. */
export function outside(http: Client, base_url: string, simulator_url: string) {
  watchNode(base_url)
  return {
    base_url,
    simulator_url,
    http,
    operator: (method: string, path: string, json?: unknown) =>
      http(method, `${base_url}/admin/v1/${path}`, { json, token: OPERATOR_KEY }),
    control: (method: string, path: string, json?: unknown) =>
      http(method, `${simulator_url}/_control/${path}`, { json }),
  }
}

export type Number = {
  channel_id: string
  phone_number_id: string
  business_account_id: string
  access_token: string
  app_secret: string
  verify_token: string
}

export type Tenant = {
  company_id: string
  project_id: string
  user_id: string
  token_id: string
  token: string
  number: Number
  api(method: string, path: string, json?: unknown, call?: Call): Promise<Answer>
  /** The package for other programs, over the connections of the test. It repeats nothing. */
  client: Parley
  send(to: string, fields?: Json, call?: Call): Promise<Answer>
  /** Resolves to the message when it reaches one of these statuses. */
  message(id: string, ...statuses: string[]): Promise<Json>
  /** Lets a person write through the simulator. Resolves to the first answer of the webhook. */
  writes(from: string, message: Json, fields?: Json): Promise<Json>
  subscribe(path: string, events: string[], fields?: Json): Promise<Json>
  deliveries(id: string, query?: string): Promise<Json[]>
  /** Returns the messages that the simulator's numbers accepted of this tenant. */
  sent(query?: string): Promise<Json[]>
}

export type Outside = ReturnType<typeof outside> & { sink: Sink }

/** Differs between the processes of a run, because they share nodes. */
let tenants = (process.pid % 100_000) * 10_000

const LIMITLESS = { minute: 1_000_000, hour: 1_000_000, day: 1_000_000 }

/** Makes a company with a project, a user, a token with every scope and one WhatsApp number. */
export async function makeTenant(world: Outside, limits: object = LIMITLESS, provider = 'simulator'): Promise<Tenant> {
  const { operator } = world
  const n = ++tenants
  const company_id = (await made(() => operator('POST', 'companies', { name: `Company ${n}` })))._id
  const project_id = (await made(() => operator('POST', 'projects', { company_id, name: `Project ${n}`, limits })))._id
  const email = `owner-${n}@example.com`
  const permissions = ['developer.manage_tokens']
  const user_id = (await made(() => operator('POST', 'users', { company_id, full_name: 'Owner', email, permissions })))
    ._id
  return tenantOf(world, { company_id, project_id, user_id }, provider)
}

/** Makes another project of the tenant's company, with a token of the same user and a number of its own. */
export async function makeSister(world: Outside, { company_id, user_id }: Tenant): Promise<Tenant> {
  const project = { company_id, name: `Project ${++tenants}`, limits: LIMITLESS }
  const project_id = (await made(() => world.operator('POST', 'projects', project)))._id
  return tenantOf(world, { company_id, project_id, user_id }, 'simulator')
}

async function tenantOf(
  world: Outside,
  { company_id, project_id, user_id }: Pick<Tenant, 'company_id' | 'project_id' | 'user_id'>,
  provider: string,
): Promise<Tenant> {
  const { operator, sink } = world
  const token = await made(() => operator('POST', 'tokens', { project_id, user_id, name: 'Token', scopes }))
  const number = await connectNumber(world, project_id, provider)
  const api: Tenant['api'] = (method, path, json, call) =>
    world.http(method, `${world.base_url}/v1/${path}`, { json, token: token.token, ...call })
  return {
    company_id,
    project_id,
    user_id,
    token_id: token._id,
    token: token.token,
    number,
    api,
    client: new Parley({ base_url: world.base_url, token: token.token, max_retries: 0, fetch: fetchOver(world.http) }),
    send: (to, fields = {}, call) =>
      api('POST', 'messages', { channel: 'whatsapp', to, message: text('Hello'), ...fields }, call),
    message: (id, ...statuses) =>
      eventually(`message ${id} is ${statuses.join(' or ')}`, async () => {
        const { status, body } = await api('GET', `messages/${id}`)
        return status === 200 && statuses.includes(body.status) && body
      }),
    async writes(from, message, fields = {}) {
      const { phone_number_id } = number
      const inbound = { channel: 'whatsapp', from, message, phone_number_id, ...fields }
      return (await world.control('POST', 'inbound', inbound)).body
    },
    subscribe: (path, events, fields = {}) =>
      made(api('POST', 'webhooks', { name: `To ${path}`, url: sink.url(path), events, ...fields })),
    deliveries: async (id, query = '') => (await api('GET', `webhooks/${id}/deliveries?limit=200${query}`)).body.data,
    sent: async (query = '') =>
      (await world.control('GET', `sent?phone_number_id=${number.phone_number_id}&limit=10000${query}`)).body.data,
  }
}

/** `fetch` for JSON over the connections of a test, which end with it. */
function fetchOver(http: Client): typeof fetch {
  return async (url, init) => {
    const raw = (init?.body ?? undefined) as string | undefined
    const headers = init?.headers as Record<string, string>
    const { status, text, headers: answered } = await http(init?.method ?? 'GET', String(url), { raw, headers })
    return new Response(text === '' ? null : text, { status, headers: answered })
  }
}

/**
 * Adds a number to the simulator and connects it to the project. `cloud` sets the limits of Meta, which the simulator
 * otherwise leaves out.
 */
export async function connectNumber(world: Outside, project_id: string, provider = 'simulator'): Promise<Number> {
  const n = ++tenants
  const account = {
    phone_number_id: String(106540352000000 + n),
    business_account_id: String(102290129000000 + n),
    access_token: `EAAtoken${n}`,
    app_secret: `the app's secret ${n}`,
    verify_token: `verify ${n}`,
  }
  const number = { ...account, display_phone_number: `+1555${1_000_000_000 + n}` }
  await made(() => world.control('PUT', 'numbers', number))
  const name = `Number ${n}`
  const credentials = { ...account, api_base_url: world.simulator_url }
  const channel = await made(async () => {
    const answer = await world.operator('POST', 'channels', {
      project_id,
      channel_type: 'whatsapp',
      provider,
      name,
      credentials,
    })
    // A request that was answered with 503 may have been served.
    if (answer.body?.error?.code !== 'CHANNEL_ALREADY_EXISTS') return answer
    const { status, text, body, headers } = await world.operator('GET', `channels?project_id=${project_id}`)
    return { status, text, headers, body: body.data?.find((one: Json) => one.name === name) }
  })
  const webhook_url = `${world.base_url}/providers/whatsapp/${channel._id}`
  await made(() => world.control('PUT', 'numbers', { ...number, webhook_url }))
  return { ...account, channel_id: channel._id }
}

export const text = (body: string) => ({ type: 'text', body })

/** Returns the body of a successful answer. A request given as a function is repeated while it is refused with 503. */
export async function made(asked: Promise<Answer> | (() => Promise<Answer>)): Promise<Json> {
  const { status, body, text } = await (typeof asked === 'function' ? patiently(asked) : asked)
  if (status >= 300) throw new Error(`refused with ${status}: ${text}`)
  return body
}
