import { deepStrictEqual } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { compileWrites, Idempotency, type Write } from '../../storage/mod.ts'
import { testDatabase } from '../support/mod.ts'

type Row = { body_hash: string; status: number; body: unknown }
type Command = { kind: Write['kind']; key: string; row: Row; columns: (keyof Row)[] }

const keyOf = (key: string) => ({ project_id: 'p', route: "it's ? \\ $1", key })
const created_at = new Date(0)
const text = fc
  .string({ unit: 'grapheme', maxLength: 8 })
  .filter((value) => !value.includes('\0') && value.isWellFormed())
const row = fc.record({
  body_hash: text,
  status: fc.integer({ min: 0, max: 999 }),
  body: fc.oneof(fc.constant(null), fc.record({ a: text }, { noNullPrototype: true }), fc.array(fc.integer())),
})
const command: fc.Arbitrary<Command> = fc.record({
  kind: fc.constantFrom('insert', 'update', 'upsert', 'remove'),
  key: fc.constantFrom('a', 'b', 'c'),
  row,
  columns: fc.subarray(['body_hash', 'status', 'body'] as (keyof Row)[]),
})

/** What a command means when it stands alone; an insert of a record that is there is made an upsert. */
function apply(table: Map<string, Row>, { kind, key, row, columns }: Command): Write {
  const before = table.get(key)
  const patch = Object.fromEntries(columns.map((column) => [column, row[column]]))
  if (kind === 'remove') {
    table.delete(key)
    return { entity: Idempotency, kind, key: keyOf(key), values: {} }
  }
  if (kind === 'update') {
    if (before) table.set(key, { ...before, ...patch })
    return { entity: Idempotency, kind, key: keyOf(key), values: patch }
  }
  const whole: Record<string, unknown> = { ...keyOf(key), ...row, created_at }
  const bodiless = columns.length === 0
  if (bodiless) whole.body = undefined
  table.set(key, { ...row, body: bodiless ? (before?.body ?? null) : row.body })
  return { entity: Idempotency, kind: before ? 'upsert' : kind, key: whole, values: whole }
}

t.test('writes folded into few statements lead to what they would have led to one by one', async (t) => {
  const { database } = await testDatabase(t, { pool_size: 1 })
  const rows = async () => {
    const found = await database.execute('select key, body_hash, status, body from idempotency order by key')
    return found.map(({ key, ...rest }) => [key, rest])
  }
  await fc.assert(
    fc.asyncProperty(
      fc.array(command, { maxLength: 5 }),
      fc.array(command, { maxLength: 12 }),
      async (first, second) => {
        await database.execute('delete from idempotency')
        const table = new Map<string, Row>()
        for (const commands of [first, second]) {
          const statements = compileWrites(
            database.orm,
            commands.map((command) => apply(table, command)),
          )
          if (statements.length > 0) await database.execute(statements.join(';\n'))
          const expected = [...table].sort(([a], [b]) => (a < b ? -1 : 1))
          deepStrictEqual(
            await rows(),
            expected.map(([key, { body_hash, status, body }]) => [key, { body_hash, status, body }]),
          )
        }
      },
    ),
    { numRuns: 150 },
  )
  t.pass()
})

const insert = (key: string, more: object = {}): Write => {
  const values = { ...keyOf(key), body_hash: 'h', status: 1, body: null, created_at, ...more }
  return { entity: Idempotency, kind: 'insert', key: values, values }
}

t.test('a record inserted by two turns of one commit is refused, not merged', async (t) => {
  const { database } = await testDatabase(t)
  const statements = compileWrites(database.orm, [insert('a', { status: 1 }), insert('a', { status: 2 })])
  await t.rejects(database.execute(statements.join(';')), { code: '23505' })
})

t.test('what a table cannot hold is refused with its statement', async (t) => {
  const { database } = await testDatabase(t)
  for (const body_hash of ['a\0b', '\ud800']) {
    await t.rejects(database.execute(compileWrites(database.orm, [insert('a', { body_hash })]).join(';')), {
      code: /^22P0/,
    })
  }
  t.throws(() => compileWrites(database.orm, [insert('a', { nothing: 1 })]), /no column/)
  t.throws(() => compileWrites(database.orm, [{ ...insert('a'), key: { project_id: 'p' } }]), /lacks its key route/)
  t.strictSame(compileWrites(database.orm, []), [])
})
