import t from 'tap'
import { clockViolations } from '../checks/clock_rules.ts'

const broken = (text: string, file = 'http/a.ts', listed = {}): string[] => clockViolations([{ file, text }], listed)

t.test('every way to read the wall clock is a violation', async (t) => {
  for (const text of [
    'a = Date.now()',
    'f({ now: Date.now })',
    'a = new Date()',
    'a = new Date( )',
    'a = new Date',
    'Date()',
  ]) {
    t.match(broken(`\n${text}\n`), [/^http\/a\.ts:2 looks at the wall clock/], text)
  }
})

t.test('a date made from a value does not read the wall clock', async (t) => {
  for (const text of [
    'new Date(at)',
    'let a: Date',
    'newDate()',
    'performance.now()',
    'Date.UTC(2030)',
    'new DateLine',
  ]) {
    t.same(broken(text), [], text)
  }
})

t.test('a listed file or folder may read the wall clock, as long as it needs to', async (t) => {
  const listed = { 'http/a.ts': 'why', 'http/b/': 'why' }
  const sources = ['http/a.ts', 'http/b/c.ts'].map((file) => ({ file, text: 'Date.now()' }))
  t.same(clockViolations(sources, listed), [])
  t.match(clockViolations(sources.slice(1), listed), [/^http\/a\.ts is listed/])
})
