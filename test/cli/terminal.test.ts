import t from 'tap'
import { countsInWords } from '../../http/cli/data/subject_option.ts'
import { clip, paint, printable, printText, table, wrap } from '../../http/cli/terminal/terminal.ts'

const terminal = (columns: number) => ({ isTTY: true, columns }) as NodeJS.WriteStream
const pipe = { isTTY: false } as NodeJS.WriteStream

t.test('counts of records are in words that people use', (t) => {
  const counts = { contact: 1, media: 1, idempotency: 2, audit_entry: 2, bulk_action: 1001 }
  t.equal(
    countsInWords(counts, 1000),
    '1 contact, 1 file, 2 stored answers, 2 audit entries, more than 1000 bulk actions',
  )
  t.equal(countsInWords({ media: 3 }), '3 files')
  t.equal(countsInWords({}), 'nothing')
  t.end()
})

t.test('a table fits the terminal, and is whole in a pipe', (t) => {
  const rows = [
    ['66f2a0c1d4e5f60718293a4b', 'x'.repeat(150), 'active'],
    ['66f2a0c1d4e5f60718293a4c', 'short', 'revoked'],
  ]
  const shown = table(['ID', 'NAME', 'STATUS'], rows, 1, terminal(80)).split('\n')
  t.match(shown[1], /^66f2a0c1d4e5f60718293a4b {2}x{44}… {2}active$/)
  t.match(shown[2], /^66f2a0c1d4e5f60718293a4c {2}short {42}revoked$/)
  t.match(table(['ID', 'NAME', 'STATUS'], rows, 1, pipe), 'x'.repeat(150))
  t.end()
})

t.test('colours appear on terminals alone, and not when they are switched off', (t) => {
  const before = process.env.NO_COLOR
  t.teardown(() => {
    if (before === undefined) delete process.env.NO_COLOR
    else process.env.NO_COLOR = before
  })
  delete process.env.NO_COLOR
  t.equal(paint('red', 'no', terminal(80)), '\u001b[31mno\u001b[0m')
  t.equal(paint('red', 'no', pipe), 'no')
  process.env.NO_COLOR = '1'
  t.equal(paint('red', 'no', terminal(80)), 'no')
  t.end()
})

t.test('foreign text cannot control the terminal', (t) => {
  t.equal(printable('a\u001b]0;title\u0007b\r\nc\u202ed\u0000'), 'ab c d')
  const foreign = '# a\u001b[2J\n  b\u202ec'
  const shown = (isTTY: boolean) => {
    let out = ''
    printText(foreign, { isTTY, write: (text: string) => (out += text) } as unknown as NodeJS.WriteStream)
    return out
  }
  t.equal(shown(true), '# a\n  b c\n', 'lines and their indentation stay')
  t.equal(shown(false), `${foreign}\n`, 'a pipe gets the text as it is')
  t.equal(clip('héllo wörld', 6), 'héllo…')
  t.equal(wrap('one two three', 9, 2), '  one two\n  three')
  t.end()
})
