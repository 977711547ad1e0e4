/** `parley email deliver`, run as a mail system's pipe, against a whole Parley. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startMailServer, USER } from '../actors/providers/email/mail_server.ts'
import type { Json } from '../e2e/client.ts'
import { joinWorld, made, makeTenant } from '../e2e/fixture.ts'
import { freePort, tempDir } from '../support/mod.ts'
import { run } from './command.ts'

const SECRET = 'the secret of the inbound hook'
const world = await joinWorld(t)
const tenant = await makeTenant(world)
const mail_server = await startMailServer(t)
const channel = await made(
  world.operator('POST', 'channels', {
    project_id: tenant.project_id,
    channel_type: 'email',
    provider: 'cloud',
    name: 'Support',
    credentials: { smtp_url: mail_server.url, from: `Support <${USER.name}>`, inbound_secret: SECRET },
  }),
)
const secret_file = join(tempDir(t), 'secret')
writeFileSync(secret_file, `${SECRET}\n`)
const hook = `${world.base_url}${channel.webhook_path}`

async function deliver(mail: string | Buffer, args = ['--hook', hook, '--secret-file', secret_file], env = {}) {
  const { code, err } = await run(['email', 'deliver', ...args], env, mail)
  return { code, err }
}

const crlf = (text: string) => text.replaceAll('\n', '\r\n')
const received = async (): Promise<Json[]> =>
  (await tenant.api('GET', 'messages?channel=email&status=received&limit=200')).body.data

t.test('the channel is named by its address', async (t) => {
  t.equal(channel.provider_account_id, USER.name)
  t.same(channel.credentials_set.sort(), ['from', 'inbound_secret', 'smtp_url'])
})

t.test('a mail arrives once, decoded, as a message of its sender', async (t) => {
  const mail = crlf(`From: =?utf-8?q?Ana_P=C3=A9rez?= <Ana@Example.com>
To: support@parley.test
Subject: =?utf-8?b?wr9Ew7NuZGUgZXN0w6E/?=
Message-ID: <q1@example.com>
Date: Sat, 21 Nov 2026 10:00:00 +0000
Content-Type: multipart/mixed; boundary=x

--x
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: quoted-printable

<p>=C2=BFMi pedido?</p>
--x
Content-Type: application/pdf; name=order.pdf
Content-Disposition: attachment; filename=order.pdf
Content-Transfer-Encoding: base64

JVBERi0=
--x--
`)
  t.same(await deliver(mail), { code: 0, err: '' })
  t.same(await deliver(mail, ['--hook', hook], { PARLEY_EMAIL_SECRET: SECRET }), { code: 0, err: '' }, 'and again')
  const all = await received()
  t.equal(all.length, 1)
  t.match(all[0], {
    from: 'ana@example.com',
    type: 'text',
    provider_message_id: '<q1@example.com>',
    message: {
      body: /¿Mi pedido\?/,
      subject: '¿Dónde está?',
      html: /<p>¿Mi pedido\?<\/p>/,
      // The bytes are a text.
      attachments: [{ filename: 'order.pdf', mime_type: 'text/plain', size: 5, media_status: 'stored' }],
    },
    sent_at: '2026-11-21T10:00:00.000Z',
  })
})

t.test('answers of both sides stand in the thread of the mail before', async (t) => {
  const [question] = await received()
  const sending = { channel: 'email', to: 'ana@example.com', message: { type: 'text', body: 'On its way.' } }
  const context = { message_id: question?.id }
  const { id, chat_user } = await made(
    tenant.api('POST', 'messages', { ...sending, context, meta_data: { subject: 'Re: order' } }),
  )
  t.equal(chat_user, question?.chat_user)
  const { provider_message_id } = await tenant.message(id, 'sent')
  t.match(provider_message_id, new RegExp(`^<${id}\\.[0-9a-f]{16}@parley\\.test>$`))
  const { mail } = mail_server.mails[0]!
  t.match(mail, { subject: 'Re: order', inReplyTo: '<q1@example.com>', messageId: provider_message_id })
  const answer = crlf(`From: ana@example.com
Subject: Re: order
Message-ID: <q2@example.com>
In-Reply-To: ${provider_message_id}

Thanks
`)
  t.equal((await deliver(answer)).code, 0)
  t.match(
    (await received()).find((one) => one.provider_message_id === '<q2@example.com>'),
    {
      context: { message_id: provider_message_id },
      message: { body: /^Thanks/ },
    },
  )
})

t.test('a mail that came back has failed, with the reason', async (t) => {
  const message = { channel: 'email', to: 'nobody@example.com', message: { type: 'text', body: 'Hello?' } }
  const { id } = await made(tenant.api('POST', 'messages', message))
  const { provider_message_id } = await tenant.message(id, 'sent')
  const bounceOf = (message_id: string) =>
    crlf(`From: MAILER-DAEMON@mail.test
Content-Type: multipart/report; report-type=delivery-status; boundary=x

--x
Content-Type: message/delivery-status

Final-Recipient: rfc822; nobody@example.com
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 no such user

--x
Content-Type: text/rfc822-headers

Message-ID: ${message_id}

--x--
`)
  // Ids of messages follow each other, so those of other people can be guessed.
  for (const guess of [`<${id}@parley.test>`, provider_message_id.replace(/\.[0-9a-f]{16}@/, `.${'0'.repeat(16)}@`)]) {
    t.same(await deliver(bounceOf(guess)), { code: 0, err: '' })
  }
  t.equal((await tenant.api('GET', `messages/${id}`)).body.status, 'sent', 'a guess changes nothing')
  t.same(await deliver(bounceOf(provider_message_id)), { code: 0, err: '' })
  t.same((await tenant.message(id, 'failed')).error, { code: '5.1.1', message: 'nobody@example.com: 550 no such user' })
})

t.test('the mail system is told to try again, unless that can never help', async (t) => {
  const mail = 'From: ana@example.com\r\nMessage-ID: <z@x>\r\n\r\nHello\r\n'
  const wrong = join(tempDir(t), 'wrong')
  writeFileSync(wrong, 'another secret of some hook')
  const nobody = `http://127.0.0.1:${await freePort()}/`
  const cases: [string, string, string[], number, RegExp][] = [
    ['a secret that is wrong', mail, ['--hook', hook, '--secret-file', wrong], 75, /401/],
    ['a secret that is not there', mail, ['--hook', hook, '--secret-file', '/nowhere'], 75, /cannot be read/],
    ['no address', mail, ['--secret-file', secret_file], 75, /--hook/],
    ['an address of nobody', mail, ['--hook', nobody, '--secret-file', secret_file], 75, /Nobody answers/],
    ['what is no mail', 'hello', ['--hook', hook, '--secret-file', secret_file], 65, /no sender/],
  ]
  for (const [what, input, args, code, err] of cases) t.match(await deliver(input, args), { code, err }, what)
})
