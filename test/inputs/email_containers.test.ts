/** Texts inside of other formats: winmail.dat of Outlook, and signed S/MIME. The bytes are made here. */
import t from 'tap'
import { htmlText } from '../../actors/providers/email/html_text.ts'
import { bringable } from '../../http/cli/email/inbound_mail.ts'
import { parseMail } from '../../http/cli/email/parse_mail.ts'

const int = (bytes: number, value: number) => {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntLE(value, 0, bytes)
  return buffer
}
const padded = (value: Buffer) => Buffer.concat([value, Buffer.alloc((4 - (value.length % 4)) % 4)])

/** One attribute of TNEF: level, id and type, length, value, checksum. */
const attribute = (id: number, value: Buffer, level = 1) =>
  Buffer.concat([int(1, level), int(4, id), int(4, value.length), value, int(2, 0)])
const properties = (...all: [type: number, id: number, value: Buffer][]) =>
  Buffer.concat([
    int(4, all.length),
    ...all.map(([type, id, value]) =>
      Buffer.concat([int(2, type), int(2, id), int(4, 1), int(4, value.length), padded(value)]),
    ),
  ])
const tnef = (...attributes: Buffer[]) => Buffer.concat([int(4, 0x223e9f78), int(2, 1), ...attributes])

const PROPERTIES = 0x69003
const plain = tnef(attribute(0x69007, int(4, 1252)), attribute(0x2800c, Buffer.from('Two caf\xe9s\0', 'latin1')))
const unicode = tnef(attribute(PROPERTIES, properties([0x1f, 0x1000, Buffer.from('Zwei Straßen\0', 'utf16le')])))
const html = tnef(attribute(PROPERTIES, properties([0x102, 0x1013, Buffer.from('<p>Two <b>cups</b></p>')])))
/** Compressed RTF may be stored as it is. */
const RTF = Buffer.from("{\\rtf1\\ansi\\ansicpg1252 Two \\'fcber cups\\par}", 'latin1')
const rtf = tnef(
  attribute(
    PROPERTIES,
    properties([
      0x102,
      0x1009,
      Buffer.concat([int(4, RTF.length + 12), int(4, RTF.length), int(4, 0x414c454d), int(4, 0), RTF]),
    ]),
  ),
)
/** The example of MS-OXRTFCP. */
const PACKED = Buffer.from(
  '2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0',
  'hex',
)
const packed = tnef(attribute(PROPERTIES, properties([0x102, 0x1009, PACKED])))
const files = tnef(
  attribute(0x2800c, Buffer.from('See the file.\0')),
  attribute(0x69002, Buffer.alloc(14), 2),
  attribute(0x18010, Buffer.from('PLAN~1.PDF\0'), 2),
  attribute(0x6800f, Buffer.from('12345'), 2),
  attribute(0x69005, properties([0x1f, 0x3707, Buffer.from('plan für Bo.pdf\0', 'utf16le')]), 2),
)

const der = (tag: number, ...parts: Buffer[]) => {
  const content = Buffer.concat(parts)
  const size =
    content.length < 0x80
      ? Buffer.from([content.length])
      : Buffer.from([0x82, content.length >> 8, content.length & 0xff])
  return Buffer.concat([Buffer.from([tag]), size, content])
}
const oid = (hex: string) => Buffer.from(`0609${hex}`, 'hex')
const INNER = Buffer.from(`Content-Type: text/plain; charset=utf-8\r\n\r\nTwo cups, signed${'.'.repeat(100)}\r\n`)
const signed = (content: Buffer) =>
  der(0x30, oid('2a864886f70d010702'), der(0xa0, der(0x30, Buffer.from('020101', 'hex'), der(0x31), content)))
const whole = signed(der(0x30, oid('2a864886f70d010701'), der(0xa0, der(0x04, INNER))))
const chunks = signed(
  der(
    0x30,
    oid('2a864886f70d010701'),
    der(0xa0, der(0x24, der(0x04, INNER.subarray(0, 60)), der(0x04, INNER.subarray(60)))),
  ),
)

async function read(type: string, bytes: Buffer, before = '') {
  const part = `Content-Type: ${type}\r\nContent-Transfer-Encoding: base64\r\n\r\n${bytes.toString('base64')}\r\n`
  const mail = before
    ? `From: a@x.example\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n${before}\r\n--b\r\n${part}--b--\r\n`
    : `From: a@x.example\r\n${part}`
  const result = await bringable(await parseMail(Buffer.from(mail)), { read: async (page) => htmlText(page) })
  return (result as { body: { text: string; unreadable?: true; attachments: { filename: string; size: number }[] } })
    .body
}

const rows: [rule: string, type: string, bytes: Buffer, text: string | RegExp][] = [
  ['plain text', 'application/ms-tnef; name=winmail.dat', plain, 'Two cafés'],
  ['text in Unicode', 'application/vnd.ms-tnef', unicode, 'Zwei Straßen'],
  ['HTML', 'application/ms-tnef', html, 'Two cups'],
  ['RTF', 'application/ms-tnef', rtf, 'Two über cups'],
  ['packed RTF', 'application/ms-tnef', packed, 'hello world'],
  ['another type', 'application/octet-stream; name="WinMail.dat"', plain, 'Two cafés'],
  ['a signed mail', 'application/pkcs7-mime; smime-type=signed-data; name=smime.p7m', whole, /^Two cups, signed\.+$/],
  ['a signed mail in pieces', 'application/x-pkcs7-mime; smime-type=signed-data', chunks, /^Two cups, signed\.+$/],
]

t.test('the text inside is the text of the mail', async (t) => {
  for (const [rule, type, bytes, text] of rows) {
    const body = await read(type, bytes)
    t.match(body.text, text, rule)
    t.notOk(body.unreadable, rule)
  }
})

t.test('the files inside are those of the mail', async (t) => {
  t.match(await read('application/ms-tnef', files), {
    text: 'See the file.',
    attachments: [{ filename: 'plan für Bo.pdf', size: 5 }],
  })
})

t.test('a text beside it is the text', async (t) => {
  t.equal((await read('application/ms-tnef', plain, 'Two cups')).text, 'Two cups')
})

t.test('bytes that are cut off or nonsense are a file', async (t) => {
  for (const bytes of [Buffer.from('nonsense'), plain.subarray(0, 12), Buffer.alloc(0)])
    t.match(await read('application/ms-tnef; name=winmail.dat', bytes), { attachments: [{ filename: 'winmail.dat' }] })
  for (let end = 0; end < files.length; end += 3) await read('application/ms-tnef', files.subarray(0, end))
  t.match(await read('application/pkcs7-mime', whole.subarray(0, 20)), { unreadable: true, text: /encrypted/ })
})
