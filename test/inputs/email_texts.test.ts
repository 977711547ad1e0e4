/** The text of a mail: rows of bodies as mail programs write them, with the record that the hook is given. */
import t from 'tap'
import { htmlText } from '../../actors/providers/email/html_text.ts'
import { bringable, readMail as readWhole } from '../../http/cli/email/inbound_mail.ts'
import { parseMail } from '../../http/cli/email/parse_mail.ts'

const readMail = async (bytes: Buffer) => bringable(await parseMail(bytes), { read: async (html) => htmlText(html) })

type Expected = { text?: string | RegExp; unreadable?: true; attachments?: string[]; subject?: string; name?: string }
type Row = [rule: string, mail: string, expected: Expected | string]

const FROM = 'From: Ina <ina@tram.example>\nMessage-ID: <t@x>\n'
const text = (type: string, body: string, encoding = '') =>
  `${FROM}${type && `Content-Type: ${type}\n`}${encoding && `Content-Transfer-Encoding: ${encoding}\n`}\n${body}`
const base64 = (bytes: string | Buffer) => Buffer.from(bytes).toString('base64')
/** One character for each byte, as the rows are written. */
const utf8 = (words: string) => Buffer.from(words).toString('latin1')
const mixed = (...parts: string[]) => multipart('multipart/mixed; boundary=b', ...parts)
const multipart = (type: string, ...parts: string[]) =>
  `${FROM}Content-Type: ${type}\n\n${parts.map((part) => `--b\n${part}\n`).join('')}--b--\n`
const PLAIN = 'Content-Type: text/plain; charset=utf-8\n\n'

const charsets: Row[] = [
  ['no charset, Latin-1', text('', 'Caf\xe9 a las 8'), 'Café a las 8'],
  ['us-ascii, Latin-1', text('text/plain; charset=us-ascii', 'Gr\xf6\xdfe 8'), 'Größe 8'],
  ['an unknown charset', text('text/plain; charset=x-unknown', 'El ni\xf1o'), 'El niño'],
  ['unknown-8bit', text('text/plain; charset=unknown-8bit', '5 \x80'), '5 €'],
  ['UTF-8 that is Latin-1', text('text/plain; charset=utf-8', 'A\xf1o'), 'Año'],
  [
    'UTF-8 with a footer in Latin-1',
    text('text/plain; charset=utf-8', `${utf8('Größe')}\n--\nGr\xfc\xdfe`),
    'Größe\n--\nGrüße',
  ],
  ['Latin-1 that is UTF-8', text('text/plain; charset=iso-8859-1', utf8('mañana')), 'mañana'],
  ['no charset, UTF-8', text('', utf8('¿Cuándo? 😀')), '¿Cuándo? 😀'],
  ['no charset, quoted-printable', text('', 'Ma=F1ana', 'quoted-printable'), 'Mañana'],
  ['no charset, base64', text('', base64(Buffer.from('Año nuevo', 'latin1')), 'base64'), 'Año nuevo'],
  ['no charset, ISO-2022-JP', text('', '\x1b$B$3$s\x1b(B'), 'こん'],
  ['a charset in single quotes', text("text/plain; charset='koi8-r'", '\xf0\xd2\xc9\xd7\xc5\xd4'), 'Привет'],
  ['a charset with a language', text('text/plain; charset=windows-1251*ru', '\xcf\xf0\xe8'), 'При'],
  ['a charset with a label in it', text('text/plain; charset="charset=koi8-r"', '\xf0\xd2\xc9'), 'При'],
  ['a code page of DOS', text('text/plain; charset=cp850', 'a\xa4o'), 'año'],
  ['UTF-7', text('text/plain; charset=utf-7', 'A+APE-o'), 'Año'],
  ['a mark of UTF-16', text('text/plain', base64(Buffer.from('\ufeffAño', 'utf16le')), 'base64'), 'Año'],
  ['a mark of UTF-8', text('text/plain; charset=iso-8859-1', utf8('\ufeffAño')), 'Año'],
  ['Shift_JIS with letters of NEC', text('text/plain; charset=shift_jis', '\x87\x40'), '①'],
  ['a wrong byte in GBK', text('text/plain; charset=gb2312', '\xc4\xe3\xba\xc3\xff!'), /^你好.*!$/ as never],
  ['HTML with meta', text('text/html', '<meta charset=koi8-r><p>\xf0\xd2\xc9'), 'При'],
  [
    'HTML with http-equiv',
    text('text/html', '<meta http-equiv=Content-Type content="text/html; charset=windows-1251">\xcf\xf0\xe8'),
    'При',
  ],
  ['HTML without a charset', text('text/html', '<p>A\xf1o'), 'Año'],
  ['HTML whose header is right', text('text/html; charset=utf-8', `<meta charset=koi8-r>${utf8('Año')}`), 'Año'],
  ['a raw subject', `${FROM}Subject: A\xf1o\n\nx`, { subject: 'Año' }],
  [
    'a raw subject in the charset of the text',
    `${FROM}Subject: \xf0\xd2\xc9\nContent-Type: text/plain; charset=koi8-r\n\nx`,
    { subject: 'При' },
  ],
  ['an encoded word of an unknown charset', `${FROM}Subject: =?x-unknown?q?A=F1o?=\n\nx`, { subject: 'Año' }],
  ['an encoded word with wrong bytes', `${FROM}Subject: =?utf-8?q?A=F1o?=\n\nx`, { subject: 'Año' }],
  [
    'encoded words cut inside a character',
    `${FROM}Subject: =?utf-8?b?w4M=?= =?utf-8?q?=C3?=\n =?utf-8?q?=B1o?=\n\nx`,
    { subject: 'Ãño' },
  ],
  ['an encoded word in quotes', `From: "=?utf-8?q?Jos=C3=A9?=" <j@x.example>\n\nx`, { name: 'José' }],
]

const parts: Row[] = [
  [
    'a named text behind the body',
    mixed(`${PLAIN}Check the plan.`, 'Content-Type: text/plain; name="plan.txt"\n\nMON Ada'),
    { text: 'Check the plan.', attachments: ['plan.txt'] },
  ],
  [
    'an inline text with a filename',
    mixed(`${PLAIN}See it.`, 'Content-Type: text/plain\nContent-Disposition: inline; filename=a.log\n\nlog'),
    { text: 'See it.', attachments: ['a.log'] },
  ],
  [
    'a named text before the body',
    mixed('Content-Type: text/plain; name=a.txt\n\nfile', `${PLAIN}Body`),
    { text: 'Body', attachments: ['a.txt'] },
  ],
  [
    'an inline page with a filename',
    mixed(`${PLAIN}See it.`, 'Content-Type: text/html; name=r.html\n\n<h1>R'),
    { text: 'See it.', attachments: ['r.html'] },
  ],
  ['the footer of a list', mixed(`${PLAIN}Body`, `${PLAIN}-- \nlist`), { text: 'Body\n-- \nlist', attachments: [] }],
  ['one named text alone', text('text/plain; name=a.txt', 'Only me'), { text: 'Only me', attachments: [] }],
  ['an inline table', mixed(`${PLAIN}Body`, 'Content-Type: text/csv\n\na,b'), { text: 'Body', attachments: ['null'] }],
  ['a table alone', text('text/csv', 'a,b'), { text: 'a,b', attachments: [] }],
  ['HTML, then text', mixed('Content-Type: text/html\n\n<p>First', `${PLAIN}Second`), { text: 'First\nSecond' }],
  [
    'text and HTML of one alternative, HTML footer',
    mixed(
      'Content-Type: multipart/alternative; boundary=c\n\n--c\n\nBody\n--c\nContent-Type: text/html\n\n<p>Body\n--c--\n',
      'Content-Type: text/html\n\n<p>Foot',
    ),
    { text: 'Body\nFoot' },
  ],
  [
    'different texts as alternatives',
    multipart('multipart/alternative; boundary=b', `${PLAIN}One`, `${PLAIN}Two`),
    { text: 'One\nTwo' },
  ],
  ['markdown alone', text('text/markdown', 'Two *cups*'), 'Two *cups*'],
  [
    'enriched alone',
    text('text/enriched', '<bold>Two</bold> <<cups>\n<color><param>red</param>now</color>\n\nBye'),
    'Two <cups> now\nBye',
  ],
  ['“text” as type', text('text', 'Hello'), 'Hello'],
  ['types turned round', text('plain/text', 'Hello'), 'Hello'],
  ['text/text', text('text/text; charset=utf-8', utf8('Año')), 'Año'],
  ['a type without sense', text('foo', 'Hello'), 'Hello'],
  ['octets that are text', text('application/octet-stream', 'Hello'), { text: 'Hello', attachments: [] }],
  [
    'RTF alone',
    text('text/rtf', "{\\rtf1\\ansi{\\fonttbl{\\f0 Arial;}}Two \\b cups\\b0\\par A\\'f1o \\u8364?}"),
    'Two cups\nAño €',
  ],
  [
    'an invitation alone',
    text(
      'text/calendar; method=REQUEST',
      'BEGIN:VCALENDAR\nMETHOD:REQUEST\nBEGIN:VTIMEZONE\nBEGIN:STANDARD\nDTSTART:19700101T000000\nEND:STANDARD\nEND:VTIMEZONE\nBEGIN:VEVENT\nSUMMARY:Tea\\, with Bo\nDTSTART;TZID=Europe/Madrid:20261201T0930\n 00\nLOCATION:Room 2\nORGANIZER;CN=Ina:mailto:ina@tram.example\nDESCRIPTION:Bring\\ncups\nEND:VEVENT\nEND:VCALENDAR',
    ),
    {
      text: 'Invitation\n\nTea, with Bo\nStart: 2026-12-01 09:30 Europe/Madrid\nPlace: Room 2\nOrganizer: Ina, ina@tram.example\n\nBring\ncups',
    },
  ],
  [
    'an invitation beside its text',
    multipart(
      'multipart/alternative; boundary=b',
      `${PLAIN}Tea on Tuesday`,
      'Content-Type: text/calendar; name=tea.ics\n\nBEGIN:VCALENDAR',
    ),
    { text: 'Tea on Tuesday', attachments: ['tea.ics'] },
  ],
  [
    'more files than are listed',
    mixed('Content-Type: text/html\n\n<p>See them', ...Array(103).fill('Content-Type: image/png; name=a.png\n\nx')),
    { text: 'See them\n[… 3 more attachments]', attachments: Array(100).fill('a.png') },
  ],
  [
    'a piece of a mail',
    text('message/partial; id="a@x"; number=2; total=3', 'and three spoons'),
    '---------- Piece 2 of 3 of a message ----------\n\nand three spoons',
  ],
  [
    'an invitation that is repeated',
    text(
      'text/calendar; method=REQUEST',
      'BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Tea\nDTSTART:20261201T093000Z\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;BYDAY=TU\nURL:https://tram.example/tea\nEND:VEVENT\nEND:VCALENDAR',
    ),
    'Tea\nStart: 2026-12-01 09:30 UTC\nDuration: PT1H\nRepeated: FREQ=WEEKLY;BYDAY=TU\nLink: https://tram.example/tea',
  ],
  [
    'an answer to an invitation',
    text(
      'text/calendar; method=REPLY',
      'BEGIN:VCALENDAR\nMETHOD:REPLY\nBEGIN:VEVENT\nSUMMARY:Tea\nATTENDEE;PARTSTAT=DECLINED;CN=Ina:mailto:ina@tram.example\nEND:VEVENT\nEND:VCALENDAR',
    ),
    'Answer to an invitation\n\nTea\nAnswer: declined, Ina, ina@tram.example',
  ],
  [
    'more events than are shown',
    text(
      'text/calendar',
      `BEGIN:VCALENDAR\n${Array.from({ length: 21 }, (_, at) => `BEGIN:VEVENT\nSUMMARY:Tea\n${at === 20 ? 'LOCATION:Room\n' : ''}END:VEVENT\n`).join('')}`,
    ),
    `${'Tea\n\n'.repeat(20)}[…]`,
  ],
  [
    'more lines of a calendar than are read',
    text(
      'text/calendar',
      `BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Tea\n${'ATTENDEE:mailto:a@x.example\n'.repeat(20_000)}`,
    ),
    'Tea\n\n[…]',
  ],
  [
    'HTML before and behind the body',
    text('text/html', 'Notice<html><head><title>T</title></head><body>Cups</body></html><p>Footer</p>'),
    'Notice\nCups\n\nFooter',
  ],
  ['HTML behind an empty body', text('text/html', '<html><body></body></html>Three cups'), 'Three cups'],
  ['HTML whose head is not closed', text('text/html', '<head><style>p{}</style><p>Three cups'), 'Three cups'],
  [
    'HTML with settings of an office program',
    text('text/html', '<head><xml><o:x>96</o:x></xml></head><p>Three cups'),
    'Three cups',
  ],
  [
    'a mail that is a mail',
    text(
      'message/rfc822',
      'From: Bo <bo@x.example>\nSubject: =?utf-8?q?A=C3=B1o?=\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nSGk=',
    ),
    '---------- Forwarded message ----------\nFrom: Bo <bo@x.example>\nSubject: Año\n\nHi',
  ],
  [
    'a mail attached to a mail',
    mixed(
      `${PLAIN}See below`,
      'Content-Type: message/rfc822\nContent-Disposition: attachment; filename=old.eml\n\nSubject: Old\n\nInner',
    ),
    { text: /^See below\n-+ Forwarded message -+\nSubject: Old\n+Inner$/, attachments: ['old.eml'] },
  ],
  [
    'a digest',
    multipart('multipart/digest; boundary=b', '\nSubject: One\n\nFirst', '\nSubject: Two\n\nSecond'),
    { text: /One\n\nFirst\n-+ F.*\nSubject: Two\n\nSecond$/ },
  ],
  [
    'encrypted with PGP',
    multipart(
      'multipart/encrypted; protocol="application/pgp-encrypted"; boundary=b',
      'Content-Type: application/pgp-encrypted\n\nVersion: 1',
      'Content-Type: application/octet-stream; name=encrypted.asc\n\n-----BEGIN PGP MESSAGE-----',
    ),
    { text: /encrypted \(PGP\)/, unreadable: true },
  ],
  [
    'encrypted with S/MIME',
    text('application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m', base64('xxxx'), 'base64'),
    { text: /encrypted \(S\/MIME\)/, unreadable: true },
  ],
  ['a picture with words', text('text/html', '<img alt="Two cups" src=cid:1>'), 'Two cups'],
  ['a picture without words', text('text/html', '<div><img src=cid:1></div>'), ''],
  [
    'flowed lines',
    text('text/plain; format=flowed', 'One \ntwo\nthree\n> four \n> five'),
    'One two\nthree\n> four five',
  ],
  [
    'a file inside the text',
    text('', 'Here:\n\nbegin 644 cat.txt\n#0V%T\n`\nend\nBye'),
    { text: 'Here:\n\nBye', attachments: ['cat.txt'] },
  ],
]

const broken: Row[] = [
  [
    'no blank line before the parts',
    `${FROM}Content-Type: multipart/mixed; boundary="t1"\n--t1\nContent-Type: text/plain\n\nThree cups\n--t1--`,
    'Three cups',
  ],
  ['no blank line before the text', `${FROM}Subject: Cups\nThree cups\nplease`, 'Three cups\nplease'],
  ['no blank line before the text and one in it', `${FROM}Subject: Cups\nThree cups\n\nplease`, 'Three cups\n\nplease'],
  ['no blank line before a text with a colon', `${FROM}Subject: Cups\nNote: three cups`, 'Note: three cups'],
  ['no blank line in a part', mixed('Content-Type: text/plain\nThree cups'), 'Three cups'],
  ['a part without a header', mixed('Three cups'), 'Three cups'],
  [
    'a content type folded by an empty line',
    `${FROM}Content-Type: multipart/mixed;\n\n boundary="b"\n\n--b\n\nThree cups\n--b--`,
    'Three cups',
  ],
  ['a text type folded by an empty line', `${FROM}Content-Type: text/plain;\n\n charset=koi8-r\n\n\xf0\xd2\xc9`, 'При'],
  ['no boundary', multipart('multipart/mixed', `${PLAIN}Three cups`), 'Three cups'],
  ['an empty boundary', multipart('multipart/mixed; boundary=""', `${PLAIN}Three cups`), 'Three cups'],
  ['a boundary in the other case', multipart('multipart/mixed; boundary=B', `${PLAIN}Three cups`), 'Three cups'],
  [
    'a boundary with a blank at its end',
    multipart('multipart/mixed; boundary="b "', `${PLAIN}Three cups`),
    'Three cups',
  ],
  ['a boundary in single quotes', multipart("multipart/mixed; boundary='b'", `${PLAIN}Three cups`), 'Three cups'],
  [
    'a boundary that no part has',
    multipart('multipart/alternative; boundary=other', `${PLAIN}Three cups`, 'Content-Type: text/html\n\n<p>Three'),
    'Three cups',
  ],
  [
    'a boundary that is not closed',
    `${FROM}Content-Type: multipart/mixed; boundary="b\n\n--b\n\nThree cups\n`,
    'Three cups',
  ],
  ['a multipart without parts', `${FROM}Content-Type: multipart/mixed; boundary=b\n\nThree cups\n`, 'Three cups'],
  ['base64 that is plain text', text('text/plain', 'Three cups, please.', 'base64'), 'Three cups, please.'],
  ['base64 that is one word', text('text/plain', 'Three', 'base64'), 'Three'],
  [
    'base64 with the footer of a list',
    text('text/plain; charset=utf-8', `${base64('Three cups')}\n_____\nTo leave: write us\n`, 'base64'),
    'Three cups\n_____\nTo leave: write us',
  ],
  ['base64 in pieces', text('text/plain', 'VGhyZQ==\nZSBjdXBz', 'base64'), 'Three cups'],
  ['base64 that is cut off', text('text/plain', 'VGhyZWUgY3Vwc', 'base64'), /^Three cup/ as never],
  ['an encoding that nobody knows', text('text/plain', 'Three cups', '8bits'), 'Three cups'],
  ['an encoding with a comment', text('text/plain', 'Three=20cups', 'quoted-printable (soft)'), 'Three cups'],
  [
    'quoted-printable with wrong signs',
    text('text/plain', '100 =% of a =\nline=', 'quoted-printable'),
    '100 =% of a line',
  ],
  [
    'quoted-printable with blanks behind',
    text('text/plain', 'Three =  \ncups  \nplease', 'quoted-printable'),
    'Three cups\nplease',
  ],
  ['empty lines before the header', `\n\n${FROM}\nThree cups`, 'Three cups'],
  ['the line of a mailbox file', `From ina@tram.example Mon Nov 30 09:00:00 2026\n${FROM}\nThree cups`, 'Three cups'],
  ['a byte order mark before the header', `\xef\xbb\xbf${FROM}\nThree cups`, 'Three cups'],
  [
    'a line that is no field',
    `${FROM}rubbish here\nSubject: Cups\n\nThree cups`,
    { text: 'Three cups', subject: 'Cups' },
  ],
  ['a blank before the colon', `${FROM}Subject : Cups\n\nThree cups`, { subject: 'Cups' }],
  ['two content types', `${FROM}Content-Type: text/plain\nContent-Type: text/html\n\n<p>Three cups`, 'Three cups'],
  ['nothing but what divides parts', mixed(`${PLAIN}\n`), { text: '' }],
  ['text behind the end', `${FROM}Content-Type: multipart/mixed; boundary=b\n\n--b--\n\nThree cups`, 'Three cups'],
  ['bytes that are no text', text('text/plain', '\x01\x02\x03\x04\x05\x06\x07\x08'.repeat(9)), { unreadable: true }],
  [
    'a picture that is said to be text',
    text('text/plain; name=cat.png', base64(Buffer.alloc(300)), 'base64'),
    { attachments: ['cat.png'] },
  ],
]

for (const [group, rows] of Object.entries({ charsets, parts, broken })) {
  t.test(group, async (t) => {
    for (const [rule, mail, expected] of rows) {
      for (const ends of ['\r\n', '\n']) {
        const read = await readMail(Buffer.from(mail.replaceAll('\n', ends), 'latin1'))
        const { body } = read as { body: Record<string, unknown> }
        const { name, attachments, ...fields } =
          typeof expected === 'string' || expected instanceof RegExp ? { text: expected } : (expected as Expected)
        t.match(body, fields, `${rule}, ${ends === '\n' ? 'LF' : 'CR LF'}`)
        if (typeof fields.text === 'string') t.equal(body.text, fields.text, rule)
        if (!fields.unreadable) t.notOk(body.unreadable, rule)
        if (name) t.equal((body.from as { name: string }).name, name)
        if (attachments)
          t.same(
            (body.attachments as { filename: string }[]).map((one) => String(one.filename)),
            attachments,
            rule,
          )
      }
    }
  })
}

t.test('the beginning of a mail that could not be read is kept', async (t) => {
  const bytes = Buffer.from(text('text/plain', '\x01\x02\x03\x04\x05\x06\x07\x08'.repeat(40_000)), 'latin1')
  const { body } = (await readWhole(bytes)) as { body: { original: string } }
  t.match(body, { unreadable: true })
  t.same(Buffer.from(body.original, 'base64'), bytes.subarray(0, 150_000))
  const { body: readable } = (await readWhole(Buffer.from(text('', 'Hello')))) as { body: object }
  t.notOk('original' in readable)
})

t.test('a mail that was saved in UTF-16', async (t) => {
  const mail = Buffer.from(`\ufeff${FROM}Subject: Año\n\nTé`, 'utf16le')
  for (const bytes of [mail, Buffer.from(mail).swap16()])
    t.match(await readMail(bytes), { body: { subject: 'Año', text: 'Té' } })
})

t.test('header lines that end with CR alone', async (t) => {
  const mail = `${FROM}Subject: Cups\n\nThree cups\nplease`.replaceAll('\n', '\r')
  t.match(await readMail(Buffer.from(mail)), { body: { subject: 'Cups', text: /^Three cups\s+please$/ } })
})
