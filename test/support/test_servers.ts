import { join } from 'node:path'
import { Guardian } from '../../runtime/servers/guardian.ts'
import { type Servers, startServers } from '../../runtime/servers/start_servers.ts'
import { prepareNatsCluster } from './nats_cluster.ts'

export type SharedServers = Pick<Servers, 'database_url' | 'nats_url' | 'stop'>

/**
 * The servers that tests run against. `PARLEY_NATS_SERVER` and `PARLEY_TEST_POSTGRES_BIN` name other binaries than
 * those of the set-up. `PARLEY_TEST_NATS_SERVERS` makes the NATS a cluster of so many servers, with a copy of each
 * stream on every server.
 */
export const natsServers = Number(process.env.PARLEY_TEST_NATS_SERVERS ?? 1)

/** Starts the PostgreSQL and the NATS that test files share. `nats: false` leaves NATS out. */
export async function startTestServers(data_dir: string, { nats = true } = {}): Promise<SharedServers> {
  if (!nats || natsServers === 1) return startServers({ data_dir, durable: false, nats })
  const guardian = new Guardian()
  const cluster = await prepareNatsCluster(join(data_dir, 'nats-cluster'), natsServers, guardian)
  const [postgres] = await Promise.all([startServers({ data_dir, durable: false, nats: false }), cluster.start()])
  return {
    database_url: postgres.database_url,
    nats_url: cluster.url,
    async stop() {
      await cluster.stop()
      await guardian.close()
      await postgres.stop()
    },
  }
}
