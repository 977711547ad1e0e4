import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Owner } from '../support/mod.ts'
import { root } from '../support/root.ts'

export type Ran = { code: number | null; stdout: string; stderr: string }

/** A terminal in a directory that looks like the clone to the commands of a page. */
export class Shell {
  readonly directory: string
  readonly #env: NodeJS.ProcessEnv

  constructor(directory: string) {
    this.directory = directory
    const bin = join(directory, 'bin')
    mkdirSync(bin)
    symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
    // npx would look for the clone's own command in its working directory, which is not the clone.
    const loader = `NODE_OPTIONS='${process.env.NODE_OPTIONS ?? ''}'`
    const parley = `export ${loader}\nexec '${root}http/cli/parley.sh' "$@"\n`
    const npx = `[ "$1" = parley ] || exit 127\nshift\n${parley}`
    for (const [name, text] of Object.entries({ npx, parley }))
      writeFileSync(join(bin, name), `#!/bin/sh\n${text}`, { mode: 0o755 })
    const settings = /^PARLEY_(?!NATS_SERVER$)|^(?:DATABASE|NATS)_URL$/
    const others = Object.entries(process.env).filter(([name]) => !settings.test(name))
    const PATH = [bin, dirname(process.execPath), process.env.PATH].join(delimiter)
    this.#env = { ...Object.fromEntries(others), PATH }
  }

  async run(script: string, env: NodeJS.ProcessEnv = {}): Promise<Ran> {
    const child = this.#spawn(script, env)
    const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
    const [code] = await once(child, 'close')
    return { code, stdout: stdout(), stderr: stderr() }
  }

  /** Starts a command that runs until it is interrupted. `stop` interrupts it and resolves to its whole output. */
  start(t: Owner, script: string) {
    // `env` takes the variables that a command may begin with.
    const child = this.#spawn(`exec env ${script}`, {})
    const ended = once(child, 'close')
    const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
    const output = () => `${stderr()}${stdout()}`
    const stop = async (): Promise<Ran> => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGINT')
      await ended
      return { code: child.exitCode, stdout: stdout(), stderr: stderr() }
    }
    t.teardown(stop)
    const says = async (pattern: RegExp) => {
      while (!pattern.test(output())) {
        if (child.exitCode !== null) throw new Error(`it ended: ${output()}`)
        await sleep(20)
      }
    }
    return { says, stop }
  }

  #spawn(script: string, env: NodeJS.ProcessEnv) {
    const options = { cwd: this.directory, env: { ...this.#env, ...env } }
    // The test runner sets its loader here, for every child. TypeScript's compiler does not start with it, so `npx`
    // above sets it again for our own command.
    const args = ['-euo', 'pipefail', '-c', `unset NODE_OPTIONS\n${script}`]
    return spawn('bash', args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  }
}

/**
 * Reads scripts up to `npx`, one after the other, and notes its arguments and its input. Everything else of a script is run.
 * It ends with 99 when it has come to `npx`.
 */
const READER = `
npx() { shift; cat > input; printf '%s\\0' "$@" > given; exit 99; }
while IFS= read -r -d '' script; do
  (set -euo pipefail; eval "$script") < /dev/null > /dev/null 2> said
  echo $?
done`

/** The arguments and the input of `npx parley` in a script; or the reason why the script does not come to it. */
export type Given = { args: string[]; input: Buffer } | { said: string }

/** A terminal that stays, for the arguments of many examples: a process for each would cost more than the command. */
export class ArgumentReader {
  readonly #directory: string
  readonly #child: ChildProcess
  readonly #answers: NodeJS.AsyncIterator<string>

  constructor(t: Owner, directory: string, env: Record<string, string>) {
    this.#directory = directory
    const all = { PATH: process.env.PATH, ...env }
    // Node's pipes are sockets, from which a shell concludes that somebody logs in.
    const args = ['--norc', '-c', READER]
    this.#child = spawn('bash', args, { cwd: directory, env: all, stdio: ['pipe', 'pipe', 'inherit'] })
    this.#answers = createInterface(this.#child.stdout!)[Symbol.asyncIterator]()
    const ended = once(this.#child, 'close')
    t.teardown(async () => {
      this.#child.stdin!.end()
      await ended
    })
  }

  async read(script: string): Promise<Given> {
    this.#child.stdin!.write(`${script}\0`)
    const { value } = await this.#answers.next()
    const contentOf = (name: string) => readFileSync(join(this.#directory, name))
    if (value !== '99') return { said: `it ended with ${value} before npx: ${contentOf('said')}` }
    return { args: String(contentOf('given')).split('\0').slice(0, -1), input: contentOf('input') }
  }
}

function collect(stream: ChildProcess['stdout']): () => string {
  let text = ''
  stream?.setEncoding('utf8').on('data', (chunk) => (text += chunk))
  return () => text
}
