/** An actor that does not apply its timers keeps those of the other actors of its partition from nothing. */
import t from 'tap'
import type { Store } from '../../runtime/commit/store.ts'
import { silentLog } from '../../runtime/log.ts'
import { type Fired, Timers } from '../../runtime/scheduler/timers.ts'
import { systemClock } from '../../runtime/time/clock.ts'
import { until } from './support/wait.ts'

const ENTRIES = 10_000

function start(rows: Map<string, Fired>, applies: (fired: Fired) => boolean) {
  const fired: Fired[] = []
  const store = {
    async readTimers(partitions: number[], until: number, limit: number, without: string[]) {
      const near = [...rows.values()].filter(({ due, address }) => due <= until && !without.includes(address))
      return partitions.length === 0 ? [] : near.toSorted((a, b) => a.due - b.due).slice(0, limit)
    },
  }
  const timers: Timers = new Timers({
    store: store as unknown as Store,
    clock: systemClock,
    fire(timer) {
      fired.push(timer)
      if (!applies(timer)) return
      rows.delete(`${timer.address} ${timer.name}`)
      setImmediate(() => timers.clear(timer.address, timer.name))
    },
    log: silentLog,
  })
  timers.start(() => Array.from({ length: 256 }, (_, partition) => partition))
  t.teardown(() => timers.stop())
  return { timers, fired }
}

const rowsOf = (timers: Fired[]) => new Map(timers.map((one) => [`${one.address} ${one.name}`, one]))

const timer = (address: string, name: string, due: number): Fired => ({
  partition: 1,
  address,
  name,
  due,
  message: { type: 'ring' },
})

t.test('one actor with ten thousand timers is blocked, and another has its timer', async (t) => {
  const now = systemClock.now()
  const blocked = Array.from({ length: ENTRIES }, (_, n) => timer('x/blocked', `n${n}`, now))
  const { timers, fired } = start(rowsOf([...blocked, timer('x/well', 'bell', now + 50)]), () => false)
  await timers.scan([1])
  await until(() => fired.some(({ address }) => address === 'x/well'))
  t.ok(fired.length < 1000, `${fired.length} timers of the blocked actor were read`)
})

t.test('its timers go on when it does', async (t) => {
  const now = systemClock.now()
  let is_blocked = true
  const rows = rowsOf(Array.from({ length: 500 }, (_, n) => timer('x/blocked', `n${n}`, now)))
  const { timers, fired } = start(rows, () => !is_blocked)
  await timers.scan([1])
  await until(() => fired.length > 0)
  is_blocked = false
  for (const { address, name } of fired.splice(0)) {
    rows.delete(`${address} ${name}`)
    timers.clear(address, name)
  }
  await until(() => rows.size === 0)
  t.equal(rows.size, 0)
})
