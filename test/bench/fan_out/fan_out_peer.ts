import { loadavg } from 'node:os'
import type { Load } from '../load/loop.ts'
import type { Peer } from '../peer.ts'
import { residentKibibytes } from '../report/usage.ts'
import type { Server } from '../servers/child.ts'
import { type Remote, startRemote } from '../servers/remote.ts'
import type { FanOutConfig, FanOutSample } from './load_host.ts'
import { AGAIN, LOAD, MEMORY, MISSING, PAGES, RESYNCS } from './shape.ts'

/** A started side: `nodes` are the processes that have the sockets, `servers` the others by role. */
export type Side = {
  ports: number[]
  publishers: number[]
  project_id: string
  cookies: string[]
  nodes: number[]
  servers: Record<string, number>
}

/** A side with all its pages connected. An operation is an event that one page receives. */
export function fanOutPeer(
  name: string,
  serve: (directory: string, started: (server: Pick<Server, 'stop'>) => void) => Promise<Side>,
): Peer {
  const started: Pick<Server, 'stop'>[] = []
  let side: Side
  let load: Remote
  let memory: number
  return {
    name,
    async start(directory) {
      side = await serve(directory, (server) => started.push(server))
      const { ports, publishers, project_id, cookies } = side
      const config: FanOutConfig = { ports, publishers, project_id, cookies, pages: PAGES }
      load = await startRemote('load', import.meta.url, './load_host.ts', config)
      started.push(load.child)
      const before = residentOf(side.nodes)
      await load.call('connect')
      memory = (residentOf(side.nodes) - before) / PAGES
    },
    async run(round: Load) {
      const { again, resyncs, ...sample } = await load.call<FanOutSample>('run', round)
      return {
        ...sample,
        operations: sample.operations * PAGES,
        issued: sample.issued * PAGES,
        errors: sample.missing,
        figures: {
          [MISSING]: sample.missing,
          [AGAIN]: again,
          [RESYNCS]: resyncs,
          [MEMORY]: memory,
          [LOAD]: loadavg()[0]!,
        },
      }
    },
    processes: () => ({
      ...Object.fromEntries(side.nodes.map((pid, n) => [`node ${n + 1}`, pid])),
      ...side.servers,
      load: load.child.pid,
    }),
    async stop() {
      for (const server of started.reverse()) await server.stop()
    },
  }
}

function residentOf(pids: number[]): number {
  return pids.reduce((sum, pid) => sum + residentKibibytes(pid), 0)
}
