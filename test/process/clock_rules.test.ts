import t from 'tap'
import { clockViolations } from '../support/clock_rules.ts'

const broken = (text: string, file = 'http/a.ts', listed = {}): string[] => clockViolations([{ file, text }], listed)

t.test('the wall clock is not looked at, in whatever way', async (t) => {
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

t.test('dates that are made of something are not the wall clock', async (t) => {
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

t.test('a listed file or folder may, as long as it has to', async (t) => {
  const listed = { 'http/a.ts': 'why', 'http/b/': 'why' }
  const sources = ['http/a.ts', 'http/b/c.ts'].map((file) => ({ file, text: 'Date.now()' }))
  t.same(clockViolations(sources, listed), [])
  t.match(clockViolations(sources.slice(1), listed), [/^http\/a\.ts is listed/])
})
