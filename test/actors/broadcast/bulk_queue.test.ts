import t from 'tap'
import { BulkQueue } from '../../../actors/broadcast/bulk_queue.ts'

type Broadcast = { id: string; project: string /** Recipients a second that its number takes. */; pace?: number }

/** Runs the broadcasts for that time; each asks when it was told to. Returns the recipients a second by project. */
function share(broadcasts: Broadcast[], per_second: number, seconds: number): Record<string, number> {
  const queue = new BulkQueue()
  const size = 25
  const next = new Map(broadcasts.map(({ id }) => [id, 0]))
  const taken: Record<string, number> = {}
  for (let now = 0; now < seconds * 1000; now++) {
    for (const { id, project, pace = Number.POSITIVE_INFINITY } of broadcasts) {
      if (next.get(id)! > now) continue
      const wait_ms = queue.ask(id, project, size, per_second, now)
      if (wait_ms === 0) taken[project] = (taken[project] ?? 0) + size
      next.set(id, now + (wait_ms === 0 ? Math.max(1, (size * 1000) / pace) : Math.ceil(wait_ms)))
    }
  }
  return Object.fromEntries(Object.entries(taken).map(([project, count]) => [project, count / seconds]))
}

const near = (value: number, expected: number) => value > expected * 0.85 && value < expected * 1.15

t.test('projects share the rate, however many broadcasts each has', async (t) => {
  const broadcasts = [
    { id: 'a1', project: 'a' },
    { id: 'a2', project: 'a' },
    { id: 'a3', project: 'a' },
    { id: 'b1', project: 'b' },
  ]
  const { a, b } = share(broadcasts, 200, 60)
  t.ok(near(a!, 100) && near(b!, 100), `${a} and ${b}`)
})

t.test('a project that needs less leaves the rest to the others', async (t) => {
  const broadcasts = [
    { id: 'slow', project: 'slow', pace: 20 },
    { id: 'a', project: 'a' },
    { id: 'b', project: 'b' },
  ]
  const { slow, a, b } = share(broadcasts, 400, 60)
  t.ok(slow! > 15, `${slow}`)
  t.ok(near(a!, 190) && near(b!, 190), `${a} and ${b}`)
})

t.test(
  'twenty numbers keep their pace where the rate is enough, and share what there is where it is not',
  async (t) => {
    const broadcasts = Array.from({ length: 20 }, (_, n) => ({ id: `${n}`, project: `${n}`, pace: 80 }))
    const enough = Object.values(share(broadcasts, 2000, 30))
    t.ok(
      enough.every((one) => near(one, 80)),
      enough.join(),
    )
    const scarce = Object.values(share(broadcasts, 400, 60))
    t.equal(scarce.length, 20)
    t.ok(
      scarce.every((one) => near(one, 20)),
      scarce.join(),
    )
  },
)

t.test('a project that comes later does not take everything until it has caught up', async (t) => {
  const queue = new BulkQueue()
  let now = 0
  for (; now < 4000; now += 125) queue.ask('old', 'old', 25, 200, now)
  const taken = { old: 0, new: 0 }
  const next = { old: now, new: now }
  for (; now < 8000; now++) {
    for (const id of ['old', 'new'] as const) {
      if (next[id] > now) continue
      const wait_ms = queue.ask(id, id, 25, 200, now)
      if (wait_ms === 0) taken[id] += 25
      next[id] = now + Math.max(1, Math.ceil(wait_ms))
    }
  }
  t.ok(near(taken.old, taken.new), `${taken.old} and ${taken.new}`)
})

t.test('broadcasts that were told to wait long are not forgotten meanwhile', async (t) => {
  const queue = new BulkQueue()
  const waits = Array.from({ length: 1400 }, (_, n) => queue.ask(`${n}`, `${n}`, 25, 1, 0))
  t.ok(waits.at(-1)! > 6000, `${waits.at(-1)} ms`)
  const wait_ms = queue.ask('new', 'new', 25, 1, 6000)
  t.ok(wait_ms > 6000, `${wait_ms} ms, with all others before it`)
})
