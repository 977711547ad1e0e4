import t from 'tap'
import { BulkRate, FLOOR } from '../../../actors/broadcast/bulk_rate.ts'
import { Foreground } from '../../../actors/foreground.ts'

/**
 * A machine that commits a write in `undisturbed_ms`, and slower the nearer the bulk work is to its `capacity`. Writes
 * come a hundred times a second; broadcasts take up what they may, at most `wanted` a second.
 */
class Machine {
  readonly rate = new BulkRate()
  readonly #foreground = new Foreground()
  #now = 0
  #noise = 1
  undisturbed_ms = 5
  capacity = 1000
  wanted = Number.POSITIVE_INFINITY

  /** Returns the recipients a second over that time. */
  run(seconds: number): number {
    let taken = 0
    for (const end = this.#now + seconds * 1000; this.#now < end; this.#now += 10) {
      const may = Math.min(this.rate.at(this.#now, this.#foreground), this.wanted) / 100
      this.rate.taken(may)
      taken += may
      // A fixed sequence of errors of up to a fifth.
      this.#noise = (this.#noise * 16_807) % 2_147_483_647
      const error = 0.8 + (0.4 * this.#noise) / 2_147_483_647
      const load = Math.min(0.95, (may * 100) / this.capacity)
      this.#foreground.committed((this.undisturbed_ms * error) / (1 - load))
    }
    return taken / seconds
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
