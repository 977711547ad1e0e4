/**
 * The errors that follow from the kind of an operation, provoked on every operation that a description has. The client
 * compares each answer with the description (`test/support/drift.ts`).
 */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import t from 'tap'
import { type DescribedOperation, describeApi } from '../../http/openapi/describe.ts'
import { describableRoutes } from '../support/described.ts'
import { refuseDrift } from '../support/drift.ts'
import type { Answer, Call } from './client.ts'
import { joinWorld, made, makeTenant, OPERATOR_KEY } from './fixture.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const { operations } = describeApi(describableRoutes().filter(({ raw, path }) => !raw && !path.startsWith('/media/')))
const of_clients = operations.filter(({ auth }) => auth === 'token')
const changing = operations.filter(({ method }) => method !== 'GET')

/** An operation on records that do not exist. */
function ask(operation: DescribedOperation, call: Call = {}, query = ''): Promise<Answer> {
  const token = operation.auth === 'operator' ? OPERATOR_KEY : tenant.token
  return world.http(operation.method, urlOf(operation, query), { token, ...call })
}

function urlOf({ path, parameters, example }: DescribedOperation, query = ''): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => String(parameters.find((one) => one.name === name)!.example))
  const given = new URLSearchParams({ ...example.query, ...(query && { [query]: '1' }) }).toString()
  return `${world.base_url}${filled}${given && `?${given}`}`
}

/** Asks all at once, a few at a time. */
async function each(
  all: DescribedOperation[],
  look: (operation: DescribedOperation) => Promise<[Answer, object]>,
): Promise<void> {
  const waiting = [...all]
  const lane = async () => {
    for (let one = waiting.shift(); one; one = waiting.shift()) {
      const [{ status, body }, wanted] = await look(one)
      t.match({ status, code: body?.error?.code ?? body?.error }, wanted, one.id)
    }
  }
  await Promise.all(Array.from({ length: 8 }, lane))
}

function json({ body, example }: DescribedOperation): Call {
  if (body?.media_type === 'application/json') return { json: example.body }
  return body === undefined ? {} : { raw: '--x--\r\n', headers: { 'content-type': 'multipart/form-data; boundary=x' } }
}

/** Announces a body and sends none of it: the headers are enough to refuse it. */
async function announce(operation: DescribedOperation): Promise<Answer> {
  const { method, auth, body } = operation
  const url = urlOf(operation)
  const sending = request(url, {
    method,
    headers: {
      authorization: `Bearer ${auth === 'operator' ? OPERATOR_KEY : tenant.token}`,
      'content-type': body?.media_type ?? 'application/json',
      'content-length': (body?.limit ?? 1_048_576) + 1,
    },
  })
  sending.flushHeaders()
  const [response] = (await once(sending, 'response')) as [IncomingMessage]
  const text = await new Response(response as never).text()
  const answer = { status: response.statusCode!, headers: response.headers as Answer['headers'], text }
  sending.destroy()
  refuseDrift({ method, url, json: undefined, ...answer, body: JSON.parse(text) })
  return { ...answer, body: JSON.parse(text) }
}

t.test('without a token', () =>
  each(
    operations.filter(({ auth }) => auth !== 'none'),
    async (operation) => {
      const key = operation.auth === 'operator' ? 'no operator key' : `svc_pk_${'x'.repeat(38)}`
      return [await ask(operation, { ...json(operation), token: key }), { status: 401, code: 'Unauthorized' }]
    },
  ),
)

t.test('with a token that lacks the scope', async () => {
  const { project_id, user_id } = tenant
  const { token } = await made(world.operator('POST', 'tokens', { project_id, user_id, name: 'None', scopes: [] }))
  await each(
    of_clients.filter(({ scope }) => scope !== undefined),
    async (operation) => [
      await ask(operation, { ...json(operation), token }),
      { status: 403, code: 'INSUFFICIENT_SCOPE' },
    ],
  )
})

t.test('beyond the rate limit', async () => {
  const limits = { minute: 1, hour: 1, day: 1, ingest_minute: 1 }
  const { company_id, user_id } = tenant
  const { _id: project_id } = await made(world.operator('POST', 'projects', { company_id, name: 'Slow', limits }))
  const { token } = await made(world.operator('POST', 'tokens', { project_id, user_id, name: 'One', scopes: [] }))
  await world.http('GET', `${world.base_url}/v1/me`, { token })
  await world.http('POST', `${world.base_url}/v1/crm/events`, { token, json: {} })
  // Polls have a budget of their own, whatever the limits of the project are.
  const limited = of_clients.filter(({ pool }) => pool !== undefined && pool !== 'poll')
  await each(limited, async (operation) => [
    await ask(operation, { ...json(operation), token }),
    { status: 429, code: 'THROTTLED' },
  ])
})

t.test('with a query parameter that is not known', () =>
  each(operations, async (operation) => [
    await ask(operation, json(operation), 'nonsense'),
    { status: 400, code: 'VALIDATION_ERROR' },
  ]),
)

t.test('with a body of a type that is not taken', () =>
  each(changing, async (operation) => [
    await ask(operation, { raw: 'hello', headers: { 'content-type': 'text/plain' } }),
    { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
  ]),
)

t.test('with a body that is too large', () =>
  each(changing, async (operation) => [await announce(operation), { status: 413, code: 'PAYLOAD_TOO_LARGE' }]),
)

t.test('on records that do not exist', () =>
  each(
    operations.filter(({ parameters }) => parameters.some((one) => one.in === 'path')),
    async (operation) => [await ask(operation, json(operation)), { status: 404, code: /NOT_FOUND$/ }],
  ),
)
