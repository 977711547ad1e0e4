/** A node as `npx parley serve` runs it in production: its secret, its log, its figures and its end. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import t from 'tap'
import { type Database, openDatabase } from '../../storage/mod.ts'
import { freePort, type Owner, startUp, tempDir, testDatabaseUrl, testNats } from '../support/mod.ts'
import { type Child, startChild } from './child.ts'
import { eventually, startClient } from './client.ts'
import { makeTenant, OPERATOR_KEY, outside, startSimulatorFor } from './fixture.ts'
import { processesNaming } from './processes.ts'
import { startSink } from './sink.ts'

const SERVE = new URL('../../http/app/serve.ts', import.meta.url)
const OVER_TLS = { 'x-forwarded-proto': 'https' }
const http = startClient(t)

/** Calls a node as its proxy does. */
const overTls: typeof http = (method, url, call = {}) =>
  http(method, url, { ...call, headers: { ...OVER_TLS, ...call.headers } })

type Place = { env: Record<string, string>; base_url: string; database: Database }

async function prepare(t: Owner, changes: Record<string, string> = {}): Promise<Place> {
  const [url, nats, port] = [await testDatabaseUrl(t), await testNats(t), await freePort()]
  const database = await openDatabase({ url, pool_size: 1 })
  t.teardown(() => database.close())
  const env = {
    DATABASE_URL: url,
    NATS_URL: nats.url,
    PARLEY_NATS_PREFIX: nats.prefix,
    PARLEY_NATS_REPLICAS: String(nats.replicas ?? 1),
    PARLEY_BASE_URL: 'https://parley.example.com',
    PARLEY_HOST: '127.0.0.1',
    PARLEY_PORT: String(port),
    PARLEY_DATA_DIR: tempDir(t),
    PARLEY_OPERATOR_KEY: OPERATOR_KEY,
    PARLEY_SECRET: 'the secret of this database',
    PARLEY_TRUSTED_PROXIES: '127.0.0.0/8',
    PARLEY_PARTITIONS: '4',
    PARLEY_POOL_SIZE: '6',
    ...changes,
  }
  return { env, base_url: `http://127.0.0.1:${port}`, database }
}

async function start(t: Owner, { env }: Place): Promise<Child & { metrics_url: string }> {
  const child = startChild(t, SERVE, env)
  const line = JSON.parse(await child.line(/Parley is ready/))
  return { ...child, metrics_url: line.metrics_url }
}

const lines = (child: Child) =>
  child
    .said()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

t.test('a node told to stop reports itself not ready, and works on until its grace period ends', async (t) => {
  const place = await prepare(t, { PARLEY_STOP_GRACE_SECONDS: '600' })
  const child = await start(t, place)
  const ready = async () => (await http('GET', `${place.base_url}/ready`)).status
  // A busy machine may make it late with its lease.
  await eventually('it is ready', async () => (await ready()) === 200)
  t.equal((await http('GET', `${place.base_url}/metrics`, { headers: OVER_TLS })).status, 404)
  const figures = (await http('GET', child.metrics_url)).text
  t.match(figures, /^parley_partitions_owned 4$/m)
  const node = /^parley_node_info\{node="(\w+)"/m.exec(figures)?.[1]
  t.match(JSON.parse(await child.line(/Parley is ready/)), { node }, 'the log names the node')
  for (const [, name, type] of figures.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    t.equal(name!.endsWith('_total'), type === 'counter', `${name} is a ${type}`)
  }
  const console_page = await http('GET', `${place.base_url}/console`, { headers: OVER_TLS })
  for (const path of ['/console', '/docs', '/health', '/v1/me', '/admin/v1/cluster', '/openapi.json']) {
    const { headers } = await http('GET', `${place.base_url}${path}`, { headers: OVER_TLS })
    t.match(headers, { 'strict-transport-security': 'max-age=31536000' }, path)
  }
  for (const method of ['OPTIONS', 'POST']) {
    const path = `visitor/files/${'0'.repeat(24)}/none`
    const { headers } = await http(method, `${place.base_url}/${path}`, { headers: OVER_TLS })
    t.match(headers, { 'strict-transport-security': 'max-age=31536000' }, `${method} ${path}`)
  }
  t.match(console_page.headers, {
    'content-security-policy': /frame-ancestors 'none'/,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
  })
  const ended = child.end('SIGTERM')
  await eventually('it says that it is to end', async () => (await ready()) === 503)
  t.match((await http('GET', `${place.base_url}/ready`)).body, { checks: { node: 'stopping', database: 'ok' } })
  const fresh = await fetch(`${place.base_url}/admin/v1/cluster`, {
    headers: { authorization: `Bearer ${OPERATOR_KEY}`, connection: 'close', ...OVER_TLS },
  })
  t.equal(fresh.status, 200, 'new connections are served meanwhile')
  // The second signal ends the node without waiting for the ten minutes.
  process.kill(child.pid, 'SIGTERM')
  t.equal(await ended, 0, child.said())
  const said = lines(child)
  for (const line of said) t.match(line, { level: /^(info|warn|error)$/, time: /^\d{4}-.*Z$/, msg: String }, line.msg)
  t.ok(said.some(({ msg }) => msg === 'told to stop'))
})

/** Connects to a node. Resolves to undefined when it refuses. */
function connectTo({ env }: Place): Promise<Socket | undefined> {
  const socket = connect(Number(env.PARLEY_PORT), '127.0.0.1')
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(socket)).once('error', () => resolve(undefined))
  })
}

/** Sends a file slowly. Resolves when the node has begun to read it. `answer` is the first line of the response, if any. */
async function startUpload(t: Owner, place: Place, metrics_url: string, token: string) {
  const body = `--x\r\ncontent-disposition: form-data; name="file"; filename="large.pdf"\r\ncontent-type: application/pdf\r\n\r\n%PDF-1.4\n${'x'.repeat(8 * 1024 * 1024)}\r\n--x--\r\n`
  const socket = (await connectTo(place))!
  t.teardown(() => socket.destroy())
  const lines = ['POST /v1/media/upload HTTP/1.1', 'Host: x', 'X-Forwarded-Proto: https']
  lines.push(`Authorization: Bearer ${token}`, 'Content-Type: multipart/form-data; boundary=x')
  socket.write(`${lines.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 1000)}`)
  let said = ''
  socket.on('data', (piece) => (said += piece)).on('error', () => {})
  const answer = once(socket, 'close').then(() => said.split('\r\n')[0])
  const uploading = /^parley_http_limiter_inside\{limiter="uploads"\} 1$/m
  await eventually('the node reads it', async () => uploading.test((await http('GET', metrics_url)).text))
  let sent = 1000
  // Slower ones are cut by the server's parser.
  const trickle = setInterval(() => {
    socket.write(body.slice(sent, sent + 16 * 1024))
    sent += 16 * 1024
  }, 250)
  t.teardown(() => clearInterval(trickle))
  return {
    answer,
    finish() {
      clearInterval(trickle)
      socket.write(body.slice(sent))
    },
  }
}

const stops = [
  { name: 'an upload outlives a stop that is told to wait', seconds: '60', wait_ms: 12_000, answer: /^HTTP\/1.1 200 / },
  { name: 'a stop cuts an upload that takes longer than it may', seconds: '1', wait_ms: undefined, answer: /^$/ },
]
for (const { name, seconds, wait_ms, answer } of stops) {
  t.test(name, async (t) => {
    const place = await prepare(t, {
      PARLEY_STOP_GRACE_SECONDS: '0',
      PARLEY_STOP_REQUESTS_SECONDS: seconds,
      PARLEY_ALLOW_NETWORKS: '127.0.0.0/8',
    })
    const child = await start(t, place)
    const simulator = await startSimulatorFor(t)
    const { token } = await makeTenant({ ...outside(overTls, place.base_url, simulator.url), sink: await startSink(t) })
    const upload = await startUpload(t, place, child.metrics_url, token)
    const ended = child.end('SIGTERM')
    await eventually('no connection is accepted', async () => (await connectTo(place)) === undefined)
    if (wait_ms !== undefined) {
      const since = performance.now()
      await eventually('the upload has taken longer than other requests may', () => performance.now() - since > wait_ms)
      upload.finish()
    }
    t.match(await upload.answer, answer)
    t.equal(await ended, 0, child.said())
    const cut = lines(child).filter(({ msg }) => msg === 'requests took too long to wait for, and are cut')
    t.match(cut, wait_ms === undefined ? [{ level: 'warn', requests: 1 }] : [])
  })
}

t.test('an address without TLS is told at the start, and at /ready', async (t) => {
  const place = await prepare(t, { PARLEY_BASE_URL: 'http://parley.example.com', PARLEY_STOP_GRACE_SECONDS: '0' })
  const child = await start(t, place)
  const told = /^PARLEY_BASE_URL begins with http:, .*: set the https address\.$/
  t.equal(lines(child).filter(({ level, msg }) => level === 'warn' && told.test(msg)).length, 1)
  t.match((await http('GET', `${place.base_url}/ready`)).body, { warnings: [told] })
  const { headers } = await http('GET', `${place.base_url}/health`, { headers: OVER_TLS })
  t.notOk('strict-transport-security' in headers, 'browsers are not told to insist on TLS')
  t.equal(await child.end('SIGTERM'), 0, child.said())
})

t.test('processes behind one port have one page of figures, and leave together', async (t) => {
  const place = await prepare(t, { PARLEY_NODES: '2', PARLEY_STOP_GRACE_SECONDS: '600' })
  const child = await start(t, place)
  const { text } = await http('GET', child.metrics_url)
  const owned = [...text.matchAll(/^parley_partitions_owned\{process="([12])"\} (\d)$/gm)]
  t.strictSame(owned.map(([, process]) => process).sort(), ['1', '2'])
  t.equal(text.match(/^# TYPE parley_partitions_owned gauge$/gm)?.length, 1)
  // systemd by default signals all processes of the service at once.
  const all = process.platform === 'linux' ? [...processesNaming(place.env.PARLEY_DATA_DIR!).keys()] : []
  for (const pid of all) if (pid !== child.pid) process.kill(pid, 'SIGTERM')
  const ended = child.end('SIGTERM')
  await eventually('none of them is ready', async () => {
    // Each request has a connection of its own, so the kernel chooses a process for it.
    const ask = () => fetch(`${place.base_url}/ready`, { headers: { connection: 'close' } })
    const answers = await Promise.all(Array.from({ length: 8 }, ask))
    return answers.every(({ status }) => status === 503)
  })
  process.kill(child.pid, 'SIGTERM')
  t.equal(await ended, 0, child.said())
  t.notOk(
    lines(child).some(({ msg }) => msg.startsWith('a node is silent')),
    'a node that leaves says goodbye',
  )
  t.ok(lines(child).some(({ msg }) => msg === 'the lease of a node has ended'))
})

t.test('a node with another secret takes no work, and notices an exchanged database', async (t) => {
  const place = await prepare(t, { PARLEY_STOP_GRACE_SECONDS: '0' })
  const child = await start(t, place)
  const owners = () => place.database.execute<{ owner: string | null }>('select owner from partition')
  const before = await owners()
  const other = startChild(t, SERVE, {
    ...place.env,
    PARLEY_PORT: String(await freePort()),
    PARLEY_SECRET: 'another secret altogether',
  })
  await t.rejects(other.line(/Parley is ready/))
  t.match(lines(other).at(-1), {
    level: 'error',
    msg: /^The database was made with another PARLEY_SECRET, .*: set the/,
  })
  t.strictSame(await owners(), before)

  // The change makes the database look like another one, which knows nothing of this node.
  await place.database.execute(`update vault_canary set sealed = 'v1:AAAA'`)
  await place.database.execute('update partition set owner = null, epoch = epoch + 1')
  await eventually('it says so', async () => {
    const { status, body } = await http('GET', `${place.base_url}/ready`)
    return status === 503 && /^The database was made with another PARLEY_SECRET/.test(body.checks.secret)
  })
  await eventually('it refuses to take partitions', () =>
    lines(child).some(({ error }) => typeof error === 'string' && /another PARLEY_SECRET/.test(error)),
  )
  t.ok((await owners()).every(({ owner }) => owner === null))
  t.equal(await child.end('SIGTERM'), 0)
})

t.test('a start reports missing settings as JSON too', async (t) => {
  const place = await prepare(t, { PARLEY_BASE_URL: '' })
  const child = startChild(t, SERVE, place.env)
  await t.rejects(child.line(/Parley is ready/))
  t.match(lines(child), [{ level: 'error', msg: /^PARLEY_BASE_URL is not set, and production needs it: .*\.$/ }])
})

/** Rejects a promise that nobody waits for, at each SIGUSR2. */
const CARELESS = `process.on('SIGUSR2', () => void Promise.reject(new Error('nobody waits for this')))`

const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

for (const processes of [1, 2]) {
  t.test(`an error that nobody handles is one line, and an end in order (processes: ${processes})`, async (t) => {
    const preload = `--import=data:text/javascript,${encodeURIComponent(CARELESS)}`
    const place = await prepare(t, {
      PARLEY_NODES: `${processes}`,
      NODE_OPTIONS: `${startUp().NODE_OPTIONS ?? ''} ${preload}`.trim(),
    })
    const child = await start(t, place)
    const owned = () => place.database.execute('select distinct owner from partition where owner is not null')
    await eventually('its nodes own partitions', async () => (await owned()).length === processes)
    if (processes === 1) {
      t.equal(await child.end('SIGUSR2'), 1)
      t.strictSame(await owned(), [], 'it has given its partitions away')
    } else {
      const [first] = childrenOf(child.pid) as [number]
      process.kill(first, 'SIGUSR2')
      await eventually('it is replaced', () => {
        const children = childrenOf(child.pid)
        return children.length === processes && !children.includes(first)
      })
      await child.end('SIGTERM')
    }
    const errors = lines(child).filter(({ error }) => error?.message === 'nobody waits for this')
    t.match(errors, [{ level: 'error', msg: 'an error was not handled; this process ends' }])
    t.equal(errors.length, 1)
  })
}
