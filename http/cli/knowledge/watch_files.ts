/** Waits for changes of files. */
import { type FSWatcher, statSync, watch } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiRefusal, Unreachable } from '../connection/api.ts'
import { remark } from '../terminal/terminal.ts'

/** Changes often come in bursts: an editor writes a file in several steps. */
const QUIET_MS = 300
/** Pause after a round that failed because of the server. */
const PAUSE_MS = 5_000
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Calls `act` after changes at these paths, one call at a time, until a signal. A failing round is repeated. */
export async function whenChanged(paths: readonly string[], act: () => Promise<void>): Promise<void> {
  const stop = new AbortController()
  const onSignal = () => (stop.signal.aborted ? process.exit(130) : stop.abort())
  for (const signal of SIGNALS) process.on(signal, onSignal)
  const { signal } = stop
  let changed = Promise.withResolvers<void>()
  signal.addEventListener('abort', () => changed.resolve())
  const watchers: FSWatcher[] = []
  try {
    for (const path of paths) {
      const is_directory = statSync(path).isDirectory()
      // Editors replace a file by another one of its name, which the directory shows.
      const watched = is_directory ? path : dirname(path)
      const watcher = watch(watched, { recursive: is_directory }, () => changed.resolve())
      // A directory that is removed: the next round says so.
      watcher.on('error', () => changed.resolve())
      watchers.push(watcher)
    }
    while (!signal.aborted) {
      await changed.promise
      await sleep(QUIET_MS, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      changed = Promise.withResolvers<void>()
      if (await succeeds(act)) continue
      await sleep(PAUSE_MS, undefined, { signal }).catch(() => {})
      changed.resolve()
    }
  } finally {
    for (const watcher of watchers) watcher.close()
    for (const signal of SIGNALS) process.off(signal, onSignal)
  }
}

async function succeeds(act: () => Promise<void>): Promise<boolean> {
  try {
    await act()
    return true
  } catch (error) {
    const is_passing = error instanceof Unreachable || (error instanceof ApiRefusal && error.status >= 500)
    const is_gone = (error as NodeJS.ErrnoException).code === 'ENOENT'
    if (!is_passing && !is_gone) throw error
    remark((error as Error).message)
    return false
  }
}
