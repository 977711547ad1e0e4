import { type Log, silentLog } from '../log.ts'
import { DataDirectory } from './data_directory.ts'
import { Guardian } from './guardian.ts'
import { natsUrl, prepareNats, stopLeftoverNats } from './nats.ts'
import { freePort, isFree } from './port.ts'
import { localPostgresUrl, postgresUrl, preparePostgres, stopLeftoverPostgres } from './postgres.ts'
import type { ServerProcess } from './server_process.ts'

export type ServersOptions = {
  /** Created when missing; claimed until `stop()`. */
  data_dir: string
  /** False where DATABASE_URL names a PostgreSQL of the operator's. */
  postgres?: boolean
  /** False where NATS_URL names a NATS of the operator's. */
  nats?: boolean
  /** False only in tests: see `PostgresOptions.durable`. */
  durable?: boolean
  log?: Log
}

export type Servers = {
  /** Empty when `postgres: false`. */
  database_url: string
  /** The same database for processes of this machine, which reach it with less work. */
  local_database_url: string
  /** Empty when `nats: false`; carries the token: connect with `natsOptions(nats_url)`. */
  nats_url: string
  /** Current process ids: they change when a server is started again. */
  pids(): { postgres?: number; nats?: number }
  /** Stops nats-server, then PostgreSQL, in order; releases the data directory. */
  stop(): Promise<void>
}

/**
 * The servers of an embedded Parley: real PostgreSQL and nats-server, children of this process. Their data are in
 * `data_dir`; their addresses stay the same at every start as long as no other process took the port.
 *
 * A server that dies is started again. When this process dies, however it dies, they end too (see `Guardian`), and the
 * next start stops any that are still left. Throws `ServerError`.
 */
export async function startServers(options: ServersOptions): Promise<Servers> {
  const { data_dir, postgres = true, nats = true, durable = true, log = silentLog } = options
  const directory = DataDirectory.claim(data_dir)
  const guardian = new Guardian()
  const running: { postgres?: ServerProcess; nats?: ServerProcess } = {}
  const stop = async () => {
    await running.nats?.stop()
    await running.postgres?.stop()
    await guardian.close()
    directory.release()
  }
  try {
    await Promise.all([stopLeftoverPostgres(directory.path), stopLeftoverNats(directory.path)])
    const memory = directory.recall()
    const nats_port = await usablePort(memory.nats_port)
    const postgres_port = await usablePort(memory.postgres_port, nats_port)
    const { postgres_password: password, nats_token: token } = memory
    // Stored before the first start: a cluster keeps the password it was created with.
    directory.remember({ ...memory, nats_port, postgres_port })
    const place = { directory: directory.path }
    const launches = [
      postgres &&
        launch('postgres', () => preparePostgres({ ...place, port: postgres_port, password, durable }, guardian, log)),
      nats && launch('nats', () => prepareNats({ ...place, port: nats_port, token }, guardian, log)),
    ]
    // Wait for all of them before reporting a failure: no server may start after the clean-up.
    for (const result of await Promise.allSettled(launches)) if (result.status === 'rejected') throw result.reason
    return {
      database_url: postgres ? postgresUrl(postgres_port, password) : '',
      local_database_url: postgres ? localPostgresUrl(directory.path, postgres_port, password) : '',
      nats_url: nats ? natsUrl(nats_port, token) : '',
      pids: () => ({ postgres: running.postgres?.pid, nats: running.nats?.pid }),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }

  async function launch(name: keyof typeof running, prepare: () => ServerProcess | Promise<ServerProcess>) {
    const server = await prepare()
    running[name] = server
    await server.start()
  }
}

async function usablePort(remembered: number | undefined, taken?: number): Promise<number> {
  if (remembered && remembered !== taken && (await isFree(remembered))) return remembered
  for (;;) {
    const port = await freePort()
    if (port !== taken) return port
  }
}
