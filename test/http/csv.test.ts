import t from 'tap'
import { csvLine } from '../../http/routes/broadcasts/csv.ts'

const cells: [string | number | null | undefined, string][] = [
  ['plain', 'plain'],
  [17, '17'],
  [0, '0'],
  [null, ''],
  [undefined, ''],
  ['', ''],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\nlines', '"two\nlines"'],
  ['+5215512345678', '+5215512345678'],
  ['=1+1', "'=1+1"],
  ['+1+cmd', "'+1+cmd"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', '"\'\r=1"'],
  ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
]

t.test('cells are quoted where they have to be, and never run as a formula', (t) => {
  for (const [cell, expected] of cells) t.equal(csvLine([cell]), `${expected}\r\n`)
  t.equal(csvLine(cells.slice(0, 4).map(([cell]) => cell)), 'plain,17,0,\r\n')
  t.end()
})
