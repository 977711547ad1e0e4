import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Owner, startUp } from '../support/mod.ts'

export type Child = {
  pid: number
  /** Returns everything that the child has printed so far, on either stream. */
  said(): string
  /** Sends a signal and waits for the end. Resolves to the exit code, or to the signal that ended the child. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>
  /** Resolves to the first line on standard output that matches. Rejects when the child ends before. */
  line(pattern: RegExp): Promise<string>
}

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Starts a program of this repository in a process (and a process group) of its own. The end of the test kills it.
 * `flags`: options of Node.js. `args`: those of the program. `under`: a program that starts it, with its arguments.
 */
export function startChild(
  t: Owner,
  entry: URL,
  env: Record<string, string>,
  flags: string[] = [],
  args: string[] = [],
  under: string[] = [],
): Child {
  const [program = '', ...before] = [...under, process.execPath]
  const child = spawn(program, [...before, ...flags, fileURLToPath(entry), ...args], {
    cwd: root,
    env: {
      PATH: process.env.PATH!,
      HOME: process.env.HOME!,
      TMPDIR: process.env.TMPDIR ?? '/tmp',
      ...startUp(),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on('data', (chunk) => {
      said += chunk
    })
  }
  const lines: string[] = []
  const reader = createInterface({ input: child.stdout! })
  reader.on('line', (line) => lines.push(line))
  const gone = once(child, 'close').then(([code, signal]) => (signal ?? code) as number | NodeJS.Signals)
  t.teardown(() => endOf(child, 'SIGKILL', gone))
  return {
    pid: child.pid!,
    said: () => said,
    end: (signal) => endOf(child, signal, gone),
    async line(pattern) {
      for (;;) {
        const found = lines.find((line) => pattern.test(line))
        if (found !== undefined) return found
        const ended = await Promise.race([gone.then(() => true), once(reader, 'line').then(() => false)])
        if (ended && !lines.some((line) => pattern.test(line))) throw new Error(`It ended before it was ready: ${said}`)
      }
    },
  }
}

function endOf<Result>(child: ChildProcess, signal: NodeJS.Signals, gone: Promise<Result>): Promise<Result> {
  if (child.exitCode === null && child.signalCode === null) child.kill(signal)
  return gone
}
