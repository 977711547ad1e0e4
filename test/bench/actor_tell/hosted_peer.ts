import type { Sample } from '../load/loop.ts'
import { startLoad } from '../load/target.ts'
import type { Peer } from '../peer.ts'
import type { Server } from '../servers/child.ts'
import { type Remote, startRemote } from '../servers/remote.ts'

/** The servers that a peer needs, and the configuration that its host process gets. */
export type Servers = { servers: Record<string, Server>; config: unknown }

/**
 * A peer that is a library. `file` (below actor_tell/) runs in a host process, takes operations over the line protocol,
 * and offers `start`, `port`, `stored` and, when it polls, `wake` and `rest`. `servers` gets an empty directory.
 */
export function hostedPeer(name: string, file: string, servers: (directory: string) => Promise<Servers>): Peer {
  let running: Record<string, Server> = {}
  let host: Remote | undefined
  let load: Remote | undefined
  return {
    name,
    async start(directory) {
      const made = await servers(directory)
      running = made.servers
      host = await startRemote(name, import.meta.url, file, made.config)
      load = await startLoad({ protocol: 'lines', port: await host.call<number>('port') })
    },
    wake: () => host!.call('wake'),
    rest: () => host!.call('rest'),
    run: (round) => load!.call<Sample>('run', round),
    stored: () => host!.call<number>('stored'),
    processes: () => ({
      host: host!.child.pid,
      ...Object.fromEntries(Object.entries(running).map(([role, server]) => [role, server.pid])),
      load: load!.child.pid,
    }),
    async stop() {
      await load?.child.stop()
      await host?.child.stop()
      for (const server of Object.values(running)) await server.stop()
    },
  }
}
