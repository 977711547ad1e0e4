/** The two nodes that test files share (`joinCluster`). A run starts them when a file asks for them. */
import { type SharedCluster, startCluster } from './cluster.ts'
import { shareUntilTheEnd } from './shared_process.ts'

await shareUntilTheEnd(async (t): Promise<SharedCluster> => {
  const { config, nodes } = await startCluster(t, { waits: { send_ms: 10_000 } })
  return { config, nodes: nodes.map(({ id, base_url }) => ({ id, base_url })) }
})
