import type { Peer } from '../peer.ts'
import { startNats } from '../servers/nats.ts'
import { startPostgres } from '../servers/postgres.ts'
import { hostedPeer } from './hosted_peer.ts'

/** Our runtime with a counter actor: one node on a PostgreSQL and a nats-server of its own. */
export function parleyPeer(name: string, sync: 'default' | 'always'): Peer {
  return hostedPeer(name, './ours_host.ts', async (directory) => {
    const postgres = await startPostgres(directory)
    const nats = await startNats(directory, sync)
    return {
      servers: { postgres: postgres.server, nats: nats.server },
      config: { database_url: postgres.url, nats_url: nats.url },
    }
  })
}
