import t from 'tap'
import { BulkQueue } from '../../../actors/broadcast/bulk_queue.ts'
import { BulkRate, FLOOR } from '../../../actors/broadcast/bulk_rate.ts'
import { Foreground } from '../../../actors/foreground.ts'

/** Recipients that a broadcast takes up at once while clients write. */
const SLICE = 25

/**
 * A machine that commits a write in `undisturbed_ms`, and slower the nearer the bulk work is to its `capacity`. Writes
 * come a hundred times a second; a broadcast takes up what it may, at most `wanted` a second.
 */
class Machine {
  readonly rate = new BulkRate()
  readonly #foreground = new Foreground()
  readonly #queue = new BulkQueue()
  #now = 0
  #next = 0
  #noise = 1
  /** Recent bulk work (recipients a second); a slice is felt for a tenth of a second. */
  #load = 0
  undisturbed_ms = 5
  capacity = 1000
  wanted = Number.POSITIVE_INFINITY

  /** Returns the recipients a second over that time. */
  run(seconds: number): number {
    let taken = 0
    for (const end = this.#now + seconds * 1000; this.#now < end; this.#now++) {
      while (this.#next <= this.#now) taken += this.#ask()
      this.#load *= 0.99
      if (this.#now % 10 !== 0) continue
      // A fixed sequence of errors of up to a fifth.
      this.#noise = (this.#noise * 16_807) % 2_147_483_647
      const error = 0.8 + (0.4 * this.#noise) / 2_147_483_647
      this.#foreground.committed((this.undisturbed_ms * error) / (1 - Math.min(0.95, this.#load / this.capacity)))
    }
    return taken / seconds
  }

  /** A timer is up to 4 ms late. */
  #late(): number {
    return this.#noise % 5
  }

  #ask(): number {
    const wait_ms = this.#queue.ask('b', 'p', SLICE, this.rate.at(this.#now, this.#foreground), this.#now)
    if (wait_ms > 0) {
      this.#next = this.#now + wait_ms + this.#late()
      return 0
    }
    this.rate.taken(SLICE)
    this.#load += SLICE * 10
    this.#next = this.#now + (SLICE * 1000) / this.wanted
    return SLICE
  }
}

t.test('broadcasts begin with the floor, and grow as long as writers wait no longer', async (t) => {
  const machine = new Machine()
  machine.capacity = 100_000
  t.equal(machine.rate.per_second, FLOOR)
  machine.run(10)
  const early = machine.rate.per_second
  t.ok(early > 2 * FLOOR, `${early} after 10 s`)
  machine.run(60)
  t.ok(machine.rate.per_second > 5000, `${machine.rate.per_second} after 70 s: there is no upper limit`)
})

t.test('the rate finds the part of the machine that writers do not feel', async (t) => {
  const machine = new Machine()
  machine.capacity = 2000
  machine.run(60)
  const per_second = machine.run(60)
  // At 1000 a second a commit takes twice as long.
  t.ok(per_second > 400 && per_second < 1000, `${per_second} a second`)
})

t.test('the rate never falls below the floor, and recovers', async (t) => {
  const machine = new Machine()
  machine.capacity = 210
  machine.run(60)
  t.ok(machine.rate.per_second < 2 * FLOOR)
  t.ok(machine.run(60) > FLOOR * 0.9)
  machine.capacity = 5000
  machine.run(30)
  t.ok(machine.rate.per_second > 1000, `${machine.rate.per_second}`)
})

t.test('a machine that became slower for other reasons does not hold broadcasts back for ever', async (t) => {
  const machine = new Machine()
  machine.capacity = 5000
  machine.run(60)
  machine.undisturbed_ms = 20
  machine.run(5)
  t.ok(machine.rate.per_second < 700, 'at first it looks like the fault of the broadcasts')
  machine.run(180)
  t.ok(machine.rate.per_second > 1000, `${machine.rate.per_second} after three minutes`)
})

t.test('a rate that is not used does not grow', async (t) => {
  const machine = new Machine()
  machine.capacity = 100_000
  machine.wanted = 100
  machine.run(60)
  t.equal(machine.rate.per_second, FLOOR)
})

t.test('a pause is short, also for a broadcast that takes up few at once', async (t) => {
  const machine = new Machine()
  machine.capacity = 5000
  machine.run(60)
  let least = Number.POSITIVE_INFINITY
  for (let second = 0; second < 60; second++) least = Math.min(least, machine.run(2))
  t.ok(least > 500, `${least} a second over two seconds`)
})

t.test('a long time without broadcasts is no measurement', async (t) => {
  const foreground = new Foreground()
  const rate = new BulkRate()
  const run = (from: number) => {
    for (let now = from; now < from + 1500; now += 10) {
      foreground.committed(5)
      rate.at(now, foreground)
      t.ok((rate.undisturbed_ms ?? 5) === 5, 'the writes of now count, and no others')
    }
  }
  run(0)
  t.equal(rate.undisturbed_ms, 5)
  // An hour of writes, slow ones among them, before the next broadcast.
  for (let i = 0; i < 1000; i++) foreground.committed(500)
  run(3_600_000)
  t.equal(rate.undisturbed_ms, 5)
})
