import type { Load, Sample } from '../load/loop.ts'
import type { Peer } from '../peer.ts'
import type { Server } from '../servers/child.ts'
import { startNats } from '../servers/nats.ts'
import { startPostgres } from '../servers/postgres.ts'
import { type Remote, startRemote } from '../servers/remote.ts'

/** Two of our nodes that share the partitions. The caller asks actors of its own node and of the other one. */
export function parleyPeer(): Peer {
  let servers: Record<string, Server> = {}
  let caller: Remote | undefined
  let owner: Remote | undefined
  return {
    name: 'parley',
    async start(directory) {
      const postgres = await startPostgres(directory)
      servers = { postgres: postgres.server }
      const nats = await startNats(directory, 'default')
      servers.nats = nats.server
      const config = { database_url: postgres.url, nats_url: nats.url }
      caller = await startRemote('caller', import.meta.url, './ours_host.ts', config)
      owner = await startRemote('owner', import.meta.url, './ours_host.ts', config)
      await caller.call('share')
    },
    run: (load: Load) => caller!.call<Sample>('run', load),
    processes: () => ({
      caller: caller!.child.pid,
      owner: owner!.child.pid,
      ...Object.fromEntries(Object.entries(servers).map(([role, server]) => [role, server.pid])),
    }),
    async stop() {
      await caller?.child.stop()
      await owner?.child.stop()
      for (const server of Object.values(servers)) await server.stop()
    },
  }
}
