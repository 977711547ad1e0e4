/** A session that is reset closes its socket, whatever the server did to it before. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { testDatabase, testDatabaseUrl } from '../support/mod.ts'

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

t.test('a backslash in a literal means nothing, whatever the server thinks of it by default', async (t) => {
  const url = await testDatabaseUrl(t)
  const first = await openDatabase({ url, pool_size: 1 })
  const [row] = await first.execute<{ name: string }>('select current_database() as name')
  await first.execute(`alter database "${row!.name}" set standard_conforming_strings = off`)
  await first.close()
  const database = await openDatabase({ url, pool_size: 1 })
  t.teardown(() => database.close())
  t.strictSame(await database.execute(String.raw`select 'a\' as text`), [{ text: 'a\\' }])
})
