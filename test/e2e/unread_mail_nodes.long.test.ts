/** Visitors who have the chat open at one node are known to the other one, whichever owns their project. */
import t from 'tap'
import { type Visitor, visitPage } from '../http/visitor_page.ts'
import { eventually } from './client.ts'
import { startCluster } from './cluster.ts'
import { openShop } from './unread_mail_client.ts'

const cluster = await startCluster(t)
const { nodes, world } = cluster

t.test('a visitor with a page at any node gets no mail, and does when the page is closed', async (t) => {
  const shop = await openShop(t, world)
  const visitors: Awaited<ReturnType<typeof shop.visit>>[] = []
  for (const n of nodes.keys()) visitors.push(await shop.visit({ email: `at-node-${n}@example.com` }))
  const gone = await shop.visit({ email: 'gone@example.com' })
  for (const one of [...visitors, gone]) await one.send('Are you there?')
  const pages: Visitor[] = []
  for (const [n, { token }] of visitors.entries()) {
    const { base_url } = nodes[n]!
    pages.push(await visitPage(t, { base_url, channel: shop.channel, token, origin: 'https://shop.example' }))
  }
  await shop.turnBack()
  await eventually('the mail is there', () => shop.mailsTo('gone@example.com')[0])
  await shop.settled()
  t.match(
    await shop.timers(),
    visitors.map(() => ({ is_later: true })),
    'the others have the chat open',
  )
  const owner = (await eventually('the owner', () => cluster.ownerOf(`project/${shop.tenant.project_id}`)))!
  await cluster.drain(owner)
  await shop.turnBack()
  await shop.settled()
  t.equal((await shop.timers()).length, visitors.length, 'the next owner asks as well')
  t.equal(shop.smtp.mails.length, 1)
  for (const { socket } of pages) socket.disconnect()
  await eventually('all have mail', async () => {
    await shop.turnBack()
    await shop.settled()
    return visitors.every(({ email }) => shop.mailsTo(email!)[0])
  })
  t.equal(shop.smtp.mails.length, 1 + visitors.length)
})
