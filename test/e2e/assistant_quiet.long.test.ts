/** A restored copy with a conversation in the middle of a turn: it waits for the resume, however long that takes, and goes on. */
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { newPerson, openDesk } from './assistant_desk.ts'
import { eventually, type Json } from './client.ts'
import { made, makeTenant } from './fixture.ts'
import { startKillable } from './killable.ts'

/** Less than the copy is quiet. */
const TURN_MS = 6000

t.test('a quiet copy asks no model, gives no conversation to people, and answers after the resume', async (t) => {
  const node = await startKillable(t, { waits: { conversation: { turn_ms: TURN_MS } } })
  const model = (method: string, path: string, json?: Json) =>
    node.control(method, path === '' ? 'model' : `model/${path}`, json)
  const world = { ...node, model, metrics_url: () => '' }
  const tenant = await makeTenant(node)
  const desk = await openDesk(world, tenant)
  const [thinking, gathering] = [newPerson(), newPerson()]
  await desk.script(`restored ${thinking}`, { answer: 'Lost with the node.', delay_ms: 60_000 }, { answer: 'One.' })
  await desk.script(`restored ${gathering}`, { answer: 'Two.' })
  await desk.says(thinking, `restored ${thinking}`)
  const asked = async () => (await made(model('GET', 'calls'))).data.length
  await eventually('the model thinks', async () => (await asked()) === 1)
  await desk.says(gathering, `restored ${gathering}`)
  await node.process().end('SIGKILL')
  const database = await openDatabase({ url: node.config.database_url!, pool_size: 1 })
  t.teardown(() => database.close())
  const before = await asked()
  await database.execute(`update cluster set home = 'restored'`)
  await node.start()
  // A call that must not happen cannot be waited for.
  await sleep(TURN_MS + 9000)
  t.equal(await asked(), before, 'no model is asked')
  for (const phone of [thinking, gathering]) {
    t.match(await desk.ticketOf(phone), { handled_by: 'assistant' })
    t.same(await desk.answersOf(phone), [])
  }
  await made(node.operator('POST', 'cluster/resume', {}))
  t.match(await desk.answered(thinking), [{ message: { body: 'One.' } }])
  t.match(await desk.answered(gathering), [{ message: { body: 'Two.' } }])
  t.equal(await asked(), before + 2)
  t.same(await database.execute('select * from dead_letter'), [])
})
