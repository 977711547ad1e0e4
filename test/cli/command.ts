import { AsyncLocalStorage } from 'node:async_hooks'
import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { runCommand } from '../../http/cli/run_command.ts'
import { eventually } from '../e2e/client.ts'
import { type Owner, startUp } from '../support/mod.ts'

const entry = fileURLToPath(new URL('../../http/cli/parley.ts', import.meta.url))

export type Finished = { code: number | null; out: string; err: string }
export type Running = {
  child: ChildProcess
  /** Returns the output so far. */
  said(): { out: string; err: string }
  /** Waits until standard output (or error) matches. Rejects when the command ends before, or never says it. */
  until(pattern: RegExp, stream?: 'out' | 'err'): Promise<void>
  /** Sends a signal and waits for the end. */
  end(signal?: NodeJS.Signals): Promise<Finished>
}
type Surroundings = { env?: Record<string, string>; cwd?: string }

/** Returns an environment with nothing but the variables of the test. */
const environment = (env: Record<string, string>) => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  TMPDIR: process.env.TMPDIR,
  NO_COLOR: '1',
  ...env,
})

/** Starts `parley …` as a process of its own. */
export function start(t: Owner, args: string[], { env = {}, cwd = '/' }: Surroundings = {}): Running {
  const child = spawn(process.execPath, [entry, ...args], {
    cwd,
    env: { ...environment(env), ...startUp() },
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
    until: (pattern, stream = 'out') => untilSaid(pattern, said, stream, () => child.exitCode !== null),
    async end(signal) {
      if (signal) child.kill(signal)
      const [code] = await ended
      return { code, ...said }
    },
  }
}

type Said = { out: string; err: string }

async function untilSaid(pattern: RegExp, said: Said, stream: keyof Said, hasEnded: () => boolean): Promise<void> {
  const isOver = () => pattern.test(said[stream]) || hasEnded()
  await eventually(`${pattern}`, isOver).catch(() => {})
  if (!pattern.test(said[stream])) throw new Error(`It did not say ${pattern}: ${said.out}${said.err}`)
}

type Around = Record<'env' | 'stdin' | 'stdout' | 'stderr', unknown> & { signals?: EventEmitter }

/** The surroundings of a command that runs in this process, in place of the process's own. */
const around = new AsyncLocalStorage<Around>()
for (const name of ['env', 'stdin', 'stdout', 'stderr'] as const) {
  const { get, value } = Object.getOwnPropertyDescriptor(process, name)!
  const own = get ? () => get.call(process) : () => value
  Object.defineProperty(process, name, { configurable: true, get: () => around.getStore()?.[name] ?? own() })
}

for (const name of ['on', 'off'] as const) {
  const own = process[name].bind(process) as (event: string, listener: () => void) => unknown
  const replaced = (event: string, listener: () => void) => {
    const signals = event.startsWith('SIG') ? around.getStore()?.signals : undefined
    if (signals) signals[name](event, listener)
    else own(event, listener)
    return process
  }
  Object.assign(process, { [name]: replaced })
}

/**
 * Starts `parley …` in this process, for a command that goes on until a signal. Only its own `end` sends it one. A process
 * of its own takes half a second to begin.
 */
export function startHere(
  t: Owner,
  args: string[],
  { env = {} }: Pick<Surroundings, 'env'> = {},
): Omit<Running, 'child'> {
  const said = { out: '', err: '' }
  const signals = new EventEmitter()
  const stdout = { write: (text: string) => (said.out += text) }
  const stderr = { write: (text: string) => (said.err += text) }
  const surroundings = { env: environment(env), stdin: Readable.from([]), stdout, stderr, signals }
  let has_ended = false
  const ended = around.run(surroundings, async () => {
    try {
      return await runCommand(args)
    } finally {
      has_ended = true
    }
  })
  ended.catch(() => {})
  const signal = (name: NodeJS.Signals) => around.run(surroundings, () => signals.emit(name))
  t.teardown(async () => {
    signal('SIGTERM')
    await ended
  })
  return {
    said: () => said,
    until: (pattern, stream = 'out') => untilSaid(pattern, said, stream, () => has_ended),
    async end(name) {
      if (name) signal(name)
      return { code: await ended, ...said }
    },
  }
}

/** Runs `parley …` to its end in this process. A process of its own takes half a second to begin. */
export async function run(
  args: string[],
  env: Record<string, string> = {},
  input?: string | Buffer,
  said = { out: '', err: '' },
): Promise<Finished> {
  const stdout = { write: (text: string) => (said.out += text) }
  const stderr = { write: (text: string) => (said.err += text) }
  const stdin = Readable.from(input === undefined ? [] : [Buffer.from(input)])
  const code = await around.run({ env: environment(env), stdin, stdout, stderr }, () => runCommand(args))
  return { code, ...said }
}

/**
 * Runs `parley …` on a terminal where somebody types the next answer after each question, and then leaves. `said` is
 * filled as the command goes on.
 */
export async function runDialogue(
  args: string[],
  env: Record<string, string>,
  answers: readonly string[],
  said = { out: '', err: '' },
): Promise<Finished> {
  const left = [...answers]
  const stdin = Object.assign(new Readable({ read: () => {} }), { isTTY: true })
  const stdout = { write: (text: string) => (said.out += text) }
  const screen = new Writable({
    write(chunk, _encoding, done) {
      said.err += chunk
      const is_question = /(: |\] )$/.test(String(chunk))
      const answer = is_question ? left.shift() : undefined
      const is_key = answer === '\x03'
      const typed = answer === undefined ? null : Buffer.from(is_key ? answer : `${answer}\n`)
      if (is_question) setImmediate(() => stdin.push(typed))
      done()
    },
  })
  const stderr = Object.assign(screen, { isTTY: true, columns: 200 })
  const code = await around.run({ env: environment(env), stdin, stdout, stderr }, () => runCommand(args))
  return { code, ...said }
}

/** Runs `parley …` on a screen, where `keys` are pressed once the output matches. */
export async function runOnScreen(
  args: string[],
  env: Record<string, string>,
  until: RegExp,
  keys: string,
  size = { columns: 100, rows: 20 },
): Promise<Finished> {
  const said = { out: '', err: '' }
  const pressed = new Readable({ read: () => {} })
  const stdin = Object.assign(pressed, { isTTY: true, setRawMode: () => stdin })
  const write = (text: string) => {
    said.out += text
    if (until.test(said.out)) stdin.push(keys)
  }
  const stdout = { isTTY: true, ...size, write }
  const stderr = { write: (text: string) => (said.err += text) }
  const code = await around.run({ env: environment(env), stdin, stdout, stderr }, () => runCommand(args))
  return { code, ...said }
}

/** Runs `parley …` on a terminal where somebody types `answer`. Without an answer the terminal goes away. */
export async function runOnTerminal(
  args: string[],
  env: Record<string, string>,
  answer: string | undefined,
): Promise<Finished> {
  const said = { out: '', err: '' }
  const stdout = { write: (text: string) => (said.out += text) }
  const screen = new Writable({
    write(chunk, _encoding, done) {
      said.err += chunk
      done()
    },
  })
  const stderr = Object.assign(screen, { isTTY: true, columns: 200 })
  const stdin = Object.assign(Readable.from(answer === undefined ? [] : [Buffer.from(`${answer}\n`)]), { isTTY: true })
  const code = await around.run({ env: environment(env), stdin, stdout, stderr }, () => runCommand(args))
  return { code, ...said }
}
