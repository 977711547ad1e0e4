/** Mails of machines: reports about mails that Parley sent, and automatic mails that nobody must answer automatically. */
import t from 'tap'
import { parseMail } from '../../http/cli/email/parse_mail.ts'

const ID = '<msg_6b01199073cb499e66000000.0123456789abcdef@parley.test>'
const DAEMON = 'From: Mail Delivery System <MAILER-DAEMON@mx.example>\nSubject: Undelivered Mail Returned to Sender\n'
const base64 = (text: string) => Buffer.from(text.replaceAll('\n', '\r\n')).toString('base64')

const group = (action = 'failed', status = '5.1.1') =>
  `Final-Recipient: rfc822; nobody@tram.example\nAction: ${action}\nStatus: ${status}\nDiagnostic-Code: smtp; 550 no such user\n`
const status = (groups: string, encoding = '', type = 'message/delivery-status') =>
  `Content-Type: ${type}\n${encoding && `Content-Transfer-Encoding: ${encoding}\n`}\n${groups}`
const MTA = 'Reporting-MTA: dns; mx.example\n\n'
const HEADERS = `Content-Type: text/rfc822-headers\n\nFrom: support@parley.test\nMessage-ID: ${ID}\n`
const WORDS = "Content-Type: text/plain\n\nI'm sorry.\n"

function report(
  parts: string[],
  { head = DAEMON, type = 'multipart/report; report-type=delivery-status' } = {},
): string {
  return `${head}Content-Type: ${type}; boundary=b\n\n${parts.map((part) => `--b\n${part}\n`).join('')}--b--\n`
}
const plain = (head: string, text: string) => `${head}Content-Type: text/plain\n\n${text}\n`

const bounces: [rule: string, mail: string, code?: string][] = [
  ['the standard', report([WORDS, status(MTA + group()), HEADERS])],
  ['the report in base64', report([WORDS, status(base64(MTA + group()), 'base64'), HEADERS])],
  [
    'the report in quoted-printable',
    report([WORDS, status((MTA + group()).replaceAll('.', '=2E'), 'quoted-printable'), HEADERS]),
  ],
  ['an action with a comment', report([WORDS, status(MTA + group('Failed (permanent)')), HEADERS])],
  ['a comment before the action', report([WORDS, status(MTA + group('(permanent) failed')), HEADERS])],
  ['a failure behind a success', report([WORDS, status(`${MTA}${group('delivered', '2.0.0')}\n${group()}`), HEADERS])],
  [
    'a report without an action',
    report([
      WORDS,
      status(`${MTA}Final-Recipient: rfc822; x@y.example\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 no such user\n`),
      HEADERS,
    ]),
  ],
  [
    'the returned mail in base64',
    report([
      WORDS,
      status(MTA + group()),
      `Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n${base64(`Message-ID: ${ID}\n\nHello`)}`,
    ]),
  ],
  [
    'types for all scripts',
    report([
      WORDS,
      status(MTA + group(), '', 'message/global-delivery-status'),
      `Content-Type: message/global-headers\n\nMessage-ID: ${ID}\n`,
    ]),
  ],
  ['a mixed mail', report([WORDS, status(MTA + group()), HEADERS], { type: 'multipart/mixed' })],
  [
    'parts inside a part',
    report([`Content-Type: multipart/mixed; boundary=c\n\n--c\n${status(MTA + group())}\n--c\n${HEADERS}\n--c--\n`]),
  ],
  [
    'no returned mail, an answered one',
    report([WORDS, status(MTA + group())], { head: `${DAEMON}In-Reply-To: ${ID}\n` }),
  ],
  [
    'no returned mail, a field of its id',
    report([WORDS, status(MTA + group())], { head: `${DAEMON}X-Original-Message-ID: ${ID}\n` }),
  ],
  [
    'no returned mail, references',
    report([WORDS, status(MTA + group())], { head: `${DAEMON}References: <a@x> ${ID}\n` }),
  ],
  ['its id in the report', report([WORDS, status(`${MTA}X-Original-Message-ID: ${ID}\n${group()}`)])],
  ['plain words with the header', plain(DAEMON, `<nobody@tram.example>: 550 5.1.1 no such user\n\nMessage-ID: ${ID}`)],
  [
    'plain words of qmail',
    plain(
      'From: MAILER-DAEMON@mx.example\nSubject: failure notice\n',
      `Hi. I wasn't able to deliver your message.\n<nobody@tram.example>:\n550 5.1.1 no such user\n\n--- Below this line is a copy of the message.\nMessage-ID: ${ID}`,
    ),
  ],
  [
    'plain words of Exim',
    plain(
      `From: Mail Delivery System <Mailer-Daemon@mx.example>\nX-Failed-Recipients: nobody@tram.example\nIn-Reply-To: ${ID}\nSubject: Mail delivery failed: returning message to sender\n`,
      'host mx: 550 no such user',
    ),
    '5.0.0',
  ],
  [
    'plain words without a code',
    plain('From: postmaster@mx.example\nSubject: Undeliverable: Hello\n', `The user is unknown.\n\nMessage-ID: ${ID}`),
    '5.0.0',
  ],
  [
    'plain words in Spanish',
    plain(
      'From: Correo <mailer-daemon@mx.example>\nSubject: No se pudo entregar\n',
      `No se ha podido entregar el mensaje\nMessage-ID: ${ID}`,
    ),
    '5.0.0',
  ],
  [
    'plain words of a daemon without a domain',
    plain('From: MAILER-DAEMON (Mail System)\nSubject: Returned mail\n', `550 5.1.1 no such user\nMessage-ID: ${ID}`),
  ],
  [
    'plain words with the address of a machine before the code',
    plain(DAEMON, `host mx.tram.example [4.5.1.2]:\n550 5.1.1 no such user\n\nMessage-ID: ${ID}`),
  ],
  [
    'the address of a machine and no code',
    plain(DAEMON, `host mx.tram.example [104.4.1.2]:\n550 no such user\n\nMessage-ID: ${ID}`),
    '5.0.0',
  ],
  [
    'plain words of Exchange in HTML',
    `From: Microsoft Outlook <MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@tram.example>\nSubject: Undeliverable: Hello\nIn-Reply-To: ${ID}\nContent-Type: text/html\n\n<p>To <a href="mailto:n@tram.example">n</a></p><p>550 5.1.1 no such user</p>\n`,
  ],
  [
    'the returned mail in a file',
    report(
      [
        'Content-Type: text/plain\n\n550 5.1.1 no such user\n',
        `Content-Type: application/octet-stream; name=original.eml\nContent-Transfer-Encoding: base64\n\n${base64(`From: x\nMessage-ID: ${ID}\n\nHello`)}\n`,
      ],
      { type: 'multipart/mixed' },
    ),
  ],
  [
    'the header of the returned mail in a text file',
    report(
      [
        'Content-Type: text/plain\n\n550 5.1.1 no such user\n',
        `Content-Type: text/plain; name=header.txt\nContent-Disposition: attachment\n\nFrom: x\nMessage-ID: ${ID}\n`,
      ],
      { type: 'multipart/mixed' },
    ),
  ],
  [
    'plain words of nobody',
    plain(
      `Return-Path: <>\nFrom: Post <post@mx.example>\nSubject: Unzustellbar: Hallo\nIn-Reply-To: ${ID}\n`,
      '550 no such user',
    ),
    '5.0.0',
  ],
]

t.test('a report that one of our mails failed names it and the reason', async (t) => {
  for (const [rule, mail, code = '5.1.1'] of bounces) {
    const read = await parseMail(Buffer.from(mail.replaceAll('\n', '\r\n')))
    t.match(read, { bounce: { message_id: ID, status: code } }, rule)
    if ('bounce' in read && /no such user/.test(mail)) t.match(read.bounce.diagnostic, /^(?!.*<p>).*no such user/, rule)
  }
})

t.test('a report about a mail of an earlier version names it', async (t) => {
  const message_id = ID.replace(/\.[0-9a-f]{16}@/, '@')
  const [[, standard]] = bounces as [[string, string]]
  t.match(await parseMail(Buffer.from(standard.replaceAll(ID, message_id))), { bounce: { message_id } })
})

t.test('a failure names its recipients, who may be those in CC', async (t) => {
  const two = `${MTA}${group().replace('nobody', 'ana').replace('failed', 'delivered')}\n${group()}\n${group().replace('nobody', 'bo')}`
  const read = await parseMail(Buffer.from(report([WORDS, status(two), HEADERS])))
  t.match(read, { bounce: { diagnostic: 'nobody@tram.example, bo@tram.example: 550 no such user' } })
})

t.test('other reports change nothing', async (t) => {
  for (const mail of [
    report([WORDS, status(MTA + group('delayed', '4.4.1')), HEADERS]),
    report([WORDS, status(MTA + group('delivered', '2.0.0'), 'base64'.slice(0, 0)), HEADERS]),
    plain(
      'From: MAILER-DAEMON@mx.example\nSubject: Warning: could not send message for past 4 hours\n',
      `Still trying.\nMessage-ID: ${ID}`,
    ),
  ])
    t.match(await parseMail(Buffer.from(mail)), { passed_over: /changes nothing/ })
})

const ABUSE = `Content-Type: message/feedback-report\n\nFeedback-Type: abuse\nUser-Agent: x\n`
const mails: [rule: string, mail: string][] = [
  [
    'an answer of a person with our id',
    `From: ina@tram.example\nIn-Reply-To: ${ID}\n\nThe delivery failed, I was not at home.\n`,
  ],
  [
    'an absence with an empty path',
    `Return-Path: <>\nFrom: ina@tram.example\nSubject: Out of office\nIn-Reply-To: ${ID}\n\nI cannot be reached.\n`,
  ],
  ['a report about no mail of ours', report([WORDS, status(MTA + group())])],
  [
    'a report about a mail of another program at the same address',
    report([WORDS, status(MTA + group()), HEADERS.replace(ID, '<A1B2@laptop.example>')]),
  ],
  [
    'a report about an answer by another program to a mail of ours',
    report([WORDS, status(MTA + group()), `${HEADERS.replace(ID, '<A1B2@laptop.example>')}In-Reply-To: ${ID}\n`]),
  ],
  [
    'plain words about a mail of another program',
    plain(`${DAEMON}In-Reply-To: <A1B2@laptop.example>\n`, '550 5.1.1 no such user'),
  ],
  [
    'an answer of a person to a mail about a failed delivery',
    plain(
      `From: ina@tram.example\nSubject: Re: Your parcel could not be delivered\nIn-Reply-To: ${ID}\n`,
      'Then bring it tomorrow, please.',
    ),
  ],
  [
    'a question of a person about a failed delivery',
    plain(`From: ina@tram.example\nSubject: Undelivered parcel\nReferences: ${ID}\n`, 'Where is number 5.1.22?'),
  ],
  [
    'an absence of which the subject speaks of a failed delivery',
    plain(
      `From: ina@tram.example\nAuto-Submitted: auto-replied\nSubject: Automatic reply: Delivery failed\nIn-Reply-To: ${ID}\n`,
      'I am away.',
    ),
  ],
  [
    'an answer of a postmaster',
    plain(`From: Post <postmaster@mx.example>\nSubject: Re: Hello\nIn-Reply-To: ${ID}\n`, 'The host does not exist.'),
  ],
  [
    'a report that a person forwards within the mail',
    report([WORDS, status(MTA + group()), HEADERS], {
      type: 'multipart/mixed',
      head: 'From: ina@tram.example\nSubject: Fwd: Undeliverable\n',
    }),
  ],
  [
    'a complaint',
    report([WORDS, ABUSE, HEADERS], {
      type: 'multipart/report; report-type=feedback-report',
      head: 'From: abuse@mx.example\nSubject: Complaint\n',
    }),
  ],
  [
    'words of a daemon about something else',
    plain('From: MAILER-DAEMON@mx.example\nSubject: Quota\n', 'Your mailbox is almost full.'),
  ],
]

t.test('all others are mails', async (t) => {
  for (const [rule, mail] of mails) t.match(await parseMail(Buffer.from(mail)), { body: { text: /./ } }, rule)
})

const marks: [header: string, mark: string | undefined][] = [
  ['Auto-Submitted: auto-replied (holiday)', 'auto-replied'],
  ['Auto-Submitted: (holiday) auto-replied', 'auto-replied'],
  ['Auto-Submitted: Auto-Generated; type=x', 'auto-generated'],
  ['Auto-Submitted: no (sent by me)', undefined],
  ['Auto-Submitted: No', undefined],
  ['X-Autoreply: yes', 'auto-replied'],
  ['X-Auto-Reply: 1', 'auto-replied'],
  ['X-Autorespond: Re', 'auto-replied'],
  ['X-Autoresponder: v', 'auto-replied'],
  ['X-Autoreply: no', undefined],
  ['X-POST-MessageClass: 9; Autoresponder', 'auto-replied'],
  ['X-MS-Exchange-Generated-Message-Source: Mailbox Rules Agent', 'auto-replied'],
  ['X-Auto-Response-Suppress: All', 'auto-generated'],
  ['X-Auto-Response-Suppress: DR, OOF, AutoReply', 'auto-generated'],
  ['X-Auto-Response-Suppress: DR, RN', undefined],
  ['X-Auto-Response-Suppress: None', undefined],
  ['List-Id: <tea.list.example>', 'list'],
  ['List-Unsubscribe: <mailto:leave@list.example>', 'list'],
  ['Return-Path: <>', 'auto-generated'],
  ['Return-Path: <ina@tram.example>', undefined],
  ['Precedence: auto-reply', 'auto-reply'],
  ['Precedence: Bulk (list)', 'bulk'],
  ['X-Precedence: junk', 'junk'],
  ['X-Failed-Recipients: a@b.example', 'auto-generated'],
  ['Content-Type: multipart/report; report-type=disposition-notification; boundary=b', 'auto-generated'],
  ['Precedence: first-class', undefined],
  ['X-Priority: 1', undefined],
]

t.test('a mail of a program is marked, and one of a person is not', async (t) => {
  for (const [header, mark] of marks) {
    const read = await parseMail(Buffer.from(`${header}\nFrom: ina@tram.example\nMessage-ID: <a@x>\n\nHello\n`))
    t.equal((read as { body: { auto_submitted?: string } }).body.auto_submitted, mark, header)
  }
})

const ids: [header: string, ids: object][] = [
  ['In-Reply-To: <a@x> (your mail of Monday)', { in_reply_to: '<a@x>' }],
  ['In-Reply-To: "Ina" <a@x>', { in_reply_to: '<a@x>' }],
  ['In-Reply-To: <a@x>;', { in_reply_to: '<a@x>' }],
  ['In-Reply-To: < a@x >', { in_reply_to: '<a@x>' }],
  ['In-Reply-To: <a@\n x>', { in_reply_to: '<a@x>' }],
  ['In-Reply-To: <<a@x>>', { in_reply_to: '<a@x>' }],
  ['In-Reply-To: "<a@x>"', { in_reply_to: '<a@x>' }],
  ['References: <o@x>,<a@x>', { references: ['<o@x>', '<a@x>'] }],
  ['References: <o@x> (c) <a@x>;', { references: ['<o@x>', '<a@x>'] }],
  ['References: o@x a@x', { references: ['<o@x>', '<a@x>'] }],
  ['References: =?utf-8?q?=3Ca=40x=3E?=', { references: ['<a@x>'] }],
]

t.test('ids are found anywhere in their header', async (t) => {
  for (const [header, expected] of ids)
    t.match(await parseMail(Buffer.from(`From: ina@tram.example\n${header}\n\nHello\n`)), { body: expected }, header)
})
