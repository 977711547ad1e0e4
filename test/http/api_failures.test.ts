/**
 * Answers that the server gives before or around the work of any operation, provoked on every operation that describes
 * them, on a real server whose actors and database fail as told. Each answer is compared with the description.
 */
import { once } from 'node:events'
import { Agent, type IncomingMessage, request as send } from 'node:http'
import t, { type Test } from 'tap'
import type { ProjectReply, ProjectRequest } from '../../actors/mod.ts'
import { activityRoutes } from '../../http/admin/operations/activity.ts'
import { clusterRoutes } from '../../http/admin/operations/cluster.ts'
import { HttpServer } from '../../http/mod.ts'
import { type DescribedOperation, describeApi } from '../../http/openapi/describe.ts'
import type { HttpConfig } from '../../http/server/server.ts'
import { type Runtime, silentLog, Unavailable } from '../../runtime/mod.ts'
import type { Database } from '../../storage/mod.ts'
import { FROM_MEMORY } from '../run/described_answers.ts'
import { storeTenant } from '../storage/records.ts'
import { describableRoutes } from '../support/described.ts'
import { refuseDrift } from '../support/drift.ts'
import { testDatabase } from '../support/mod.ts'
import { windowsOf } from './test_server.ts'

const OPERATOR_KEY = 'the key of the operator in tests'
const { database } = await testDatabase(t)
const tenant = await storeTenant(database)
/** While it is set, actors, the cluster and the database fail with it. */
let failure: Error | undefined

const failing = (object: object): object =>
  new Proxy(object, {
    get(target, name) {
      if (failure !== undefined) throw failure
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

const described = describableRoutes().filter(({ path }) => /^\/(?:admin\/)?v1\//.test(path))
const of_cluster = [...clusterRoutes(failing({}) as never), ...activityRoutes(failing({}) as never, {} as never)]
const routes = described.map((route) => of_cluster.find(({ path }) => path === route.path) ?? route)
const { operations } = describeApi(routes)

function answered(message: ProjectRequest): ProjectReply {
  if (failure !== undefined) throw failure
  return { admission: { ok: true, windows: windowsOf(message.draws ?? message.pool) } }
}

const runtime = {
  isHere: () => true,
  tryAsk: (_: string, message: ProjectRequest) => answered(message),
  ask: async (_: string, message: ProjectRequest) => answered(message),
}

async function start(config: Partial<HttpConfig>): Promise<string> {
  const server = new HttpServer({
    runtime: runtime as unknown as Runtime,
    database: failing(database) as Database,
    routes,
    readiness: async () => ({ ok: true, checks: {} }),
    log: silentLog,
    config: { host: '127.0.0.1', port: 0, operator_key: OPERATOR_KEY, ...config },
  })
  const port = await server.listen()
  t.teardown(() => server.close())
  return `http://127.0.0.1:${port}`
}

/** Few connections, so that no address opens too many. */
const agent = new Agent({ keepAlive: true, maxSockets: 8 })
t.teardown(() => agent.destroy())

type Changes = { token?: string; never_ends?: boolean }

/** Sends the example of the operation. */
async function ask(base_url: string, operation: DescribedOperation, { token, never_ends }: Changes = {}) {
  const { method, path, parameters, body, example, auth } = operation
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => String(parameters.find((one) => one.name === name)!.example))
  const url = `${base_url}${filled}?${new URLSearchParams(example.query)}`
  const is_form = body?.media_type === 'multipart/form-data'
  const text = is_form ? FORM : JSON.stringify(example.body ?? {})
  const bearer = token ?? (auth === 'operator' ? OPERATOR_KEY : tenant.secret)
  const sending = send(url, {
    method,
    agent,
    headers: {
      ...(auth !== 'none' && { authorization: `Bearer ${bearer}` }),
      ...(method !== 'GET' && { 'content-type': is_form ? 'multipart/form-data; boundary=x' : 'application/json' }),
      ...(method !== 'GET' && { 'content-length': Buffer.byteLength(text) + (never_ends ? 1 : 0) }),
    },
  })
  if (method !== 'GET') sending.write(text)
  if (!never_ends) sending.end()
  const [response] = (await once(sending, 'response')) as [IncomingMessage]
  const received = await new Response(response as never).text()
  sending.destroy()
  const { statusCode: status = 0, headers } = response
  const json = headers['content-type']?.startsWith('application/json') ? JSON.parse(received) : undefined
  refuseDrift({ method, url, json: undefined, status, headers, body: json })
  return { status, code: json?.error?.code, text: received }
}

const FORM = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\n# A\r\n--x--\r\n'

/** More requests than one address may send at once. */
const MANY = 100

const withCode = (code: string) => operations.filter(({ errors }) => errors.some((one) => one.code === code))

/** Expects the code of every operation that has it, unless another list is given. */
async function each(t: Test, base_url: string, code: string, changes: Changes = {}, wanted = withCode(code)) {
  t.ok(wanted.length > 0)
  const others: string[] = []
  await Promise.all(
    wanted.map(async (operation) => {
      const { status } = operation.errors.find((one) => one.code === code)!
      const answer = await ask(base_url, operation, changes)
      if (answer.status !== status || answer.code !== code)
        others.push(`${operation.id}: ${answer.status} ${answer.text.slice(0, 200)}`)
    }),
  )
  t.same(others, [], `all are answered with ${code}`)
}

t.test('without TLS', async (t) => each(t, await start({ production: true }), 'HTTPS_REQUIRED'))

t.test('from an address that sent too much', async (t) => {
  const base_url = await start({ address_people: 1 })
  const token = `svc_pk_${'x'.repeat(38)}`
  for (const operation of withCode('THROTTLED')) {
    const { status } = operation.errors.find(({ code }) => code === 'THROTTLED')!
    let answer = await ask(base_url, operation, { token })
    // An address gets some requests a minute, so on a slow machine the next one may be served again.
    for (let sent = 1; answer.status !== status && sent < MANY; sent++)
      answer = await ask(base_url, operation, { token })
    t.match(answer, { status, code: 'THROTTLED' }, `${operation.id}: ${answer.text.slice(0, 200)}`)
  }
})

t.test('with a body that does not end', async (t) =>
  each(t, await start({ body_timeout_ms: 2 }), 'REQUEST_TIMEOUT', { never_ends: true }),
)

t.test('with a fault of the server, or without its parts', async (t) => {
  const base_url = await start({})
  // The token is known from now on.
  await ask(base_url, operations.find(({ id }) => id === 'list_contacts')!)
  const working = (code: string) => withCode(code).filter(({ id }) => !FROM_MEMORY.includes(id))
  failure = new Error('a fault')
  await each(t, base_url, 'INTERNAL_SERVER_ERROR', {}, working('INTERNAL_SERVER_ERROR'))
  failure = new Unavailable('away for a moment', 1)
  await each(t, base_url, 'SERVICE_UNAVAILABLE', {}, working('SERVICE_UNAVAILABLE'))
  failure = undefined
})
