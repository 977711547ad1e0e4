/** Texts in the encodings that programs write, beginning with any word: their letters, and that they are texts. */
import iconv from 'iconv-lite'
import t from 'tap'
import { parseHtml } from '../../actors/knowledge/convert/confined/html.ts'
import { decodeText } from '../../actors/knowledge/convert/confined/legacy_text.ts'
import { documentType } from '../../actors/knowledge/convert/document_type.ts'
import { convertText } from '../../actors/knowledge/convert/plain_text.ts'
import { sniffStart } from '../../actors/media/mod.ts'

const RUSSIAN = 'Зелёный чай подают каждый день до вечера.'
const CZECH = 'Obchod je otevřen každý den, čaj je žlutý a příliš hořký.'
const GERMAN = 'Die Öffnungszeiten gelten täglich außer sonntags für Gäste. Grüße, Müller.'

const unnamed: [encoding: string, text: string][] = [
  ['utf8', RUSSIAN],
  ['utf16le', RUSSIAN],
  ['utf-16be', RUSSIAN],
  ['windows-1251', RUSSIAN],
  ['koi8-r', RUSSIAN],
  ['maccyrillic', RUSSIAN],
  ['cp866', RUSSIAN],
  ['iso-8859-5', RUSSIAN],
  ['shift_jis', '営業時間は午前九時から午後六時までです。'],
  ['euc-jp', '営業時間は午前九時から午後六時までです。'],
  ['euc-kr', '영업시간은 오전 아홉시부터 오후 여섯시까지입니다.'],
  ['gbk', '营业时间是上午九点到下午六点，欢迎光临。'],
  ['big5', '營業時間為上午九點至下午六點，歡迎光臨。'],
  ['windows-1250', CZECH],
  ['iso-8859-2', CZECH],
  ['iso-8859-7', 'Το κατάστημα είναι ανοιχτό κάθε μέρα μέχρι το βράδυ.'],
  ['windows-1255', 'החנות פתוחה כל יום עד הערב. תה ירוק חינם.'],
  ['windows-1256', 'المتجر مفتوح كل يوم حتى المساء. الشاي الأخضر مجاني.'],
  ['windows-1254', 'Dükkan her gün açık, şeker ve çay ücretsizdir, iyi günler, ığdır.'],
  ['windows-874', 'ร้านเปิดทุกวันจนถึงเย็น ชาเขียวฟรี'],
  ['windows-1252', GERMAN],
  ['macroman', GERMAN],
  ['cp850', GERMAN],
  ['windows-1252', 'Olá €'],
]

t.test('letters are told without a name of their encoding', async (t) => {
  for (const [encoding, text] of unnamed) {
    const bytes = iconv.encode(text, encoding)
    t.equal(decodeText(bytes, []).text, text, encoding)
    const start = Buffer.from(bytes)
    t.equal(await documentType(start), 'text/plain', encoding)
  }
})

t.test('what stands before a text says nothing of its letters', (t) => {
  const before = `${'var x = "script of a page"; '.repeat(4_000)}\n`
  for (const [encoding, text] of unnamed.slice(3, -1)) {
    const long = `${before}${text}\n`
    t.equal(decodeText(iconv.encode(long, encoding), []).text, long, encoding)
  }
  t.equal(
    decodeText(iconv.encode('Café, 5 € la pièce, ouvert dès huit heures', 'iso-8859-15'), []).text,
    'Café, 5 € la pièce, ouvert dès huit heures',
  )
  t.end()
})

t.test('a saved mail or web archive is told, and its codes are not taken for its text', async (t) => {
  const archive = (type: string) =>
    Buffer.from(
      `From: <Saved by Blink>\r\nSubject: House\r\nMIME-Version: 1.0\r\n${type}\r\n\r\n<html><body>Gr=C3=BC=C3=9Fe</body></html>`,
    )
  const types = ['Content-Type: multipart/related;\r\n boundary="b"', 'Content-Transfer-Encoding: quoted-printable']
  for (const type of types)
    await t.rejects(documentType(archive(type)), { code: 'unsupported_type', message: /web archive/ }, type)
  t.equal(await documentType(Buffer.from('Note: MIME-Version: 1.0 is a header.\n\nTea.')), 'text/plain')
})

t.test('a name decides where letters alone do not tell', (t) => {
  const cases: [encoding: string, names: (string | null)[], text: string][] = [
    ['iso-8859-15', ['iso-8859-15'], '20 €'],
    ['windows-1258', ['windows-1258'], 'trà xanh à ơi'],
    ['iso-8859-2', ['ISO_8859-2'], 'łódź'],
    ['shift_jis', ['x-sjis'], '茶'],
    ['gbk', ['gb2312'], '茶'],
    // A server that says the same of all files.
    ['windows-1251', ['iso-8859-1', 'windows-1251'], RUSSIAN],
    ['windows-1251', ['utf-8'], RUSSIAN],
    ['koi8-r', ['windows-1252'], RUSSIAN],
    ['utf8', ['iso-8859-1'], RUSSIAN],
    ['windows-1251', ['none', null], RUSSIAN],
  ]
  for (const [encoding, names, text] of cases)
    t.equal(decodeText(iconv.encode(text, encoding), names).text, text, `${encoding} named ${names}`)
  t.end()
})

t.test('text without words in any encoding is refused', (t) => {
  const nonsense = Buffer.from(Array.from({ length: 400 }, (_, at) => (at % 3 === 0 ? 0x41 : 0x80 + ((at * 89) % 32))))
  t.throws(() => decodeText(nonsense, []), { code: 'unknown_charset' })
  t.end()
})

t.test('a wrong byte spoils a letter, and is counted', (t) => {
  const bytes = Buffer.from(`${RUSSIAN} ${RUSSIAN}`)
  bytes[0] = 0xff
  const found = convertText(bytes)!
  t.match(found.content, /лёный чай/)
  t.match(found.warnings, [{ code: 'letters_unreadable' }])
  const cut = convertText(Buffer.from(RUSSIAN).subarray(0, -2))!
  t.match(cut.warnings, [{ code: 'letters_unreadable', count: 1, message: '1 character could not be read.' }])
  const marked = convertText(Buffer.from('Tea\x0bhouse\x7f, open \x00 daily\x1a'))!
  t.match(marked, { content: /^Tea/, warnings: [{ code: 'letters_unreadable', count: 1 }] })
  t.strictSame(convertText(Buffer.from('Tea\r\n\x1a'))!.warnings, [], 'the end mark of DOS is none')
  t.end()
})

const page = (head: string) => `${head}<title>Чай</title><p>${RUSSIAN}</p>`

t.test('a page is read by what names its letters', (t) => {
  const cases: [encoding: string, charset: string | null, head: string][] = [
    ['windows-1251', 'windows-1251', ''],
    ['koi8-r', 'KOI8-R', ''],
    ['windows-1251', null, '<meta charset="windows-1251">'],
    ['windows-1251', null, `<meta http-equiv="Content-Type" content="text/html; charset  =  windows-1251">`],
    ['windows-1251', null, '<!-- charset=utf-8 --><script charset="utf-8"></script><meta charset=windows-1251>'],
    ['windows-1251', null, `<!--${'x'.repeat(3_000)}--><meta charset='windows-1251'>`],
    ['windows-1251', null, '<?xml version="1.0" encoding="windows-1251"?>'],
    ['windows-1251', null, '<meta name="description" content="charset">'],
    ['windows-1251', 'iso-8859-1', '<meta charset="windows-1251">'],
    ['utf8', null, '<meta charset="iso-8859-1">'],
    ['utf8', 'windows-1252', ''],
    ['utf16le', 'utf-16', ''],
  ]
  for (const [encoding, charset, head] of cases) {
    const { content, title } = parseHtml(iconv.encode(page(head), encoding), { url: null, charset })
    t.match(
      { content, title },
      { content: `# Чай\n\n${RUSSIAN}`, title: 'Чай' },
      `${encoding}, ${charset}, ${head.slice(0, 60)}`,
    )
  }
  t.end()
})

/** Words with which files of other types begin. */
const WORDS =
  'FORMAS FORMULARIO FORMATION BMW BMX BM25 PAREDES PARETO GIF87a GIF: solid MAC MZ ID3 OggS fLaC SQLi BLENDER DRACO 8BPS AC1015 IMPM DSD MThd LZIP FWS CWS ITSF 070707 #!AMR RIFF WAVE PK Rar! BZh 7z icns FLV II* MM MPCK wvpk TRUEVISION glTF ftyp caff OTTO wOFF DICM SIMPLE LRZI {"a":1} <?php ---'.split(
    ' ',
  )

t.test('a text is a text whatever word it begins with', async (t) => {
  for (const word of WORDS) {
    for (const mark of ['', '\ufeff']) {
      const bytes = Buffer.from(`${mark}${word} DE PAGO\n\nEfectivo en caja; 20\nÑandú\n`)
      t.equal(await sniffStart(bytes), 'text/plain', word)
      t.equal(await documentType(bytes), 'text/plain', word)
    }
    const flawed = Buffer.from(`${word} DE PAGO\n${'Efectivo en caja, cada día.\n'.repeat(20)}\x01 end`)
    t.equal(await sniffStart(flawed), 'text/plain', `${word} with a wrong byte`)
  }
})

const types: [name: string, bytes: Buffer, type: string][] = [
  ['a text about PDF', Buffer.from('Files begin with %PDF-1.7 and end with %%EOF.'), 'text/plain'],
  ['a text that begins with the mark', Buffer.from('%PDF-1.7 is what these files begin with.'), 'text/plain'],
  ['a PDF', Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj'), 'application/pdf'],
  [
    'a PDF behind the headers of a mail',
    Buffer.from('Content-Type: application/pdf\n\n%PDF-1.4\n1 0 obj\n<<>>'),
    'application/pdf',
  ],
  ['UTF-16', Buffer.from('\ufeffBMW;20\n', 'utf16le'), 'text/plain'],
  ['UTF-16 without a mark', Buffer.from('BMW;20\nRoller;12\n', 'utf16le'), 'text/plain'],
  ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x42, 0, 0, 0, 0x4d, 0, 0, 0]), 'text/plain'],
  ['a vertical tab, a rubout and an end mark', Buffer.from('a\x0bb\x7f\x1a'), 'text/plain'],
  ['a section', Buffer.from('<section><h2>Tea</h2></section>'), 'text/html'],
  ['a list', Buffer.from('<ul><li>Tea</li></ul>'), 'text/html'],
  ['a header', Buffer.from('\n  <header>Tea</header>'), 'text/html'],
  ['words before tags', Buffer.from('Our hours <ul><li>Mon</li><li>Tue</li></ul>'), 'text/html'],
  ['a table behind a comment', Buffer.from('<!-- a --><table><tr><td>Tea</td></tr></table>'), 'text/html'],
  ['a page in UTF-16', Buffer.from('\ufeff<p>Tea</p>', 'utf16le'), 'text/html'],
  [
    'Markdown with some HTML',
    Buffer.from('# Tea\n\n<details>\n<summary>More</summary>\n\n- green\n- black\n\n</details>\n'),
    'text/plain',
  ],
  [
    'Markdown that begins with HTML',
    Buffer.from('<p align="center"><img src="a.png"></p>\n\n# Tea\n\n- green\n- black\n'),
    'text/plain',
  ],
  [
    'a text about HTML',
    Buffer.from('Write <p> before a paragraph and <br> for a line, or a <b>word</b>.'),
    'text/plain',
  ],
  ['signs of comparison', Buffer.from('a <b and c> d'), 'text/plain'],
]

t.test('evidence decides about the type of a document', async (t) => {
  for (const [name, bytes, type] of types) t.equal(await documentType(bytes), type, name)
})
