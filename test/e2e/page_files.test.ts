/** Files on Messenger and Instagram: of albums, of what the business writes in the app, and at addresses that are not asked. */
import t from 'tap'
import { callAsPage, connectPage } from '../inputs/page_account.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const { control } = world

/** The smallest PNG. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

const isStored = ({ media_status }: Json) => media_status === 'stored'
const isFailed = ({ media_status }: Json) => media_status === 'failed'
const isOfAlbum = ({ provider_message_id }: Json) => provider_message_id === 'm_album'

for (const channel of ['messenger', 'instagram', 'facebook']) {
  t.test(`${channel}: each file of a message is kept, also of one that the business wrote in the app`, async (t) => {
    const tenant = await makeTenant(world)
    const account = await connectPage(world, tenant, channel)
    const { account_id } = account
    const said = { channel, from: '6543210987654321', account_id }
    const image = { data: PICTURE }
    const attachments = []
    for (let n = 0; n < 2; n++) {
      const { event } = await made(control('POST', 'inbound', { ...said, message: { type: 'image', image } }))
      attachments.push(...event.message.attachments)
    }
    const album = { sender: { id: '6543210987654322' }, message: { mid: 'm_album', attachments } }
    t.equal((await callAsPage(world, account, [album])).status, 200)
    await made(control('POST', 'inbound', { ...said, message: { type: 'image' }, by_business: true }))
    const messages = await eventually('all files', async () => {
      const { data } = (await tenant.api('GET', 'messages')).body as { data: Json[] }
      return data.length === 5 && data.every(({ message }) => isStored(message)) && data
    })
    const ids = new Set(messages.map(({ message }) => message.media_id))
    t.equal(ids.size, 5, 'each has its own')
    t.match(
      messages.filter(({ direction }) => direction === 'outbound'),
      [{ origin: 'app', message: { mime_type: 'image/png' } }],
    )

    const one = (media_id: string) => tenant.api('GET', `media/${media_id}?phone_number_id=any`)
    const of_album = messages.filter(({ chat_user }) => chat_user === messages.find(isOfAlbum)?.chat_user)
    t.equal(of_album.length, 2)
    const withdrawal = { sender: album.sender, message: { mid: 'm_album', is_deleted: true } }
    t.equal((await callAsPage(world, account, [withdrawal])).status, 200)
    await eventually('the files of the withdrawn message are gone', async () => {
      const found = await Promise.all(of_album.map(({ message }) => one(message.media_id)))
      return found.every(({ status }) => status === 404)
    })
  })
}

t.test('an address that Meta would not have is not asked for a file', async (t) => {
  const tenant = await makeTenant(world)
  const account = await connectPage(world, tenant, 'messenger')
  const urls = [
    'http://203.0.113.7/a.png',
    'https://10.0.0.1/a.png',
    'ftp://cdn.example/a.png',
    'https://a:b@cdn.example/a',
  ]
  const attachments = urls.map((url) => ({ type: 'image', payload: { url } }))
  await callAsPage(world, account, [{ sender: { id: '1' }, message: { mid: 'm_odd', attachments } }])
  const messages = await eventually('the reasons', async () => {
    const { data } = (await tenant.api('GET', 'messages')).body as { data: Json[] }
    return data.length === 4 && data.every(({ message }) => isFailed(message)) && data
  })
  const reasons = new Map(messages.map(({ message }) => [message.link, message.media_error.code]))
  t.same(
    urls.map((url) => reasons.get(url)),
    ['address_forbidden', 'address_forbidden', 'invalid_request', 'url_credentials'],
  )
})
