/**
 * When time-outs are taken up: those of all subscriptions of this process together. Nobody waits for the news of one, it
 * took as long as the deadline already; but each by itself is a commit, and deliveries to healthy receivers stand behind it.
 */
const BEAT_MS = 100

let batch: Promise<void> | undefined

/** Resolves together with whatever else began to wait in the last tenth of a second. */
export function nextTimeoutBatch(): Promise<void> {
  batch ??= new Promise((resolve) => {
    setTimeout(() => {
      batch = undefined
      resolve()
    }, BEAT_MS)
  })
  return batch
}
