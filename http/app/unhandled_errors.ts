/**
 * Errors that no code handles, thrown or rejected. What they have left half done in memory is unknown, so the process
 * ends: with one line in the log, and in order, so that its partitions and calls pass to others as they do when it is
 * told to stop.
 */
import type { Log } from '../../runtime/mod.ts'

/** Milliseconds for the end in order. */
const END_MS = 30_000

export class UnhandledErrors {
  /** Resolves with the first error. */
  readonly first: Promise<void>

  /** Before `isReady` says yes there is nothing to end in order. */
  constructor(log: () => Log, isReady: () => boolean) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.first = promise
    let has_one = false
    process.on('uncaughtException', (error: unknown) => {
      // Those that follow from the first say nothing new.
      if (has_one) return
      has_one = true
      log().error({ error }, 'an error was not handled; this process ends')
      if (!isReady()) process.exit(1)
      setTimeout(() => process.exit(1), END_MS).unref()
      resolve()
    })
  }
}
