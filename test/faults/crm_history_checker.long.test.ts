/**
 * The checker of CRM histories finds what is lost, and forgives the loss of changes that a server that took over never
 * had.
 */
import t from 'tap'
import { literal, openDatabase } from '../../storage/mod.ts'
import { eventually } from '../e2e/client.ts'
import { makeTenant, startWorld } from '../e2e/fixture.ts'
import type { Interval } from '../e2e/history_checker.ts'
import { crmFindings, Heard } from './crm_history_checker.ts'
import { type CrmLoad, prepareCrm, runCrm } from './crm_work.ts'

const world = await startWorld(t, { waits: { confirm_ms: 30_000, send_ms: 10_000 } })
const tenant = await makeTenant(world)
const { project_id } = tenant
const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
t.teardown(() => database.close())
const place = await prepareCrm(world, tenant)
const heard = new Heard()
world.sink.answer(place.path, ({ body }) => {
  heard.take(body)
  return 200
})

const name = 'moves'
const load = runCrm(tenant, place, name, false)
await eventually('there are moves', () => load.moved.length > 12)
await load.stop()
await eventually('all is told', async () => {
  const rows = await database.execute(`select count(*)::int as open from delivery where status <> 'success'`)
  return rows[0]!.open === 0
})

async function found(history: CrmLoad, lost?: Interval): Promise<string[]> {
  const all = await crmFindings({ database, project_id, name, load: history, heard, lost })
  return [...new Set(all.map(({ kind }) => kind))].sort()
}

/** Takes back the last moves of a ticket, as if the server never had them. */
async function takeBack(count: number) {
  const { ticket_id } = load.moved.at(-1)!
  const moves = load.moved.filter((one) => one.ticket_id === ticket_id)
  const kept = moves.at(-1 - count)!
  await database.execute(`update ticket set version = ${kept.version}, stage_id = ${literal(kept.stage_id)}
    where _id = ${literal(ticket_id)}`)
  return moves.slice(-count)
}

t.test('a load that went well has no finding', async (t) => {
  t.same(await found(load), [])
})

t.test(
  'an acknowledged event that is missing is lost, unless the server lost the time of its acknowledgement',
  async (t) => {
    const event = { ...load.recorded[0]!, id: 'f'.repeat(24), key: `${name} 9 0`, data: { worker: 9, n: 0 } }
    const more = { ...load, recorded: [...load.recorded, event] }
    t.ok((await found(more)).includes('lost'))
    t.same(await found(more, { from: event.at, to: event.at }), [])
  },
)

t.test('an undone move is lost, unless the server lost the time of its acknowledgement', async (t) => {
  const undone = await takeBack(2)
  t.same(await found(load), ['lost'])
  const lost = { from: undone[0]!.at, to: undone.at(-1)!.at }
  t.same(await found(load, lost), [])
  t.same(await found(load, { from: undone[1]!.at, to: undone[1]!.at }), ['lost'], 'the first of them had to stay')
  const next = { ...undone[0]!, at: lost.to + 1 }
  t.ok((await found({ ...load, moved: [...load.moved, next] })).includes('doubled'), 'without such a time')
})
