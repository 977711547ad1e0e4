import { Readable } from 'node:stream'
import t from 'tap'
import { type EmailOptions, parseMailbox } from '../../../../actors/providers/email/mod.ts'
import { buildMail } from '../../../../actors/providers/email/request.ts'
import { sealed } from '../../../../actors/providers/email/sealed_id.ts'
import type { Payload } from '../../../../actors/providers/payload.ts'
import { issue } from '../../../support/certificates.ts'
import type { Owner } from '../../../support/mod.ts'
import { credentialsOf, options, startEmail } from './channel.ts'
import { startMailServer, USER } from './mail_server.ts'

const message_id = `<${sealed('msg_6b01199073cb499e66000000', options().account.credentials)}@parley.test>`

async function world(t: Owner, changes: Partial<EmailOptions> = {}) {
  const server = await startMailServer(t)
  const email = startEmail(t, changes)
  const send = (message: Payload, more: Parameters<typeof options>[0] = {}) =>
    email.send(credentialsOf(server.url), email.build(message, options(more)))
  return { server, email, send }
}

t.test('a text arrives from the account, signed in, under an id of ours', async (t) => {
  const { server, send } = await world(t)
  const body = 'Hola, ¿qué tal?\n.\n..dots\n🦤'
  t.same(await send({ type: 'text', body }), { sent: message_id })
  const [{ mail, from, to, user } = server.mails[0]!] = server.mails
  t.same({ from, to, user }, { from: 'support@parley.test', to: ['ana@example.com'], user: USER.name })
  t.equal(mail.text?.trimEnd(), body)
  t.equal(mail.html, false)
  t.equal(mail.subject, 'Acme Support')
  t.equal(mail.messageId, message_id)
  t.same(mail.from?.value, [{ ...parseMailbox('Parley Support <support@parley.test>') }])
  t.ok(Math.abs(Date.now() - mail.date!.getTime()) < 60_000)
})

t.test('an answer stands in the thread of its mail', async (t) => {
  const { server, send } = await world(t)
  await send({ type: 'text', body: 'Sure' }, { context: { message_id: '<q1@example.com>' } })
  const [{ mail } = server.mails[0]!] = server.mails
  t.equal(mail.inReplyTo, '<q1@example.com>')
  t.equal(mail.references, '<q1@example.com>')
})

t.test('a call to action has both forms', async (t) => {
  const { server, send } = await world(t)
  await send({ type: 'cta_url', body_text: 'Pay', display_text: 'Pay now', url: 'https://shop.test/pay?a=1&b=2' })
  const [{ mail } = server.mails[0]!] = server.mails
  t.match(mail.text, 'Pay now: https://shop.test/pay?a=1&b=2')
  t.match(mail.html, '<a href="https://shop.test/pay?a=1&amp;b=2">Pay now</a>')
})

t.test('an upload arrives byte for byte, and is released', async (t) => {
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7) % 256))
  const stream = Readable.from([bytes.subarray(0, 100_001), bytes.subarray(100_001)], { objectMode: false })
  const asked: string[] = []
  const open = async (media_id: string) => {
    asked.push(media_id)
    return { stream, filename: 'naïve "name".png', mime_type: 'image/png' }
  }
  const { server, send } = await world(t, { open })
  t.same(await send({ type: 'image', media_id: 'med_1', caption: 'Look' }, { fileOf: nameless }), { sent: message_id })
  t.same(asked, ['med_1'])
  const [{ mail } = server.mails[0]!] = server.mails
  t.equal(mail.text?.trim(), 'Look')
  t.same(
    mail.attachments.map(({ filename, contentType, content }) => ({
      filename,
      contentType,
      same: bytes.equals(content),
    })),
    [{ filename: 'naïve "name".png', contentType: 'image/png', same: true }],
  )
  t.equal(stream.destroyed, true)
})

t.test('connections are kept for the next mail and shared by many', async (t) => {
  const { server, send } = await world(t)
  const sends = Array.from({ length: 30 }, (_, i) => send({ type: 'text', body: `mail ${i}` }, { opaque: `msg_${i}` }))
  const sent = await Promise.all(sends)
  t.same(
    sent,
    Array.from({ length: 30 }, (_, i) => ({
      sent: `<${sealed(`msg_${i}`, options().account.credentials)}@parley.test>`,
    })),
  )
  t.equal(new Set(server.mails.map(({ mail }) => mail.messageId)).size, 30)
  t.ok(server.connections() > 0 && server.connections() <= 5, `${server.connections()} connections`)
})

t.test('certificates of the installation are trusted, others are not', async (t) => {
  const authority = issue({ name: 'Test authority', is_authority: true })
  const tls = issue({ name: 'mail', hosts: ['127.0.0.1'], by: authority })
  const server = await startMailServer(t, tls)
  const request = { ...buildMail({ type: 'text', body: 'Hi' }, options()) }
  const credentials = credentialsOf(server.url)
  t.match(await startEmail(t).send(credentials, request), { failure: { kind: 'retry', maybe_accepted: false } })
  t.same(await startEmail(t, { certificates: [authority.cert] }).send(credentials, request), { sent: message_id })
  t.equal(server.mails.length, 1)
})

t.test('a probe tells the name of the account, or that its password is wrong', async (t) => {
  const { server, email } = await world(t)
  t.same(await email.probe(credentialsOf(server.url)), {
    account: { address: 'support@parley.test', host: '127.0.0.1' },
  })
  const wrong = await email.probe(credentialsOf(server.url.replace(/:[^:@]+@/, ':wrong@')))
  t.match(wrong, { failure: { kind: 'disconnect', code: '535', maybe_accepted: false } })
  t.notMatch(JSON.stringify(wrong), /wrong/, 'the password is not repeated')
  t.match(await email.probe(credentialsOf('smtp://u:p@127.0.0.1:1')), { failure: { kind: 'retry' } })
  t.equal(server.mails.length, 0)
})

const nameless = (media_id: string) => ({
  media_id,
  provider_media_id: null,
  link: '',
  mime_type: null,
  filename: null,
})
