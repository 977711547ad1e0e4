/** The two nodes that test files share (`joinCluster`), in a process of their own, which ends with the run. */
import { type SharedCluster, startCluster } from './cluster.ts'

const undo: (() => unknown)[] = []
// The run may end while these nodes start.
const ended = new Promise<void>((resolve) => process.once('disconnect', resolve))
const { config, nodes } = await startCluster({ teardown: (one) => undo.push(one) }, { waits: { send_ms: 10_000 } })
const shared: SharedCluster = { config, nodes: nodes.map(({ id, base_url }) => ({ id, base_url })) }
if (process.connected) process.send!(shared)
await ended
for (const one of undo.reverse()) await one()
process.exit(0)
