/** Three nodes, a nats-server and a PostgreSQL, each on a host of its own in a network of namespaces. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, createWriteStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Waits } from '../../http/app/node/place.ts'
import { silentLog } from '../../runtime/log.ts'
import { serverAccount } from '../../runtime/servers/account.ts'
import { Guardian } from '../../runtime/servers/guardian.ts'
import { natsBinary } from '../../runtime/servers/nats.ts'
import { postgresBinaries, preparePostgres } from '../../runtime/servers/postgres.ts'
import { migrate, openDatabase } from '../../storage/mod.ts'
import { eventually } from '../e2e/client.ts'
import { OPERATOR_KEY } from '../e2e/fixture.ts'
import { type Owner, TEST_SECRET, tempDir } from '../support/mod.ts'
import { OUTSIDE, type Space, startSpace } from './network_space.ts'

export const NODES = ['node-a', 'node-b', 'node-c'] as const
export const NATS = 'nats'
export const POSTGRES = 'postgres'
/** Few enough partitions to probe each several times a second. */
export const PARTITIONS = 12

const PASSWORD = 'network'
const [HTTP_PORT, NATS_PORT, POSTGRES_PORT] = [8080, 4222, 5432]
/**
 * Sends keep the product's own waits. Shorter than a cut, these waits would repeat sends that the network still holds.
 */
const WAITS: Waits = { webhook_ms: 2000 }

export type Hosts = {
  space: Space
  /** The database's address for the outside, where the test runs. */
  database_url: string
  /** The address of each node's API. */
  urls: Record<string, string>
  pids: Record<string, number>
  /** The directory of the nodes' logs, a file each. */
  logs: string
}

/** Starts everything. `prepare` gets the migrated database before any node uses it. */
export async function startHosts(t: Owner, prepare: (database_url: string) => Promise<void>): Promise<Hosts> {
  const space = await startSpace(t, [...NODES, NATS, POSTGRES])
  const directory = tempDir(t)
  const logs = process.env.PARLEY_TEST_LOGS ?? directory
  mkdirSync(logs, { recursive: true })
  const run = runner(t, space, logs)
  const database_url = `postgres://parley:${PASSWORD}@${space.address(POSTGRES)}:${POSTGRES_PORT}/postgres`
  await startPostgres(run, directory, database_url)
  await prepare(database_url)
  startNats(run, directory, space)
  await eventually('nats-server listens', () => answers(space.address(NATS), NATS_PORT))
  const urls: Record<string, string> = {}
  const pids: Record<string, number> = {}
  for (const node of NODES) {
    const child = run(node, process.execPath, [fileURLToPath(new URL('../e2e/run_parley.ts', import.meta.url))], {
      PARLEY_ENV: 'development',
      PARLEY_HOST: '0.0.0.0',
      PARLEY_PORT: String(HTTP_PORT),
      PARLEY_DATA_DIR: join(directory, node),
      PARLEY_OPERATOR_KEY: OPERATOR_KEY,
      PARLEY_SECRET: TEST_SECRET,
      PARLEY_PARTITIONS: String(PARTITIONS),
      PARLEY_POOL_SIZE: '6',
      PARLEY_LOG_LEVEL: 'info',
      PARLEY_WEBHOOK_SCHEDULE: '0,0.5,1,2,4,4,4,4',
      PARLEY_ALLOW_NETWORKS: `${space.address(OUTSIDE)}/32`,
      PARLEY_TEST_WAITS: JSON.stringify(WAITS),
      DATABASE_URL: database_url,
      NATS_URL: `nats://${space.address(NATS)}:${NATS_PORT}`,
    })
    pids[node] = child.pid!
    urls[node] = `http://${space.address(node)}:${HTTP_PORT}`
    await eventually(`${node} listens`, () => answers(space.address(node), HTTP_PORT))
  }
  return { space, database_url, urls, pids, logs }
}

type Run = (host: string, command: string, args: string[], env?: Record<string, string>) => ChildProcess

/** Runs programs inside hosts, each in a session of its own, and ends them with their owner. */
function runner(t: Owner, space: Space, logs: string): Run {
  const guardian = new Guardian()
  t.teardown(() => guardian.close())
  return (host, command, args, env = {}) => {
    const [wrapped, all] = space.inside(host, command, args)
    const log = createWriteStream(join(logs, `${host}.log`), { flags: 'a' })
    const child = spawn(wrapped, all, {
      cwd: '/',
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH!, HOME: process.env.HOME!, LC_ALL: 'C', TZ: 'UTC', ...env },
    })
    child.stdout!.pipe(log, { end: false })
    child.stderr!.pipe(log, { end: false })
    guardian.watch(child.pid!, 'SIGKILL')
    t.teardown(async () => {
      guardian.forget(child.pid!)
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    })
    return child
  }
}

async function startPostgres(run: Run, directory: string, url: string): Promise<void> {
  const guardian = new Guardian()
  // Makes the cluster, which then runs inside its host, open to the network.
  await preparePostgres({ directory, port: POSTGRES_PORT, password: PASSWORD, durable: false }, guardian, silentLog)
  const cluster = join(directory, 'postgres')
  appendFileSync(join(cluster, 'pg_hba.conf'), 'host all all 0.0.0.0/0 scram-sha-256\n')
  const binary = join(postgresBinaries(), 'postgres')
  const settings = {
    listen_addresses: '*',
    unix_socket_directories: '',
    max_connections: '200',
    fsync: 'off',
    full_page_writes: 'off',
    jit: 'off',
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  run(
    POSTGRES,
    ...serverAccount(cluster, binary).wrap(binary, ['-D', cluster, '-p', String(POSTGRES_PORT), ...options]),
  )
  const pid_file = join(cluster, 'postmaster.pid')
  await eventually('PostgreSQL is ready', () => readyLine(pid_file)?.startsWith('ready'))
  const database = await openDatabase({ url, secret: TEST_SECRET, pool_size: 2 })
  await migrate(database).finally(() => database.close())
}

function readyLine(pid_file: string): string | undefined {
  try {
    return readFileSync(pid_file, 'utf8').split('\n')[7]
  } catch {
    return undefined
  }
}

function startNats(run: Run, directory: string, space: Space): void {
  const config = join(directory, 'nats.conf')
  const store = join(directory, 'jetstream')
  writeFileSync(
    config,
    `listen: "${space.address(NATS)}:${NATS_PORT}"
server_name: "network"
max_payload: 8MB
jetstream { store_dir: ${JSON.stringify(store)} }
`,
  )
  run(NATS, natsBinary(), ['-c', config])
}

function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    const done = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(1000, () => done(false))
    socket.once('error', () => done(false))
    socket.once('connect', () => done(true))
  })
}
