/** A PostgreSQL and a nats-server to be broken, each on a port and data of its own. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { type Log, silentLog } from '../../runtime/log.ts'
import { Guardian } from '../../runtime/servers/guardian.ts'
import { natsUrl, prepareNats } from '../../runtime/servers/nats.ts'
import { postgresUrl, preparePostgres } from '../../runtime/servers/postgres.ts'
import type { ServerProcess } from '../../runtime/servers/server_process.ts'
import { freePort, type Owner, tempDir } from '../support/mod.ts'
import { signalFamily } from './processes.ts'

export type BreakableServer = {
  url: string
  port: number
  /** Starts the server again on the same port and data. */
  start(): Promise<void>
  stop(): Promise<void>
  /** Sends SIGKILL to the server and its children. The server stays down until `start()`. */
  kill(): Promise<void>
  /** Sends SIGSTOP to the server and its children. `thaw` lets them go on. */
  freeze(): void
  thaw(): void
  /**
   * Returns ends that nobody here asked for, one sentence each. The server is started again after each. Each is
   * reported once.
   */
  ownEnds(): string[]
}

/** A PostgreSQL. `directory` holds its data in `postgres/`. */
export type PostgresServer = BreakableServer & { directory: string }

export type NatsServer = BreakableServer & {
  /** Deletes everything that JetStream stored. Only while the server is down. */
  wipe(): void
}

export const POSTGRES_USER = 'parley'
export const POSTGRES_PASSWORD = 'broken'

/** Runs one statement. */
export type Run = <Row = Record<string, unknown>>(sql: string) => Promise<Row[]>

/** Works in one session with this very server, whether it takes writes or not. */
export async function within<Result>({ url }: BreakableServer, work: (run: Run) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(async (sql) => (await client.query(sql)).rows)
  } finally {
    await client.end().catch(() => {})
  }
}

/** Starts a PostgreSQL on the data in the directory, if there are any. */
export async function startPostgres(t: Owner, directory = tempDir(t)): Promise<PostgresServer> {
  const guardian = new Guardian()
  const port = await freePort()
  const password = POSTGRES_PASSWORD
  // Faults here kill processes, not machines, so the server does not sync its data to disk.
  const ends = noteEnds()
  const server = await preparePostgres({ directory, port, password, durable: false }, guardian, ends.log)
  const started = await breakable(t, { url: postgresUrl(port, password), port, ownEnds: ends.take }, server, guardian)
  return { ...started, directory }
}

export async function startNats(t: Owner): Promise<NatsServer> {
  const directory = tempDir(t)
  const guardian = new Guardian()
  const port = await freePort()
  const token = 'broken'
  const ends = noteEnds()
  const server = prepareNats({ directory, port, token }, guardian, ends.log)
  const started = await breakable(t, { url: natsUrl(port, token), port, ownEnds: ends.take }, server, guardian)
  return { ...started, wipe: () => rmSync(join(directory, 'nats'), { recursive: true, force: true }) }
}

/** Notes the warning of a server that ends without being told to. */
function noteEnds() {
  const ends: string[] = []
  const log: Log = {
    ...silentLog,
    warn: (fields, message) => void ends.push(`${message}: ${JSON.stringify(fields)}`),
  }
  return { log, take: () => ends.splice(0) }
}

async function breakable(
  t: Owner,
  place: Pick<BreakableServer, 'url' | 'port' | 'ownEnds'>,
  server: ServerProcess,
  guardian: Guardian,
): Promise<BreakableServer> {
  t.teardown(async () => {
    await server.stop()
    await guardian.close()
  })
  await server.start()
  return {
    ...place,
    start: () => server.start(),
    stop: () => server.stop(),
    async kill() {
      const pid = server.pid!
      const gone = server.kill()
      signalFamily(pid, 'SIGKILL')
      await gone
    },
    freeze: () => signalFamily(server.pid!, 'SIGSTOP'),
    thaw: () => signalFamily(server.pid!, 'SIGCONT'),
  }
}
