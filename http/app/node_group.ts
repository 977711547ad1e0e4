/**
 * Several nodes on this machine behind one port: a process each, all listening on the port, with connections shared out
 * by the kernel. A node that dies is started again.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort, type Log, ServerError } from '../../runtime/mod.ts'
import { mergeMetrics } from './metrics/metrics_of_processes.ts'
import type { ApiNode, NodePlace } from './node/place.ts'
import type { Config } from './settings/mod.ts'

export type NodeGroup = Omit<ApiNode, 'id'>

/** The parent's orders to a node process, and its answers. */
export type NodeOrder = { config: Config; place: NodePlace; log_level: string }
export type NodeReport = { ready: true; port: number } | { failed: string; expected?: boolean } | { metrics: string }
/** Questions to a process after its start. */
export type NodeAsk = 'metrics' | 'leave' | 'stop'

const ENTRY = fileURLToPath(new URL('./node_process.ts', import.meta.url))
const BACKOFF_MS = [200, 500, 1000, 2000, 5000]
/** After running this long a node's deaths are counted anew. */
const STEADY_MS = 30_000
/** A process that is busy for longer is missing in the metrics. */
const METRICS_MS = 2000

export async function startNodeGroup(
  config: Config,
  place: NodePlace,
  log: Log,
  given_up?: AbortSignal,
): Promise<NodeGroup> {
  // All must agree on the port before the first listens on it.
  const shared = { ...config, port: config.port || (await freePort()) }
  const children = new Set<ChildProcess>()
  let stopping = false

  /** `number`: its number among them, from 1. */
  async function launch(number: number): Promise<ChildProcess> {
    const order: NodeOrder = { config: shared, place: { ...place, process: number }, log_level: config.log_level }
    const child = fork(ENTRY, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], detached: true })
    children.add(child)
    child.send(order)
    const report = await Promise.race([
      once(child, 'message').then(([message]) => message as NodeReport),
      once(child, 'exit').then((): NodeReport => ({ failed: 'A node process ended before it was ready.' })),
    ])
    if ('failed' in report) {
      children.delete(child)
      given_up?.throwIfAborted()
      throw report.expected ? new ServerError(report.failed) : new Error(report.failed)
    }
    return child
  }

  /** Keeps one place filled with a running process. */
  async function keep(child: ChildProcess, number: number): Promise<void> {
    for (let deaths = 0, current = child; ; ) {
      const from = performance.now()
      const [code, signal] = await once(current, 'exit')
      children.delete(current)
      if (stopping) return
      if (performance.now() - from > STEADY_MS) deaths = 0
      log.error({ pid: current.pid, code, signal }, 'a node process ended and is started again')
      for (;;) {
        await pause(BACKOFF_MS[Math.min(deaths++, BACKOFF_MS.length - 1)]!)
        if (stopping) return
        try {
          current = await launch(number)
          break
        } catch (error) {
          log.error({ error: (error as Error).message }, 'a node process could not be started again')
        }
      }
    }
  }

  async function stop(): Promise<void> {
    stopping = true
    // One after the other: each gives its partitions to the remaining ones.
    for (const child of [...children]) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const ended = once(child, 'exit')
      ask(child, 'stop')
      // It handles the signal only once it has started.
      child.kill('SIGTERM')
      await ended
    }
  }

  const ask = (child: ChildProcess, what: NodeAsk) => child.connected && child.send(what)

  async function metrics(): Promise<string> {
    const asked = [...children].map(async (child) => {
      const signal = AbortSignal.timeout(METRICS_MS)
      const answer = once(child, 'message', { signal }).then(([message]) => message as NodeReport)
      ask(child, 'metrics')
      const report = await answer.catch(() => undefined)
      return report && 'metrics' in report ? report.metrics : ''
    })
    return mergeMetrics(await Promise.all(asked))
  }

  function leave(): void {
    stopping = true
    for (const child of children) ask(child, 'leave')
  }

  // A starting child has no signal handlers yet, so this ends it.
  const giveUp = () => void stop()
  given_up?.addEventListener('abort', giveUp)
  let started: ChildProcess[]
  try {
    // The first starts alone, so that it creates the tables of the cluster without contention; the others join it.
    const first = await launch(1)
    const others = Array.from({ length: config.nodes - 1 }, (_, index) => launch(index + 2))
    started = [first, ...(await Promise.all(others))]
  } catch (error) {
    await stop()
    throw error
  } finally {
    given_up?.removeEventListener('abort', giveUp)
  }
  for (const [index, child] of started.entries()) void keep(child, index + 1)
  return { port: shared.port, metrics, leave, stop }
}
