/**
 * One child process of a benchmark. It starts in a process group of its own and is stopped by its own id. Children that
 * still run when the benchmark leaves, for whatever reason, are killed on the way out.
 */
import { type ChildProcess, spawn } from 'node:child_process'

/** The start of a child. `ready` is called every 20 ms until it holds, for three minutes at most. */
export type ChildOptions = {
  name: string
  command: string
  args?: string[]
  cwd?: string
  env?: Record<string, string>
  uid?: number
  gid?: number
  ipc?: boolean
  /** True when the stop signal goes to the whole process group, for a program that does not pass it on, like npm. */
  group?: boolean
  /** The signal of an orderly stop. Default: SIGTERM. */
  signal?: NodeJS.Signals
  ready?: (child: Child) => Promise<boolean> | boolean
}

/** A server as a peer uses it: the process to count, and the way to stop it. */
export type Server = { pid: number; stop(): Promise<void> }

/** A running child. `output()` is the last 16 KiB it wrote, for error messages. */
export type Child = Server & {
  name: string
  process: ChildProcess
  output(): string
  running(): boolean
  exited: Promise<void>
}

/** A busy machine needs long for a start. */
const START_MS = 180_000

const alive = new Set<Child>()
const adopted = new Set<Server>()

/** Starts a child and resolves when it is ready. Throws with its last output when the child ends or takes too long. */
export async function startChild(options: ChildOptions): Promise<Child> {
  const child = launch(options)
  const deadline = Date.now() + START_MS
  while (options.ready) {
    if (!child.running()) throw new Error(`${options.name} ended while starting:\n${child.output()}`)
    if (await options.ready(child)) break
    if (Date.now() > deadline) {
      await child.stop()
      throw new Error(`${options.name} was not ready in time:\n${child.output()}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return child
}

/** Has `stopChildren` stop a server that somebody else started. */
export function adopt(server: Server): Server {
  const known: Server = {
    pid: server.pid,
    async stop() {
      if (adopted.delete(known)) await server.stop()
    },
  }
  adopted.add(known)
  return known
}

/** Stops everything still running, newest first. */
export async function stopChildren(): Promise<void> {
  for (const server of [...adopted, ...alive].reverse()) await server.stop()
}

function launch(options: ChildOptions): Child {
  const { command, args = [], cwd, uid, gid } = options
  const started = spawn(command, args, {
    cwd,
    uid,
    gid,
    env: { ...process.env, ...options.env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', ...(options.ipc ? (['ipc'] as const) : [])],
  })
  let tail = ''
  const keep = (chunk: Buffer) => {
    tail = (tail + chunk.toString()).slice(-16_384)
  }
  started.stdout?.on('data', keep)
  started.stderr?.on('data', keep)
  let ended = false
  const exited = new Promise<void>((resolve) => {
    const end = () => {
      ended = true
      alive.delete(child)
      resolve()
    }
    started.once('exit', end)
    started.once('error', (error) => {
      tail += String(error)
      end()
    })
  })
  const child: Child = {
    name: options.name,
    pid: started.pid ?? -1,
    process: started,
    output: () => tail,
    running: () => !ended,
    exited,
    stop: () => stop(child, options.signal ?? 'SIGTERM', options.group === true),
  }
  alive.add(child)
  return child
}

async function stop(child: Child, signal: NodeJS.Signals, group: boolean): Promise<void> {
  if (!child.running()) return
  if (group) signalGroup(child, signal)
  else child.process.kill(signal)
  const late = setTimeout(() => signalGroup(child, 'SIGKILL'), 10_000)
  await child.exited
  clearTimeout(late)
}

function signalGroup(child: Child, signal: NodeJS.Signals): void {
  try {
    process.kill(-child.pid, signal)
  } catch {
    child.process.kill(signal)
  }
}

process.on('exit', () => {
  for (const child of alive) signalGroup(child, 'SIGKILL')
})
