/**
 * A second PostgreSQL that follows the first, asynchronously and over a link that can be cut. The distribution for
 * tests has no pg_basebackup, so the copy uses the functions behind it.
 */
import { execFile } from 'node:child_process'
import { appendFileSync, chmodSync, chownSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { eventually } from '../e2e/client.ts'
import { tempDir } from '../support/mod.ts'
import type { Fleet } from './fleet.ts'
import type { Link } from './link.ts'
import { POSTGRES_PASSWORD, POSTGRES_USER, type PostgresServer, type Run, startPostgres, within } from './servers.ts'

export type Standby = {
  server: PostgresServer
  /** Resolves when the standby has everything that was committed before the call. */
  catchUp(): Promise<void>
  /** Lets nothing more reach the standby. */
  stopReplication(): Promise<void>
  /** Makes the standby a server of its own, with the data that has reached it. */
  promote(): Promise<void>
  /** Ends the standby and removes its data. */
  discard(): Promise<void>
}

/** Files that the server makes at each start, or the standby itself. */
const LEFT_OUT = new Set(['pg_wal', 'postmaster.pid', 'postmaster.opts', 'standby.signal', 'backup_label'])
const CAUGHT_UP_MS = 30_000

/** Starts a standby of the server that the nodes work with. Resolves when the standby follows and answers reads. */
export async function startStandby({ owner: t, links, postgres: primary }: Fleet): Promise<Standby> {
  const link = await links.to(primary.port)
  const directory = tempDir(t)
  await within(primary, (run) => copy(run, primary, directory, link))
  const server = await startPostgres(t, directory)
  return {
    server,
    async catchUp() {
      const lsn = await within(primary, (run) => one<string>(run, 'pg_current_wal_lsn()::text'))
      await within(server, (run) =>
        eventually(
          'the standby has all',
          () => one<boolean>(run, `pg_last_wal_receive_lsn() >= '${lsn}'::pg_lsn`),
          CAUGHT_UP_MS,
        ),
      )
    },
    stopReplication: () => link.cut(),
    promote: () =>
      within(server, async (run) => {
        if (!(await one<boolean>(run, 'pg_promote(true, 60)'))) throw new Error('the standby was not promoted')
      }),
    async discard() {
      await server.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

async function one<Value>(run: Run, expression: string): Promise<Value> {
  const [row] = await run<{ value: Value }>(`select ${expression} as value`)
  return row!.value
}

/** Copies the primary. Start and end of a backup belong to one session. Replication brings the WAL in between. */
async function copy(run: Run, primary: PostgresServer, directory: string, link: Link): Promise<void> {
  const [from, to] = [join(primary.directory, 'postgres'), join(directory, 'postgres')]
  const { uid, gid } = statSync(from)
  const make = (path: string) => {
    mkdirSync(path, { mode: 0o700 })
    chownSync(path, uid, gid)
  }
  make(to)
  await run(`select pg_backup_start('standby', true)`)
  const names = readdirSync(from).filter((name) => !LEFT_OUT.has(name))
  // The WAL makes up for files that go meanwhile.
  await promisify(execFile)('cp', ['-a', ...names.map((name) => join(from, name)), to]).catch((error) => {
    if (!/No such file/.test(error.message)) throw error
  })
  const label = await one<string>(run, '(pg_backup_stop(false)).labelfile')
  for (const path of ['pg_wal', 'pg_wal/archive_status', 'pg_wal/summaries']) make(join(to, path))
  for (const [name, text] of [
    ['backup_label', label],
    ['standby.signal', ''],
  ] as const) {
    writeFileSync(join(to, name), text)
    chownSync(join(to, name), uid, gid)
  }
  const way = `host=127.0.0.1 port=${link.port} user=${POSTGRES_USER} password=${POSTGRES_PASSWORD}`
  appendFileSync(
    join(to, 'postgresql.auto.conf'),
    `primary_conninfo = '${way}'\nwal_retrieve_retry_interval = '200ms'\n`,
  )
  chmodSync(to, 0o700)
}
