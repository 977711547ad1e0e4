/**
 * The database, the files and the secret that a start with this environment would use, for commands that work on them
 * directly: on the machine of a node, with the node's environment.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runningPostgresUrl, ServerError, silentLog, startServers } from '../../runtime/mod.ts'
import {
  actingFor,
  auditAct,
  type Database,
  isRefusal,
  openDatabase,
  parsePostgresUrl,
  VaultError,
} from '../../storage/mod.ts'
import { knownKeys } from '../app/keys.ts'
import type { Config } from '../app/settings/mod.ts'
import { readWhatCanBeRead } from './doctor/context.ts'
import { reasonOf } from './node/database_reason.ts'
import { serverEnvironment } from './node/serve.ts'
import { CommandFailure } from './terminal/failure.ts'

export type OwnPlace = {
  database: Database
  config: Config
  /** `PARLEY_SECRET`, or the secret of a development start; undefined when there is none. */
  secret: string | undefined
  /** For `openBlobs`. */
  blob_url: string
  /** True when the data directory has the database. */
  is_embedded: boolean
}

type Options = {
  /** Creates the embedded database when there is none. Default: that is a failure. */
  create?: boolean
  /** The secret where neither the environment nor the data directory has one. */
  secret?: string | undefined
  /** Refuses to work beside a running Parley. */
  alone?: boolean
}

/** The settings that these commands use. Problems of the others do not matter to them. */
const USED = ['DATABASE_URL', 'PARLEY_SECRET', 'PARLEY_DATA_DIR', 'PARLEY_BLOB_URL']
const CONNECTIONS = 4

/**
 * Opens the database, starting the embedded one if it does not run, and closes it after the work.
 *
 * @throws {CommandFailure} when a setting is wrong, or the database cannot be opened
 */
export async function withOwnPlace<Result>(
  work: (place: OwnPlace) => Promise<Result>,
  options: Options = {},
): Promise<Result> {
  const env = serverEnvironment()
  const { config, problems } = readWhatCanBeRead(env)
  const wrong = problems.filter((text) => USED.some((name) => text.startsWith(`${name} `) && env[name]))
  if (wrong.length > 0) throw new CommandFailure(wrong.join('\n'))
  const is_embedded = config.database_url === null
  const own = is_embedded ? knownKeys(config.data_dir).secret : undefined
  const secret = env.PARLEY_SECRET || own || options.secret
  const blob_url = config.blob_url ?? pathToFileURL(join(config.data_dir, 'blobs')).href
  const { url, stop } = await databaseOf(config, options)
  try {
    const database = await opened(url, secret, is_embedded)
    try {
      return await work({ database, config, secret, blob_url, is_embedded })
    } finally {
      await database.close()
    }
  } finally {
    await stop()
  }
}

/**
 * Writes the audit entry of an act that this command has done. Requests have entries of their own; this one has no
 * caller but the person at the machine.
 */
export async function auditCommand(database: Database, action: string, after: object): Promise<void> {
  const nobody = { actor_id: null, address: null, request_id: null }
  const origin = { actor_kind: 'operator', actor_name: 'command line', action, ...nobody } as const
  await auditAct(actingFor(database, origin), { target_kind: 'database', after }).catch((error) => {
    // A database of an older release has no audit yet.
    if (error.code !== '42P01') throw error
  })
}

/** The database that `withOwnPlace` opens, for a question. */
export function ownPlaceName(): string {
  const { config } = readWhatCanBeRead(serverEnvironment())
  if (config.database_url === null) return `the embedded database of ${config.data_dir}`
  const { url, hosts } = parsePostgresUrl(config.database_url)
  const name = decodeURIComponent(new URL(url).pathname.slice(1))
  return `the database ${name} at ${hosts.map(({ name, port }) => `${name}:${port}`).join(', ')}`
}

async function databaseOf(config: Config, { create, alone }: Options) {
  const { database_url, data_dir } = config
  if (database_url !== null) return { url: database_url, stop: async () => {} }
  const running = runningPostgresUrl(data_dir)
  if (running && alone) throw new CommandFailure(`A Parley runs in ${data_dir}: stop it first.`)
  if (running) return { url: running, stop: async () => {} }
  if (!create && !existsSync(join(data_dir, 'postgres'))) {
    throw new CommandFailure(
      `There is no database: DATABASE_URL is not set, and ${data_dir} (PARLEY_DATA_DIR) has no embedded one.`,
    )
  }
  try {
    const servers = await startServers({ data_dir, nats: false, log: silentLog })
    return { url: servers.local_database_url, stop: () => servers.stop() }
  } catch (error) {
    if (error instanceof ServerError) throw new CommandFailure(error.message)
    throw error
  }
}

async function opened(url: string, secret: string | undefined, is_embedded: boolean): Promise<Database> {
  const name = is_embedded ? 'The embedded PostgreSQL' : 'The PostgreSQL of DATABASE_URL'
  try {
    return await openDatabase({ url, secret, pool_size: CONNECTIONS })
  } catch (error) {
    if (error instanceof VaultError) throw new CommandFailure(`${error.message}.`)
    throw new CommandFailure(`${name} ${isRefusal(error) ? 'refuses' : 'does not answer'}: ${reasonOf(error)}.`)
  }
}
