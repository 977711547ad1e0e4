/** Open pages of web chats: one company's visitors do not keep out those of another. */
import { io } from 'socket.io-client'
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { made, makeTenant, startWorld, type Tenant } from '../e2e/fixture.ts'
import type { Owner } from '../support/mod.ts'

// A node of its own, with few places.
const world = await startWorld(t, { config: { max_visitors: 8 } })

async function chatOf({ project_id }: Tenant): Promise<string> {
  const credentials = { visitor_secret: 'the secret of the visitors' }
  const channel = { project_id, channel_type: 'web', provider: 'cloud', name: 'Shop', credentials }
  return (await made(world.operator('POST', 'channels', channel)))._id
}

/** Opens a page. Rejects with the message for it. */
function visit(owner: Owner, channel_id: string): Promise<{ leave(): void }> {
  const socket = io(world.base_url, {
    path: '/visitor/socket.io',
    transports: ['websocket'],
    auth: { channel_id },
    reconnection: false,
    forceNew: true,
  })
  owner.teardown(() => socket.disconnect())
  return new Promise((resolve, reject) => {
    socket.on('welcome', () => resolve({ leave: () => socket.disconnect() }))
    socket.on('closed', reject)
    socket.on('connect_error', (error) => reject((error as Error & { data?: Json }).data ?? error))
  })
}

t.test('a company has half of the places of a node, and each that is left again', async (t) => {
  const [busy, other] = [await makeTenant(world), await makeTenant(world)]
  // Two channels are of one company.
  const [channel, second, others] = [await chatOf(busy), await chatOf(busy), await chatOf(other)]
  const pages = [await visit(t, channel), await visit(t, channel), await visit(t, second), await visit(t, second)]
  for (const id of [channel, second]) {
    await t.rejects(visit(t, id), { code: 'TOO_FAST', message: /Too many people/, retry_after_s: 10 })
  }
  for (let n = 0; n < 3; n++) await visit(t, others)
  pages[0]!.leave()
  await eventually('the place is free', () =>
    visit(t, channel).then(
      () => true,
      () => false,
    ),
  )
})

t.test('pages that come at once take no more places than there are', async (t) => {
  const tenant = await makeTenant(world)
  const channel = await chatOf(tenant)
  const all = await Promise.allSettled(Array.from({ length: 7 }, () => visit(t, channel)))
  t.equal(all.filter(({ status }) => status === 'fulfilled').length, 4)
  for (const one of all) if (one.status === 'rejected') t.match(one.reason, { code: 'TOO_FAST' })
})
