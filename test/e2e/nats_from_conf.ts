/** Three nats-servers that run nats.conf as it is, except for ports, paths and the `#` before its TLS blocks. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '../../runtime/log.ts'
import { Guardian } from '../../runtime/servers/guardian.ts'
import { greets, natsBinary } from '../../runtime/servers/nats.ts'
import { ServerProcess } from '../../runtime/servers/server_process.ts'
import { type Owner, tempDir } from '../support/mod.ts'
import { freePorts } from '../support/nats_cluster.ts'
import { eventually } from './client.ts'

const SERVERS = 3
const PASSWORD = 'one: two'
/** The program of the system, not of npm. */
const OPENSSL = 'openssl'

const reference = new URL('../../nats.conf', import.meta.url)

type Certificate = { cert_file: string; key_file: string }

/** Makes a certificate of localhost that is its own authority. Returns undefined where openssl is not installed. */
export function makeCertificate(directory: string): Certificate | undefined {
  const files = { cert_file: join(directory, 'server.crt'), key_file: join(directory, 'server.key') }
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const key = ['-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256']
  const out = ['-keyout', files.key_file, '-out', files.cert_file]
  try {
    execFileSync(OPENSSL, ['req', '-x509', '-days', '1', ...name, ...key, ...out], { stdio: 'ignore' })
    return files
  } catch {
    return undefined
  }
}

/** Returns nats.conf with its TLS blocks switched on. */
export function referenceWithTls(): string {
  return readFileSync(reference, 'utf8').replace(/^( *)# (tls \{| {2}\w+_file:.*| {2}timeout: .*|\})$/gm, '$1$2')
}

type Ports = { client: number; route: number; monitor: number }

/** Starts the three servers, and resolves when they have a leader. */
export async function startNatsFromConf(t: Owner, certificate: Certificate) {
  const directory = tempDir(t)
  const free = await freePorts(3 * SERVERS)
  const ports = Array.from({ length: SERVERS }, (_, i): Ports => {
    const [client, route, monitor] = free.slice(3 * i) as [number, number, number]
    return { client, route, monitor }
  })
  const guardian = new Guardian()
  const servers = ports.map((own, i) => {
    const home = join(directory, `nats-${i + 1}`)
    const others = ports.filter((port) => port !== own)
    const log_file = join(home, 'nats.log')
    const config = join(home, 'nats.conf')
    mkdirSync(home)
    writeFileSync(config, placed(home, own, certificate))
    const server = new ServerProcess(
      {
        name: `nats-${i + 1}`,
        command: '/usr/bin/env',
        args: [...environment(`nats-${i + 1}`, others), natsBinary(), '-c', config],
        cwd: '/',
        log_file,
        stop_signal: 'SIGTERM',
        ready_within_ms: 60_000,
        // A check whether the port is taken would itself take the port for a moment, from the server that wants it.
        isReady: () => greets(own.client),
      },
      guardian,
      silentLog,
    )
    return { server, log_file }
  })
  t.teardown(async () => {
    await Promise.all(servers.map(({ server }) => server.kill()))
    await guardian.close()
  })
  await Promise.all(servers.map(({ server }) => server.start()))
  await eventually('they have elected a leader', () => isLed(ports[0]!))
  const urls = ports.map(({ client }) => `tls://parley:${encodeURIComponent(PASSWORD)}@localhost:${client}`)
  return { url: urls.join(), said: () => servers.map(({ log_file }) => readFileSync(log_file, 'utf8')).join('\n') }
}

/** Returns nats.conf with the ports and paths of one server. */
function placed(home: string, { client, route, monitor }: Ports, { cert_file, key_file }: Certificate): string {
  const changes = {
    '"0.0.0.0:4222"': `"127.0.0.1:${client}"`,
    '"127.0.0.1:8222"': `"127.0.0.1:${monitor}"`,
    '"0.0.0.0:6222"': `"127.0.0.1:${route}"`,
    '"/var/lib/nats"': JSON.stringify(join(home, 'jetstream')),
    '"/etc/nats/server.crt"': JSON.stringify(cert_file),
    '"/etc/nats/server.key"': JSON.stringify(key_file),
    '"/etc/nats/ca.crt"': JSON.stringify(cert_file),
  }
  let text = referenceWithTls()
  for (const [from, to] of Object.entries(changes)) {
    if (!text.includes(from)) throw new Error(`nats.conf has no ${from}`)
    text = text.replaceAll(from, to)
  }
  return text
}

/** Returns the environment that nats.conf reads, as arguments of env(1). */
function environment(name: string, others: Ports[]): string[] {
  const [one, two] = others.map(({ route }) => `"nats://route:four@localhost:${route}"`)
  return [
    `NATS_SERVER_NAME=${name}`,
    `NATS_PASSWORD=${JSON.stringify(PASSWORD)}`,
    'NATS_SYSTEM_PASSWORD="three"',
    'NATS_ROUTE_PASSWORD="four"',
    `NATS_ROUTE_ONE=${one}`,
    `NATS_ROUTE_TWO=${two}`,
  ]
}

async function isLed({ monitor }: Ports): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${monitor}/jsz`)
  const { meta_cluster } = (await answer.json()) as { meta_cluster?: { leader?: string; cluster_size?: number } }
  return Boolean(meta_cluster?.leader) && meta_cluster?.cluster_size === SERVERS
}
