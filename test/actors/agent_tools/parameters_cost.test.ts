/** A schema is checked where all requests are answered, so each must cost little, refused or not. */
import t from 'tap'
import { parameterViolations } from '../../../actors/agent_tools/parameters.ts'
import { ToolClient } from '../../../actors/agent_tools/tool_client.ts'
import { OutboundGuard } from '../../../actors/outbound/guard.ts'
import { SCHEMA_BOMBS } from '../../support/hostile/bombs.ts'
import { minTime, usualCost } from '../../support/hostile/cost.ts'

/** As a multiple of the cost of parsing one MiB of ordinary JSON, which is about 5 ms. */
const MAX = 4

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'

const bombs: [string, object][] = [
  ...SCHEMA_BOMBS.map(({ name, schema }): [string, object] => [name, schema]),
  ['repetitions', { properties: { a: { pattern: '^(?:a?){1000}(?:b?){1000}(?:c?){1000}(?:d?){1000}$' } } }],
  ['an enum of objects', { $schema: DRAFT_07, enum: Array.from({ length: 2400 }, (_, at) => ({ [`k${at}`]: 0 })) }],
]
for (const [name, schema] of bombs) {
  t.test(`${name} cost little`, async (t) => {
    const cost = minTime(4, () => void parameterViolations({ type: 'object', ...schema }))
    const times = cost / usualCost()
    t.ok(times < MAX, `${times.toFixed(1)} times a MiB of JSON`)
  })
}

t.test('no pattern is compiled where requests are answered', async (t) => {
  const parameters = { type: 'object', properties: { a: { pattern: '(a)\\1' }, b: { pattern: 'b' } } }
  t.strictSame(parameterViolations(parameters), [])
  const client = new ToolClient({ guard: new OutboundGuard() })
  t.teardown(() => client.close())
  t.match(await client.checkPatterns(parameters, 'project'), [{ path: ['properties', 'a', 'pattern'], message: /RE2/ }])
  const hasty = new ToolClient({ guard: new OutboundGuard(), check_ms: 0 })
  t.teardown(() => hasty.close())
  t.match(await hasty.checkPatterns(parameters, 'project'), [{ path: [], message: /take too long/ }])
})

t.test('a refused pattern names the limit', async (t) => {
  const pattern = '\\pL'.repeat(41)
  const [violation] = parameterViolations({ type: 'object', properties: { a: { pattern } } })
  t.strictSame(violation?.path, ['properties', 'a', 'pattern'])
  t.match(violation?.message, '40 names such as \\p{L}')
})

t.test('patterns of names are accepted', async (t) => {
  const name = { type: 'string', pattern: "^[\\p{L}\\p{M}\\p{N} '.-]{1,60}$" }
  const same = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`name_${at}`, name]))
  t.strictSame(parameterViolations({ type: 'object', properties: same }), [])
  const other = Object.fromEntries(
    Array.from({ length: 13 }, (_, at) => [`name_${at}`, { pattern: `^[\\p{L}\\p{M}\\p{N}]{1,${at + 1}}$` }]),
  )
  t.strictSame(parameterViolations({ type: 'object', properties: other }), [])
})

t.test('a schema of draft 7 is held to its rules', async (t) => {
  const schema = { $schema: DRAFT_07, type: 'object', properties: { a: { enum: [1, 1, { b: 2 }] } } }
  t.strictSame(parameterViolations(schema), [])
  t.strictSame(
    parameterViolations({ ...schema, properties: { a: { enum: 3 } } }).map(({ path }) => path),
    [['properties', 'a', 'enum']],
  )
  t.strictSame(
    parameterViolations({ ...schema, required: ['a', 'a'] }).map(({ path }) => path),
    [['required']],
  )
})
