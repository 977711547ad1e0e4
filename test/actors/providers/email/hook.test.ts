import { createHmac } from 'node:crypto'
import t from 'tap'
import { readCall } from '../../../../actors/providers/email/hook.ts'
import { sealed } from '../../../../actors/providers/email/sealed_id.ts'
import type { HookResult, InboundMessage } from '../../../../actors/providers/provider.ts'
import { accountOf, SECRET } from './channel.ts'

const NOW = new Date('2026-11-21T12:00:00Z')

/** Signs a call by hand, as the manual says. */
function signature(raw: string, { secret = SECRET, t = NOW.getTime() / 1000 } = {}): string {
  return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.${raw}`).digest('hex')}`
}

const read = (body: unknown, header?: string | null): HookResult => {
  const raw = typeof body === 'string' ? body : JSON.stringify(body)
  return readCall({ raw, signature: header === undefined ? signature(raw) : header }, accountOf(), NOW)
}
const messageIn = (body: unknown) => read(body).items[0] as InboundMessage

const mail = {
  message_id: '<q1@example.com>',
  from: { address: 'Ana@Example.com', name: 'Ana' },
  to: 'support@parley.test',
  subject: 'Where is my order?',
  text: 'It should be here.',
  date: '2026-11-21T11:59:00Z',
}

t.test('a mail becomes a text of the person, with what a console needs to show it', async (t) => {
  const attachments = [
    { filename: 'a.pdf', mime_type: 'application/pdf', size: 10, url: 'https://files.test/a.pdf' },
    { filename: 'b', mime_type: null, size: null, url: 'javascript:alert(1)' },
  ]
  const { status, items } = read({ ...mail, html: '<p>It</p>', in_reply_to: 'msg_1@parley.test', attachments })
  t.equal(status, 200)
  const marks = { subject: mail.subject, attachments: [attachments[0], { ...attachments[1], url: null }] }
  t.same(items, [
    {
      kind: 'message',
      account: null,
      provider_message_id: '<q1@example.com>',
      user_id: 'ana@example.com',
      name: 'Ana',
      at: new Date(mail.date),
      type: 'text',
      message: { type: 'text', body: mail.text, ...marks, html: '<p>It</p>' },
      context: { message_id: '<msg_1@parley.test>' },
      files: [{ reference: { url: 'https://files.test/a.pdf' }, attachment: 0 }],
      value: {
        messaging_product: 'email',
        metadata: {},
        contacts: [{ profile: { name: 'Ana' }, user_id: 'ana@example.com' }],
        messages: [
          {
            from: 'ana@example.com',
            id: '<q1@example.com>',
            timestamp: String(new Date(mail.date).getTime() / 1000),
            type: 'text',
            text: { body: mail.text },
            ...marks,
            context: { id: '<msg_1@parley.test>' },
          },
        ],
      },
    },
  ])
})

t.test('the last reference names the answered mail', async (t) => {
  const answered = { message_id: '<b@x>' }
  t.same(messageIn({ ...mail, references: '<a@x> <b@x>' }).context, answered)
  t.same(messageIn({ ...mail, references: ['<a@x>', '<b@x>'] }).context, answered)
  t.equal(messageIn(mail).context, null)
})

const answers: [string, object][] = [
  ['references with a space at their end', { references: '<a@x> <b@x> ' }],
  ['folded references', { references: ' <a@x>\r\n <b@x>\r\n' }],
  ['references without spaces', { references: '<a@x><b@x>' }],
  ['references with commas', { references: '<a@x>, <b@x>,' }],
  ['references of which the last is empty', { references: ['<b@x>', '', null] }],
  ['references without brackets', { references: 'a@x b@x' }],
  ['a list with a comment', { references: ['<a@x>', '<b@x> (c)'] }],
  ['references with rubbish behind', { references: 'a@x b@x junk"' }],
  ['In-Reply-To as a list', { in_reply_to: ['<b@x>', '<c@x>'] }],
  ['In-Reply-To with blanks in the brackets', { in_reply_to: '< b@x >' }],
  ['In-Reply-To with a comment', { in_reply_to: '<b@x> (your mail)' }],
  ['In-Reply-To with two ids', { in_reply_to: '<b@x> <c@x>' }],
  ['In-Reply-To with prose', { in_reply_to: 'Your message of "Mon, 1 Jan" <b@x>' }],
  ['In-Reply-To with prose alone, beside references', { in_reply_to: 'Your message of Monday', references: '<b@x>' }],
]
for (const [name, fields] of answers) {
  t.test(`${name} lead to the answered mail`, async (t) => {
    t.same(messageIn({ ...mail, ...fields }).context, { message_id: '<b@x>' })
  })
}

t.test('an id may have a comment', async (t) => {
  const { provider_message_id } = messageIn({ ...mail, message_id: '<q1@example.com> (added by mx.test)' })
  t.equal(provider_message_id, '<q1@example.com>')
  for (const message_id of ['<q 1@example.com>', 'Not an id', ' ', '<>'])
    t.equal(read({ ...mail, message_id }).status, 400)
})

t.test('names and subjects are one line, and those of spaces are none', async (t) => {
  const from = { address: 'ana@example.com', name: 'Ana\r\n\u0007Ruiz\n' }
  t.match(messageIn({ ...mail, from, subject: 'One\r\nBcc: two' }), {
    name: 'Ana Ruiz',
    message: { subject: 'One Bcc: two' },
  })
  const blank = messageIn({ ...mail, from: { ...from, name: ' ' }, subject: ' \n' })
  t.equal(blank.name, null)
  t.equal('subject' in blank.message, false)
})

t.test('very long values are cut or left out', async (t) => {
  t.equal('html' in messageIn({ ...mail, html: 'x'.repeat(262_145) }).message, false)
  const long = 'x'.repeat(300_000)
  // A hundred of the 120 are kept, and each would be too much with one value as it is.
  const rather_long = 'x'.repeat(10_000)
  const attachments = Array.from({ length: 120 }, () => ({
    filename: rather_long,
    mime_type: rather_long,
    url: `https://x.test/${rather_long}`,
  }))
  const from = { address: 'ana@example.com', name: long }
  const { message, name } = messageIn({ ...mail, from, text: long, subject: long, attachments, auto_submitted: long })
  t.equal(message.body, `${'x'.repeat(200_000)}\n[…]`)
  t.equal(name, 'x'.repeat(256))
  t.ok(JSON.stringify(message).length < 450_000)
})

t.test('an id that no mail can have is refused', async (t) => {
  t.equal(read({ ...mail, message_id: `${'x'.repeat(1_000)}@x` }).status, 400)
  t.equal(messageIn({ ...mail, in_reply_to: `${'x'.repeat(1_000)}@x` }).context, null)
})

t.test('an unreadable mail is marked, and keeps its known fields', async (t) => {
  t.match(messageIn({ ...mail, text: '', unreadable: true }).message, {
    body: 'This mail could not be read.',
    subject: mail.subject,
    unreadable: true,
  })
  t.equal('unreadable' in messageIn(mail).message, false)
})

t.test('an automatic mail is kept and marked', async (t) => {
  for (const [said, mark] of [
    ['auto-replied', 'auto-replied'],
    [true, 'auto-generated'],
    ['Bulk', 'bulk'],
  ] as const) {
    const { message, value } = messageIn({ ...mail, auto_submitted: said })
    t.equal(message.auto_submitted, mark)
    t.match(value, { messages: [{ auto_submitted: mark }] })
  }
  for (const auto_submitted of ['no', 'No; owner=x', 'no (by hand)', false])
    t.equal('auto_submitted' in messageIn({ ...mail, auto_submitted }).message, false, String(auto_submitted))
})

t.test('a time ahead of ours or an invalid one is not believed', async (t) => {
  for (const date of ['2026-11-21T12:00:01Z', 'yesterday', '', undefined]) t.same(messageIn({ ...mail, date }).at, NOW)
})

const OUR_ID = 'msg_6b01199073cb499e66000000'

t.test('a mail that came back has failed, under our own id', async (t) => {
  const message_id = `<${sealed(OUR_ID, accountOf().credentials)}@parley.test>`
  const bounce = { message_id: message_id.slice(1, -1), status: '5.1.1', diagnostic: 'no such user' }
  t.same(read({ bounce }).items, [
    {
      kind: 'status',
      account: null,
      status: 'failed',
      at: NOW,
      provider_message_id: message_id,
      opaque: OUR_ID,
      error: { code: '5.1.1', message: 'no such user' },
      raw: null,
    },
  ])
  t.match(read({ bounce: { message_id: '<0100@email.amazonses.com>' } }).items, [
    { opaque: null, provider_message_id: '<0100@email.amazonses.com>', error: { code: 'bounced' } },
  ])
})

t.test('a report that guesses the id of a mail names none of our messages', async (t) => {
  const seal = sealed(OUR_ID, accountOf().credentials).slice(-16)
  const other = sealed(OUR_ID.replace(/0$/, '1'), accountOf().credentials)
  const wrong = [
    OUR_ID,
    `${OUR_ID}.`,
    `${OUR_ID}.${'0'.repeat(16)}`,
    `${OUR_ID}.${seal}0`,
    `${OUR_ID}.${other.slice(-16)}`,
  ]
  for (const guess of wrong) {
    t.match(read({ bounce: { message_id: `<${guess}@parley.test>` } }).items, [{ opaque: null }], guess)
  }
})

const unproven: [string, (raw: string) => string | null][] = [
  ['no signature', () => null],
  ['an empty one', () => ''],
  ['that of another secret', (raw) => signature(raw, { secret: 'another secret of the hook' })],
  ['that of another body', (raw) => signature(`${raw} `)],
  ['one from too long ago', (raw) => signature(raw, { t: NOW.getTime() / 1000 - 301 })],
  ['one from the future', (raw) => signature(raw, { t: NOW.getTime() / 1000 + 301 })],
  ['its time changed', (raw) => signature(raw).replace(/t=\d+/, `t=${NOW.getTime() / 1000 - 1}`)],
]

for (const [what, header] of unproven) {
  t.test(`a call with ${what} is turned away`, async (t) => {
    t.match(read(mail, header(JSON.stringify(mail))), { status: 401, items: [] })
  })
}

t.test('a call is believed for five minutes either way', async (t) => {
  const raw = JSON.stringify(mail)
  for (const off of [-300, 300]) t.equal(read(mail, signature(raw, { t: NOW.getTime() / 1000 + off })).status, 200)
})

t.test('a channel without a secret believes nobody', async (t) => {
  const account = { ...accountOf(), credentials: {} }
  const raw = JSON.stringify(mail)
  t.equal(readCall({ raw, signature: signature(raw, { secret: '' }) }, account, NOW).status, 401)
})

t.test('a call without a mail is refused as such', async (t) => {
  const bad = ['{', '[]', '{}', { ...mail, message_id: '' }, { ...mail, from: { address: 'Ana' } }, { bounce: {} }]
  for (const body of bad) t.match(read(body), { status: 400, items: [], body: String })
})

t.test('characters that PostgreSQL cannot store are replaced', async (t) => {
  t.equal(messageIn(JSON.stringify({ ...mail, text: 'a\0b\ud800' })).message.body, 'a\ufffdb\ufffd')
})
