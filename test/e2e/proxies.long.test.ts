/** The proxies of docs/proxies.md in front of three nodes in production that are restarted one after the other. */
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { Agent, FormData, request, WebSocket } from 'undici'
import { freePort, type Owner, TEST_SECRET, tempDir, testDatabaseUrl, testNats } from '../support/mod.ts'
import { type Child, startChild } from './child.ts'
import { eventually, sleep, startClient } from './client.ts'
import { made, makeTenant, OPERATOR_KEY, outside, startSimulatorFor, type Tenant, text } from './fixture.ts'
import { pathOf, programs, type RunningProxy, startProxy } from './proxy_programs.ts'
import { startSink } from './sink.ts'

const SERVE = new URL('../../http/app/serve.ts', import.meta.url)
const MAX_SIZE = 100 * 1024 * 1024
const SENDERS = 4
/** Time that requests in progress have when the grace period is over (`PARLEY_STOP_REQUESTS_SECONDS`). */
const STOPPING_MS = 60_000

const direct = startClient(t)
/** Calls a node without its proxy. */
const http: typeof direct = (method, url, call = {}) =>
  direct(method, url, { ...call, headers: { 'x-forwarded-proto': 'https', ...call.headers } })

const [database_url, nats, files] = [await testDatabaseUrl(t), await testNats(t), tempDir(t)]
const ports = [await freePort(), await freePort(), await freePort()]
const nodes: Child[] = []

async function start(index: number): Promise<void> {
  const child = startChild(t, SERVE, {
    DATABASE_URL: database_url,
    NATS_URL: nats.url,
    PARLEY_NATS_PREFIX: nats.prefix,
    PARLEY_NATS_REPLICAS: String(nats.replicas ?? 1),
    PARLEY_BASE_URL: 'https://parley.example.com',
    PARLEY_HOST: '127.0.0.1',
    PARLEY_PORT: String(ports[index]),
    PARLEY_DATA_DIR: tempDir(t),
    PARLEY_BLOB_URL: pathToFileURL(files).href,
    PARLEY_OPERATOR_KEY: OPERATOR_KEY,
    PARLEY_SECRET: TEST_SECRET,
    PARLEY_TRUSTED_PROXIES: '127.0.0.0/8',
    PARLEY_ALLOW_NETWORKS: '127.0.0.0/8',
    PARLEY_PARTITIONS: '12',
  })
  nodes[index] = child
  await child.line(/Parley is ready/)
  await eventually(
    'it is ready',
    async () => (await http('GET', `http://127.0.0.1:${ports[index]}/ready`)).status === 200,
  )
}

for (const index of ports.keys()) await start(index)
const simulator = await startSimulatorFor(t)
const sink = await startSink(t)
const world = { ...outside(http, `http://127.0.0.1:${ports[0]}`, simulator.url), sink }

for (const program of programs) {
  if (!pathOf(program)) {
    t.pass(`${program.name} is not installed here, so its example is not run`)
    continue
  }
  t.test(`${program.name} as documented loses no request while the nodes are restarted`, async (t) => {
    const tenant = await makeTenant(world)
    const keeper = await makeTenant(world)
    await made(world.operator('PATCH', `channels/${keeper.number.channel_id}`, { is_active: false }))
    const proxy = await startProxy(
      t,
      program,
      ports.map((port) => `127.0.0.1:${port}`),
    )
    const load = startRequests(t, proxy, tenant, keeper)
    await eventually('each kind of request was answered', load.isAnswered)
    for (const [index, node] of nodes.entries()) {
      t.equal(await node.end('SIGTERM'), 0, node.said())
      await start(index)
    }
    const uploads = load.counts.upload!
    await eventually('another file was uploaded', () => load.counts.upload! > uploads || load.failures.length > 0)
    await load.stop()
    t.comment(JSON.stringify(load.counts))
    t.strictSame(load.failures, [], proxy.said())
  })
}

/** Sends, reads, uploads and opens websockets through the proxy until it is told to stop. */
function startRequests(t: Owner, { url, ca }: RunningProxy, tenant: Tenant, keeper: Tenant) {
  const dispatcher = new Agent({
    allowH2: false,
    connect: { ca },
    connections: 32,
    pipelining: 1,
    headersTimeout: 60_000,
  })
  t.teardown(() => dispatcher.destroy())
  const counts: Record<string, number> = { send: 0, read: 0, upload: 0, websocket: 0 }
  const failures: string[] = []
  let going = true

  async function call(method: 'GET' | 'POST' | 'DELETE', path: string, { token }: Tenant, more: object = {}) {
    const headers = { authorization: `Bearer ${token}`, ...(more as { headers?: object }).headers }
    const answer = await request(`${url}/v1/${path}`, { method, dispatcher, ...more, headers })
    return { status: answer.statusCode, text: await answer.body.text() }
  }

  /**
   * Repeats a request of a kind. A node that is overloaded says so, and whoever asks again loses nothing; an upload that takes
   * longer than a stopping node waits for is cut. Neither is counted.
   */
  async function repeat(kind: string, pause_ms: number, ask: (n: number) => Promise<string | undefined>) {
    for (let n = 0; going; n++) {
      const begun = performance.now()
      const failure = await ask(n).catch((error) => `${error.message} ${error.cause ?? ''}`)
      const is_late = kind === 'upload' && performance.now() - begun > STOPPING_MS
      if (failure === undefined) counts[kind]!++
      else if (!is_late && !/^503 \{.*SERVICE_UNAVAILABLE/.test(failure))
        failures.push(`${new Date().toISOString()} ${kind}: ${failure}`)
      await sleep(pause_ms)
    }
  }

  const unlike = (expected: number, { status, text }: { status: number; text: string }) =>
    status === expected ? undefined : `${status} ${text.slice(0, 300)}`

  const send = (name: number) => async (n: number) => {
    const body = JSON.stringify({ channel: 'whatsapp', to: `+1555700000${name}`, message: text(`${name} ${n}`) })
    const headers = { 'content-type': 'application/json' }
    return unlike(202, await call('POST', 'messages', tenant, { headers, body }))
  }

  const file = new File([Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(MAX_SIZE - 9, 'x')])], 'large.pdf')
  async function upload() {
    const body = new FormData()
    body.set('file', file)
    const answer = await call('POST', 'media/upload', keeper, { body })
    if (answer.status !== 200) return unlike(200, answer)
    // A hundred of them would fill the disk.
    return unlike(
      204,
      await call(
        'DELETE',
        `media/${JSON.parse(answer.text).media_id}?phone_number_id=${keeper.number.phone_number_id}`,
        keeper,
      ),
    )
  }

  function openSocket(): Promise<string | undefined> {
    const address = `${url.replace('https', 'wss')}/visitor/socket.io/?EIO=4&transport=websocket`
    const socket = new WebSocket(address, { dispatcher })
    return new Promise((resolve) => {
      socket.addEventListener('message', ({ data }) => {
        socket.close()
        resolve(String(data).startsWith('0{"sid"') ? undefined : String(data))
      })
      socket.addEventListener('error', ({ message }) => resolve(message))
    })
  }

  const work = [
    ...Array.from({ length: SENDERS }, (_, name) => repeat('send', 40, send(name))),
    repeat('read', 20, async () => unlike(200, await call('GET', 'me', tenant))),
    repeat('upload', 1500, upload),
    repeat('websocket', 200, openSocket),
  ]
  return {
    counts,
    failures,
    isAnswered: () => Object.values(counts).every((count) => count > 0) || failures.length > 0,
    async stop() {
      going = false
      await Promise.all(work)
    },
  }
}
