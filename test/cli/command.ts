import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Owner } from '../support/mod.ts'

const entry = fileURLToPath(new URL('../../http/cli/parley.ts', import.meta.url))

export type Finished = { code: number | null; out: string; err: string }
export type Running = {
  child: ChildProcess
  /** What it has printed so far. */
  said(): { out: string; err: string }
  /** Waits until standard output (or error) matches; rejects when the command ends before. */
  until(pattern: RegExp, stream?: 'out' | 'err'): Promise<void>
  /** Sends a signal and waits for the end. */
  end(signal?: NodeJS.Signals): Promise<Finished>
}
type Surroundings = { env?: Record<string, string>; cwd?: string }

/** Starts `parley …` as its own process, in an environment that says nothing but what the test says. */
export function start(t: Owner, args: string[], { env = {}, cwd = '/' }: Surroundings = {}): Running {
  const child = spawn(process.execPath, [entry, ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: process.env.TMPDIR, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { out: '', err: '' }
  child.stdout.on('data', (chunk) => (said.out += chunk))
  child.stderr.on('data', (chunk) => (said.err += chunk))
  const ended = once(child, 'close')
  t.teardown(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await ended
  })
  return {
    child,
    said: () => said,
    async until(pattern, stream = 'out') {
      while (!pattern.test(said[stream])) {
        if (child.exitCode !== null) throw new Error(`ended without ${pattern}: ${said.out}${said.err}`)
        await sleep(10)
      }
    },
    async end(signal) {
      if (signal) child.kill(signal)
      const [code] = await ended
      return { code, ...said }
    },
  }
}

/** Runs `parley …` to its end. */
export function run(t: Owner, args: string[], surroundings?: Surroundings): Promise<Finished> {
  return start(t, args, surroundings).end()
}
