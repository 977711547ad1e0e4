/** The cost of the longest headers and queries of strangers, which are read before anything is counted. */
import t from 'tap'
import * as v from 'valibot'
import { encodingOf } from '../../http/server/files/compressed.ts'
import { isKnown } from '../../http/server/files/range.ts'
import { RequestValidation } from '../../http/server/input/request_validation.ts'
import type { Route } from '../../http/server/route/route.ts'
import { minTime, planFor, usualCost } from '../support/hostile/cost.ts'

/** The parser takes 4 KiB of headers. */
const BYTES = 3800
const TIMES = Math.ceil((1024 * 1024) / BYTES)
/** A multiple of the cost of parsing ordinary JSON, which is about 5 ms a MiB. */
const MAX = 10

const route: Route = {
  method: 'GET',
  path: '/x',
  operation: 'x',
  summary: 'x',
  auth: 'none',
  status: 200,
  query: v.strictObject({ limit: v.optional(v.string()) }),
  read: () => ({}),
}
const compiled_route = planFor(route)

function refuse(query: string): void {
  const validation = new RequestValidation(compiled_route, {})
  validation.checkQuery(query)
  JSON.stringify(validation.verdict())
}

/** The parts, as many as fit into the headers of one request. */
function filled(part: (index: number) => string): string {
  let text = ''
  for (let index = 0; text.length < BYTES; index++) text += part(index)
  return text.slice(0, BYTES)
}

const cases: [string, (text: string) => unknown, string][] = [
  ['a query of many parameters', refuse, filled((index) => `${index.toString(36)}=&`)],
  ['a query of one parameter again and again', refuse, filled(() => 'a&')],
  ['a query of escapes', refuse, filled(() => '%41=%zz&')],
  ['Accept-Encoding of many', encodingOf, filled(() => 'a,')],
  ['Accept-Encoding with many parameters', encodingOf, filled(() => ';')],
  ['If-None-Match of many tags', (text) => isKnown(text, '"abc"'), filled(() => 'W/,')],
  ['If-None-Match of empty tags', (text) => isKnown(text, '"abc"'), filled(() => ',')],
]

const usual = usualCost()
for (const [name, read, text] of cases) {
  t.test(`${name} costs no more than a body of its length may`, async (t) => {
    const work = () => {
      for (let n = 0; n < TIMES; n++) read(text)
    }
    work()
    const times = minTime(10, work) / usual
    t.ok(times < MAX, `${times.toFixed(1)} times ordinary JSON`)
  })
}
