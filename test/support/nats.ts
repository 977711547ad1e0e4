import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { silentLog } from '../../runtime/log.ts'
import { Guardian } from '../../runtime/servers/guardian.ts'
import { greets, natsBinary, natsUrl, prepareNats } from '../../runtime/servers/nats.ts'
import { natsOptions } from '../../runtime/servers/nats_options.ts'
import { freePort } from '../../runtime/servers/port.ts'
import { ServerProcess } from '../../runtime/servers/server_process.ts'
import { type NatsCluster, prepareNatsCluster } from './nats_cluster.ts'
import type { Owner } from './owner.ts'
import { sharedServers } from './servers.ts'
import { tempDir } from './temp_dir.ts'
import { natsServers } from './test_servers.ts'

export type TestNats = {
  url: string
  /** The start of every subject and stream of this test. Streams with this prefix are deleted after the test. */
  prefix: string
  /** The number of copies of each stream: one for each server. */
  replicas: number
  /** Opens a new connection and closes it after the test. */
  connect(): Promise<NatsConnection>
}

export type PrivateNats = TestNats & {
  /** Starts the server again on the same port and data. */
  start(): Promise<void>
  stop(): Promise<void>
  /** Sends SIGKILL. The server stays down until `start()`. */
  kill(): Promise<void>
  /** Deletes everything that JetStream stored. Only while the server is down. */
  wipe(): void
}

/** Returns the shared NATS, with a prefix of the test's own. */
export async function testNats(t: Owner): Promise<TestNats> {
  const { nats_url: url } = await sharedServers()
  const prefix = `t${randomBytes(6).toString('hex')}`
  t.teardown(() => deleteStreams(url, prefix))
  return { url, prefix, replicas: natsServers, connect: () => connectFor(t, url) }
}

/** Starts a NATS for this test alone: one server, or as many as the shared NATS has. */
export async function privateNats(t: Owner): Promise<PrivateNats> {
  if (natsServers === 1) return privateServer(t)
  const cluster = await privateNatsCluster(t, natsServers)
  return { ...cluster, wipe: () => void cluster.members.map((member) => member.wipe()) }
}

/** Starts a cluster of nats-servers for this test alone. */
export async function privateNatsCluster(t: Owner, count: number): Promise<TestNats & NatsCluster> {
  const guardian = new Guardian()
  const cluster = await prepareNatsCluster(tempDir(t), count, guardian)
  t.teardown(async () => {
    await cluster.kill()
    await guardian.close()
  })
  await cluster.start()
  return { ...cluster, prefix: 'private', replicas: count, connect: () => connectFor(t, cluster.url) }
}

async function privateServer(t: Owner): Promise<PrivateNats> {
  const directory = tempDir(t)
  const guardian = new Guardian()
  const port = await freePort()
  const token = 'private'
  const server = prepareNats({ directory, port, token }, guardian, silentLog)
  const url = natsUrl(port, token)
  t.teardown(async () => {
    await server.stop()
    await guardian.close()
  })
  await server.start()
  return {
    url,
    prefix: 'private',
    replicas: 1,
    connect: () => connectFor(t, url),
    start: () => server.start(),
    stop: () => server.stop(),
    kill: () => server.kill(),
    wipe: () => rmSync(join(directory, 'nats'), { recursive: true, force: true }),
  }
}

/** Starts a NATS for this test with no configuration but JetStream. It takes messages of up to 1 MiB. */
export async function plainNats(t: Owner): Promise<TestNats> {
  const directory = tempDir(t)
  const guardian = new Guardian()
  const port = await freePort()
  const server = new ServerProcess(
    {
      name: 'nats-server',
      command: natsBinary(),
      args: ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', directory],
      cwd: '/',
      log_file: join(directory, 'nats.log'),
      stop_signal: 'SIGTERM',
      ready_within_ms: 60_000,
      isReady: () => greets(port),
    },
    guardian,
    silentLog,
  )
  t.teardown(async () => {
    await server.stop()
    await guardian.close()
  })
  await server.start()
  const url = `nats://127.0.0.1:${port}`
  return { url, prefix: 'plain', replicas: 1, connect: () => connectFor(t, url) }
}

async function connectFor(t: Owner, url: string): Promise<NatsConnection> {
  const connection = await connect(natsOptions(url))
  t.teardown(() => connection.close())
  return connection
}

async function deleteStreams(url: string, prefix: string): Promise<void> {
  const connection = await connect(natsOptions(url))
  const manager = await jetstreamManager(connection, { timeout: 20_000 })
  const names: string[] = []
  for await (const name of manager.streams.names()) if (name.startsWith(prefix)) names.push(name)
  const deleted = names.map((name) => manager.streams.delete(name))
  // A long-running cluster may not answer in time on a busy machine. It ends with the run anyway.
  await (natsServers === 1 ? Promise.all(deleted) : Promise.allSettled(deleted))
  await connection.close()
}
