import pg from 'pg'
import type { Load, Sample } from '../load/loop.ts'
import type { Peer } from '../peer.ts'
import { type Remote, startRemote } from '../servers/remote.ts'
import { EVENT_TYPE, HALF, type Person } from './shape.ts'

/** A started API: its port and database, the people it knows, its processes, and the way to stop it. */
export type Ingester = {
  port: number
  hot: Person[]
  many: Person[]
  /** Undefined for an API that stores nothing. */
  database_url?: string
  processes: Record<string, number>
  stop(): Promise<void>
}

const STORED = 'select count(*)::int as count from crm_event where event_type = $1'

/**
 * A peer that takes POST /v1/crm/events. A scenario of the variant `half` is an open loop at half the rate of this
 * peer's closed loop before it.
 */
export function ingestingPeer(name: string, serve: (directory: string) => Promise<Ingester>): Peer {
  let api: Ingester | undefined
  let load: Remote | undefined
  let database: pg.Client | undefined
  let fastest = 0
  return {
    name,
    async start(directory) {
      api = await serve(directory)
      const { port, hot, many } = api
      load = await startRemote('load', import.meta.url, './load_host.ts', { port, hot, many, connections: 512 })
      if (api.database_url === undefined) return
      database = new pg.Client({ connectionString: api.database_url })
      database.on('error', () => {})
      await database.connect()
    },
    async run(round: Load) {
      if (round.variant?.includes(HALF)) {
        const { in_flight, ...open } = round
        return load!.call<Sample>('run', { ...open, rate: Math.round(fastest / 2) })
      }
      const sample = await load!.call<Sample>('run', round)
      fastest = sample.operations / sample.seconds
      return sample
    },
    ...(name === 'bare-uws' ? {} : { stored: async () => (await database!.query(STORED, [EVENT_TYPE])).rows[0].count }),
    processes: () => ({ ...api!.processes, load: load!.child.pid }),
    async stop() {
      await load?.child.stop()
      await database?.end()
      await api?.stop()
    },
  }
}
