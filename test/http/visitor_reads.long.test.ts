/** Reads for the visitors of one project, however slow and many, leave those of others a place. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { eventually } from '../e2e/client.ts'
import { makeTenant, startWorld } from '../e2e/fixture.ts'
import { connectWeb, type Visitor, visitPage } from './visitor_page.ts'

/** With their questions, and that of the other page, fewer than the 500 that one address may ask at once. */
const PAGES = 19
/** As many as a page may ask at once. */
const QUESTIONS = 25

// A node of its own, because a test holds a table of all tenants.
const world = await startWorld(t)
const database = await openDatabase({ url: world.config.database_url!, pool_size: 2 })
t.teardown(() => database.close())

t.test('a read begins while hundreds of another project wait', async (t) => {
  const [many, other] = [await makeTenant(world), await makeTenant(world)]
  const [channel, others] = [await connectWeb(world, many), await connectWeb(world, other)]
  const page = await visitPage(t, { base_url: world.base_url, channel: others })
  await page.write('Hello')
  const [session] = await eventually('the session is stored', async () => {
    const rows = await database.execute<{ hash: string }>('select hash from visitor_session where channel_id = ?', [
      others,
    ])
    return rows.length > 0 && rows
  })
  const pages: Visitor[] = []
  for (let n = 0; n < PAGES; n++) pages.push(await visitPage(t, { base_url: world.base_url, channel }))
  /** The statements about sessions that wait for the table, of this session or of all others. */
  const waiting = async (is_own: boolean) => {
    const [row] = await database.execute<{ count: number }>(`
      select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and query like '%from visitor_session%' and (strpos(query, '${session!.hash}') > 0) = ${is_own}`)
    return row!.count
  }
  let answered = 0
  await database.em().transactional(async (em) => {
    await em.execute('set local idle_in_transaction_session_timeout = 0')
    await em.execute('lock table visitor_session in access exclusive mode')
    for (const { socket } of pages) for (let n = 0; n < QUESTIONS; n++) socket.emit('history', {}, () => answered++)
    await eventually('some wait for the table', async () => (await waiting(false)) >= 3)
    let is_refused = false
    page.socket.emit('history', {}, () => {
      is_refused = true
    })
    await eventually('the other one waits for the table, too', async () => is_refused || (await waiting(true)) > 0)
    t.notOk(is_refused, 'it had a place at once')
  })
  await eventually('all are answered', () => answered === PAGES * QUESTIONS)
  t.match(await page.ask('history'), { messages: [{ message: { body: 'Hello' } }] })
})
