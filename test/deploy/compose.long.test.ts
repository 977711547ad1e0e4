/** The compose set: it starts, each part of it survives SIGKILL under load, and its secrets and data stay. */
import { appendFileSync, cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Agent, request } from 'undici'
import type { Client } from '../e2e/client.ts'
import { eventually, sleep } from '../e2e/client.ts'
import { made, makeTenant, outside, startSimulatorFor, type Tenant } from '../e2e/fixture.ts'
import { startSink } from '../e2e/sink.ts'
import { freePort, tempDir } from '../support/mod.ts'
import { root } from '../support/root.ts'
import { buildImage, version } from './build_image.ts'
import { type Podman, runProgram, startPodman } from './podman.ts'
import { standIns } from './stand_ins.ts'

const NODES = ['parley-1', 'parley-2']
const PARTS = ['postgres', 'nats', ...NODES, 'proxy']

const podman = await startPodman(t)
if (typeof podman === 'string') t.pass(podman)
else await runSet(podman)

async function runSet(podman: Podman): Promise<void> {
  const place = tempDir(t)
  cpSync(join(root, 'deploy/compose'), place, { recursive: true })
  const typed = async (script: string) => {
    const { code, stdout, stderr } = await runProgram('bash', ['-euc', script], { cwd: place, env: podman.env })
    if (code !== 0) throw new Error(`${script}: ${stdout}${stderr}`)
    return stdout
  }
  const { archive } = await buildImage(t, root)
  await typed(`podman load --input ${archive}`)
  const images = await standIns(tempDir(t))
  for (const { archive } of Object.values(images)) await typed(`podman load --input ${archive}`)

  await typed('sh secrets.sh')
  const [https, plain] = [await freePort(), await freePort()]
  const settings = {
    ...Object.fromEntries(Object.entries(images).map(([variable, { image }]) => [variable, image])),
    PARLEY_IMAGE: `docker.io/library/parley:${version}`,
    PARLEY_HTTPS: https,
    PARLEY_HTTP: plain,
    PARLEY_ALLOW_NETWORKS: '10.0.0.0/8',
  }
  const secrets = join(place, '.env')
  const lines = Object.entries(settings).map((pair) => `${pair.join('=')}\n`)
  appendFileSync(secrets, lines.join(''))
  const kept = readFileSync(secrets, 'utf8')
  const key = /^PARLEY_OPERATOR_KEY=(.*)$/m.exec(kept)![1]!

  const http = startTlsClient()
  const base_url = `https://localhost:${https}`
  const isReady = async () => (await http('GET', `${base_url}/ready`).catch(() => undefined))?.status === 200
  const up = async () => {
    const began = performance.now()
    await typed('podman-compose up --detach')
    const started = performance.now()
    await eventually('the set is ready', isReady)
    const seconds = (at: number) => `${((at - began) / 1000).toFixed(1)} s`
    return `${seconds(performance.now())}, of which podman-compose took ${seconds(started)}`
  }
  t.teardown(() => typed('podman-compose down --timeout 1'))
  t.comment(`ready after ${await up()}`)

  const gateway = (
    await typed(
      `podman network inspect --format '{{range .Subnets}}{{.Gateway}}{{end}}' compose_default || podman network inspect $(podman network ls --format '{{.Name}}' | grep default) --format '{{range .Subnets}}{{.Gateway}}{{end}}'`,
    )
  ).trim()
  const simulator = await startSimulatorFor(t, { host: gateway })
  const calls = outside(http, base_url, simulator.url)
  const operator: typeof calls.operator = (method, path, json) =>
    http(method, `${base_url}/admin/v1/${path}`, { json, token: key })
  const tenant = await makeTenant({ ...calls, operator, sink: await startSink(t) })
  const first = await made(() => tenant.send('+15557000001'))
  await tenant.message(first.id, 'sent', 'delivered', 'read')

  const nameOf = async (part: string) =>
    (await typed(`podman ps --all --format '{{.Names}}' | grep -E '[_-]${part}[_-]1$'`)).trim()
  const pidOf = async (part: string) =>
    Number((await typed(`podman inspect --format '{{.State.Pid}}' ${await nameOf(part)}`)).trim())
  const isNodeReady = async (node: string) => {
    const ask = "process.exit((await fetch('http://127.0.0.1:8080/ready')).status === 200 ? 0 : 1)"
    const { code } = await podman.run('exec', await nameOf(node), 'node', '--input-type=module', '--eval', ask)
    return code === 0
  }
  for (const node of NODES) await eventually(`${node} is ready`, () => isNodeReady(node))
  t.comment(await typed('podman stats --no-stream --format "{{.Name}} {{.MemUsage}}"'))

  for (const part of PARTS) {
    const load = startSends(tenant)
    await eventually('some were sent', async () => load.sent.length > 5)
    const victim = await pidOf(part)
    process.kill(victim, 'SIGKILL')
    const [killed, before] = [performance.now(), load.sent.length]
    await eventually(`${part} runs again`, async () => ![0, victim].includes(await pidOf(part).catch(() => 0)))
    for (const node of NODES) await eventually(`${node} is ready`, () => isNodeReady(node))
    await eventually('sends succeed again', async () => load.sent.length > before + 5)
    await load.stop()
    const gap = longestGap(load.sent, killed)
    t.comment(`${part} killed: no send was accepted for ${(gap / 1000).toFixed(1)} s`)
    for (const id of load.ids.slice(-3)) await tenant.message(id, 'sent', 'delivered', 'read')
    t.pass(`${part} was killed and runs again; without service for ${(gap / 1000).toFixed(1)} s`)
  }

  await typed('sh secrets.sh && podman-compose up --detach')
  t.equal(readFileSync(secrets, 'utf8'), kept, 'secrets are made once')
  await typed('podman-compose down')
  t.comment(`ready after ${await up()} again`)
  t.match(await tenant.message(first.id, 'sent', 'delivered', 'read'), { id: first.id }, 'data stays')
}

/** Sends one message after the other. One that was not answered with 202 is asked for again, with the same key. */
function startSends(tenant: Tenant) {
  const sent: number[] = []
  const ids: string[] = []
  let going = true
  const loop = (async () => {
    for (let n = 0; going; n++) {
      const call = { headers: { 'idempotency-key': crypto.randomUUID() } }
      while (going) {
        const answer = await tenant.send(`+1555700${1000 + (n % 1000)}`, {}, call).catch(() => undefined)
        if (answer?.status === 202) {
          sent.push(performance.now())
          ids.push(answer.body.id)
          break
        }
        await sleep(50)
      }
      await sleep(20)
    }
  })()
  const stop = async () => {
    going = false
    await loop
  }
  return { sent, ids, stop }
}

/** Milliseconds between the two successes that lie farthest apart, from the last one before `from` on. */
function longestGap(times: number[], from: number): number {
  const after = times.filter((time, index) => (times[index + 1] ?? time) >= from)
  return Math.max(...after.slice(1).map((time, index) => time - after[index]!))
}

/** Trusts any certificate: Caddy makes one for `localhost` that nobody knows. */
function startTlsClient(): Client {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false }, headersTimeout: 20_000 })
  t.teardown(() => dispatcher.destroy())
  return async (method, url, { json, headers = {}, token } = {}) => {
    const all: Record<string, string> = { ...headers }
    if (token !== undefined) all.authorization = `Bearer ${token}`
    if (json !== undefined) all['content-type'] = 'application/json'
    const body = json === undefined ? undefined : JSON.stringify(json)
    const answer = await request(url, { method: method as 'GET', headers: all, body, dispatcher })
    const text = await answer.body.text()
    const is_json = String(answer.headers['content-type']).startsWith('application/json') && text !== ''
    return {
      status: answer.statusCode,
      headers: answer.headers as Record<string, string>,
      text,
      body: is_json ? JSON.parse(text) : undefined,
    }
  }
}
