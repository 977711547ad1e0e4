import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '../support/checks.ts'
import type { Owner } from '../support/mod.ts'

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
    const npx = `#!/bin/sh\n[ "$1" = parley ] || exit 127\nshift\nexport ${loader}\nexec '${root}http/cli/parley.sh' "$@"\n`
    writeFileSync(join(bin, 'npx'), npx, { mode: 0o755 })
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
    const child = this.#spawn(`exec ${script}`, {})
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

function collect(stream: ChildProcess['stdout']): () => string {
  let text = ''
  stream?.setEncoding('utf8').on('data', (chunk) => (text += chunk))
  return () => text
}
