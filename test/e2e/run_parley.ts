/**
 * A Parley that tests kill. Its settings come from the environment, and the waits of tests from `PARLEY_TEST_WAITS`.
 */

import type { Waits } from '../../http/app/node/place.ts'
import { startParley } from '../../http/app/parley.ts'
import { readConfig } from '../../http/app/settings/mod.ts'
import { createLog } from '../../http/server/log.ts'

const waits = JSON.parse(process.env.PARLEY_TEST_WAITS ?? '{}') as Waits
const log = createLog(process.env.PARLEY_LOG_LEVEL ?? 'error', process.stderr)
const parley = await startParley(readConfig(), { log, waits })
// The process ends as `serve` does: Node's own clean-up may wait forever for a handle that the HTTP server left half
// closed.
process.once('SIGTERM', () => void parley.stop().finally(() => process.exit(0)))
// This line comes last, because its reader may send the signal at once.
process.stdout.write(`${parley.base_url}\n${parley.metrics_url}\n`)
