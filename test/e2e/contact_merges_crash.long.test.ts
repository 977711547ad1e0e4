/** Nodes are killed while the records of merged contacts are moved, and moved back. */
import t from 'tap'
import { plainQuery } from '../support/mod.ts'
import { eventually, type Json, sleep } from './client.ts'
import { made, makeTenant } from './fixture.ts'
import { startKillable } from './killable.ts'

const KILLS = 3
const MESSAGES = 6000

t.test('a merge and its undo end whenever their node is killed, and each contact has what is its own', async (t) => {
  const world = await startKillable(t)
  const tenant = await makeTenant(world)
  const { api } = tenant
  const database = (statement: string) => plainQuery(world.config.database_url!, statement)
  const ids = ['15550490001', '15550490002']
  for (const id of ids) await tenant.writes(id, 'Hello')
  const [survivor, former] = await eventually('both are contacts', async () => {
    const { data } = (await api('GET', 'contacts')).body
    const found = ids.map((id) => data?.find(({ user_id }: Json) => user_id === id))
    return found.every(Boolean) && (found as Json[])
  })
  await database(`insert into message (id, company_id, project_id, channel, channel_id, direction, "from", chat_user, type, message,
      status, confirmed, created_at, updated_at)
    select 'msg_' || substr(md5(n::text), 1, 24), company_id, project_id, channel, channel_id, direction, "from", chat_user, type,
      message, status, confirmed, created_at, updated_at
    from message cross join generate_series(1, ${MESSAGES}) n where chat_user = '${former!._id}'`)
  const counts = async () => {
    const [row] = await database(`select count(*) filter (where chat_user = '${survivor!._id}')::int as survivor,
      count(*) filter (where chat_user = '${former!._id}')::int as former from message`)
    return row
  }
  const killed = async (kills: number) => {
    for (let kill = 0; kill < kills; kill++) {
      await sleep(50 + 150 * kill)
      await world.process().end('SIGKILL')
      await world.start()
    }
  }
  const ends = (status: string) =>
    eventually(`it is ${status}`, async () => {
      const [row] = await database('select status from contact_merge')
      return row?.status === status
    })
  const merge = await made(api('POST', `contacts/${survivor!._id}/merge`, { from_contact_id: former!._id }))
  await killed(KILLS)
  await ends('merged')
  t.same(await counts(), { survivor: MESSAGES + 2, former: 0 })
  await made(api('POST', `contacts/${survivor!._id}/merges/${merge._id}/undo`))
  await killed(KILLS)
  await ends('undone')
  t.same(await counts(), { survivor: 1, former: MESSAGES + 1 })
  t.same(await database('select * from merged_record'), [], 'nothing is left to give back')
  const { data } = await made(api('GET', 'crm/tickets'))
  t.same(
    data.map(({ is_closed, chat_user }: Json) => [is_closed, chat_user]).sort(),
    [
      [false, survivor!._id],
      [false, former!._id],
    ].sort(),
  )
})
