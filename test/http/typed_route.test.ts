import t from 'tap'
import * as v from 'valibot'
import { timestamp } from '../../actors/mod.ts'
import { route } from '../../http/server/route/typed_route.ts'

const facts = {
  method: 'GET',
  path: '/console/lamps/:lamp',
  operation: 'read_lamp',
  summary: 'Read a lamp',
  auth: 'none',
  status: 200,
  response: v.object({ kind: v.picklist(['red', 'green']), lit_at: v.nullable(timestamp), is_lit: v.boolean() }),
} as const

t.test('handlers answer what their routes describe', (t) => {
  const lit_at = new Date(0)
  const routes = [
    route({ ...facts, read: () => ({ kind: 'red' as const, lit_at, is_lit: true }) }),
    route({ ...facts, read: async () => ({ kind: 'red' as const, lit_at: lit_at.toISOString(), is_lit: true }) }),
    // @ts-expect-error is_lit is missing
    route({ ...facts, read: () => ({ kind: 'red' as const, lit_at }) }),
    // @ts-expect-error a missing time is null
    route({ ...facts, read: () => ({ kind: 'red' as const, lit_at: undefined, is_lit: true }) }),
    // @ts-expect-error no such kind
    route({ ...facts, read: async () => ({ kind: 'blue' as const, lit_at, is_lit: true }) }),
    // @ts-expect-error a kind is no time
    route({ ...facts, read: () => ({ kind: lit_at, lit_at, is_lit: true }) }),
  ]
  t.equal(routes.length, 6)
  t.end()
})
