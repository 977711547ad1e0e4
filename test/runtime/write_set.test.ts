import { deepStrictEqual } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { compileWrites, Idempotency, readRows, type Write } from '../../storage/mod.ts'
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

/** Returns the write of a command alone. An insert of an existing record becomes an upsert. */
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

t.test('writes folded into few statements have the same result as one by one', async (t) => {
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
          if (statements.length > 0) await database.commit(statements)
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
  await t.rejects(database.commit(statements), { code: '23505' })
})

const KEYS = ['a', 'b', 'c', 'd', 'e', 'f']

t.test('values common to many rows arrive in each row', async (t) => {
  const { database } = await testDatabase(t)
  const common: [string, object][] = [
    ['a text', { body_hash: "it's ? \\ $1 \n :x" }],
    ['an empty text', { body_hash: '' }],
    ['a number', { status: -7 }],
    ['nothing', { body: null }],
    ['a document', { body: { a: [1, "'"] } }],
    ['a document that is a text', { body: 'null' }],
    ['a moment', { created_at: new Date(1_700_000_000_123) }],
  ]
  for (const [name, fields] of common) {
    const write = (writes: Write[]) => database.commit(compileWrites(database.orm, writes))
    const expected = { body_hash: 'h', status: 1, body: null, created_at, ...fields }
    const check = async (how: string) => {
      const rows = await readRows(database, Idempotency, { project_id: 'p' })
      const found = rows.map(({ key, body_hash, status, body, created_at }) => ({
        key,
        row: { body_hash, status, body, created_at },
      }))
      found.sort((a, b) => (a.key < b.key ? -1 : 1))
      t.strictSame(
        found,
        KEYS.map((key) => ({ key, row: expected })),
        `${name}, ${how}`,
      )
    }
    await write(KEYS.map((key) => insert(key, fields)))
    await check('inserted')
    await write(KEYS.map((key) => ({ ...insert(key, { status: 2, body_hash: 'other' }), kind: 'upsert' as const })))
    await write(KEYS.map((key) => ({ ...insert(key), kind: 'update' as const, values: expected })))
    await check('updated')
    await write(KEYS.map((key) => ({ ...insert(key, fields), kind: 'upsert' as const })))
    await check('upserted')
    await write(KEYS.map((key) => ({ ...insert(key), kind: 'remove' as const })))
    t.strictSame(await readRows(database, Idempotency, { project_id: 'p' }), [], `${name}, removed`)
  }
})

t.test('a value that a table cannot hold is refused with its statement', async (t) => {
  const { database } = await testDatabase(t)
  for (const body_hash of ['a\0b', '\ud800']) {
    for (const keys of [['a'], KEYS]) {
      const writes = keys.map((key) => insert(key, { body_hash }))
      await t.rejects(database.commit(compileWrites(database.orm, writes)), { code: /^22P0/ })
    }
  }
  t.throws(() => compileWrites(database.orm, [insert('a', { nothing: 1 })]), /no column/)
  t.throws(() => compileWrites(database.orm, [{ ...insert('a'), key: { project_id: 'p' } }]), /lacks its key route/)
  t.strictSame(compileWrites(database.orm, []), [])
})
