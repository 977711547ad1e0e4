import t from 'tap'
import { readMail } from '../../http/cli/email/inbound_mail.ts'
import { madeUpId, parseMail } from '../../http/cli/email/parse_mail.ts'
import { differentMails } from './hostile_mails.ts'

const crlf = (text: string) => text.replaceAll('\n', '\r\n')
const read = (text: string) => parseMail(Buffer.from(crlf(text)))

const report = (action: string, message_id: string) =>
  crlf(`From: MAILER-DAEMON@mail.test
To: support@parley.test
Subject: Undelivered Mail Returned to Sender
Message-ID: <dsn-${action}@mail.test>
Auto-Submitted: auto-replied
Content-Type: multipart/report; report-type=delivery-status; boundary=x

--x
Content-Type: text/plain

I'm sorry to have to inform you.
--x
Content-Type: message/delivery-status

Reporting-MTA: dns; mail.test

Final-Recipient: rfc822; nobody@example.com
Action: ${action}
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 <nobody@example.com>:
    no such user

--x
Content-Type: text/rfc822-headers

From: support@parley.test
Message-ID: ${message_id}
Subject: Hello

--x--
`)

t.test('a report of a returned mail names the mail and the reason', async (t) => {
  const message_id = '<msg_1@parley.test>'
  const bounce = { message_id, status: '5.1.1', diagnostic: '550 5.1.1 <nobody@example.com>: no such user' }
  t.same(await readMail(Buffer.from(report('failed', message_id))), { body: { bounce } })
  t.same(await parseMail(Buffer.from(report('failed', message_id).replaceAll('\r\n', '\n'))), { bounce })
  const whole = report('failed', message_id).replace('text/rfc822-headers', 'message/rfc822')
  t.same(await parseMail(Buffer.from(whole)), { bounce }, 'with the whole mail in it, too')
})

t.test('a report of anything else changes nothing', async (t) => {
  for (const action of ['delayed', 'relayed', 'delivered', 'expanded'])
    t.match(await parseMail(Buffer.from(report(action, '<msg_1@parley.test>'))), { passed_over: new RegExp(action) })
})

t.test('a report that names no mail counts as a mail', async (t) => {
  t.match(await parseMail(Buffer.from(report('failed', ''))), {
    body: { auto_submitted: 'auto-replied', text: /sorry/ },
  })
})

const machines: [string, string | undefined][] = [
  ['Auto-Submitted: auto-replied; owner="x"', 'auto-replied'],
  ['Auto-Submitted: auto-generated', 'auto-generated'],
  ['Auto-Submitted: no', undefined],
  ['Precedence: bulk', 'bulk'],
  ['Precedence: list', 'list'],
  ['Precedence: normal', undefined],
  ['X-Nothing: 1', undefined],
]

for (const [header, mark] of machines) {
  t.test(`${header} ${mark ? 'marks' : 'does not mark'} a mail as that of a machine`, async (t) => {
    const { body } = (await read(`From: a@x.test\nMessage-ID: <m@x>\n${header}\n\nAway\n`)) as { body: object }
    t.equal((body as { auto_submitted?: string }).auto_submitted, mark)
  })
}

t.test('a mail without an id gets the same id at every reading', async (t) => {
  const [one, two, other] = await Promise.all(
    ['Hello', 'Hello', 'Hi'].map((text) => read(`From: a@x.test\n\n${text}\n`)),
  )
  const idOf = (mail: unknown) => (mail as { body: { message_id: string } }).body.message_id
  t.match(idOf(one), /^<[0-9a-f]{32}@/)
  t.equal(idOf(one), idOf(two))
  t.not(idOf(one), idOf(other))
})

t.test('very long texts are cut, and very long HTML is left out', async (t) => {
  const long = 'x'.repeat(70).concat('\n').repeat(4_000)
  const parts = `--b\nContent-Type: text/plain\n\n${long}\n--b\nContent-Type: text/html\n\n<p>${long}</p>\n--b--\n`
  const mail = await read(`From: a@x.test\nContent-Type: multipart/alternative; boundary=b\n\n${parts}`)
  const { text, html } = (mail as { body: { text: string; html?: string } }).body
  t.ok(text.length < 201_000 && text.endsWith('[…]'))
  t.equal(html, undefined)
})

t.test('a mail without a sender is refused', async (t) => {
  t.match(await read('Subject: x\n\nHello\n'), { unusable: /no sender/ })
  t.match(await read('hello'), { unusable: /no sender/ })
})

t.test('a mail of HTML alone is delivered with its text', async (t) => {
  const html = '<h1>Order</h1><p>Where <b>is</b> it?</p><blockquote>Soon</blockquote>'
  const mail = `From: a@x.test\nContent-Type: text/html\n\n${html}`
  t.match(await readMail(Buffer.from(crlf(mail))), { body: { text: 'Order\n\nWhere is it?\n\n> Soon', html } })
})

t.test('HTML beside a text of spaces is read', async (t) => {
  const parts =
    '--b\nContent-Type: text/plain; charset=utf-8\n\n\u00a0\u200b\n--b\nContent-Type: text/html\n\n<p>Bye</p>\n--b--\n'
  const mail = `From: a@x.test\nContent-Type: multipart/alternative; boundary=b\n\n${parts}`
  t.match(await readMail(Buffer.from(crlf(mail))), { body: { text: 'Bye' } })
})

const ids: [string, object][] = [
  ['References: <a@x><b@x>', { references: ['<a@x>', '<b@x>'] }],
  ['References: <a@x>,\n <b@x>', { references: ['<a@x>', '<b@x>'] }],
  ['In-Reply-To: Your message of "Mon, 1 Jan" <b@x>', { in_reply_to: '<b@x>' }],
  ['In-Reply-To: <b@x> <c@x>', { in_reply_to: '<b@x>' }],
  ['In-Reply-To: b@x', { in_reply_to: '<b@x>' }],
  ['Message-ID: <b@x> (added by mx.test)', { message_id: '<b@x>' }],
]
for (const [header, body] of ids) {
  t.test(`the ids of “${header.replace('\n', '')}” are read`, async (t) => {
    t.match(await read(`From: a@x.test\n${header}\n\nHello\n`), { body })
  })
}

t.test('HTML beside a text adds its own text, unless it is another form of the same text', async (t) => {
  const parts = '--b\nContent-Type: text/plain\n\nHello\n--b\nContent-Type: text/html\n\n<p>Bye</p>\n--b--\n'
  const mail = (type: string) => `From: a@x.test\nContent-Type: multipart/${type}; boundary=b\n\n${parts}`
  t.match(await readMail(Buffer.from(crlf(mail('mixed')))), { body: { text: /^Hello\s+Bye$/ } })
  t.match(await readMail(Buffer.from(crlf(mail('alternative')))), { body: { text: /^Hello\s*$/ } })
})

t.test('a mail that takes too long is delivered as unreadable, with its sender and subject', async (t) => {
  const head = `From: Ana <ana@x.test>\nSubject: =?utf-8?q?Adi=C3=B3s?=\n and more\nMessage-ID: <m@x>\n`
  const filler = `X-Long: ${'x'.repeat(60)}\n`.repeat(5_000)
  const mail = Buffer.from(crlf(`${head}${filler}\nHello\n`))
  t.match(await readMail(mail, { limit_ms: 0 }), {
    body: {
      from: { address: 'ana@x.test', name: 'Ana' },
      subject: 'Adiós and more',
      message_id: '<m@x>',
      unreadable: true,
    },
  })
})

t.test('a mail that the parser refuses is delivered as unreadable, under its usual id', async (t) => {
  const parts = '--b\n\nx\n'.repeat(1_100)
  const bytes = Buffer.from(crlf(`From: a@x.test\nContent-Type: multipart/mixed; boundary=b\n\n${parts}--b--\n`))
  t.match(await readMail(bytes), {
    body: { from: { address: 'a@x.test' }, unreadable: true, message_id: madeUpId(bytes) },
  })
})

t.test('an id that no mail can have is replaced', async (t) => {
  for (const id of [`<${'é'.repeat(500)}@x>`, '<a b@x>', '<>', '<<a@x>'])
    t.match(
      await read(`From: a@x.test\nMessage-ID: ${id}\n\nHello\n`),
      { body: { message_id: /@without-message-id/ } },
      id,
    )
})

t.test('a call stays within its size, whatever the script of the text', async (t) => {
  for (const character of ['語', '\u0001']) {
    const long = character.repeat(70).concat('\n').repeat(2_000)
    const parts = `--b\nContent-Type: text/plain; charset=utf-8\n\n${long}\n--b\nContent-Type: text/html; charset=utf-8\n\n<p>${long}</p>\n--b--\n`
    const mail = `From: a@x.test\nContent-Type: multipart/alternative; boundary=b\n\n${parts}`
    const read = (await readMail(Buffer.from(crlf(mail)))) as { body: { text: string } }
    t.ok(Buffer.byteLength(JSON.stringify(read.body)) < 900_000)
    t.ok(read.body.text.length > 100_000)
  }
})

for (const [shape, mail] of differentMails(100_000)) {
  const is_refused = /part/.test(shape)
  t.test(`a mail of ${shape} is ${is_refused ? 'refused by the parser' : 'read'}`, async (t) => {
    if (is_refused) await t.rejects(parseMail(mail), /child nodes/)
    else t.match(await parseMail(mail), { body: { from: { address: 'mallory@x.test' }, subject: 'Hello' } })
  })
}

t.test('a mail of elements inside one another is brought, whole or as unreadable', async (t) => {
  const [, mail] = differentMails(100_000).find(([shape]) => shape === 'elements inside one another')!
  t.match(await readMail(mail), { body: { from: { address: 'mallory@x.test' }, subject: 'Hello' } })
})
