/**
 * The node that test files share (`joinWorld`), in a process of its own. A run starts it when a file asks for it, and it
 * ends with the run.
 */
import { startParley } from '../../http/app/parley.ts'
import { createLog } from '../../http/server/log.ts'
import { SHARED, type SharedNode, settings, WAITS } from './fixture.ts'

const undo: (() => unknown)[] = []
// The run may end while this node starts.
const ended = new Promise<void>((resolve) => process.once('disconnect', resolve))
const config = await settings({ teardown: (one) => undo.push(one) }, SHARED)
const parley = await startParley(config, {
  log: createLog('error', process.stderr),
  waits: { ...WAITS, send_ms: 10_000 },
})
const { base_url, metrics_url } = parley
if (process.connected) process.send!({ config, base_url, metrics_url } satisfies SharedNode)
await ended
await parley.stop()
for (const one of undo.reverse()) await one()
process.exit(0)
