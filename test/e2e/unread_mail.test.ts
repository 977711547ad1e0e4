/** A visitor of the web chat who left an address and has gone gets by e-mail what is unread: once, and only then. */
import t from 'tap'
import { signCall } from '../../actors/mod.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made } from './fixture.ts'
import { inboxAgent } from './inbox_client.ts'
import { MAIL_SECRET, openShop } from './unread_mail_client.ts'

const world = await joinWorld(t)
const page_url = 'https://shop.example/cart?step=2'

t.test('the setting is null, a number of minutes, or refused', async (t) => {
  const { set, tenant } = await openShop(t, world, { minutes: null, has_mailbox: false })
  const read = async () => (await made(world.operator('GET', `projects/${tenant.project_id}`))).unread_mail_minutes
  t.equal(await read(), null)
  for (const minutes of [1, 1440, null]) t.equal((await made(set(minutes))).unread_mail_minutes, minutes)
  for (const wrong of [0, 1441, 1.5, '10']) {
    const { status, body } = await set(wrong)
    t.equal(status, 400)
    t.equal(body.error.details.violations[0].path, 'unread_mail_minutes')
  }
  t.equal(await read(), null)
})

t.test('without the setting, or an address, no timer is set', async (t) => {
  const [off, on] = [await openShop(t, world, { minutes: null }), await openShop(t, world)]
  await (await off.visit({ email: 'off@example.com' })).send('Hi')
  await (await on.visit()).send('Hi')
  t.same(await off.timers(), [])
  t.same(await on.timers(), [])
})

t.test('what is unread is sent once, in one e-mail of the visitor’s language', async (t) => {
  const shop = await openShop(t, world)
  const without_mailbox = await openShop(t, world, { has_mailbox: false })
  const { tenant, visit, mailsTo, mailbox } = shop
  const agent = await inboxAgent(world, tenant)
  const pedro = await visit({ email: 'pedro@example.com', browser: { language: 'es-MX', page_url } })
  const mary = await visit({ email: 'mary@example.com', browser: { page_url: 'https://trap.example/' } })
  const reader = await visit({ email: 'reader@example.com' })
  const stopped = await visit({ email: 'stopped@example.com' })
  const merged = await visit({ email: 'merged@example.com' })
  const erased = await visit({ email: 'erased@example.com' })
  const back = await visit({ email: 'back@example.com' })
  const lost = await without_mailbox.visit({ email: 'lost@example.com' })
  const late = await visit()
  const contactOf = async ({ user_id }: { user_id: string }): Promise<Json> =>
    (await made(tenant.api('GET', `contacts?channel_type=web&search=${user_id}`))).data[0]

  const file = {
    type: 'document',
    link: 'https://shop.example/offer.pdf',
    filename: 'offer.pdf',
    caption: 'As promised',
  }
  for (const said of ['¡Hola!', file, 'Aquí estamos']) await pedro.send(said)
  for (let n = 1; n <= 52; n++) await mary.send(`Answer ${n}.`)
  for (const one of [reader, stopped, merged, erased, back, lost]) await one.send('Are you there?')
  await late.send('Before the address')
  t.equal((await shop.timers()).length, 7, 'one for each visitor with an address')

  const opened = await shop.open(reader.token)
  const { messages } = await opened.ask('history')
  await opened.ask('seen', { status: 'read', refs: messages.map(({ ref }: Json) => ref) })
  const stays = await shop.open(back.token)
  await made(tenant.api('PATCH', `contacts/${(await contactOf(stopped))._id}`, { consent: { marketing: 'stopped' } }))
  const other = await visit({ email: 'other@example.com' })
  const from_contact_id = (await contactOf(merged))._id
  await made(tenant.api('POST', `contacts/${(await contactOf(other))._id}/merge`, { from_contact_id }))
  const erasing = { kind: 'contact', id: (await contactOf(erased))._id, confirm: true }
  await made(world.operator('POST', 'erasures', erasing))
  const again = await shop.open(late.token)
  await again.ask('history')
  t.same(await again.ask('email', { email: 'late@example.com' }), {})
  again.socket.disconnect()

  for (const one of [shop, without_mailbox]) await one.turnBack()
  for (const one of [shop, without_mailbox]) await one.settled()
  const mail = await eventually('the mail is there', () => mailsTo('pedro@example.com')[0])
  t.match(mail.headers, { 'auto-submitted': 'auto-generated', from: /^support-/ })
  t.notMatch(mail.headers, { 'in-reply-to': String })
  for (const part of [
    /¡Hola!/,
    /Archivo: offer\.pdf\s+As promised/,
    /Aquí estamos/,
    /Al chat: https:\/\/shop.example\/cart\?step=2/,
  ])
    t.match(mail.text, part)
  const cut = await eventually('her mail is there', () => mailsTo('mary@example.com')[0])
  t.equal(cut.headers.subject, '52 new messages from Shop')
  t.match(cut.text, /and 2 more before these[\s\S]*Answer 3\.[\s\S]*Answer 52\./)
  t.notMatch(cut.text, /Answer [12]\.\n/)
  t.notMatch(cut.text, /trap/, 'a page that the channel does not list is no link')
  const later = await eventually('that mail is there', () => mailsTo('late@example.com')[0])
  t.match(later.text, /Before the address/)
  t.equal(later.headers.subject, 'New message from Shop')

  const contact = await contactOf(pedro)
  const { data } = await made(tenant.api('GET', `messages?chat_user=${contact._id}`))
  const [row] = data.filter(({ channel }: Json) => channel === 'email')
  t.match(row, { channel_id: mailbox!._id, to: 'pedro@example.com', direction: 'outbound', type: 'text' })
  t.match(row.message, {
    subject: '3 mensajes nuevos de Shop',
    auto_submitted: 'auto-generated',
    unread_up_to: /^msg_/,
  })
  const [ticket] = (await agent.list()).filter((one) => one.contact._id === contact._id)
  t.equal(ticket.last_message.id, row.id, 'agents see it in the ticket')
  const looking = await shop.open(pedro.token)
  const shown = (await looking.ask('history')).messages
  looking.socket.disconnect()
  t.notOk(
    shown.some(({ message }: Json) => message.subject),
    'it is no part of the chat',
  )

  const raw = JSON.stringify({
    message_id: '<answer@example.com>',
    from: { address: 'pedro@example.com' },
    text: 'Gracias',
    in_reply_to: mail.headers['message-id'],
  })
  const headers = { 'content-type': 'application/json', 'x-parley-signature': signCall(MAIL_SECRET, raw, new Date()) }
  const taken = await world.http('POST', `${world.base_url}${mailbox!.webhook_path}`, { raw, headers })
  t.equal(taken.status, 200)
  const written = await eventually('the answer is there', async () => {
    return (await made(tenant.api('GET', 'contacts?channel_type=email'))).data[0]
  })
  t.not(written._id, contact._id, 'an answer is of whoever has the address')
  t.same(await contactOf(pedro), contact)

  await pedro.send('One more')
  stays.socket.disconnect()
  await eventually('the page is gone', async () => {
    await shop.turnBack()
    await shop.settled()
    return mailsTo('back@example.com')[0]
  })
  const second = await eventually('the second mail is there', () => mailsTo('pedro@example.com')[1])
  t.match(second.text, /One more/)
  t.notMatch(second.text, /Aquí/, 'the first ones are in the first mail')
  const all = shop.smtp.mails.map(({ headers }) => headers.to).toSorted()
  t.same(
    all,
    ['back', 'late', 'mary', 'pedro', 'pedro'].map((name) => `${name}@example.com`),
  )
  t.same(without_mailbox.smtp.mails, [])
})
