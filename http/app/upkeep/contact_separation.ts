import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../../runtime/mod.ts'
import { beginContactSeparation, type Database, separateContacts } from '../../../storage/mod.ts'

const EVERY_MS = 10_000
/** Pause between steps, so that requests go first. */
const PAUSE_MS = 20

/** Separates contacts that projects shared under the version before, from this start on, on any node. */
export function keepContactsSeparate(database: Database, log: Log): { stop(): void } {
  let stopped = false
  let begun = false
  let running = false
  const run = async () => {
    if (running) return
    running = true
    try {
      if (!begun) await beginContactSeparation(database)
      begun = true
      while (!stopped && (await separateContacts(database))) await sleep(PAUSE_MS, undefined, { ref: false })
    } catch (error) {
      if (!stopped) log.warn({ error: (error as Error).message }, 'separating contacts failed, trying again soon')
    }
    running = false
  }
  const timer = setInterval(() => void run(), EVERY_MS)
  timer.unref()
  void run()
  return {
    stop() {
      stopped = true
      clearInterval(timer)
    },
  }
}
