/** The simulator sends notices as the providers do, and opens a window only when a person writes: what follows is refused. */
import t from 'tap'
import type { Json } from '../e2e/client.ts'
import { joinWorld, made, makeTenant } from '../e2e/fixture.ts'
import { connectPage } from './page_account.ts'

const world = await joinWorld(t)

const OPENS_NONE: Json[] = [
  { type: 'request_welcome' },
  { type: 'revoke', revoke: { original_message_id: 'wamid.x' } },
  { type: 'reaction', reaction: { message_id: 'wamid.x', emoji: '' } },
  { type: 'text', text: { body: 'In a group' }, group_id: 'Y2FwaQ' },
]

t.test('a free text after a notice is refused by WhatsApp, as after nothing', async (t) => {
  const tenant = await makeTenant(world)
  for (const [n, message] of OPENS_NONE.entries()) {
    const from = `+1555041${1000 + n}`
    t.match(await tenant.writes(from, message), { webhook: { status: 200 } })
    const { body } = await tenant.send(from)
    t.match(body.warnings, [{ code: 'WINDOW_CLOSED' }])
    t.match(await tenant.message(body.id, 'failed'), { error: { code: '131047' } })
  }
  await tenant.writes('+15550411000', { type: 'text', text: { body: 'Hi' } })
  const { body } = await tenant.send('+15550411000')
  t.same(body.warnings, [])
  await tenant.message(body.id, 'read')
})

t.test('a person of Messenger edits, withdraws, follows a link and sends an album', async (t) => {
  const tenant = await makeTenant(world)
  const { account_id } = await connectPage(world, tenant, 'messenger')
  const from = '6543210987'
  const act = (message: Json, id?: string) =>
    made(world.control('POST', 'inbound', { channel: 'messenger', account_id, from, message, ...(id && { id }) }))
  const image = (n: number) => ({ type: 'image', payload: { url: `https://files.example/${n}.png` } })
  await act({ referral: { source: 'ADS', ad_id: '77' } })
  const { body: early } = await tenant.api('POST', 'messages', {
    channel: 'messenger',
    to: from,
    message: { type: 'text', body: 'Hi' },
  })
  t.match(early.warnings, [{ code: 'WINDOW_CLOSED' }])
  await act({ attachments: [image(1), image(2)] }, 'm_album')
  await act({ text: 'One' }, 'm_text')
  await act({ message_edit: { mid: 'm_text', text: 'Two', num_edit: 1 } })
  await act({ is_deleted: true }, 'm_album')
  const { data } = await made(tenant.api('GET', 'messages?direction=inbound'))
  const of = (id: string) => data.find((one: Json) => one.provider_message_id === id)
  t.match(of('m_text'), { message: { body: 'Two' }, edited_at: /Z$/ })
  t.match([of('m_album'), of('m_album#2')], [{ deleted_at: /Z$/ }, { deleted_at: /Z$/ }])
  t.match(data.at(-1), { type: 'referral', message: { ad_id: '77' } })
})
