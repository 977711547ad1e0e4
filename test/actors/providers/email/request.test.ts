import t from 'tap'
import { messageTypesOf } from '../../../../actors/providers/capabilities.ts'
import { parseSmtpUrl } from '../../../../actors/providers/email/account.ts'
import { parseMailbox } from '../../../../actors/providers/email/mailbox.ts'
import { buildMail } from '../../../../actors/providers/email/request.ts'
import { sealed } from '../../../../actors/providers/email/sealed_id.ts'
import type { Payload } from '../../../../actors/providers/payload.ts'
import { options } from './channel.ts'

const message_id = `<${sealed('msg_6b01199073cb499e66000000', options().account.credentials)}@parley.test>`
const base = { to: 'ana@example.com', subject: 'Acme Support', message_id }

const builds: [string, Payload, Parameters<typeof options>[0], object][] = [
  ['a text has the channel’s name as subject', { type: 'text', body: 'Hi' }, {}, { ...base, text: 'Hi' }],
  [
    'a subject in meta_data goes before it, on one line',
    { type: 'text', body: 'Hi' },
    { meta_data: { subject: ' Your\r\nBcc: eve@example.com\torder ' } },
    { ...base, subject: 'Your Bcc: eve@example.com order', text: 'Hi' },
  ],
  [
    'a subject that is no text is not one',
    { type: 'text', body: 'Hi' },
    { meta_data: { subject: { a: 1 } } },
    { ...base, text: 'Hi' },
  ],
  [
    'what is answered is named, with brackets',
    { type: 'text', body: 'Hi' },
    { context: { message_id: 'CAF7@mail.example.com' } },
    { ...base, text: 'Hi', in_reply_to: '<CAF7@mail.example.com>' },
  ],
  [
    'an upload is attached by its id, its caption is the text',
    { type: 'document', media_id: 'med_1', caption: 'The offer' },
    {},
    { ...base, text: 'The offer', attachment: { media_id: 'med_1', filename: 'upload.pdf' } },
  ],
  [
    'the name the client gave goes before the upload’s',
    { type: 'document', media_id: 'med_1', filename: 'offer.pdf' },
    {},
    { ...base, text: '', attachment: { media_id: 'med_1', filename: 'offer.pdf' } },
  ],
  [
    'a link is attached',
    { type: 'image', link: 'https://example.com/cat.jpg', caption: 'Cat' },
    {},
    { ...base, text: 'Cat', attachment: { link: 'https://example.com/cat.jpg' } },
  ],
  [
    'audio has no text of its own',
    { type: 'audio', link: 'https://example.com/a.ogg', voice: true },
    {},
    { ...base, text: '', attachment: { link: 'https://example.com/a.ogg' } },
  ],
  [
    'a call to action is a link in text and HTML, with nothing of it taken for HTML',
    {
      type: 'cta_url',
      body_text: 'Pay <now>\n& here',
      display_text: 'Pay "it"',
      url: 'https://x.test/?a=1&b="',
      footer_text: 'Bye',
    },
    {},
    {
      ...base,
      text: 'Pay <now>\n& here\n\nPay "it": https://x.test/?a=1&b="\n\nBye',
      html:
        '<p>Pay &lt;now&gt;<br>&amp; here</p><p><a href="https://x.test/?a=1&amp;b=&quot;">Pay &quot;it&quot;</a></p>' +
        '<p><small>Bye</small></p>',
    },
  ],
]

for (const [rule, message, changes, expected] of builds) {
  t.test(rule, async (t) => {
    t.same(buildMail(message, options(changes)), expected)
    t.same(buildMail(message, options(changes)), expected, 'twice the same')
  })
}

t.test('a recipient is a single address, and cannot add a header', async (t) => {
  const bad = [
    'ana',
    'a@b@c',
    'ana@example.com, eve@example.com',
    'ana@example.com\r\nBcc: eve@x.test',
    'Ana <a@b.c>',
    '',
    'a@b..c',
    'a\u0000@b.c',
    '"a\r\nBcc: e"@b.c',
  ]
  for (const to of bad) {
    const error = { code: 'MESSAGE_NOT_ACCEPTED_BY_CHANNEL', details: { path: 'to' } }
    t.throws(() => buildMail({ type: 'text', body: 'Hi' }, options({ to })), error, JSON.stringify(to))
  }
  const long = options({ meta_data: { subject: 'x'.repeat(999) } })
  const error = { code: 'MESSAGE_NOT_ACCEPTED_BY_CHANNEL', details: { path: 'meta_data.subject' } }
  t.throws(() => buildMail({ type: 'text', body: 'Hi' }, long), error)
})

const unusual = [
  'kai..mori@docomo.example',
  'kai.@docomo.example',
  `${'v'.repeat(84)}@lists.example`,
  '"ana ruiz"@example.com',
  'ana,ruiz@example.com',
  'ana@[192.0.2.7]',
]
t.test('an address that a mail system accepted is one recipient', async (t) => {
  for (const to of unusual) t.equal(buildMail({ type: 'text', body: 'Hi' }, options({ to })).to, to)
})

t.test('a contact without an address that can be answered is refused as such', async (t) => {
  for (const to of ['unknown@without-sender.invalid', 'root@without-domain.invalid'])
    t.throws(() => buildMail({ type: 'text', body: 'Hi' }, options({ to })), { message: /named no address/ })
})

t.test('a type that the matrix does not allow is refused by name', async (t) => {
  t.throws(() => buildMail({ type: 'location', latitude: 1, longitude: 2 }, options()), {
    code: 'MESSAGE_TYPE_NOT_SUPPORTED_FOR_CHANNEL',
    details: { supported: messageTypesOf('email') },
  })
})

t.test('an address with a name is read as mail programs write it', async (t) => {
  t.same(parseMailbox('ana@example.com'), { name: '', address: 'ana@example.com' })
  t.same(parseMailbox('Ana Pérez <ana@example.com>'), { name: 'Ana Pérez', address: 'ana@example.com' })
  t.same(parseMailbox('"Pérez, \\"Ana\\"" <ana@example.com>'), { name: 'Pérez, "Ana"', address: 'ana@example.com' })
  for (const bad of ['', 'Ana', '<>', 'a@b, c@d', 'Ana <a@b> x', 'Ana\r\nBcc: e@x.test <a@b>', '<a@b@c>'])
    t.equal(parseMailbox(bad), undefined, JSON.stringify(bad))
})

t.test(
  'the address of a mail server may have a user and a password, and nothing that changes the protocol',
  async (t) => {
    t.same(parseSmtpUrl('smtp://us%40er:p%2Fw@mail.test'), {
      host: 'mail.test',
      port: 587,
      secure: false,
      user: 'us@er',
      pass: 'p/w',
    })
    t.same(parseSmtpUrl('smtps://u:p@[::1]:4650'), { host: '::1', port: 4650, secure: true, user: 'u', pass: 'p' })
    t.equal(parseSmtpUrl('smtps://u:p@mail.test')?.port, 465)
    const bad = [
      'http://u:p@mail.test',
      'smtp://mail.test',
      'smtp://u@mail.test',
      'smtp://u:p@mail.test?tls.rejectUnauthorized=false',
    ]
    for (const url of [...bad, 'smtp://u:p@mail.test/x', 'smtp://u:%@mail.test', 'mail.test'])
      t.equal(parseSmtpUrl(url), undefined, url)
  },
)
