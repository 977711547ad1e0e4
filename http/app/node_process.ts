/** A node in a process of its own, controlled by its parent (`node_group.ts`) and ending with it. */
import { once } from 'node:events'
import { ServerError } from '../../runtime/mod.ts'
import { createLog } from '../server/log.ts'
import { startApiNode } from './node/api_node.ts'
import type { NodeAsk, NodeOrder, NodeReport } from './node_group.ts'
import { UnhandledErrors } from './unhandled_errors.ts'

const [{ config, place, log_level }] = (await once(process, 'message')) as [NodeOrder]
const log = createLog(log_level)
const report = (message: NodeReport) => process.connected && process.send!(message)

let is_ready = false
const unhandled = new UnhandledErrors(
  () => log,
  () => is_ready,
)

try {
  const node = await startApiNode(config, place, log)
  is_ready = true
  let stopping = false
  const stop = (code = 0) => {
    if (stopping) return
    stopping = true
    void node.stop().finally(() => process.exit(code))
  }
  void unhandled.first.then(() => stop(1))
  // An init system may signal all processes of a service at once: this one works on as long as its parent does.
  process.on('SIGTERM', () => {
    node.leave()
    setTimeout(() => stop(), config.stop_grace_seconds * 1000)
  })
  // The parent handles the terminal's Ctrl-C.
  process.on('SIGINT', () => {})
  process.once('disconnect', () => stop())
  process.on('message', async (ask: NodeAsk) => {
    if (ask === 'leave') node.leave()
    else if (ask === 'stop') stop()
    else report({ metrics: await node.metrics() })
  })
  report({ ready: true, port: node.port })
} catch (error) {
  report({ failed: (error as Error).message, expected: error instanceof ServerError })
  process.exitCode = 1
  process.disconnect?.()
}
