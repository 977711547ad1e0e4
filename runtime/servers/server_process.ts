import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { Guardian } from './guardian.ts'
import { killTree } from './kill_tree.ts'
import { ServerError } from './server_error.ts'

export type Launch = {
  name: string
  command: string
  args: string[]
  cwd: string
  /** Receives its output. A file, because the server outlives us by the moment it needs to shut down. */
  log_file: string
  /** Signal that asks for an orderly end. */
  stop_signal: NodeJS.Signals
  ready_within_ms: number
  /** True once the server answers. */
  isReady(pid: number): boolean | Promise<boolean>
}

const FIRST_PAUSE_MS = 50
const MAX_PAUSE_MS = 5_000
/** After running this long a server counts as healthy: its next failure starts again with the first pause. */
const WELL_AFTER_MS = 30_000
const LOG_ROTATES_AT = 16 * 1024 * 1024

/**
 * One server as a child process: starting → ready → (exited → pause → starting)* → stopping → stopped.
 *
 * Invariants:
 * 1. At most one child at a time, always watched by the guardian.
 * 2. It is in a session of its own: Ctrl-C in the terminal reaches us alone, and we decide the order of the end.
 * 3. An unrequested exit starts it again, as often as needed; a first start that fails throws.
 */
export class ServerProcess {
  readonly #launch: Launch
  readonly #guardian: Guardian
  readonly #log: Log
  #child: ChildProcess | null = null
  #gone: Promise<void> = Promise.resolve()
  #restarting: Promise<void> | null = null
  #should_run = false
  #pause_ms = FIRST_PAUSE_MS
  #ready_at = 0

  constructor(launch: Launch, guardian: Guardian, log: Log) {
    this.#launch = launch
    this.#guardian = guardian
    this.#log = log
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Resolves when the server answers. Throws `ServerError` when it does not come up. */
  async start(): Promise<void> {
    this.#should_run = true
    try {
      await this.#run()
    } catch (error) {
      this.#should_run = false
      throw error
    }
  }

  /** Ends it in order; kills it when it does not end in time. */
  async stop(patience_ms = 20_000): Promise<void> {
    this.#should_run = false
    await this.#end(this.#launch.stop_signal, patience_ms)
    await this.#restarting
  }

  /** Kills it with its children and leaves it down: for tests. */
  async kill(): Promise<void> {
    this.#should_run = false
    if (this.#child) await killTree(this.#child)
    await this.#gone
    await this.#restarting
  }

  async #end(signal: NodeJS.Signals, patience_ms: number): Promise<void> {
    const child = this.#child
    if (!child) return
    child.kill(signal)
    const timer = setTimeout(() => child.kill('SIGKILL'), patience_ms)
    await this.#gone
    clearTimeout(timer)
  }

  async #run(): Promise<void> {
    const { name, ready_within_ms } = this.#launch
    const child = this.#spawn()
    for (const end = Date.now() + ready_within_ms; Date.now() < end; await sleep(5)) {
      if (this.#child !== child) throw new ServerError(`${name} did not start: ${this.#lastWords()}`)
      if (child.pid && (await this.#launch.isReady(child.pid))) {
        this.#ready_at = Date.now()
        return
      }
    }
    await this.#end('SIGKILL', 0)
    throw new ServerError(`${name} did not answer within ${ready_within_ms / 1000} s: see ${this.#launch.log_file}`)
  }

  #spawn(): ChildProcess {
    const { command, args, cwd, log_file, stop_signal } = this.#launch
    const output = openLog(log_file)
    const child = spawn(command, args, {
      cwd,
      detached: true,
      stdio: ['ignore', output, output],
      // Passes nothing of our environment: PGPORT, LC_ALL and the like would change the server's behaviour.
      env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
    })
    closeSync(output)
    this.#child = child
    if (child.pid) this.#guardian.watch(child.pid, stop_signal)
    this.#gone = new Promise((resolve) => {
      const ended = (reason: string) => {
        if (this.#child !== child) return
        this.#child = null
        if (child.pid) this.#guardian.forget(child.pid)
        resolve()
        if (this.#should_run && this.#ready_at > 0 && !this.#restarting) this.#restart(reason)
      }
      child.once('error', (error) => ended(error.message))
      child.once('exit', (code, signal) => ended(signal ?? `exit code ${code}`))
    })
    return child
  }

  #restart(reason: string): void {
    const { name } = this.#launch
    this.#log.warn({ server: name, reason }, 'server ended unexpectedly, starting it again')
    if (Date.now() - this.#ready_at > WELL_AFTER_MS) this.#pause_ms = FIRST_PAUSE_MS
    this.#restarting = this.#startAgain().finally(() => {
      this.#restarting = null
    })
  }

  async #startAgain(): Promise<void> {
    while (this.#should_run) {
      await sleep(this.#pause_ms)
      this.#pause_ms = Math.min(this.#pause_ms * 2, MAX_PAUSE_MS)
      if (!this.#should_run) return
      try {
        await this.#run()
        this.#log.info({ server: this.#launch.name, pid: this.pid }, 'server is running again')
        return
      } catch (error) {
        this.#log.error({ server: this.#launch.name, error: String(error) }, 'starting the server again failed')
      }
    }
  }

  #lastWords(): string {
    const lines = readFileSync(this.#launch.log_file, 'utf8').trim().split('\n')
    const telling = lines.findLast((line) => /FATAL|\[FTL\]|error|cannot|not found/i.test(line)) ?? lines.at(-1)
    return `${telling || 'it said nothing'} (${this.#launch.log_file})`
  }
}

function openLog(path: string): number {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > LOG_ROTATES_AT) renameSync(path, `${path}.1`)
  return openSync(path, 'a', 0o600)
}
