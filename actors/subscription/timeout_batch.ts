/**
 * Batches the timeouts of all subscriptions of this process for 100 ms, so that their commits do not delay deliveries
 * to healthy receivers. A timeout has already taken the whole deadline, so the delay does not matter.
 */
const BEAT_MS = 100

let batch: Promise<void> | undefined

/** Resolves with all other timeouts of the last tenth of a second. */
export function nextTimeoutBatch(): Promise<void> {
  batch ??= new Promise((resolve) => {
    setTimeout(() => {
      batch = undefined
      resolve()
    }, BEAT_MS)
  })
  return batch
}
