import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'

/**
 * Ends the servers when this process ends, however it ends. The guardian is one `/bin/sh` in a session of its own,
 * reading the list of `signal:pid` from a pipe that only we hold. When the pipe ends, because we closed it or were
 * killed, it signals every process of the last line.
 *
 * It is a shell rather than a parent-death signal, because it costs 1 MB, works on every Unix and lets PostgreSQL shut
 * down in order. When the guardian itself is killed we start another; when both are killed at once, the next start
 * finds the leftovers by their pid files.
 */
const SCRIPT = `trap '' INT TERM HUP
last=
while read -r line; do last=$line; done
for item in $last; do kill -s "\${item%%:*}" "\${item##*:}" 2>/dev/null; done`

export class Guardian {
  readonly #watched = new Map<number, string>()
  #shell: ChildProcess | null = null
  #closed = false

  /** Sends `signal` to `pid` when this process is gone. */
  watch(pid: number, signal: NodeJS.Signals): void {
    this.#watched.set(pid, signal.slice(3))
    this.#tell()
  }

  forget(pid: number): void {
    if (this.#watched.delete(pid)) this.#tell()
  }

  /** Ends the guardian; processes that are still watched are signalled. Resolves when it is gone. */
  async close(): Promise<void> {
    this.#closed = true
    const shell = this.#shell
    if (!shell) return
    shell.ref()
    await new Promise<void>((resolve) => {
      shell.once('close', () => resolve())
      shell.stdin?.end()
    })
  }

  #tell(): void {
    this.#shell ??= this.#open()
    // One write call per list: the kernel takes it whole, so a kill between two lines loses nothing.
    this.#shell.stdin?.write(`${[...this.#watched].map(([pid, signal]) => `${signal}:${pid}`).join(' ')}\n`)
  }

  #open(): ChildProcess {
    const shell = spawn('/bin/sh', ['-c', SCRIPT, 'parley-guardian'], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      cwd: '/',
    })
    shell.stdin?.on('error', () => {})
    shell.once('exit', () => {
      this.#shell = null
      if (!this.#closed && this.#watched.size > 0) this.#tell()
    })
    shell.unref()
    ;(shell.stdin as Socket | null)?.unref()
    return shell
  }
}
