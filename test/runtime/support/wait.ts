import { setTimeout as sleep } from 'node:timers/promises'

type Truthy<Value> = Exclude<Value, false | null | undefined>

/** Milliseconds between two looks, at first and at most. */
const SOON_MS = 2
const LATER_MS = 50

/** Waits until `value()` is truthy. Fails after `ms` with the last value. */
export async function until<Value>(value: () => Value | Promise<Value>, ms = 120_000): Promise<Truthy<Value>> {
  let pause = SOON_MS
  for (const end = Date.now() + ms; ; await sleep(pause)) {
    pause = Math.min(pause * 1.25, LATER_MS)
    const now = await value()
    if (now) return now as Truthy<Value>
    if (Date.now() > end) throw new Error(`waited in vain for ${value}`)
  }
}
