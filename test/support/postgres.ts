import { silentLog } from '../../runtime/log.ts'
import { Guardian } from '../../runtime/servers/guardian.ts'
import { freePort } from '../../runtime/servers/port.ts'
import { postgresUrl, preparePostgres } from '../../runtime/servers/postgres.ts'
import { migrate, openDatabase } from '../../storage/mod.ts'
import { TEST_SECRET } from './database.ts'
import type { Owner } from './owner.ts'
import { tempDir } from './temp_dir.ts'

export type PrivatePostgres = {
  url: string
  pid(): number | undefined
  /** Starts the server again on the same port and data. */
  start(): Promise<void>
  stop(): Promise<void>
  /** Sends SIGKILL. The server stays down until `start()`. */
  kill(): Promise<void>
}

/** Starts a migrated PostgreSQL for this test alone. Takes about a second: prefer `testDatabase`. */
export async function privatePostgres(t: Owner): Promise<PrivatePostgres> {
  const guardian = new Guardian()
  const port = await freePort()
  const password = 'private'
  const server = await preparePostgres({ directory: tempDir(t), port, password, durable: false }, guardian, silentLog)
  t.teardown(async () => {
    await server.stop()
    await guardian.close()
  })
  await server.start()
  const url = postgresUrl(port, password)
  const database = await openDatabase({ url, secret: TEST_SECRET, pool_size: 2 })
  await migrate(database).finally(() => database.close())
  return {
    url,
    pid: () => server.pid,
    start: () => server.start(),
    stop: () => server.stop(),
    kill: () => server.kill(),
  }
}
