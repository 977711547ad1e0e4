/** The node that test files share (`joinWorld`). A run starts it when a file asks for it. */
import { demoModels } from '../../http/app/demo/models.ts'
import { startParley } from '../../http/app/parley.ts'
import { createLog } from '../../http/server/log.ts'
import { SHARED, type SharedNode, settings, startSimulatorFor, WAITS } from './fixture.ts'
import { shareUntilTheEnd } from './shared_process.ts'

await shareUntilTheEnd(async (t): Promise<SharedNode> => {
  const own = await settings(t, SHARED)
  // The model of its assistants. Each file has a simulator of its own for everything else.
  const simulator = await startSimulatorFor(t)
  const config = { ...own, models: demoModels(own, simulator.url) }
  const log = createLog('error', process.stderr)
  const parley = await startParley(config, { log, waits: { ...WAITS, send_ms: 10_000 } })
  t.teardown(() => parley.stop())
  return { config, base_url: parley.base_url, metrics_url: parley.metrics_url }
})
