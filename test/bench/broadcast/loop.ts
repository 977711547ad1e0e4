import type { Peer } from '../peer.ts'
import { CREDENTIALS } from '../send/provider.ts'
import { startPostgres } from '../servers/postgres.ts'
import { startRemote } from '../servers/remote.ts'
import { broadcastingPeer } from './broadcasting_peer.ts'

/** The configuration of the loop. */
export type LoopConfig = { database_url: string; provider_url: string; credentials: typeof CREDENTIALS }

/** The usual first attempt: a loop over the list with p-limit, a call and an INSERT each. */
export function loopPeer(): Peer {
  return broadcastingPeer('p-limit', async (directory, provider) => {
    const postgres = await startPostgres(directory)
    const config: LoopConfig = { database_url: postgres.url, provider_url: provider.url, credentials: CREDENTIALS }
    const loop = await startRemote('loop', import.meta.url, './loop_host.ts', config)
    return {
      database_url: postgres.url,
      processes: { loop: loop.child.pid, postgres: postgres.server.pid },
      send: (recipients) => loop.call('send', recipients),
      async stop() {
        await loop.child.stop()
        await postgres.server.stop()
      },
    }
  })
}
