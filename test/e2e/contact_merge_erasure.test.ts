/** People are erased while contacts are merged and separated. */
import t from 'tap'
import { plainQuery } from '../support/mod.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant, type Tenant } from './fixture.ts'

const world = await joinWorld(t)
const { operator } = world
const database = (statement: string) => plainQuery(world.config.database_url!, statement)

let numbers = 15_550_480_000

/** Two contacts, each of whom wrote. */
async function makePair(tenant: Tenant): Promise<Json[]> {
  const ids = [String(++numbers), String(++numbers)]
  for (const id of ids) await tenant.writes(id, `From ${id}`)
  return eventually('both are contacts', async () => {
    const { data } = await made(tenant.api('GET', 'contacts?limit=100'))
    const found = ids.map((id) => data.find(({ user_id }: Json) => user_id === id))
    return found.every(Boolean) && found
  })
}

/** Gives the contact as many messages as take several turns to move. */
const fill = ({ _id }: Json) =>
  database(`insert into message (id, company_id, project_id, channel, channel_id, direction, "from", chat_user, type, message,
      status, confirmed, created_at, updated_at)
    select 'msg_' || substr(md5('${_id}' || n), 1, 24), company_id, project_id, channel, channel_id, direction, "from", chat_user,
      type, json_build_object('type', 'text', 'body', 'Secret of ${_id}'), status, confirmed, created_at, updated_at
    from message cross join generate_series(1, 2600) n where chat_user = '${_id}'`)

async function count(where: string): Promise<number> {
  const [row] = await database(`select count(*)::int as count from message where ${where}`)
  return row!.count as number
}

const erase = ({ _id: id }: Json) => made(operator('POST', 'erasures', { kind: 'contact', id, confirm: true }))

const erased = ({ _id }: Json) =>
  eventually('the erasure has ended', async () => (await operator('GET', `erasures/${_id}`)).body.status === 'done')

const merge = ({ api }: Tenant, into: Json, from: Json) =>
  api('POST', `contacts/${into._id}/merge`, { from_contact_id: from._id })

const mergeIs = ({ _id }: Json, status: string) =>
  eventually(`the merge is ${status}`, async () => {
    const [row] = await database(`select status from contact_merge where _id = '${_id}'`)
    return row?.status === status
  })

t.test('who is separated and erased at once leaves no message, and the other one keeps all', async (t) => {
  const tenant = await makeTenant(world)
  for (const victim of ['former', 'survivor'] as const) {
    const [survivor, former] = (await makePair(tenant)) as [Json, Json]
    await fill(former)
    const merged = await made(merge(tenant, survivor, former))
    await mergeIs(merged, 'merged')
    const undone = tenant.api('POST', `contacts/${survivor._id}/merges/${merged._id}/undo`)
    await made(undone)
    await erased(await erase(victim === 'former' ? former : survivor))
    const secrets = await count(`message->>'body' = 'Secret of ${former._id}'`)
    t.equal(secrets, victim === 'former' ? 0 : 2600, `the ${victim} is erased`)
    t.equal(await count(`chat_user = '${survivor._id}'`), victim === 'former' ? 1 : 0)
  }
})

t.test('an erasure waits for a merge under way, and who is being erased is merged no more', async (t) => {
  const tenant = await makeTenant(world)
  const [survivor, former] = (await makePair(tenant)) as [Json, Json]
  const [other] = (await makePair(tenant)) as [Json]
  const merged = await made(merge(tenant, survivor, former))
  await mergeIs(merged, 'merged')
  const set = (status: string) => database(`update contact_merge set status = '${status}' where _id = '${merged._id}'`)
  await set('merging')
  const erasure = await erase(survivor)
  await eventually('it waits', async () => {
    const { waits_for } = (await operator('GET', `erasures/${erasure._id}`)).body
    return /merge/.test(waits_for ?? '')
  })
  const refused = { status: 422, body: { error: { code: 'RECORD_ERASED' } } }
  t.match(await merge(tenant, other, survivor), refused)
  t.match(await merge(tenant, survivor, other), refused)
  t.match(await tenant.api('POST', `contacts/${survivor._id}/merges/${merged._id}/undo`), refused)
  await set('merged')
  await erased(erasure)
  t.equal(await count(`chat_user in ('${survivor._id}', '${former._id}')`), 0)
  t.equal(await count(`chat_user = '${other._id}'`), 1)
})
