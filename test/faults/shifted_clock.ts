/**
 * Loaded before everything else by a node under test: its wall clock is off by the milliseconds in a file, which is read
 * again and again. Monotonic time (`performance.now`, timers) stays as it is, which libfaketime would shift too.
 */
import { readFileSync } from 'node:fs'

const EVERY_MS = 50
const file = process.env.PARLEY_TEST_CLOCK
const TrueDate = Date

let offset_ms = 0

function read(): void {
  try {
    offset_ms = Number(readFileSync(file!, 'utf8')) || 0
  } catch {
    offset_ms = 0
  }
}

const now = () => TrueDate.now() + offset_ms

if (file) {
  read()
  setInterval(read, EVERY_MS).unref()
  globalThis.Date = new Proxy(TrueDate, {
    construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [now()] : given, made),
    apply: () => new TrueDate(now()).toString(),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  })
}
