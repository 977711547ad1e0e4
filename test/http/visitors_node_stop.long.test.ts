/** A node that stops sends its visitors away, and another one takes them. */
import t from 'tap'
import { startCluster } from '../e2e/cluster.ts'
import { made, makeTenant } from '../e2e/fixture.ts'
import { connectWeb, visitPage } from './visitor_page.ts'

t.test('a visitor of a node that stops comes back to another, and finds the conversation', async (t) => {
  // One of the nodes stops.
  const { nodes, world } = await startCluster(t)
  const [one, other] = nodes
  const company = await makeTenant(world)
  const channel = await connectWeb(world, company)
  const visitor = await visitPage(t, { base_url: other!.base_url, channel })
  await visitor.write('Hello')
  const message = { type: 'text', body: 'Hi!' }
  const fields = { channel: 'web', channel_id: channel, to: visitor.user_id, message }
  const { id } = await made(company.api('POST', 'messages', fields))
  await company.message(id, 'sent')
  const gone = new Promise((resolve) => visitor.socket.on('disconnect', resolve))
  await other!.stop()
  await gone
  const back = await visitPage(t, { base_url: one!.base_url, channel, token: visitor.token })
  t.equal((await back.ask('history')).messages.length, 2)
})
