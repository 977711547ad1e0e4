/**
 * A preload that shifts the wall clock of a node under test by the milliseconds in a file, which it reads again and
 * again. Monotonic time (`performance.now`, timers) stays right; libfaketime would shift it too.
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
