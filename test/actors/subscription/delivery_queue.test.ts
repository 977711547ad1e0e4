/** The queue against a plain model: a table, and a receiver that fails at random. */
import fc from 'fast-check'
import t from 'tap'
import { DeliveryQueue, KEY_PAGE, KEYS, LOOSE, type Waiting } from '../../../actors/subscription/delivery_queue.ts'

type Row = { id: string; ordering_key: string | null; next_attempt_at: Date | null }

const waitingOf = (row: Row): Waiting => ({ delivery: row as never, body: '' })
const idOf = (n: number) => `dlv_${String(n).padStart(8, '0')}`

/** The table as `reads.ts` reads it, and the actor's part in filling the queue. */
function tableOf(queue: DeliveryQueue) {
  const rows = new Map<string, Row>()
  const open = () => [...rows.values()].filter((row) => row.next_attempt_at).sort((a, b) => (a.id < b.id ? -1 : 1))
  return {
    rows,
    read(now: Date) {
      const wants = queue.wants()
      const all = open()
      const news = (list: Row[]) => list.map(waitingOf).filter((waiting) => !queue.has(waiting.delivery))
      const limit = wants.loose || KEY_PAGE
      const due = all.filter((row) => row.ordering_key === null && row.next_attempt_at! <= now)
      queue.takeLoose(news(due.slice(0, limit)), due.length >= limit)
      if (wants.heads > 0) {
        const heads = new Map<string, Row>()
        const held = new Set(queue.keyNames())
        for (const row of all) {
          const key = row.ordering_key
          if (key !== null && key > queue.key_cursor && !held.has(key) && !heads.has(key)) heads.set(key, row)
        }
        const sorted = [...heads.values()].sort((a, b) => (a.ordering_key! < b.ordering_key! ? -1 : 1))
        const page = sorted.slice(0, wants.heads)
        queue.takeHeads(page.map(waitingOf), page.length < wants.heads ? undefined : page.at(-1)!.ordering_key!, now)
      }
      for (const key of wants.keys) {
        const of = all.filter((row) => row.ordering_key === key).slice(0, KEY_PAGE)
        queue.takeKey(key, news(of), of.length === KEY_PAGE, now)
      }
      return wants.loose + wants.heads + wants.keys.length > 0
    },
  }
}

const scenario = fc.record({
  /** The new deliveries: the key of each (0: none), and the number of failures before it goes through. */
  deliveries: fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 3 })), { maxLength: 1500, size: 'max' }),
  /** The numbers, in turns, of deliveries told at once and of deliveries under way that end. */
  rhythm: fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 9 })), { minLength: 1 }),
  keys: fc.constantFrom(1, 2, 7, 600),
  concurrency: fc.integer({ min: 1, max: 8 }),
  /** The number of deliveries that a former owner left in the table. */
  left_behind: fc.integer({ min: 0, max: 900 }),
})

t.test(
  'every delivery goes out, in order and one at a time within its key, whatever fails and however much waits in the table',
  async (t) => {
    const property = fc.property(scenario, ({ deliveries, rhythm, keys, concurrency, left_behind }) => {
      const queue = new DeliveryQueue()
      const table = tableOf(queue)
      const failures = new Map<string, number>()
      const sent: Row[] = []
      const done: Row[] = []
      let now = 0
      let next = 0
      const make = () => {
        const [key, fails] = deliveries[next]!
        const row = {
          id: idOf(next++),
          ordering_key: key % 3 === 0 ? null : `k${key % keys}`,
          next_attempt_at: new Date(0),
        }
        table.rows.set(row.id, row)
        failures.set(row.id, fails)
        return row
      }
      while (next < Math.min(left_behind, deliveries.length)) make()
      queue.loose_more = true
      queue.keys_more = true
      for (let step = 0; done.length < deliveries.length; step++) {
        if (step > 50_000) throw new Error(`stuck with ${deliveries.length - done.length} to go`)
        const [told, ended] = rhythm[step % rhythm.length]!
        now += 10
        for (let n = 0; n < told && next < deliveries.length; n++) {
          const waiting = waitingOf(make())
          if (!queue.has(waiting.delivery)) queue.offer(waiting)
        }
        if (next >= deliveries.length || told % 3 === 0) table.read(new Date(now))
        queue.unpark(new Date(now))
        while (queue.running.size < concurrency) {
          const waiting = queue.start(new Date(now))
          if (!waiting) break
          sent.push(waiting.delivery as never)
        }
        for (const { delivery } of [...queue.running.values()].slice(0, ended + 1)) {
          const row = delivery as never as Row
          const left = failures.get(row.id)!
          failures.set(row.id, left - 1)
          row.next_attempt_at = left > 0 ? new Date(now + 30) : null
          queue.end(row.id, left > 0, new Date(now))
          // The timer of an unordered delivery brings it back out of the table.
          if (left > 0 && row.ordering_key === null) queue.loose_more = true
          if (left <= 0) done.push(row)
        }
      }
      for (const key of new Set(done.map((row) => row.ordering_key))) {
        if (key === null) continue
        const order = done.filter((row) => row.ordering_key === key).map((row) => row.id)
        if (order.join() !== order.toSorted().join()) throw new Error(`out of order in ${key}: ${order}`)
        const begun = sent.filter((row) => row.ordering_key === key).map((row) => row.id)
        if (begun.join() !== begun.toSorted().join()) throw new Error(`overtaken in ${key}: ${begun}`)
      }
      if (new Set(done).size !== deliveries.length) throw new Error('one ended twice')
    })
    t.doesNotThrow(() => fc.assert(property, { numRuns: 40 }))
  },
)

t.test('memory is bounded, and the table keeps the deliveries that do not fit', async (t) => {
  const queue = new DeliveryQueue()
  for (let n = 0; n < 5000; n++) {
    const ordering_key = n % 2 ? null : `k${n % 1000}`
    queue.offer(waitingOf({ id: idOf(n), ordering_key, next_attempt_at: new Date(0) }))
  }
  let loose = 0
  let keyed = 0
  for (let waiting = queue.start(new Date(1)); waiting; waiting = queue.start(new Date(1))) {
    if (waiting.delivery.ordering_key === null) loose++
    else keyed++
  }
  t.equal(loose, LOOSE)
  t.equal(keyed, KEYS)
  t.ok(queue.loose_more && queue.keys_more)
})

t.test('a stuck key holds back itself alone', async (t) => {
  const queue = new DeliveryQueue()
  const row = (n: number, ordering_key: string) =>
    waitingOf({ id: idOf(n), ordering_key, next_attempt_at: new Date(0) })
  for (let n = 0; n < 10; n++) queue.offer(row(n, n % 2 ? 'stuck' : 'well'))
  const order: string[] = []
  for (let now = 1; now < 20; now++) {
    for (let waiting = queue.start(new Date(now)); waiting; waiting = queue.start(new Date(now))) {
      const { delivery } = waiting
      order.push(delivery.id)
      if (delivery.ordering_key === 'stuck') delivery.next_attempt_at = new Date(1000)
      else delivery.next_attempt_at = null
      queue.end(delivery.id, delivery.next_attempt_at !== null, new Date(now))
    }
  }
  t.same(order.toSorted(), [0, 1, 2, 4, 6, 8].map(idOf))
  t.same(queue.soonest(), new Date(1000))
})

t.test('ten thousand keys that wait for a retry hold back no other key', async (t) => {
  const MINUTE = 60_000
  const queue = new DeliveryQueue()
  const table = tableOf(queue)
  const row = (n: number, ordering_key: string, at = 0) => {
    const made = { id: idOf(n), ordering_key, next_attempt_at: new Date(at) }
    table.rows.set(made.id, made)
    return made
  }
  // Half of them are found in the table, as after a start; the attempts of the others fail now.
  for (let n = 0; n < 5000; n++) row(n, `waits${n}`, MINUTE)
  queue.keys_more = true
  for (let n = 5000; n < 10_000; n++) queue.offer(waitingOf(row(n, `fails${n}`)))
  let failed = 0
  for (let now = 1; failed < 5000 || queue.keys_more; now++) {
    queue.unpark(new Date(now))
    for (let waiting = queue.start(new Date(now)); waiting; waiting = queue.start(new Date(now))) {
      failed++
      waiting.delivery.next_attempt_at = new Date(MINUTE)
      queue.end(waiting.delivery.id, true, new Date(now))
    }
    table.read(new Date(now))
    if (now > 1000) throw new Error(`${failed} failed, and more wait`)
  }
  const well = row(10_001, 'well')
  queue.offer(waitingOf(well))
  t.equal(queue.start(new Date(2000))?.delivery.id, well.id, 'it goes at once')
  queue.offer(waitingOf(row(10_002, 'fails7000')))
  t.equal(queue.start(new Date(2000)), undefined, 'a new delivery of a key that waits goes behind the first')
  t.same(queue.soonest(), new Date(MINUTE))
  const sent: string[] = []
  for (let now = MINUTE; sent.length < 10_001 && now < MINUTE + 10_000; now++) {
    queue.unpark(new Date(now))
    table.read(new Date(now))
    for (let waiting = queue.start(new Date(now)); waiting; waiting = queue.start(new Date(now))) {
      sent.push(waiting.delivery.id)
      waiting.delivery.next_attempt_at = null
      queue.end(waiting.delivery.id, false, new Date(now))
    }
  }
  t.equal(new Set(sent).size, 10_001, 'all go when their time has come')
  t.ok(sent.indexOf(idOf(7000)) < sent.indexOf(idOf(10_002)))
})
