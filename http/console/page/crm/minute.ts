/** The time, to the minute, for ages and countdowns: all of them change together. */
import { signal } from '@preact/signals'

const MINUTE_MS = 60_000

/** Milliseconds. */
export const minute = signal(Date.now())

const timer: unknown = setInterval(() => {
  minute.value = Date.now()
}, MINUTE_MS)
// Node, where tests run, does not wait for it.
if (timer instanceof Object && 'unref' in timer && timer.unref instanceof Function) timer.unref()
