import type { Load, Sample } from '../load/loop.ts'
import type { Peer } from '../peer.ts'
import type { Server } from '../servers/child.ts'
import { startNats } from '../servers/nats.ts'
import { startPostgres } from '../servers/postgres.ts'
import { type Remote, startRemote } from '../servers/remote.ts'
import type { Residents } from './host.ts'

/**
 * The number of actors of each kind in the database: more than a round can wake, so that no actor is asked while it is
 * still awake.
 */
type Counts = Record<string, number>

/** The figures of a round of `residentPeer`. */
export const MEMORY = 'KiB of memory an actor'
const HEAP = 'KiB of heap an actor'

const DAY_MS = 24 * 3600 * 1000

/** A node whose actors leave memory 200 ms after their last message. */
export function cyclePeer(name: string, counts: Counts): Peer {
  const servers = serversOf({ idle_ms: 200, counts })
  let host: Remote | undefined
  return {
    name,
    async start(directory) {
      await servers.start(directory)
      host = await servers.host()
      await servers.fill(host)
    },
    run: (load: Load) => host!.call<Sample>('run', load),
    processes: () => servers.processes(host!),
    async stop() {
      await host?.child.stop()
      await servers.stop()
    },
  }
}

/** A node whose actors stay. Each round a fresh process wakes all actors, and is weighed before and after. */
export function residentPeer(name: string, counts: Counts): Peer {
  const servers = serversOf({ idle_ms: DAY_MS, counts })
  let host: Remote | undefined
  return {
    name,
    async start(directory) {
      await servers.start(directory)
      host = await servers.host()
      await servers.fill(host)
    },
    async wake() {
      await host?.child.stop()
      host = await servers.host()
    },
    async run({ variant }: Load) {
      const { count, heap, resident, seconds } = await host!.call<Residents>('weigh', variant)
      return {
        operations: count,
        issued: count,
        errors: 0,
        seconds,
        p50_ms: Number.NaN,
        p99_ms: Number.NaN,
        figures: { [MEMORY]: resident / 1024, [HEAP]: heap / 1024 },
      }
    },
    processes: () => servers.processes(host!),
    async stop() {
      await host?.child.stop()
      await servers.stop()
    },
  }
}

function serversOf({ idle_ms, counts }: { idle_ms: number; counts: Counts }) {
  const running: Record<string, Server> = {}
  let config = {}
  return {
    async start(directory: string) {
      const postgres = await startPostgres(directory)
      running.postgres = postgres.server
      const nats = await startNats(directory, 'default')
      running.nats = nats.server
      config = { database_url: postgres.url, nats_url: nats.url, idle_ms, counts }
    },
    host: () => startRemote('host', import.meta.url, './host.ts', config),
    fill: (host: Remote) => host.call('fill'),
    processes: (host: Remote) => ({
      host: host.child.pid,
      ...Object.fromEntries(Object.entries(running).map(([role, server]) => [role, server.pid])),
    }),
    async stop() {
      for (const server of Object.values(running)) await server.stop()
    },
  }
}
