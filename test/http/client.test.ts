/** The package `@parley/client` without a server: its source, its repetitions, its lists and its verification. */
import { generateKeyPairSync } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { signatureHeaders } from '../../actors/webhook/signature.ts'
import {
  ApiError,
  type CallOptions,
  ConflictError,
  ConnectionError,
  type ConnectionOptions,
  InvalidRequestError,
  Parley,
  type PublicKey,
  RateLimitError,
  ServerError,
  TimeoutError,
  verifyWebhook,
  WebhookVerificationError,
} from '../../http/client/mod.ts'
import { clientSource, sourceFile, sourceNames } from '../support/client_source/mod.ts'
import { methodsOf } from '../support/client_source/operations.ts'
import { described } from '../support/described.ts'

const folder = fileURLToPath(new URL('../../http/client/', import.meta.url))

t.test('the generated files are those of the present table of routes', (t) => {
  const source = clientSource()
  for (const name of sourceNames) {
    t.ok(readFileSync(sourceFile(name), 'utf8') === source[name], `${name}: run \`npm run client\``)
  }
  const document = described('v1')
  const operations = Object.values(document.paths as object).flatMap((item) => Object.values(item as object))
  t.strictSame(
    operations.map(({ operationId }) => operationId).filter((id) => id !== 'mcp'),
    methodsOf(document).map(({ id }) => id),
    'each operation has a method, but for the protocol that has clients of its own',
  )
  const parley = new Parley({ base_url: 'http://x' }) as unknown as Record<string, Record<string, unknown>>
  for (const { group, name } of methodsOf(document)) t.type(parley[group]?.[name], 'function', `${group}.${name}`)
  t.end()
})

t.test('the page of the package names each group with its methods', (t) => {
  const page = readFileSync(join(folder, 'README.md'), 'utf8')
  const written = [...page.matchAll(/^\| `parley\.(\w+)` +\| .* \| (`.*`) +\|$/gm)].flatMap(([, group, names]) =>
    [...names!.matchAll(/`(\w+)`/g)].map(([, name]) => `${group}.${name}`),
  )
  const present = methodsOf(described('v1')).map(({ group, name }) => `${group}.${name}`)
  t.strictSame(written.sort(), present.sort())
  t.end()
})

t.test('the runtime needs nothing but fetch and WebCrypto', (t) => {
  for (const file of globSync('**/*.ts', { cwd: folder })) {
    const text = readFileSync(join(folder, file), 'utf8')
    t.notMatch(text, /from '(?!\.)|\bimport\('(?!\.)/, file)
    if (!file.startsWith('generated/'))
      t.notMatch(text, /\b(process|Buffer|require|Deno|Bun|window|document)\b[.(]/, file)
  }
  t.end()
})

/** Ends with an error of the class. */
async function fails(t: Test, call: PromiseLike<unknown>, Kind: new (...of: never[]) => Error, what = Kind.name) {
  const error = await Promise.resolve(call).catch((error: unknown) => error)
  t.ok(error instanceof Kind, what)
}

type Step = number | 'cut' | { status: number; headers?: Record<string, string>; body?: unknown }

/** A client whose server answers with the steps, and whose clock only turns. */
function scripted(steps: Step[], options: Partial<ConnectionOptions> = {}) {
  const sent: { method: string; url: string; headers: Headers; body: unknown }[] = []
  const waits: number[] = []
  let now = 0
  const parley = new Parley({
    base_url: 'http://parley.test/',
    token: 'svc_pk_x',
    clock: {
      now: () => now,
      random: () => 0.5,
      async sleep(ms) {
        waits.push(ms)
        now += ms
      },
    },
    async fetch(url, init) {
      sent.push({ method: init!.method!, url: String(url), headers: new Headers(init!.headers), body: init!.body })
      const step = steps[sent.length - 1] ?? steps.at(-1)!
      if (step === 'cut') throw new TypeError('fetch failed')
      const {
        status,
        headers = {},
        body = status < 400 ? {} : problem('X'),
      } = typeof step === 'number' ? { status: step } : step
      return new Response(body === undefined ? null : JSON.stringify(body), { status, headers })
    },
    ...options,
  })
  return { parley, sent, waits }
}

const problem = (code: string, details?: object) => ({ error: { code, message: `It is ${code}.`, details } })
const hello = { channel: 'whatsapp', to: '+1', message: { type: 'text', body: 'Hi' } } as const

t.test('a call is repeated with its key while that may help', async (t) => {
  for (const step of [429, 502, 503, 504, 'cut', { status: 409, body: problem('IDEMPOTENCY_IN_PROGRESS') }] as Step[]) {
    const { parley, sent, waits } = scripted([step, step, { status: 202, body: { id: 'msg_1' } }])
    const answers: number[] = []
    const { id } = await parley.messages.send(hello, { on_answer: ({ attempts }) => answers.push(attempts) })
    t.equal(id, 'msg_1', JSON.stringify(step))
    const keys = new Set(sent.map(({ headers }) => headers.get('idempotency-key')))
    t.match([...keys], [/^pc_[0-9a-f]{32}$/])
    t.equal(keys.size, 1, 'one key')
    t.strictSame(waits, [375, 750], 'half of each wait is by chance')
    t.equal(answers.at(-1), 3)
    t.match(sent[0], { method: 'POST', url: 'http://parley.test/v1/messages', body: JSON.stringify(hello) })
    t.equal(sent[0]!.headers.get('authorization'), 'Bearer svc_pk_x')
  }
  const { parley, sent } = scripted([202])
  await parley.messages.send(hello)
  await parley.messages.send(hello)
  await parley.messages.send(hello, { idempotency_key: 'mine' })
  await parley.contacts.list()
  const keys = sent.map(({ headers }) => headers.get('idempotency-key'))
  t.not(keys[0], keys[1], 'another call has another key')
  t.strictSame(keys.slice(2), ['mine', null])
})

t.test('refusals are not repeated, and failures end after the last attempt', async (t) => {
  const cases: [Step, number, new (...of: never[]) => Error, object][] = [
    [{ status: 400, body: problem('VALIDATION_ERROR', { violations: [] }) }, 1, InvalidRequestError, { status: 400 }],
    [{ status: 412, body: problem('PRECONDITION_FAILED') }, 1, ConflictError, { code: 'PRECONDITION_FAILED' }],
    [{ status: 500, body: problem('INTERNAL_SERVER_ERROR') }, 1, ServerError, { status: 500 }],
    [{ status: 503, body: problem('SERVICE_UNAVAILABLE') }, 3, ServerError, { code: 'SERVICE_UNAVAILABLE' }],
    [{ status: 502, body: '<html>' }, 3, ServerError, { code: 'UNEXPECTED_ANSWER' }],
    [{ status: 301, headers: { location: 'http://b' } }, 1, ApiError, { status: 301, code: 'X' }],
    [{ status: 401, body: { message: 'Unauthorized', statusCode: 401 } }, 1, ApiError, { code: 'UNAUTHENTICATED' }],
    ['cut', 3, ConnectionError, { cause: { message: 'fetch failed' } }],
  ]
  for (const [step, attempts, Kind, fields] of cases) {
    const { parley, sent } = scripted([step])
    const error = await parley.messages.send(hello).catch((error) => error)
    t.ok(error instanceof Kind, JSON.stringify(step))
    t.match(error, { ...fields, name: Kind === ApiError ? String : Kind.name })
    t.equal(sent.length, attempts)
  }
  const none = scripted(['cut'])
  await fails(t, none.parley.identity.getMe({ max_retries: 0 }), ConnectionError)
  t.equal(none.sent.length, 1)
})

t.test('the server says how long to wait', async (t) => {
  const throttled = (headers: Record<string, string>) => ({ status: 429, headers, body: problem('THROTTLED') })
  const short = scripted([throttled({ 'retry-after': '12' }), 200])
  await short.parley.identity.getMe()
  t.strictSame(short.waits, [12_600], 'its seconds and a twentieth by chance')
  const dated = scripted([
    throttled({ 'retry-after': 'Tue, 24 Nov 2026 03:00:07 GMT', date: 'Tue, 24 Nov 2026 03:00:00 GMT' }),
    200,
  ])
  await dated.parley.identity.getMe()
  t.strictSame(dated.waits, [7350])
  const long = scripted([throttled({ 'retry-after': '3600', 'x-request-id': 'r1' })])
  const error = await long.parley.identity.getMe().catch((error) => error)
  t.match(error, { retry_after_s: 3600, request_id: 'r1', code: 'THROTTLED' })
  t.ok(error instanceof RateLimitError)
  t.equal(long.sent.length, 1, 'too long to wait for')
})

t.test('a budget that is used up holds the next call of its pool', async (t) => {
  const limit = (remaining: number) => ({
    status: 200,
    headers: {
      'x-ratelimit-limit-minute': '60',
      'x-ratelimit-remaining-minute': `${remaining}`,
      'x-ratelimit-reset-minute': '9',
    },
  })
  const { parley, waits } = scripted([limit(1), limit(0), limit(0), limit(59), limit(58)])
  await parley.identity.getMe()
  t.strictSame(parley.rate_limits, { minute: { limit: 60, remaining: 1, reset_s: 9 } })
  await parley.identity.getMe()
  t.strictSame(waits, [])
  await parley.webhooks.poll('wh_1')
  t.strictSame(waits, [], 'polls have no budget')
  await parley.identity.getMe()
  t.strictSame(waits, [9000])
  await parley.identity.getMe()
  t.strictSame(waits, [9000])
})

t.test('a signal ends a call and its waits; a timeout is an error of its own', async (t) => {
  const hanging: typeof fetch = (_, init) =>
    new Promise((_, reject) => init!.signal!.addEventListener('abort', () => reject(init!.signal!.reason)))
  const { parley } = scripted([200], { fetch: hanging })
  await fails(t, parley.identity.getMe({ timeout_ms: 1, max_retries: 0 }), TimeoutError)
  const controller = new AbortController()
  const call = parley.identity.getMe({ signal: controller.signal })
  controller.abort(new Error('enough'))
  await t.rejects(call, { message: 'enough' })
  const { parley: other, sent } = scripted([200])
  await t.rejects(other.identity.getMe({ signal: controller.signal }), { message: 'enough' })
  t.equal(sent.length, 0, 'nothing is sent')
})

t.test('paths are those of their operation whatever the id is', async (t) => {
  const { parley, sent } = scripted([200])
  await parley.contacts.get('a/b?c=%2e')
  t.equal(sent[0]!.url, 'http://parley.test/v1/contacts/a%2Fb%3Fc%3D%252e')
  for (const id of ['', '.', '..', undefined as unknown as string]) {
    await t.rejects(parley.contacts.get(id), TypeError, `${id}`)
    await t.rejects(Promise.resolve(parley.webhooks.listDeliveries(id)), TypeError, `the list of ${id}`)
  }
  await parley.contacts.list({ search: 'a&b', limit: 2, phone: undefined })
  t.equal(sent[1]!.url, 'http://parley.test/v1/contacts?search=a%26b&limit=2')
  const advice = new TypeError('base_url must be the address of Parley, such as https://parley.example.com')
  for (const base_url of ['parley.test', 'file:///x', '', undefined as unknown as string]) {
    t.throws(() => new Parley({ base_url }), advice, `${base_url}`)
  }
})

t.test('lists give a page, all records, or all pages', async (t) => {
  const pages = (...bodies: object[]) => bodies.map((body) => ({ status: 200, body }))
  const queries = ({ sent }: ReturnType<typeof scripted>) => sent.map(({ url }) => new URL(url).search)
  const cursor = scripted(
    pages({ data: [1, 2], next_cursor: 'a' }, { data: [], next_cursor: 'b' }, { data: [3], next_cursor: null }),
  )
  const list = cursor.parley.messages.list({ limit: 2 })
  t.equal(cursor.sent.length, 0, 'nothing is sent before it is used')
  t.strictSame(await list.toArray({ limit: 10 }), [1, 2, 3])
  t.strictSame(queries(cursor), ['?limit=2', '?limit=2&cursor=a', '?limit=2&cursor=b'])
  const offset = scripted(pages({ data: [1, 2], total: 3 }, { data: [3], total: 3 }))
  t.strictSame(await offset.parley.contacts.list({ offset: 1 }).toArray({ limit: 9 }), [1, 2])
  const total = scripted(pages({ data: [1, 2], total: 3 }, { data: [3], total: 3 }))
  t.strictSame(await total.parley.flows.list().toArray({ limit: 9 }), [1, 2, 3])
  t.strictSame(queries(total), ['', '?offset=2'])
  const former = scripted(pages({ data: [1], has_more: true }, { data: [2], has_more: false }))
  t.strictSame(await former.parley.flows.list({ skip: 4 }).toArray({ limit: 9 }), [1, 2])
  t.strictSame(queries(former), ['?skip=4', '?offset=5'])
  const more = scripted(pages({ data: [1], has_more: true }, { data: [2], has_more: false }))
  t.strictSame(await more.parley.blocks.list().toArray({ limit: 9 }), [1, 2])
  const whole = scripted(pages({ data: [1] }))
  t.strictSame(await whole.parley.webhooks.list().toArray({ limit: 9 }), [1])
  t.strictSame(await whole.parley.webhooks.list(), { data: [1] })
  t.strictSame(await whole.parley.webhooks.list().toArray({ limit: 0 }), [])
  const unbounded = whole.parley.webhooks.list().toArray as () => Promise<unknown[]>
  await t.rejects(unbounded(), new TypeError('toArray needs a limit, such as { limit: 1000 }'))
  await fails(t, Promise.resolve(scripted([404]).parley.contacts.list()), ApiError)
  t.equal(
    await scripted([404])
      .parley.contacts.list()
      .catch(() => 'caught'),
    'caught',
  )
})

t.test('a queue is acknowledged page by page, and outlives its server', async (t) => {
  const page = (data: number[], next_cursor: string) => ({ status: 200, body: { data, next_cursor, has_more: false } })
  const steps: Step[] = [page([1, 2], 'a'), 'cut', 503, 503, 503, 'cut', page([], 'a'), page([3], 'b'), page([4], 'c')]
  const { parley, sent } = scripted(steps)
  const seen: unknown[] = []
  for await (const event of parley.webhooks.poll('wh_1', { since: '2026-01-01T00:00:00Z' })) {
    seen.push(event)
    if (seen.length === 2) t.equal(sent.length, 1, 'not acknowledged while an event is in work')
    if (seen.length === 4) break
  }
  t.strictSame(seen, [1, 2, 3, 4])
  const queries = sent.map(({ url }) => new URL(url).search)
  t.equal(queries[0], '?wait=25&since=2026-01-01T00%3A00%3A00Z')
  t.equal(queries[1], '?wait=25&cursor=a')
  t.equal(queries.at(-1), '?wait=25&cursor=b', 'the last page comes again')
  await fails(t, scripted([404]).parley.webhooks.poll('wh_1').toArray({ limit: 1 }), ApiError)
})

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const stranger = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
const body = JSON.stringify({ id: 'evt_1', type: 'crm.note.created', data: { text: 'ñ' } })
const at = 1_790_000_000
const now_ms = at * 1000
const pair = generateKeyPairSync('ed25519')
const jwk = pair.publicKey.export({ format: 'jwk' }) as PublicKey

t.test('deliveries of our own signer are genuine, others are not', async (t) => {
  const headers = { ...signatureHeaders(secret, 'evt_1', at, body, { secrets: [stranger], keys: [pair.privateKey] }) }
  const verify = (changes: object = {}, options: object = { secret }, text: string | Uint8Array = body) =>
    verifyWebhook(text, { ...headers, ...changes }, { now_ms, ...options })
  t.strictSame(await verify(), JSON.parse(body))
  t.strictSame(await verify({}, { secret }, Buffer.from(body)), JSON.parse(body), 'bytes')
  t.ok(await verify({}, { secret: stranger }), 'a replaced secret')
  t.ok(await verify({}, { secret: [`whsec_${btoa('x')}`, secret] }), 'one of several')
  t.ok(await verify({}, { keys: [{ kty: 'RSA' }, jwk] }), 'the public key alone')
  t.ok(await verifyWebhook(body, new Headers({ ...headers }), { secret, now_ms }), 'headers of fetch')
  t.ok(await verify({}, { secret, now_ms: now_ms + 299_000 }))
  const other = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }) as PublicKey
  const cases: [string, () => Promise<unknown>][] = [
    ['another body', () => verify({}, { secret }, `${body} `)],
    ['another id', () => verify({ 'webhook-id': 'evt_2' })],
    ['another time', () => verify({ 'webhook-timestamp': String(at + 1) })],
    ['too old', () => verify({}, { secret, now_ms: now_ms + 301_000 })],
    ['too new', () => verify({}, { secret, now_ms: now_ms - 301_000 })],
    ['a shorter tolerance', () => verify({}, { secret, now_ms: now_ms + 6000, tolerance_s: 5 })],
    ['no time', () => verify({ 'webhook-timestamp': 'NaN' })],
    ['another secret', () => verify({}, { secret: `whsec_${btoa('another')}` })],
    ['another key', () => verify({}, { keys: [other] })],
    ['no signature', () => verify({ 'webhook-signature': '' })],
    ['a cut signature', () => verify({ 'webhook-signature': headers['webhook-signature'].slice(0, 30) })],
    ['nonsense', () => verify({ 'webhook-signature': 'v1,% v1a,%' }, { secret, keys: [jwk] })],
    [
      'a signature of the other version',
      () => verify({ 'webhook-signature': headers['webhook-signature'].replace(/v1,/g, 'v1a,') }),
    ],
  ]
  for (const [what, attempt] of cases) await fails(t, attempt(), WebhookVerificationError, what)
  await fails(t, verify({}, {}), TypeError, 'neither secret nor keys')
  await fails(t, verify({}, { secret: 'whsec_' }), TypeError, 'no secret in it')
})

/** Checked by the compiler: what is an error here must be one. */
export async function types(parley: Parley, options: CallOptions): Promise<void> {
  const event = await verifyWebhook('', {}, { secret })
  if (event.type === 'crm.ticket.stage_changed') event.data.ticket._id.toUpperCase()
  if (event.type === 'whatsapp.message.received') {
    const [message] = event.data.messages
    message?.text?.body?.toUpperCase()
    message?.image?.id?.toUpperCase()
    message?.document?.filename?.toUpperCase()
    message?.location?.latitude?.toFixed()
    message?.contacts?.[0]?.phones?.[0]?.phone?.toUpperCase()
    message?.interactive?.button_reply?.id?.toUpperCase()
    message?.interactive?.list_reply?.title?.toUpperCase()
    message?.button?.payload?.toUpperCase()
    message?.reaction?.emoji?.toUpperCase()
    message?.order?.product_items?.[0]?.quantity?.toFixed()
    event.data.messages?.[0]?.text?.body
    // @ts-expect-error a place has no text
    message?.location?.body?.toUpperCase()
  }
  // @ts-expect-error the data of another event has no ticket
  if (event.type === 'crm.note.created') event.data.ticket
  // @ts-expect-error no such channel
  await parley.messages.send({ channel: 'pigeon', to: '+1', message: { type: 'text', body: '' } }, options)
  // @ts-expect-error a text has a body
  await parley.messages.send({ channel: 'web', to: '1', message: { type: 'text' } })
  // @ts-expect-error no such filter
  parley.contacts.list({ colour: 'red' })
  for await (const contact of parley.contacts.list()) contact.channel_type satisfies string
  for await (const polled of parley.webhooks.poll('wh_1')) polled.type satisfies string
  const error = new Error() as ApiError
  // @ts-expect-error no such code
  if (error.code === 'NO_SUCH_CODE') writeFileSync('', '')
}
