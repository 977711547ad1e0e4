/** E-mails about unread messages while the broker is away, contacts are merged, and very many messages come between. */
import t from 'tap'
import { prefixedId } from '../../storage/mod.ts'
import { testNats } from '../support/mod.ts'
import { eventually, type Json, sleep } from './client.ts'
import { made, startWorld } from './fixture.ts'
import { startLine } from './line.ts'
import { openShop } from './unread_mail_client.ts'

const nats = await testNats(t)
const line = await startLine(t, nats.url)
// A broker that can be cut off; and a node finds timers that were turned back in the database when it starts.
const world = await startWorld(t, { config: { nats_url: line.url, nats_prefix: nats.prefix } })

type Shop = Awaited<ReturnType<typeof openShop>>

async function comeDue(shop: Shop): Promise<void> {
  await shop.turnBack()
  await world.restart()
}

const contactOf = async ({ tenant }: Shop, { user_id }: { user_id: string }): Promise<Json> =>
  (await made(tenant.api('GET', `contacts?channel_type=web&search=${user_id}`))).data[0]

t.test(
  'a visitor who has the chat open gets no mail because the broker was away when the nodes were asked',
  async (t) => {
    const shop = await openShop(t, world)
    const ana = await shop.visit({ email: 'ana@example.com' })
    await ana.send('Are you there?')
    await shop.open(ana.token)
    await line.refuse()
    await shop.turnBack()
    await eventually('the nodes are asked', async () => {
      const [timer] = await shop.timers()
      return !timer || timer.is_ahead
    })
    // Longer than nodes have for an answer. A mail that is right to come would come all the same.
    await sleep(4_000)
    await line.mend()
    await eventually('the visitor is found', async () => {
      await shop.turnBack()
      await sleep(1_000)
      const [timer] = await shop.timers()
      return !timer || timer.is_later
    })
    t.match(await shop.timers(), [{ is_later: true }], 'the wait has begun anew')
    t.same(shop.smtp.mails, [])
  },
)

t.test('a mail to one of several contacts that become one is no mail about the messages of the others', async (t) => {
  const shop = await openShop(t, world)
  const { tenant, database } = shop
  const visitOf = (name: string) => shop.visit({ email: `${name}@example.com` })
  const [tom, sam, fay] = [await visitOf('tom'), await visitOf('sam'), await visitOf('fay')]
  const [toms, sams, fays] = [await contactOf(shop, tom), await contactOf(shop, sam), await contactOf(shop, fay)]
  await fay.send('The first for Fay')
  await tom.send('For Tom')
  await sam.send('For Sam')
  await fay.send('The last for Fay')
  /** Has the timers of this contact wait for later. */
  const putOff = (contact: Json, hours: number) =>
    database.execute(`update timer set due_at = due_at + interval '${hours} hours'
      where address = 'project/${tenant.project_id}' and name like 'unread_mail/${contact._id}/%'`)
  const mailTo = (name: string) => eventually(`${name} has mail`, () => shop.mailsTo(`${name}@example.com`)[0])
  const merge = async (into: Json, from: Json): Promise<string> => {
    const { _id } = await made(tenant.api('POST', `contacts/${into._id}/merge`, { from_contact_id: from._id }))
    await eventually('it is merged', async () => {
      const { data } = await made(tenant.api('GET', `contacts/${into._id}/merges`))
      return data.every(({ status }: Json) => status === 'merged')
    })
    return _id
  }
  for (const contact of [toms, sams]) await putOff(contact, 10)
  await comeDue(shop)
  await mailTo('fay')
  await putOff(sams, -10)
  const merge_id = await merge(sams, fays)
  const isAt = (status: string) => `update contact_merge set status = '${status}' where _id = '${merge_id}'`
  await database.execute(isAt('undoing'))
  await comeDue(shop)
  await eventually('it was looked at', async () => (await shop.timers()).every(({ is_ahead }) => is_ahead))
  t.same(shop.mailsTo('sam@example.com'), [], 'what is unread is known when all is moved')
  await database.execute(isAt('merged'))
  await comeDue(shop)
  t.match((await mailTo('sam')).text, /:\s+For Sam\s+--/, 'what was mailed is not mailed again')
  await merge(toms, sams)
  await putOff(toms, -10)
  await comeDue(shop)
  t.match((await mailTo('tom')).text, /:\s+For Tom\s+--/)
  await shop.settled()
  t.equal(shop.smtp.mails.length, 3)
})

t.test('a day has three mails, however many messages come between them', async (t) => {
  const shop = await openShop(t, world)
  const { tenant, database } = shop
  const ana = await shop.visit({ email: 'many@example.com' })
  await ana.send('Answer 1')
  await comeDue(shop)
  await eventually('the mail is there', () => shop.mailsTo('many@example.com')[0])
  const copy = (count: number, channel: string) =>
    database.execute(`insert into message (id, company_id, project_id, channel, channel_id, direction, "from", "to", chat_user, type,
        message, status, confirmed, created_at, updated_at)
      select one.id, company_id, project_id, channel, channel_id, direction, "from", "to", chat_user, type, message, status,
        confirmed, created_at, updated_at
      from (select * from message where project_id = '${tenant.project_id}' and channel = '${channel}' limit 1) m
      cross join unnest(array['${Array.from({ length: count }, () => prefixedId('msg')).join("','")}']) one (id)`)
  await copy(2, 'email')
  await copy(600, 'web')
  await ana.send('Answer 2')
  await comeDue(shop)
  await eventually('it was looked at', async () => (await shop.timers()).every(({ is_ahead }) => is_ahead))
  await shop.settled()
  t.match(await shop.timers(), [{ is_later: true }], 'the fourth waits for the next day')
  t.equal(shop.smtp.mails.length, 1)
})
