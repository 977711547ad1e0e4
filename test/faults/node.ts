/** One Parley process: started, signalled and started again on the same port, its log in a file. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Guardian } from '../../runtime/servers/guardian.ts'
import { eventually } from '../parley/client.ts'
import { type Owner, startUp } from '../support/mod.ts'

const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url))
const ENTRY = fileURLToPath(new URL('../parley/run_parley.ts', import.meta.url))
/** Requests begun while a node was stopped may be without an answer for this long. */
const RECOVERS_MS = 16_000
const ENDS_MS = 60_000

export type NodeOptions = { name: string; port: number; env: Record<string, string>; log_file: string }

export class ParleyNode {
  readonly name: string
  readonly base_url: string
  readonly #options: NodeOptions
  readonly #guardian: Guardian
  #child: ChildProcess | undefined
  #gone: Promise<unknown> = Promise.resolve()
  #harmed_at = 0
  #harmed = true

  constructor(t: Owner, options: NodeOptions) {
    this.#options = options
    this.name = options.name
    this.base_url = `http://127.0.0.1:${options.port}`
    this.#guardian = new Guardian()
    t.teardown(async () => {
      await this.end('SIGKILL')
      await this.#guardian.close()
    })
  }

  get pid(): number {
    return this.#child!.pid!
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    const { env, log_file, port } = this.#options
    const log = openSync(log_file, 'a')
    const child = spawn(process.execPath, [ENTRY], {
      env: { PATH: process.env.PATH!, NODE_COMPILE_CACHE: COMPILED, ...startUp(), ...env, PARLEY_PORT: String(port) },
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    this.#child = child
    this.#gone = once(child, 'exit')
    this.#guardian.watch(child.pid!, 'SIGKILL')
    await eventually(
      `${this.name} answers`,
      async () => {
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`${this.name} ended: ${this.#words()}`)
        return (await fetch(`${this.base_url}/health`).catch(() => undefined))?.ok
      },
      60_000,
    )
    this.#harmed = false
    this.#harmed_at = Date.now()
  }

  signal(signal: NodeJS.Signals): void {
    this.#harmed = signal !== 'SIGCONT'
    this.#harmed_at = Date.now()
    this.#child!.kill(signal)
  }

  /** Signals and waits for the end; rejects when it does not come. */
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

  answerable(): boolean {
    return !this.#harmed && Date.now() - this.#harmed_at > RECOVERS_MS
  }

  #words(): string {
    return readFileSync(this.#options.log_file, 'utf8').trim().split('\n').slice(-3).join('\n')
  }
}
