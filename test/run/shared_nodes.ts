/** The nodes that test files share. */
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { cpuSeconds } from '../bench/report/usage.ts'
import { root } from '../support/root.ts'
import { isShared, type Shared } from '../support/shared.ts'

/** A node, or two that form a cluster. */
export type Kind = 'node' | 'cluster'

const PROGRAMS: Record<Kind, string> = {
  node: fileURLToPath(new URL('../e2e/run_shared_node.ts', import.meta.url)),
  cluster: fileURLToPath(new URL('../e2e/run_shared_cluster.ts', import.meta.url)),
}
/** Milliseconds that a node may take to stop. */
const STOP_MS = 30_000
/** Milliseconds in which nodes are watched after the last file, and the share of them that an idle node may compute. */
const WATCH_MS = 2000
const IDLE = 0.25

export class SharedNodes {
  readonly #env: NodeJS.ProcessEnv
  readonly #answer: (wanted: Shared) => Promise<unknown>
  readonly #nodes = new Map<string, { child: ChildProcess; ready: Promise<unknown>; ended: Promise<void> }>()
  #is_stopping = false
  /** The number of nodes that ended by themselves. */
  lost = 0

  /** `answer` gives a node what it asks for: the servers. */
  constructor(env: NodeJS.ProcessEnv, answer: (wanted: Shared) => Promise<unknown>) {
    this.#env = env
    this.#answer = answer
  }

  /** Starts the one of this kind for these files at the first call. Resolves to what tests need to know of it. */
  ready(kind: Kind, files: 'shared' | 'alone'): Promise<unknown> {
    const key = `${kind} ${files}`
    const node = this.#nodes.get(key) ?? this.#start(kind, key)
    this.#nodes.set(key, node)
    return node.ready
  }

  #start(kind: Kind, key: string) {
    const child = spawn(process.execPath, [PROGRAMS[kind]], {
      cwd: root,
      env: this.#env,
      // Its log entries of the level error are faults of the product. The test that causes one shows it.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    child.once('exit', (code, signal) => {
      if (this.#is_stopping) return
      this.lost++
      process.stdout.write(`✘ The ${kind} that files share ended with ${signal ?? code}.\n`)
      this.#nodes.delete(key)
    })
    const ready = new Promise<unknown>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (code, signal) => reject(new Error(`The shared ${kind} ended with ${signal ?? code}.`)))
      child.on('message', (message: object) => {
        if (isShared(message)) this.#answer(message).then((value) => child.send({ wanted: message, value }), reject)
        else if ('config' in message) resolve(message)
      })
    })
    ready.catch(() => {})
    return { child, ready, ended }
  }

  /** Returns a line for each node that goes on working: a file has left it something that takes the time of all others. */
  async busy(): Promise<string[]> {
    const pids = Object.fromEntries([...this.#nodes].map(([key, { child }]) => [key, child.pid!]))
    const before = cpuSeconds(pids)
    await sleep(WATCH_MS)
    const after = cpuSeconds(pids)
    return Object.keys(pids).flatMap((key) => {
      const share = (1000 * (after[key]! - before[key]!)) / WATCH_MS
      if (!(share > IDLE)) return []
      return `The shared node (${key}) took ${Math.round(100 * share)} % of a core after the last file: a file has left it work.`
    })
  }

  async stop(): Promise<void> {
    this.#is_stopping = true
    const stopped = [...this.#nodes.values()].map(async ({ child, ended }) => {
      const overdue = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
      if (child.connected) child.disconnect()
      await ended
      clearTimeout(overdue)
    })
    await Promise.all(stopped)
  }
}
