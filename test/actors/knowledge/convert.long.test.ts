import { Readable } from 'node:stream'
import t from 'tap'
import { ConversionFailed, conversionFailures, MAX_DOCUMENT_LENGTH } from '../../../actors/knowledge/convert/mod.ts'
import { conversions, convert, converter, page, read } from './conversions.ts'
import { endlessPages, formsInForms, oneLine } from './hostile_documents.ts'
import { type PdfLine, pdfFile } from './pdf_file.ts'

const line = (text: string, y: number, size?: number): PdfLine => ({ text, y, ...(size && { size }) })
const lead = 'The goods may be sent back within thirty days after their arrival, whatever the reason is.'

const documents: [name: string, file: Buffer, expected: { title: string | null; content: string }][] = [
  [
    'Markdown',
    Buffer.from('# Returns\r\n\r\nWithin *30* days.\r\n'),
    { title: 'Returns', content: '# Returns\n\nWithin *30* days.' },
  ],
  [
    'a title in front matter',
    Buffer.from('---\ntitle: "Our returns"\n---\n# Returns'),
    { title: 'Our returns', content: '---\ntitle: "Our returns"\n---\n# Returns' },
  ],
  [
    'a heading with a line below',
    Buffer.from('Returns\n=======\ntext'),
    { title: 'Returns', content: 'Returns\n=======\ntext' },
  ],
  ['a closed heading', Buffer.from('## Returns ##\ntext'), { title: 'Returns', content: '## Returns ##\ntext' }],
  ['a comment in code', Buffer.from('```\n# Not a title\n```'), { title: null, content: '```\n# Not a title\n```' }],
  ['plain text', Buffer.from('Within 30 days.'), { title: null, content: 'Within 30 days.' }],
  ['a byte order mark', Buffer.from('\ufeffOlá'), { title: null, content: 'Olá' }],
  ['UTF-16', Buffer.from('\ufeffOlá', 'utf16le'), { title: null, content: 'Olá' }],
  ['Windows-1252', Buffer.from('Ol\xe1 \x80', 'latin1'), { title: null, content: 'Olá €' }],
  [
    'text as long as allowed',
    Buffer.from('é'.repeat(MAX_DOCUMENT_LENGTH)),
    { title: null, content: 'é'.repeat(MAX_DOCUMENT_LENGTH) },
  ],
  [
    'a page without its navigation, with absolute links and its title',
    page(
      `<nav><a href="/">Home</a></nav><main><h1>Returns</h1><p>${lead} See <a href="../terms">our terms</a>.</p></main><script>no()</script>`,
    ),
    { title: 'Returns | Shop', content: `# Returns\n\n${lead} See [our terms](https://shop.example/terms).` },
  ],
  [
    'a table',
    page(`<p>${lead}</p><table><tr><th>To</th><th>Cost</th></tr><tr><td>DE</td><td>free</td></tr></table>`),
    {
      title: 'Returns | Shop',
      content: `# Returns | Shop\n\n${lead}\n\n| To | Cost |\n| --- | --- |\n| DE | free |`,
    },
  ],
  [
    'a part of a page',
    Buffer.from('<p>Hello <i>you</i></p><p>short</p>'),
    { title: null, content: 'Hello *you*\n\nshort' },
  ],
  [
    'the charset of a page',
    Buffer.from('<html><head><meta charset="iso-8859-2"></head><body><p>\xb3\xf3d\xbc</p></body></html>', 'latin1'),
    { title: null, content: 'łódź' },
  ],
  [
    'a PDF with headings, paragraphs, divided words and pages',
    pdfFile([
      [
        line('Returns', 700, 20),
        line('Goods may be returned; see the infor-', 660),
        line('mation below.', 646),
        line('Second', 600),
        line('Costs', 560, 15),
        line('None.', 530),
      ],
      [line('Page two', 700)],
    ]),
    {
      title: 'Returns',
      content:
        '# Returns\n\nGoods may be returned; see the information below.\n\nSecond\n\n## Costs\n\nNone.\n\nPage two',
    },
  ],
  [
    'a PDF without its running heads and page numbers',
    pdfFile(
      ['First', 'Second', 'Third', 'Fourth'].map((word, at) => [
        line('The manual', 760),
        line(`${word} text begins.`, 700),
        line('It goes on.', 686),
        line(`It is on page ${at + 1}, with ${word}.`, 672),
        line(String(at + 1), 40),
      ]),
    ),
    {
      title: null,
      content: `The manual\n\n${['First', 'Second', 'Third', 'Fourth']
        .map((word, at) => `${word} text begins.\nIt goes on.\nIt is on page ${at + 1}, with ${word}.`)
        .join('\n\n')}`,
    },
  ],
  [
    'the title of a PDF',
    pdfFile([[line('text', 700)]], { title: 'Return policy' }),
    { title: 'Return policy', content: 'text' },
  ],
  [
    'a title that a program wrote',
    pdfFile([[line('text', 700)]], { title: 'Microsoft Word - a.docx' }),
    { title: null, content: 'text' },
  ],
  ['a PDF with a false number of pages', endlessPages(), { title: null, content: 'one' }],
]

for (const [name, file, expected] of documents) {
  t.test(`converts ${name}`, async (t) => {
    const { title, content } = await convert(file)
    t.strictSame({ title, content }, expected)
  })
}

const refused: [name: string, file: () => Buffer, code: keyof typeof conversionFailures, says?: RegExp][] = [
  ['an empty file', () => Buffer.alloc(0), 'empty'],
  ['white space', () => Buffer.from(' \n\t '), 'no_text'],
  [
    'a picture',
    () => Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
    'unsupported_type',
    /image\/png.*Import Markdown/,
  ],
  ['an archive', () => Buffer.from('504b0304140000000000', 'hex'), 'unsupported_type', /archive/],
  [
    'bytes without meaning',
    () => Buffer.from(Array.from({ length: 999 }, (_, at) => (at * 37) & 31)),
    'unsupported_type',
  ],
  [
    'binary data at the start of text',
    () => Buffer.concat([Buffer.from('text '.repeat(99)), Buffer.alloc(9)]),
    'not_text',
  ],
  ['binary data far behind the start of text', () => Buffer.concat([oneLine(99_999), Buffer.alloc(9)]), 'not_text'],
  ['one character too many', () => Buffer.from('é'.repeat(MAX_DOCUMENT_LENGTH + 1)), 'too_long'],
  ['50 MB on one line', () => oneLine(50_000_000), 'too_long'],
  ['a PDF with a password', () => pdfFile([[line('secret', 700)]], { password: 'word' }), 'encrypted'],
  ['a scanned PDF', () => pdfFile([[]], { is_scan: true }), 'no_text', /OCR/],
  ['the start of a PDF', () => pdfFile([[line('text', 700)]]).subarray(0, 300), 'broken'],
  ['a PDF of nonsense', () => Buffer.concat([Buffer.from('%PDF-1.7\n'), oneLine(5_000)]), 'broken'],
  ['a page without text', () => page('<img src="/a.png">'), 'no_text'],
  ['a page that scripts make', () => page('<div id="root"></div><script>no()</script>'), 'made_by_scripts', /browser/],
]

for (const [name, file, code, says] of refused) {
  t.test(`refuses ${name} as ${code}`, async (t) => {
    const error = await convert(file()).then(
      () => undefined,
      (error: unknown) => error,
    )
    t.match(error, { constructor: ConversionFailed, code }, String(error))
    t.match((error as Error).message, says ?? conversionFailures[code])
  })
}

t.test('a conversion that its owner gives up ends its process', async (t) => {
  const before = conversions()
  const abort = new AbortController()
  const given_up = converter.convert(async () => Readable.from([formsInForms()]), { owner: 'a', signal: abort.signal })
  given_up.catch(() => {})
  while (conversions().length === before.length) await new Promise((resolve) => setImmediate(resolve))
  abort.abort(new Error('given up'))
  await t.rejects(given_up, /given up/)
  t.strictSame(conversions(), before)
  t.strictSame(converter.load, { running: 0, waiting: 0 })
})

t.test('a source that breaks off is no fault of the document', async (t) => {
  const source = async function* () {
    yield Buffer.from('%PDF-1.4\n')
    yield Buffer.alloc(100_000)
    throw new Error('the disk is gone')
  }
  const broken = converter.convert(async () => Readable.from(source()), { owner: 'a' })
  await t.rejects(broken, { message: 'the disk is gone' })
})

t.test('the process of a conversion inherits no environment', async (t) => {
  process.env.PARLEY_PROBE = 'secret'
  t.teardown(() => {
    delete process.env.PARLEY_PROBE
  })
  const seen: string[] = []
  const watch = setInterval(() => {
    for (const pid of conversions()) seen.push(read(`/proc/${pid}/environ`))
  }, 5)
  await convert(pdfFile([[line('text', 700)]]))
  clearInterval(watch)
  t.ok(seen.length > 0)
  for (const one of seen) t.notMatch(one, /PARLEY_PROBE/)
})
