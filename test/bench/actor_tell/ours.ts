import { existsSync } from 'node:fs'
import type { Peer } from '../peer.ts'
import { startNats } from '../servers/nats.ts'
import { startPostgres } from '../servers/postgres.ts'
import { hostedPeer } from './hosted_peer.ts'

/** Our runtime with a counter actor, one node on a PostgreSQL and a nats-server of its own. */
export function parleyPeer(name: string, sync: 'default' | 'always'): Peer {
  return hostedPeer(name, './ours_host.ts', async (directory) => {
    if (!existsSync(new URL('../../../runtime/mod.ts', import.meta.url)))
      throw new Error('runtime/mod.ts does not exist')
    const { child: postgres, url } = await startPostgres(directory)
    const nats = await startNats(directory, sync)
    return { children: { postgres, nats: nats.child }, config: { database_url: url, nats_url: nats.url } }
  })
}
