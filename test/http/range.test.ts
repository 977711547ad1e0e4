import t from 'tap'
import { isKnown, rangeOf } from '../../http/server/files/range.ts'

const file = { size: 1000, etag: '"abc"' }

t.test('a Range header selects one part of a file', (t) => {
  const cases: [string, string, ReturnType<typeof rangeOf>][] = [
    ['', '', 'whole'],
    ['bytes=0-0', '', { start: 0, end: 0 }],
    ['bytes=0-499', '', { start: 0, end: 499 }],
    ['bytes=500-', '', { start: 500, end: 999 }],
    ['bytes=-1', '', { start: 999, end: 999 }],
    ['bytes=-5000', '', { start: 0, end: 999 }],
    ['bytes=990-5000', '', { start: 990, end: 999 }],
    ['bytes=999-', '', { start: 999, end: 999 }],
    ['bytes=1000-', '', 'unsatisfiable'],
    ['bytes=1000-2000', '', 'unsatisfiable'],
    ['bytes=-0', '', 'unsatisfiable'],
    // A header without a valid range, or with more than one, is ignored (RFC 9110, 14.2).
    ['bytes=5-4', '', 'whole'],
    ['bytes=-', '', 'whole'],
    ['bytes=0-1,5-6', '', 'whole'],
    ['items=0-1', '', 'whole'],
    ['bytes=a-b', '', 'whole'],
    ['bytes=99999999999999999999-', '', 'whole'],
    ['bytes=0-9', '"abc"', { start: 0, end: 9 }],
    ['bytes=0-9', '"other"', 'whole'],
    ['bytes=0-9', 'W/"abc"', 'whole'],
    ['bytes=0-9', 'Sat, 21 Nov 2026 14:53:49 GMT', 'whole'],
  ]
  for (const [range, if_range, expected] of cases) {
    t.strictSame(rangeOf({ range, if_range }, file), expected, `${range} ${if_range}`)
  }
  t.equal(rangeOf({ range: 'bytes=0-', if_range: '' }, { size: 0, etag: null }), 'unsatisfiable')
  t.equal(rangeOf({ range: 'bytes=0-9', if_range: '"abc"' }, { size: 9, etag: null }), 'whole')
  t.end()
})

t.test('a conditional header tells whether the client has the file', (t) => {
  for (const known of ['"abc"', 'W/"abc"', '"x", "abc"', '*']) t.ok(isKnown(known, '"abc"'), known)
  for (const known of ['', '"x"', 'abc']) t.notOk(isKnown(known, '"abc"'), known)
  t.notOk(isKnown('*', null))
  t.end()
})
