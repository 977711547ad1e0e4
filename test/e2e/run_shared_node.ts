/** The node that test files share (`joinWorld`). A run starts it when a file asks for it. */
import { startParley } from '../../http/app/parley.ts'
import { createLog } from '../../http/server/log.ts'
import { SHARED, type SharedNode, settings, WAITS } from './fixture.ts'
import { shareUntilTheEnd } from './shared_process.ts'

await shareUntilTheEnd(async (t): Promise<SharedNode> => {
  const config = await settings(t, SHARED)
  const log = createLog('error', process.stderr)
  const parley = await startParley(config, { log, waits: { ...WAITS, send_ms: 10_000 } })
  t.teardown(() => parley.stop())
  return { config, base_url: parley.base_url, metrics_url: parley.metrics_url }
})
