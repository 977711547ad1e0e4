/**
 * Several nodes on this machine behind one port: a process each, all listening on the port, the kernel sharing out
 * connections. A node that dies is started again.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Config, freePort, type Log } from '../runtime/mod.ts'
import type { NodePlace } from './api_node.ts'

export type NodeGroup = { port: number; stop(): Promise<void> }

/** What a node process is told by its parent, and what it answers. */
export type NodeOrder = { config: Config; place: NodePlace; log_level: string }
export type NodeReport = { ready: true; port: number } | { failed: string }

const ENTRY = fileURLToPath(new URL('./node_process.ts', import.meta.url))
const BACKOFF_MS = [200, 500, 1000, 2000, 5000]
/** A node that has run this long starts counting its deaths anew. */
const STEADY_MS = 30_000

export async function startNodeGroup(config: Config, place: NodePlace, log: Log): Promise<NodeGroup> {
  // All must agree on the port before the first has it.
  const shared = { ...config, port: config.port || (await freePort()) }
  const order: NodeOrder = { config: shared, place, log_level: config.log_level }
  const children = new Set<ChildProcess>()
  let stopping = false

  async function launch(): Promise<void> {
    const child = fork(ENTRY, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], detached: true })
    children.add(child)
    child.send(order)
    const report = await Promise.race([
      once(child, 'message').then(([message]) => message as NodeReport),
      once(child, 'exit').then((): NodeReport => ({ failed: 'A node process ended before it was ready.' })),
    ])
    if ('failed' in report) {
      children.delete(child)
      throw new Error(report.failed)
    }
  }

  /** Keeps one place filled. */
  async function keep(child: ChildProcess): Promise<void> {
    for (let deaths = 0, current = child; ; ) {
      const from = Date.now()
      const [code, signal] = await once(current, 'exit')
      children.delete(current)
      if (stopping) return
      if (Date.now() - from > STEADY_MS) deaths = 0
      log.error({ pid: current.pid, code, signal }, 'a node process ended and is started again')
      for (;;) {
        await pause(BACKOFF_MS[Math.min(deaths++, BACKOFF_MS.length - 1)]!)
        if (stopping) return
        const before = new Set(children)
        try {
          await launch()
          current = [...children].find((one) => !before.has(one))!
          break
        } catch (error) {
          log.error({ error: (error as Error).message }, 'a node process could not be started again')
        }
      }
    }
  }

  async function stop(): Promise<void> {
    stopping = true
    // One after the other: each gives its partitions to those that are still there.
    for (const child of [...children]) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    }
  }

  try {
    // The first alone, so that it has the tables of the cluster to itself; the others join it.
    await launch()
    await Promise.all(Array.from({ length: config.nodes - 1 }, () => launch()))
  } catch (error) {
    await stop()
    throw error
  }
  for (const child of children) void keep(child)
  return { port: shared.port, stop }
}
