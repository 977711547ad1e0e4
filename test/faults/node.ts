/** One Parley process: it can be started, signalled and started again on the same port, and logs to a file. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Waits } from '../../http/app/node/place.ts'
import { Guardian } from '../../runtime/servers/guardian.ts'
import { eventually } from '../e2e/client.ts'
import { type Owner, startUp } from '../support/mod.ts'
import type { Link } from './link.ts'

const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url))
const ENTRY = fileURLToPath(new URL('../e2e/run_parley.ts', import.meta.url))
/** Modules that every node loads first. Each does nothing unless its variable is set. */
const PRELOADED = ['shifted_clock.ts', 'newer_version.ts'].map((name) => new URL(name, import.meta.url).href)
/** The node reads the file with the offset this often. The offset holds a little later. */
const CLOCK_MS = 200
/** Milliseconds in which requests begun while a node was stopped may stay without an answer. */
const RECOVERS_MS = 16_000
const ENDS_MS = 60_000
const STARTS_MS = 180_000

/** The settings of a node's start. */
export type Build = {
  waits: Waits
  /** True for a node of the next version: `newer_version.ts`. */
  newer: boolean
}

export type NodeOptions = {
  name: string
  port: number
  env: Record<string, string>
  log_file: string
  build: Build
  /** The links to the servers. */
  to_postgres: Link
  to_nats: Link
}

export class ParleyNode {
  readonly name: string
  readonly base_url: string
  readonly to_postgres: Link
  readonly to_nats: Link
  /** The settings from the next start on. */
  build: Build
  readonly #options: NodeOptions
  readonly #clock_file: string
  readonly #guardian: Guardian
  #child: ChildProcess | undefined
  #gone: Promise<unknown> = Promise.resolve()
  #harmed_at = 0
  #harmed = true
  readonly #ends: string[] = []

  constructor(t: Owner, options: NodeOptions) {
    this.#options = options
    this.name = options.name
    this.base_url = `http://127.0.0.1:${options.port}`
    this.to_postgres = options.to_postgres
    this.to_nats = options.to_nats
    this.build = options.build
    this.#clock_file = `${options.log_file}.clock`
    this.#guardian = new Guardian()
    t.teardown(async () => {
      await this.end('SIGKILL')
      await this.#guardian.close()
    })
  }

  get pid(): number {
    return this.#child!.pid!
  }

  /** Resolves when the node answers. */
  async start(): Promise<void> {
    const { log_file } = this.#options
    const log = openSync(log_file, 'a')
    const child = spawn(process.execPath, [ENTRY], { env: this.#environment(), stdio: ['ignore', log, log] })
    closeSync(log)
    this.#child = child
    this.#gone = once(child, 'exit')
    child.once('exit', (code, signal) => {
      if (!this.#harmed) this.#ends.push(`${this.name} ended by itself: ${signal ?? `exit code ${code}`}`)
    })
    this.#guardian.watch(child.pid!, 'SIGKILL')
    await eventually(
      `${this.name} answers`,
      async () => {
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`${this.name} ended: ${this.#words()}`)
        return (await fetch(`${this.base_url}/health`).catch(() => undefined))?.ok
      },
      STARTS_MS,
    )
    this.#harmed = false
    this.#harmed_at = Date.now()
  }

  #environment(): Record<string, string> {
    const { env, port } = this.#options
    const { NODE_OPTIONS = '', ...start_up } = startUp()
    return {
      PATH: process.env.PATH!,
      NODE_COMPILE_CACHE: COMPILED,
      ...start_up,
      NODE_OPTIONS: [NODE_OPTIONS, ...PRELOADED.map((url) => `--import=${url}`)].join(' '),
      ...env,
      PARLEY_PORT: String(port),
      PARLEY_TEST_WAITS: JSON.stringify(this.build.waits),
      PARLEY_TEST_CLOCK: this.#clock_file,
      ...(this.build.newer && { PARLEY_TEST_VERSION: 'newer' }),
    }
  }

  /** Sets the wall clock so many milliseconds off, running or not. Resolves when the offset holds. */
  async shiftClock(offset_ms: number): Promise<void> {
    writeFileSync(`${this.#clock_file}.new`, String(offset_ms))
    renameSync(`${this.#clock_file}.new`, this.#clock_file)
    await sleep(CLOCK_MS)
  }

  signal(signal: NodeJS.Signals): void {
    this.#harmed = signal !== 'SIGCONT'
    this.#harmed_at = Date.now()
    this.#child!.kill(signal)
  }

  /** Sends a signal and waits for the end. Rejects when the end does not come. */
  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    this.signal(signal)
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`${this.name} did not end after ${signal}`)), ENDS_MS)
    })
    await Promise.race([this.#gone, late]).finally(() => clearTimeout(timer))
    this.#guardian.forget(child.pid!)
  }

  /** Returns ends that nobody here asked for, one sentence each. Each is reported once. */
  ownEnds(): string[] {
    return this.#ends.splice(0)
  }

  answerable(): boolean {
    return !this.#harmed && Date.now() - this.#harmed_at > RECOVERS_MS
  }

  #words(): string {
    return readFileSync(this.#options.log_file, 'utf8').trim().split('\n').slice(-3).join('\n')
  }
}
