/** A scan of timers that is answered after its partition was lost and taken again knows an older setting. */
import t from 'tap'
import type { Store } from '../../runtime/commit/store.ts'
import { silentLog } from '../../runtime/log.ts'
import { type Fired, Timers } from '../../runtime/scheduler/timers.ts'
import { systemClock } from '../../runtime/time/clock.ts'
import { until } from './support/wait.ts'

t.test('a scan from before a loss does not replace what the scan after it has found', async (t) => {
  const timer = (due: number): Fired => ({ partition: 1, address: 'x/a', name: 'bell', due, message: { type: 'ring' } })
  const soon = systemClock.now() + 50
  const answers = [Promise.withResolvers<Fired[]>(), Promise.withResolvers<Fired[]>()]
  const waiting = [...answers]
  const fired: number[] = []
  const timers = new Timers({
    store: { readTimers: () => waiting.shift()!.promise } as unknown as Store,
    clock: systemClock,
    fire: ({ due }) => void fired.push(due),
    log: silentLog,
  })
  t.teardown(() => timers.stop())
  timers.start(() => [1])
  const before = timers.scan([1])
  timers.forget(1)
  // Meanwhile the other owner has set the timer for an earlier time.
  const after = timers.scan([1])
  answers[1]!.resolve([timer(soon)])
  await after
  answers[0]!.resolve([timer(soon + 50_000)])
  await before
  await until(() => fired.length > 0)
  t.same(fired, [soon])
})
