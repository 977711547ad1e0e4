import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../../runtime/mod.ts'
import { type Database, indexMessages } from '../../../storage/mod.ts'

const EVERY_MS = 10_000
/** Pause between batches, so that requests go first. */
const PAUSE_MS = 100

/** Indexes the words of messages in the background, on any node. */
export function keepMessagesIndexed(database: Database, log: Log): { stop(): void } {
  let stopped = false
  let running = false
  const run = async () => {
    if (running) return
    running = true
    try {
      while (!stopped && (await indexMessages(database))) await sleep(PAUSE_MS, undefined, { ref: false })
    } catch (error) {
      if (!stopped) log.warn({ error: (error as Error).message }, 'indexing messages failed, trying again soon')
    }
    running = false
  }
  const timer = setInterval(() => void run(), EVERY_MS)
  timer.unref()
  return {
    stop() {
      stopped = true
      clearInterval(timer)
    },
  }
}
