import { setTimeout as sleep } from 'node:timers/promises'

type Truthy<Value> = Exclude<Value, false | null | undefined>

/** Waits until `value()` is truthy. Fails after `ms` with the last value. */
export async function until<Value>(value: () => Value | Promise<Value>, ms = 120_000): Promise<Truthy<Value>> {
  for (const end = Date.now() + ms; ; await sleep(5)) {
    const now = await value()
    if (now) return now as Truthy<Value>
    if (Date.now() > end) throw new Error(`waited in vain for ${value}`)
  }
}
