/** The tag that quotes the values of SQL. */
import t from 'tap'
import { sql } from '../../storage/mod.ts'
import { testDatabase } from '../support/mod.ts'

const hostile = [
  '',
  "'",
  "''; drop table company; --",
  '\\',
  "\\'; select 1; --",
  'a\\nb\n\r\t',
  '$1 ? ?? :name $$',
  '{a,b}',
  '{"a","b",NULL}',
  'NULL',
  'null',
  '"',
  ',',
  '/* */ -- ',
  'Ünïcödé 👩‍👧 \u2028 \uFEFF',
  "E'\\x27'",
  "U&'\\0027'",
]

t.test('a value comes back from PostgreSQL as it was, alone, in a list, and in an array', async (t) => {
  const { database } = await testDatabase(t)
  for (const text of hostile) {
    const [row] = await database.execute(sql`
      select ${text}::text as alone, array(select v from (values (${text})) w (v)) as nested, ${[text, 'b']} as texts,
        ${text} in (${sql.list([text, 'b'])}) as listed, ${text} = any (${[text]}) as found,
        ${sql.json({ text })}::json->>'text' as json`)
    const expected = { alone: text, nested: [text], texts: [text, 'b'], listed: true, found: true, json: text }
    t.same(row, expected, JSON.stringify(text))
  }
  t.same(await database.execute(sql`select ${hostile} as texts`), [{ texts: hostile }])
  t.same(await database.execute(sql`select ${[]} as texts, cardinality(${[]}) as none`), [{ texts: [], none: 0 }])
})

t.test('values that are no texts come back', async (t) => {
  const { database } = await testDatabase(t)
  const at = new Date('2026-02-03T04:05:06.789Z')
  const bytes = Uint8Array.from([0, 39, 92, 255])
  const [row] = await database.execute<Record<string, unknown>>(sql`
    select ${1.5}::float8 as fraction, 3 -${-2} as difference, ${12345678901234567890n}::text as big, ${true} as yes,
      ${false} as no, ${null} as nothing, (${at}::timestamptz = '2026-02-03 04:05:06.789+00') as same_time,
      ${bytes} as bytes, ${sql.numbers([1, -2, 3])}::int[] as numbers, ${sql.numbers([])}::bigint[] as none`)
  const { bytes: returned, ...rest } = row!
  t.same(rest, {
    fraction: 1.5,
    difference: 5,
    big: '12345678901234567890',
    yes: true,
    no: false,
    nothing: null,
    same_time: true,
    numbers: [1, -2, 3],
    none: [],
  })
  t.same(Uint8Array.from(returned as Buffer), bytes)
})

t.test('a lone surrogate, which UTF-8 cannot express, becomes the replacement character', async (t) => {
  const { database } = await testDatabase(t)
  t.same(await database.execute(sql`select ${'a\uD800b'}::text as text`), [{ text: 'a\uFFFDb' }])
})

t.test('the name of a table or a column may have any signs', async (t) => {
  const { database } = await testDatabase(t)
  const name = 'A "name", or; -- not'
  await database.execute(sql`create table ${sql.id(name)} (${sql.id(`${name}2`)} int)`)
  await database.execute(sql`insert into ${sql.id(name)} values (1)`)
  t.same(await database.execute(sql`select ${sql.id(`${name}2`)} as x from ${sql.id(name)}`), [{ x: 1 }])
})

t.test('a fragment is inserted as it is, and joined fragments keep their order', (t) => {
  const mine = sql`project_id = ${"o'p"}`
  const parts = [mine, sql`_id < ${5}`]
  t.equal(
    sql`select 1 from note where ${sql.join(parts, ' and ')}${sql``} order by ${sql.raw('a, b', 'a test')}`.sql,
    `select 1 from note where project_id = 'o''p' and _id < 5 order by a, b`,
  )
  t.end()
})

t.test('values for which PostgreSQL has no literal are refused', (t) => {
  const values: unknown[] = ['a\0b', ['a\0b'], Number.NaN, Infinity, -Infinity, undefined, {}, () => 1, Symbol('x')]
  for (const value of values) t.throws(() => sql`select ${value as string}`, TypeError, String(value))
  t.throws(() => sql`select ${new Date(Number.NaN)}`, RangeError)
  t.throws(() => sql.numbers([1, Number.NaN]), TypeError)
  t.throws(() => sql.list(['a\0b']), TypeError)
  t.end()
})

t.test('a fragment in a plain text, or one that JSON describes, is no SQL', (t) => {
  const fragment = sql`select 1`
  t.throws(() => `explain ${fragment}`, TypeError)
  t.throws(() => [fragment].join(), TypeError)
  const forged = JSON.parse(JSON.stringify({ sql: '1; drop table company', params: [] }))
  t.throws(() => sql`select ${forged}`, TypeError)
  t.end()
})
