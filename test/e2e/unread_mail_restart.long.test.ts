/** E-mails about unread messages over restarts of the node, and how many a visitor gets in a day. */
import t from 'tap'
import { eventually } from './client.ts'
import { startWorld } from './fixture.ts'
import { inboxAgent } from './inbox_client.ts'
import { openShop } from './unread_mail_client.ts'

// A node finds timers that were turned back in the database when it starts.
const world = await startWorld(t)

t.test('a timer outlives the node, and what was mailed is not mailed again', async (t) => {
  const shop = await openShop(t, world)
  const email = 'ana@example.com'
  const ana = await shop.visit({ email })
  const mails = () => shop.mailsTo(email)
  async function comeDue(): Promise<void> {
    await shop.turnBack()
    await world.restart()
    await shop.settled()
  }
  for (let n = 1; n <= 3; n++) {
    await ana.send(`Answer ${n}`)
    await comeDue()
    await eventually(`mail ${n} is there`, () => mails().length === n)
    t.match(mails()[n - 1]!.text, new RegExp(`:\\s+Answer ${n}\\s+--`), 'with nothing of the mails before')
  }
  await ana.send('Answer 4')
  await comeDue()
  t.match(await shop.timers(), [{ is_later: true }], 'the fourth waits for the next day')
  await shop.database.execute(
    `update message set created_at = created_at - interval '1 day' where channel = 'email' and project_id = '${shop.tenant.project_id}'`,
  )
  await shop.database.execute(
    `update timer set due_at = due_at - interval '1 day' where address = 'project/${shop.tenant.project_id}' and name like 'unread_mail/%'`,
  )
  await comeDue()
  await eventually('the fourth mail is there', () => mails().length === 4)
  t.match(mails()[3]!.text, /Answer 4/)
  t.same(await shop.timers(), [])
})

t.test('a failed mail changes nothing for agents, and is not sent again', async (t) => {
  const shop = await openShop(t, world)
  const agent = await inboxAgent(world, shop.tenant)
  const ana = await shop.visit({ email: 'nobody@example.com' })
  await ana.send('Hello?')
  shop.smtp.fail({ at: 'RCPT', reply: '550 no such user' })
  await shop.turnBack()
  await world.restart()
  await shop.settled()
  const row = await eventually('it has failed', async () => {
    const { data } = (await shop.tenant.api('GET', 'messages?status=failed')).body
    return data[0]
  })
  t.match(row, { channel: 'email', to: 'nobody@example.com' })
  t.match(await agent.list(), [{ waiting_since: null, failed_at: null }])
  const retried = await agent.ask('POST', `messages/${row.id}/retry`)
  t.match(retried, { status: 409, body: { error: { code: 'MESSAGE_NOT_FAILED' } } })
  const contacts = (await shop.tenant.api('GET', 'contacts')).body.data
  t.equal(contacts.length, 1, 'the address is no contact')
})
