/** Starts what the test processes of a run share, each thing when it is first wanted, and stops all of it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../support/root.ts'
import type { Shared } from '../support/shared.ts'
import type { SharedServers } from '../support/test_servers.ts'
import { SharedNodes } from './shared_nodes.ts'

export type Sharing = {
  /** Starts what these files will ask for by their text, so that it starts while they load. */
  begin(files: readonly string[]): void
  /** Returns the answer to a request of a test process. `is_alone`: the process has a node to itself. */
  answer(wanted: Shared, is_alone?: boolean): Promise<unknown>
  /** Resolves to a line for each node that goes on working after the last file. */
  busy(): Promise<string[]>
  /** Resolves to the number of nodes that ended by themselves, which is a failure of the run. */
  stop(): Promise<number>
}

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
    begin(files) {
      const texts = files.map((file) => readFileSync(join(root, file), 'utf8'))
      const isWanted = (call: RegExp) => texts.some((text) => call.test(text))
      // Whoever asks for it later gets the error of a start that fails.
      const startEarly = (starting: Promise<unknown>) => void starting.catch(() => {})
      if (isWanted(/\bjoinWorld\(/)) startEarly(nodes.ready('node', 'shared'))
      if (isWanted(/\bjoinCluster\(/)) startEarly(nodes.ready('cluster', 'shared'))
      if (isWanted(/\b(?:join|start)(?:World|Cluster)\(|\btest(?:Database|Nats)\(/)) startEarly(addresses())
    },
    answer(wanted, is_alone = false) {
      if (wanted === 'servers') return addresses()
      // All tests are a small load for one node, and each further one compiles its code anew.
      return nodes.ready(wanted, is_alone ? 'alone' : 'shared')
    },
    busy: () => nodes.busy(),
    async stop() {
      await nodes.stop()
      const started = await servers?.catch(() => undefined)
      await started?.stop()
      return nodes.lost
    },
  }
}
