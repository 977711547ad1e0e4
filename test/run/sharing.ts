/** Starts what the test processes of a run share, each thing when it is first wanted, and stops all of it. */
import { availableParallelism } from 'node:os'
import type { Shared } from '../support/shared.ts'
import type { SharedServers } from '../support/test_servers.ts'
import { SharedNodes } from './shared_nodes.ts'

export type Sharing = {
  /** Returns the answer to a request of the test process with this number; `alone` is a process with a node to itself. */
  answer(wanted: Shared, process: number | 'alone'): Promise<unknown>
  /** Resolves to the number of nodes that ended by themselves, which is a failure of the run. */
  stop(): Promise<number>
}

const NODES = Number(process.env.PARLEY_TEST_NODES) || availableParallelism()

export function startSharing(env: NodeJS.ProcessEnv, data_dir: string, cache: string): Sharing {
  let servers: Promise<SharedServers> | undefined
  const start = async () => {
    // A run of a file without a database does not load it.
    const { startPreparedServers } = await import('./prepared_servers.ts')
    return startPreparedServers(data_dir, cache)
  }
  const addresses = async () => {
    servers ??= start()
    const { database_url, nats_url } = await servers
    return { database_url, nats_url }
  }
  const nodes = new SharedNodes(env, addresses)
  return {
    answer(wanted, process) {
      if (wanted === 'servers') return addresses()
      if (process === 'alone') return nodes.ready(wanted, NODES)
      return nodes.ready(wanted, wanted === 'node' ? process % NODES : 0)
    },
    async stop() {
      await nodes.stop()
      const started = await servers?.catch(() => undefined)
      await started?.stop()
      return nodes.lost
    },
  }
}
