import t from 'tap'
import { readMail } from '../../http/cli/email/inbound_mail.ts'

const crlf = (text: string) => text.replaceAll('\n', '\r\n')
const read = (text: string) => readMail(Buffer.from(crlf(text)))

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

t.test('a report that a mail came back says which, and why', async (t) => {
  const message_id = '<msg_1@parley.test>'
  const bounce = { message_id, status: '5.1.1', diagnostic: '550 5.1.1 <nobody@example.com>: no such user' }
  t.same(await readMail(Buffer.from(report('failed', message_id))), { body: { bounce } })
  const whole = report('failed', message_id).replace('text/rfc822-headers', 'message/rfc822')
  t.same(await readMail(Buffer.from(whole)), { body: { bounce } }, 'with the whole mail in it, too')
})

t.test('a report of anything else changes nothing', async (t) => {
  for (const action of ['delayed', 'relayed', 'delivered', 'expanded'])
    t.match(await readMail(Buffer.from(report(action, '<msg_1@parley.test>'))), { passed_over: new RegExp(action) })
})

t.test('a report that does not say about which mail is a mail', async (t) => {
  t.match(await readMail(Buffer.from(report('failed', ''))), {
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

t.test('a mail without an id has the same one whenever it is read', async (t) => {
  const [one, two, other] = await Promise.all(
    ['Hello', 'Hello', 'Hi'].map((text) => read(`From: a@x.test\n\n${text}\n`)),
  )
  const idOf = (mail: unknown) => (mail as { body: { message_id: string } }).body.message_id
  t.match(idOf(one), /^<[0-9a-f]{32}@/)
  t.equal(idOf(one), idOf(two))
  t.not(idOf(one), idOf(other))
})

t.test('what is very long is cut, and HTML left out', async (t) => {
  const long = 'x'.repeat(70).concat('\n').repeat(4_000)
  const parts = `--b\nContent-Type: text/plain\n\n${long}\n--b\nContent-Type: text/html\n\n<p>${long}</p>\n--b--\n`
  const mail = await read(`From: a@x.test\nContent-Type: multipart/alternative; boundary=b\n\n${parts}`)
  const { text, html } = (mail as { body: { text: string; html?: string } }).body
  t.ok(text.length < 201_000 && text.endsWith('[…]'))
  t.equal(html, undefined)
})

t.test('a mail from nobody cannot be used', async (t) => {
  t.match(await read('Subject: x\n\nHello\n'), { unusable: /no sender/ })
  t.match(await read('hello'), { unusable: /no sender/ })
})
