/** The names of files in mails, as mail programs write them, and the bytes of files that name a wrong type. */
import t from 'tap'
import { parseMail } from '../../http/cli/email/parse_mail.ts'

type File = { filename: string | null; bytes: string }

async function fileOf(head: string, bytes = Buffer.from('%PDF-')): Promise<File> {
  const lines = [
    'From: ana@example.com',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    '',
    'Hello',
    '--b',
    head,
    'Content-Transfer-Encoding: base64',
    '',
    bytes.toString('base64'),
    '--b--',
    '',
  ]
  const read = await parseMail(Buffer.from(lines.join('\r\n')))
  if (!('body' in read) || !read.files) throw new Error('no mail')
  return { filename: read.body.attachments[0]!.filename, bytes: Buffer.from(read.files[0]!).toString('hex') }
}

const placed = (names: string) => `Content-Type: application/pdf\r\nContent-Disposition: attachment; ${names}`

const names: [rule: string, head: string, filename: string | null][] = [
  [
    'a plain name for old programs, before the coded one',
    placed(`filename="EURO rates.pdf"; filename*=utf-8''%e2%82%ac%20rates.pdf`),
    '€ rates.pdf',
  ],
  [
    'a plain name for old programs, behind the coded one',
    placed(`filename*=utf-8''%e2%82%ac%20rates.pdf; filename="EURO rates.pdf"`),
    '€ rates.pdf',
  ],
  [
    'an encoded word for old programs, before the coded pieces',
    placed(`filename="=?utf-8?B?4oKs?="; filename*0*=utf-8''%e2%82%ac%20; filename*1="rates.pdf"`),
    '€ rates.pdf',
  ],
  ['pieces', placed(`filename*0*=utf-8''%e2%82%ac%20; filename*1="rates.pdf"`), '€ rates.pdf'],
  ['pieces in another order', placed(`filename*1="rates.pdf"; filename*0*=utf-8''%e2%82%ac%20`), '€ rates.pdf'],
  ['pieces without a code', placed('filename*0="a long "; filename*1="name.pdf"'), 'a long name.pdf'],
  [
    'eleven pieces',
    placed(Array.from({ length: 11 }, (_, at) => `filename*${at}="${String.fromCharCode(97 + at)}"`).join('; ')),
    'abcdefghijk',
  ],
  ['a coded name that is empty', placed(`filename="plain.pdf"; filename*=utf-8''`), 'plain.pdf'],
  ['one name twice', placed('filename="a.pdf"; filename="a.pdf"'), 'a.pdf'],
  ['brackets without quotes', placed('filename=Invoice (1).pdf'), 'Invoice (1).pdf'],
  ['brackets in quotes', placed('filename="Invoice (1).pdf"'), 'Invoice (1).pdf'],
  [
    'brackets in the type alone',
    'Content-Type: application/pdf; name=Invoice (1).pdf\r\nContent-Disposition: attachment',
    'Invoice (1).pdf',
  ],
  ['a comment is no name', placed('(by hand) filename="a.pdf" (the first)'), 'a.pdf'],
]

t.test('a file has the name that its sender sees', async (t) => {
  for (const [rule, head, filename] of names) t.equal((await fileOf(head)).filename, filename, rule)
})

t.test('a mail that is attached without a name has that of its subject', async (t) => {
  const mailOf = (subject: string) =>
    [
      'From: ana@example.com',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: message/rfc822',
      'Content-Disposition: attachment',
      '',
      `${subject}From: bo@example.com`,
      '',
      'Hello',
      '--b--',
      '',
    ].join('\r\n')
  const nameIn = async (subject: string) => {
    const read = await parseMail(Buffer.from(mailOf(subject)))
    return 'body' in read && read.body.attachments[0]?.filename
  }
  t.equal(await nameIn('Subject: =?utf-8?Q?Rechnung_M=C3=A4rz_1/2?=\r\n'), 'Rechnung März 1-2.eml')
  t.equal(await nameIn(''), 'mail.eml')
})

t.test('a small file that is called a text keeps its bytes', async (t) => {
  const bytes = Buffer.from('000102030405060708090a0b', 'hex')
  const head = 'Content-Type: text/plain; name="key.bin"\r\nContent-Disposition: attachment; filename="key.bin"'
  t.equal((await fileOf(head, bytes)).bytes, bytes.toString('hex'))
})
