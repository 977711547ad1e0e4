import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { failOnLeaks } from '../run/leaks.ts'
import { askRun } from './shared.ts'
import { type SharedServers, startTestServers } from './test_servers.ts'

let own: Promise<SharedServers> | null = null

/**
 * Returns the PostgreSQL and the NATS that all test files of one `npm test` share. A file that Node runs directly starts
 * its own servers on the first call.
 */
export async function sharedServers(): Promise<Pick<SharedServers, 'database_url' | 'nats_url'>> {
  const shared = await askRun<SharedServers>('servers')
  if (shared) return shared
  own ??= startOwn()
  return own
}

async function startOwn(): Promise<SharedServers> {
  const data_dir = mkdtempSync(join(tmpdir(), 'parley-test-'))
  const servers = await startTestServers(data_dir)
  return {
    ...servers,
    async stop() {
      await servers.stop()
      rmSync(data_dir, { recursive: true, force: true })
    },
  }
}

// This teardown is registered when a test file loads its tools, so it runs after every other teardown of that file.
t.teardown(async () => {
  if (own) await (await own).stop()
  await failOnLeaks()
})
