/**
 * People write, and prove that they are one, while thousands of records of merged contacts are moved and moved back, and
 * the node is killed and ended meanwhile.
 */
import t from 'tap'
import { plainQuery } from '../support/mod.ts'
import { eventually, type Json } from './client.ts'
import { made, makeTenant } from './fixture.ts'
import { startKillable } from './killable.ts'
import { callAsProvider } from './provider_call.ts'

const RECORDS = 4000
const PEOPLE: Record<string, Json> = {
  mine: { from: '15550490001' },
  theirs: { from: '15550490002' },
  id: { from_user_id: 'US.70700490003' },
}
const PROOF = { ...PEOPLE.mine, ...PEOPLE.id }

t.test(
  'what comes while contacts are merged and separated is there once, and each has its own at the end',
  async (t) => {
    const world = await startKillable(t)
    const tenant = await makeTenant(world)
    const { api } = tenant
    const database = (statement: string) => plainQuery(world.config.database_url!, statement)
    const texts: Record<string, string[]> = { mine: [], theirs: [], id: [] }
    let said = 0
    /** The provider repeats a call until it is taken. */
    const write = async (who: string, from = PEOPLE[who]!) => {
      const body = `text ${++said}`
      texts[who]!.push(body)
      const message = { id: `wamid.trouble.${said}`, text: { body }, ...from }
      await eventually('the call is taken', async () => {
        const answer = await callAsProvider(world, tenant.number, { messages: [message] }).catch(() => undefined)
        return answer?.status === 200
      })
    }
    for (const who of Object.keys(PEOPLE)) await write(who)
    const contacts: Json[] = (await made(api('GET', 'contacts'))).data
    const contactOf = (id: string) => contacts.find(({ user_id }) => user_id === id)!._id
    const ids: Record<string, string> = {
      mine: contactOf('15550490001'),
      theirs: contactOf('15550490002'),
      id: contactOf('US.70700490003'),
    }
    await database(`insert into message (id, company_id, project_id, channel, channel_id, direction, "from", chat_user, type, message,
      status, confirmed, created_at, updated_at)
    select 'msg_' || substr(md5(n::text), 1, 24), company_id, project_id, channel, channel_id, direction, "from", chat_user, type,
      '{"type":"text","body":"old"}', status, confirmed, created_at, updated_at
    from message cross join generate_series(1, ${RECORDS}) n where chat_user = '${ids.theirs}'`)
    const recordsOf = async (who: string): Promise<number> => {
      const [row] = await database(`select count(*)::int as count from message where chat_user = '${ids[who]}'`)
      return row!.count as number
    }
    /** The records of each contact, sorted. */
    const found = async () => {
      const rows = await database(
        `select chat_user, message->>'body' as body from message where provider_message_id is not null order by 1, 2`,
      )
      return Object.fromEntries(
        Object.entries(ids).map(([who, id]) => [
          who,
          rows.filter(({ chat_user }) => chat_user === id).map(({ body }) => body),
        ]),
      )
    }
    const mergesAre = (...statuses: string[]) =>
      eventually(`the merges are ${statuses}`, async () => {
        const rows = await database('select status from contact_merge order by reason desc')
        return rows.map(({ status }) => status).join() === statuses.join()
      })
    const openTickets = async () =>
      (await made(api('GET', 'crm/tickets?is_closed=false'))).data.map((one: Json) => one.chat_user).sort()
    const rounds = async (proves: boolean) => {
      for (let n = 0; n < 6; n++) {
        await write('mine')
        await write('theirs')
        if (proves && n === 1) await write('mine', PROOF)
      }
    }
    /** Ends the node each time that so many records have left the contact. */
    const ended = async (who: string, signals: NodeJS.Signals[]) => {
      const all = await recordsOf(who)
      for (const [n, signal] of signals.entries()) {
        await eventually('the moment of the end', async () => (await recordsOf(who)) < all - n * 1000)
        await world.process().end(signal)
        await world.start()
      }
    }

    const merge = await made(api('POST', `contacts/${ids.mine}/merge`, { from_contact_id: ids.theirs }))
    await Promise.all([rounds(true), ended('theirs', ['SIGKILL', 'SIGTERM', 'SIGKILL'])])
    await mergesAre('merged', 'merged')
    t.same(await found(), { mine: Object.values(texts).flat().sort(), theirs: [], id: [] })
    t.equal(await recordsOf('mine'), RECORDS + said)
    t.same(await openTickets(), [ids.mine])

    const merges: Json[] = (await made(api('GET', `contacts/${ids.mine}/merges`))).data
    const proof = merges.find(({ reason }) => reason === 'proof')!
    await made(api('POST', `contacts/${ids.mine}/merges/${merge._id}/undo`))
    await Promise.all([rounds(false), ended('mine', ['SIGTERM', 'SIGKILL'])])
    await mergesAre('undone', 'merged')
    await made(api('POST', `contacts/${ids.mine}/merges/${proof._id}/undo`))
    await mergesAre('undone', 'undone')
    t.same(await found(), Object.fromEntries(Object.entries(texts).map(([who, bodies]) => [who, bodies.toSorted()])))
    t.equal(await recordsOf('theirs'), RECORDS + texts.theirs!.length)
    t.same(await database('select * from merged_record'), [], 'nothing is left to give back')
    t.same(await openTickets(), Object.values(ids).sort())
    t.same(await database('select * from dead_letter'), [])
  },
)
