/** PDF files as programs write them: all of their text is read, and what cannot be read is said. */
import t from 'tap'
import { parsePdf } from '../../actors/knowledge/convert/confined/pdf.ts'
import { type PdfLine, pdfFile, written } from '../actors/knowledge/pdf_file.ts'
import { fontPdf } from './pdf_fonts.ts'

const MAX_LENGTH = 100_000
const read = (file: Buffer) => parsePdf(file, MAX_LENGTH)

/** The text in the encodings that Adobe names, as bytes of these encodings. */
const MAPS: [encoding: string, ordering: string, codes: string, text: string][] = [
  ['UniGB-UCS2-H', 'GB1', '8425 4e1a 65f6 95f4', '营业时间'],
  ['GBK-EUC-H', 'GB1', 'd3aa d2b5 cab1 bce4', '营业时间'],
  ['GBKp-EUC-V', 'GB1', 'd3aa d2b5', '营业'],
  ['UniJIS-UTF16-H', 'Japan1', '55b6 696d 6642 9593', '営業時間'],
  ['90ms-RKSJ-H', 'Japan1', '8963 8bc6 8e9e 8ad4', '営業時間'],
  ['EUC-V', 'Japan1', 'b1c4 b6c8 bbfe b4d6', '営業時間'],
  ['UniKS-UCS2-H', 'Korea1', 'c601 c5c5', '영업'],
  ['KSCms-UHC-H', 'Korea1', 'bfb5 bef7', '영업'],
  ['ETen-B5-H', 'CNS1', 'c0e7 b77e', '營業'],
  ['UniCNS-UTF16-H', 'CNS1', '71df 696d', '營業'],
]

t.test('texts in the encodings of East Asia are read', async (t) => {
  for (const [encoding, ordering, codes, text] of MAPS) {
    const { content, warnings } = await read(
      fontPdf({ encoding, ordering, codes: codes.replaceAll(' ', ''), line: 'Tea house' }),
    )
    // Writing from top to bottom may stay on the line.
    t.strictSame(content.split(/\s+/), ['Tea', 'house', text], encoding)
    t.strictSame(warnings, [], encoding)
  }
})

t.test('a font that does not say its letters is told, and its text is not read as others', async (t) => {
  const silent = { encoding: 'Identity-H', ordering: 'Identity', codes: '0024002500260044' }
  const { content, warnings } = await read(fontPdf({ ...silent, line: 'Tea house' }))
  t.equal(content, 'Tea house')
  t.match(warnings, [{ code: 'text_unreadable', count: 1 }])
  await t.rejects(read(fontPdf(silent)), { code: 'unreadable_text' })
})

const line = (text: string, y: number): PdfLine => ({ text, y })
/** Pages with so many rows each, below one another. */
const list = (pages: number, rows: number, row: (number: number) => string) =>
  Array.from({ length: pages }, (_, page) =>
    Array.from({ length: rows }, (_, at) => line(row(page * rows + at), 740 - 14 * at)),
  )

const lists: [name: string, pages: PdfLine[][]][] = [
  ['cabins with numbers that run', list(3, 12, (at) => `Cabin ${at + 1} 2 beds 84 EUR`)],
  ['a price list', list(4, 30, (at) => `Bolt M4 x ${at} 2,${at % 10}${at % 7} EUR`)],
  ['a timetable', list(3, 25, (at) => `Boat 3 dep 05:${at} arr 06:${(at * 7) % 60}`)],
  ['days', list(3, 28, (at) => `2026-02-${at % 28};31`)],
  ['equal rows', list(4, 20, () => '0,00 EUR')],
  ['one number on each page', [1, 2, 3, 4].map((page) => [line(String(page), 700)])],
  ['tickets', [1, 2, 3, 4].map((page) => [line(`Ticket ${page}`, 700), line('Row A', 600)])],
  [
    'lessons',
    [1, 2, 3, 4].map((page) => [
      line(`Lesson ${page}`, 770),
      ...[1, 2, 3, 4, 5].map((at) => line(`word ${page * 10 + at}`, 700 - 14 * at)),
    ]),
  ],
]

t.test('rows that look alike all stay', async (t) => {
  for (const [name, pages] of lists) {
    const { content } = await read(pdfFile(pages))
    const expected = pages.flat().map(({ text }) => text)
    t.strictSame(content.split(/\n+/), expected, name)
  }
})

t.test('running heads are kept once, and numbers of pages left out', async (t) => {
  const pages = [1, 2, 3, 4, 5].map((page) => [
    line('Handbook of teas', 780),
    ...Array.from({ length: 20 }, (_, at) =>
      line(`${'abcdefghijklmnopqrst'[at]} leaf of ${'uvwxy'[page - 1]}`, 740 - 14 * at),
    ),
    line(`Page ${page} of 5`, 30),
  ])
  const { content } = await read(pdfFile(pages))
  t.equal(content.split('Handbook of teas').length, 2)
  t.notMatch(content, /Page [2-5]/)
  for (const { text } of pages.flatMap((page) => page.slice(1, -1))) t.ok(content.includes(text), text)
})

t.test('pages without text are counted, blank ones are not', async (t) => {
  const [text, scan] = [[line('Tea', 700)], []]
  const mixed = pdfFile([text, scan, scan])
  t.strictSame((await read(mixed)).warnings, [], 'nothing is drawn on them')
  const scanned = await read(pdfFile([scan, scan, scan], { is_scan: true }))
  t.match(scanned, {
    content: '',
    warnings: [{ code: 'pages_without_text', count: 3, message: /^3 pages without text\./ }],
  })
  const stamped = await read(pdfFile([scan, scan], { is_scan: true, stamp: 'Scanned with CamScanner' }))
  t.match(stamped.warnings, [{ code: 'pages_without_text', count: 2 }], 'a stamp is not the text of the page')
  const searchable = 'The text behind the picture, as text recognition has found it on the page.'
  t.strictSame((await read(pdfFile([scan], { is_scan: true, stamp: searchable }))).warnings, [])
})

t.test('the fields of a form and notes on a page are text', async (t) => {
  const drawn = 'BT /F 11 Tf 1 0 0 1 72 700 Tm (Order) Tj ET'
  const filled = written([
    '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R] /DA (/Helv 0 Tf 0 g) >> >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F 4 0 R >> >> /Contents 5 0 R /Annots [6 0 R 7 0 R] >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    `<< /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`,
    '<< /Type /Annot /Subtype /Widget /FT /Tx /T (Guest) /V (Ines Duarte) /Rect [72 600 300 620] /P 3 0 R >>',
    '<< /Type /Annot /Subtype /FreeText /Contents (Table by the window) /DA (/Helv 11 Tf) /Rect [72 500 300 520] /P 3 0 R >>',
  ])
  const { content } = await read(filled)
  t.equal(content, 'Order\n\nGuest: Ines Duarte\n\nTable by the window')
})
