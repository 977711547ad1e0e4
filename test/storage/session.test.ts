/** A session that is reset closes its socket, whatever the server did to it before. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import t from 'tap'
import { testDatabase } from '../support/mod.ts'

const MOMENTS: [string, (work: () => void) => void][] = [
  ['as soon as the server has ended it', (work) => work()],
  ['while it ends its own side', (work) => queueMicrotask(work)],
  ['after both have ended', (work) => setImmediate(work)],
]

for (const [name, at] of MOMENTS) {
  t.test(`a session that is reset ${name} leaves no socket`, async (t) => {
    const { database } = await testDatabase(t)
    const session = await database.session()
    const { stream } = session.connection as unknown as { stream: Socket }
    stream.once('end', () => at(() => session.reset()))
    const closed = once(stream, 'close')
    const [row] = ((await session.query('select pg_backend_pid() as pid')) as { rows: { pid: number }[] }).rows
    await database.execute('select pg_terminate_backend(?)', [row!.pid])
    await t.resolves(closed)
    t.ok(session.is_lost)
  })
}
