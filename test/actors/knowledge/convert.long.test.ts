import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import t from 'tap'
import {
  ConversionFailed,
  Converter,
  conversionFailures,
  MAX_DOCUMENT_LENGTH,
} from '../../../actors/knowledge/convert/mod.ts'
import { childrenOf, commandOf } from '../../../runtime/servers/process_table.ts'
import {
  deepHtml,
  endlessPages,
  flateBomb,
  formsInForms,
  hugeTable,
  objectStreamBomb,
  oneLine,
  unclosed,
} from './hostile_documents.ts'
import { type PdfLine, pdfFile } from './pdf_file.ts'

const URL_OF_PAGE = 'https://shop.example/help/returns'

const converter = new Converter({ slots: 2 })
const convert = (bytes: Buffer, with_converter = converter) =>
  with_converter.convert(async () => Readable.from(bytes.length === 0 ? [] : [bytes]), {
    owner: 'project',
    url: URL_OF_PAGE,
  })

const line = (text: string, y: number, size?: number): PdfLine => ({ text, y, ...(size && { size }) })
const page = (body: string) =>
  Buffer.from(`<!doctype html><html><head><title>Returns | Shop</title></head><body>${body}</body></html>`)
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

/** Enough for ordinary documents. The more memory there is, the longer V8 collects before it gives up. */
const MEMORY_MIB = 160
/** Enough for a bomb to fill the memory, and too little for one that only takes time. */
const [MUCH_S, LITTLE_S] = [20, 1]

t.test('ordinary documents need little of what a conversion may have', async (t) => {
  const strict = new Converter({ slots: 1, confines: { memory_mib: MEMORY_MIB, cpu_s: MUCH_S } })
  t.equal((await convert(page('<p>Hello <i>you</i></p>'), strict)).content, '# Returns | Shop\n\nHello *you*')
  t.equal((await convert(pdfFile([[line('text', 700)]]), strict)).content, 'text')
})

const bombs: [name: string, file: () => Buffer, cpu_s: number][] = [
  ['a page that inflates to half a gigabyte', () => flateBomb(512), MUCH_S],
  ['an object stream that inflates to half a gigabyte', () => objectStreamBomb(512), MUCH_S],
  ['forms within forms', formsInForms, LITTLE_S],
  ['200,000 nested elements', () => deepHtml(200_000), LITTLE_S],
  ['a table of a million rows', () => hugeTable(1_000_000), MUCH_S],
  ['40 MB of HTML on one line', () => Buffer.concat([Buffer.from('<html><body>'), oneLine(40_000_000)]), MUCH_S],
  ['400,000 unclosed elements', () => unclosed(100_000), LITTLE_S],
]

for (const [name, file, cpu_s] of bombs) {
  t.test(`ends ${name} within its memory and its processor time`, async (t) => {
    const strict = new Converter({ slots: 1, confines: { memory_mib: MEMORY_MIB, cpu_s } })
    const bytes = file()
    let max_kib = 0
    const watch = setInterval(() => {
      for (const pid of conversions()) max_kib = Math.max(max_kib, peakOf(pid))
    }, 20)
    const before = process.cpuUsage()
    const error = await convert(bytes, strict).then(
      () => undefined,
      (error: unknown) => error,
    )
    clearInterval(watch)
    const { user, system } = process.cpuUsage(before)
    t.match(error, { constructor: ConversionFailed, code: 'too_complex' }, String(error))
    t.equal(strict.load.running, 0)
    // The code of Node.js itself is mapped from its file, outside the limit.
    t.ok(max_kib < (MEMORY_MIB + 128) * 1024, `the process had ${max_kib} KiB at most`)
    t.ok((user + system) / 1e6 < cpu_s, `this process took ${user + system} µs of the processor itself`)
  })
}

const nested: [name: string, page: string, has: RegExp][] = [
  ['200,000 elements', '<div>'.repeat(200_000), /^end$/],
  ['100,000 lists', '<ul><li>x'.repeat(100_000), /- x/],
  ['20,000 tables', '<table><tr><td>x<td>y'.repeat(20_000), /x\n\ny/],
  ['cells that span everything', `<table>${'<tr><td rowspan=65000 colspan=1000>x'.repeat(20_000)}</table>`, /^x/],
]

for (const [name, start, has] of nested) {
  t.test(`converts a page of ${name} with what an ordinary one has`, async (t) => {
    const { content, type } = await convert(Buffer.from(`<!doctype html><html><body>${start}end`))
    t.equal(type, 'text/html')
    t.match(content, has)
    t.match(content, /end/)
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

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Processes of conversions that this process has started. */
function conversions(): number[] {
  return childrenOf(process.pid).filter((pid) => commandOf(pid)?.includes('confined/main.ts'))
}

function peakOf(pid: number): number {
  const status = read(`/proc/${pid}/status`)
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0)
}
