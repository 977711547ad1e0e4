/** The modelled PostgreSQL of simulated histories passes the tests of the real one, in virtual time. */
import t from 'tap'
import { type Row, storeConformance } from '../runtime/store_conformance.ts'
import { Host } from './host.ts'
import { Line } from './line.ts'
import { ModelStore } from './model_store.ts'
import { Server } from './server.ts'
import { World } from './world.ts'

storeConformance(t, async () => {
  const world = new World(1)
  const server = new Server(world, false)
  const host = new Host(world, 1, 'one', 1)
  const pass = (ms: number) => world.run(() => false, world.time + ms)
  return {
    store: async () => new ModelStore(new Line(host, server)),
    async hold(row, mode) {
      const session = {}
      server.locks.acquire(
        session,
        nameOf(row),
        mode,
        0,
        () => {},
        () => {},
      )
      return async () => server.locks.release(session)
    },
    // In the model they wait as soon as time has passed.
    queued: async () => {},
    pass,
    async done(work) {
      let is_over = false
      work.then(
        () => {
          is_over = true
        },
        () => {
          is_over = true
        },
      )
      await world.run(() => is_over)
      if (!is_over) throw new Error('nothing more happens, and it is not done')
      return work
    },
    async readOnly(yes) {
      server.is_read_only = yes
      server.replace()
      await pass(100)
    },
  }
})

function nameOf(row: Row): string {
  if ('outbox' in row) return `outbox ${row.outbox.join(' ')}`
  if ('timer' in row) return `timer ${row.timer.join(' ')}`
  return Object.entries(row)[0]!.join(' ')
}
