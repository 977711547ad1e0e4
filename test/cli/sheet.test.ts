/** The files that `parley broadcast send` reads. */
import { deepEqual } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { parseCsv } from '../../http/cli/broadcast/csv.ts'
import { readSheet } from '../../http/cli/broadcast/sheet.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const utf16 = (text: string, mark: number[], swap: boolean) => {
  const body = Buffer.from(text, 'utf16le')
  return Buffer.concat([Buffer.from(mark), swap ? body.swap16() : body])
}
const rowsOf = (text: string) => parseCsv(bytes(text))

t.test('a row keeps the number of its first line, whatever the quotes and line ends', (t) => {
  const cases: [string, string, [number, ...string[]][]][] = [
    [
      'plain',
      'a,b\n1,2\n',
      [
        [1, 'a', 'b'],
        [2, '1', '2'],
      ],
    ],
    [
      'no last line end',
      'a\n1',
      [
        [1, 'a'],
        [2, '1'],
      ],
    ],
    [
      'Windows',
      'a,b\r\n1,"x\r\ny"\r\n3,4\r\n',
      [
        [1, 'a', 'b'],
        [2, '1', 'x\ny'],
        [4, '3', '4'],
      ],
    ],
    [
      'old Mac',
      'a,b\r1,2\r',
      [
        [1, 'a', 'b'],
        [2, '1', '2'],
      ],
    ],
    [
      'blank lines and rows',
      '\na,b\n\n , \n;\n1,2',
      [
        [2, 'a', 'b'],
        [5, ';'],
        [6, '1', '2'],
      ],
    ],
    [
      'doubled quotes',
      'a\n"say ""hi"""\n',
      [
        [1, 'a'],
        [2, 'say "hi"'],
      ],
    ],
    [
      'a quote inside a cell',
      'a,b\n5" pipe,x\n',
      [
        [1, 'a', 'b'],
        [2, '5" pipe', 'x'],
      ],
    ],
    [
      'blanks around quotes',
      'a,b\n 1 , "x, y" \n',
      [
        [1, 'a', 'b'],
        [2, ' 1 ', 'x, y'],
      ],
    ],
    [
      'an empty last cell',
      'a,b\n1,',
      [
        [1, 'a', 'b'],
        [2, '1', ''],
      ],
    ],
    [
      'semicolons',
      'a;b\n1,5;2\n',
      [
        [1, 'a', 'b'],
        [2, '1,5', '2'],
      ],
    ],
    [
      'tabs',
      'a\tb\n1\t2\n',
      [
        [1, 'a', 'b'],
        [2, '1', '2'],
      ],
    ],
    [
      'delimiters in a quoted name do not count',
      '"a;b;c",d\n1,2\n',
      [
        [1, 'a;b;c', 'd'],
        [2, '1', '2'],
      ],
    ],
    [
      'what Excel declares',
      'sep=;\na,b;c\n1;2\n',
      [
        [2, 'a,b', 'c'],
        [3, '1', '2'],
      ],
    ],
    ['nothing', ' \n\n', []],
  ]
  for (const [name, text, rows] of cases) {
    t.strictSame(
      rowsOf(text).map(({ line, cells }) => [line, ...cells]),
      rows,
      name,
    )
  }
  t.end()
})

t.test('UTF-8 and UTF-16 are told apart by their marks', (t) => {
  const text = 'phone;ciudad\n+5215512345678;Mérida\n'
  const files = [bytes(text), bytes(`\ufeff${text}`), utf16(text, [0xff, 0xfe], false), utf16(text, [0xfe, 0xff], true)]
  for (const file of files) t.strictSame(parseCsv(file)[1]?.cells, ['+5215512345678', 'Mérida'])
  t.throws(() => parseCsv(Buffer.from(text, 'latin1')), { message: /not in UTF-8/ })
  t.end()
})

t.test('a faulty quote is told with its place', (t) => {
  const many = '+1,"open\n'.padEnd(1_000_000, '+1,"x"\n')
  t.throws(() => rowsOf('a,b\n1,"x\n2,y\n'), { message: 'Line 2: a quote (") is opened and never closed.' })
  t.throws(() => rowsOf(`a,b\n${many.replaceAll('"x"', 'x')}`), { message: /^Line 2: a quote/ })
  t.throws(() => rowsOf('a,b\n"1\n"x,2\n'), { message: 'Line 2: after a closing quote (") stands “x”.' })
  t.end()
})

t.test('a file that a program writes is read back', (t) => {
  const cell = fc.string({ unit: fc.constantFrom('a', ' ', '"', ',', ';', '\t', '|', '\n', 'ñ', '5') })
  const row = fc.tuple(cell, cell, cell).filter((cells) => cells.some((each) => each.trim() !== ''))
  const write = (cells: string[], delimiter: string) =>
    cells.map((each) => `"${each.replaceAll('"', '""')}"`).join(delimiter)
  fc.assert(
    fc.property(fc.array(row), fc.constantFrom(',', ';', '\t', '|'), fc.constantFrom('\n', '\r\n'), (rows, d, end) => {
      const text = [['x', 'y', 'z'], ...rows].map((cells) => write(cells, d)).join(end)
      const [, ...read] = rowsOf(text)
      deepEqual(
        read.map(({ cells }) => cells),
        rows,
      )
    }),
  )
  t.end()
})

const template = { variables: ['1', 'customer_name'] }

t.test('recipients have the variables of the template and no others', (t) => {
  const sheet = readSheet(bytes('Phone, customer_name,city,1,\n+15551234567, Ana ,Rome,A-1,\n'), template)
  t.strictSame(sheet, {
    recipients: [{ line: 2, phone: '+15551234567', variables: { 1: 'A-1', customer_name: 'Ana' } }],
    faults: [],
    empty: [],
    ignored_columns: ['city'],
    repeated: 0,
  })
  t.end()
})

t.test('without a template every column is a variable, and an empty cell is no value', (t) => {
  const { recipients, faults } = readSheet(bytes('phone,1,2\n+15551234567,a,\n'))
  t.strictSame(recipients, [{ line: 2, phone: '+15551234567', variables: { 1: 'a' } }])
  t.strictSame(faults, [])
  t.end()
})

t.test('a phone loses the signs between its digits, and a missing part is told', (t) => {
  const cases: [written: string, read: string | RegExp][] = [
    ['+5215512345678', '+5215512345678'],
    [' +52 (155) 1234-5678 ', '+5215512345678'],
    ['\u202a+52\u00a0155.1234.5678\u202c', '+5215512345678'],
    ['', /^is empty$/],
    ['5215512345678', /“5215512345678” is no phone number: it must begin with \+ and the country code$/],
    ['5.21551E+12', /a spreadsheet has rounded it; format the column as text$/],
    ['+0155512345', /no phone number: \+, country code/],
    ['+12345', /7 to 15 digits/],
    ['+1234567890123456', /7 to 15 digits/],
    ['call me', /^“call me” is no phone number/],
    ['no-es-telefono', /^“no-es-telefono” is no phone number/],
  ]
  const text = cases.map(([written]) => `"${written}",x`).join('\n')
  const { recipients, faults } = readSheet(bytes(`phone,1\n${text}\n`), { variables: ['1'] })
  for (const [index, [written, read]] of cases.entries()) {
    const line = index + 2
    if (typeof read === 'string') t.equal(recipients.find((each) => each.line === line)?.phone, read, written)
    else
      t.match(
        faults.find((each) => each.line === line),
        { column: 'phone', message: read },
        written,
      )
  }
  t.equal(recipients.length + faults.length, cases.length)
  t.end()
})

t.test('every fault of a line is told, and the line makes no recipient', (t) => {
  const text = 'phone,1,customer_name\n+1,,Ana\n+15551234567,a,b,c\n+15551234567,a,b\n+15551234567,a,b\n'
  const { recipients, faults, repeated } = readSheet(bytes(text), template)
  t.match(faults, [
    { line: 2, column: 'phone' },
    { line: 2, column: '1', message: 'is empty' },
    { line: 3, column: '', message: /^has 4 cells, the first line 3/ },
  ])
  t.strictSame(
    recipients.map(({ line }) => line),
    [4, 5],
  )
  t.equal(repeated, 1)
  const alone = readSheet(bytes('phone,1,customer_name\n+15551234567,,Ana\n'), template)
  t.match(alone, { faults: [], empty: [{ line: 2, column: '1' }], recipients: [{ variables: { 1: '' } }] })
  t.end()
})

t.test('a file without the right columns is refused', (t) => {
  const cases: [string, RegExp][] = [
    ['', /^The file is empty: its first line names the columns/],
    ['telefon,1\n', /^The file has no column “phone”: its first line names “telefon”, “1”\.$/],
    ['phone,1\n+15551234567,a\n', /^The template needs the variable “customer_name”: the file must have a column /],
    ['phone\n', /^The template needs the variables “1”, “customer_name”: the file must have columns /],
    ['phone,1,1,customer_name\n', /^Two columns have the name “1”\.$/],
  ]
  for (const [text, message] of cases) t.throws(() => readSheet(bytes(text), template), { message }, text)
  t.end()
})
