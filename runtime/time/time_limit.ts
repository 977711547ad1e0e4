import { type Clock, systemClock } from './clock.ts'

/** Waits for `work` to succeed or fail, for at most `ms`. */
export async function within(
  ms: number,
  work: Promise<unknown> | undefined,
  clock: Clock = systemClock,
): Promise<void> {
  let cancel = () => {}
  const timeout = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve)
  })
  await Promise.race([Promise.resolve(work).catch(() => {}), timeout])
  cancel()
}
