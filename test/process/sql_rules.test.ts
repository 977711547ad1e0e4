import t from 'tap'
import { readSources } from '../checks/clock_rules.ts'
import { sqlViolations } from '../checks/sql_rules.ts'
import { root } from '../support/root.ts'

const product = readSources(root)
const broken = (text: string, file = 'storage/a.ts') =>
  sqlViolations([...product, { file, text: text.replace('HOLE', '$' + '{id}') }])

t.test('each way to put a value into SQL without the tag is a violation', async (t) => {
  for (const text of [
    'database.execute(`select 1 where _id = HOLE`)',
    'em.execute<{ a: string }[]>(\n  `select 1\n where _id = HOLE`,\n)',
    'session.query(`set x = HOLE`)',
    "sql.raw(order, 'it is asc')",
    'a = literal(b)',
    'orm.em.getConnection().execute(text)',
  ]) {
    t.match(broken(text), [/^storage\/a\.ts /], text)
  }
})

t.test('the tag, constants and schemas are none', async (t) => {
  for (const text of [
    'database.execute(sql`select 1 where _id = HOLE`)',
    "session.query('begin')",
    'session.query(`begin`)',
    "v.literal('a')",
    'type a = typeof literal',
  ]) {
    t.same(broken(text), [], text)
  }
})

t.test('an exception that is not needed is a violation', async (t) => {
  t.match(sqlViolations([], [{ found: /a/, instead: 'does', listed: { 'b.ts': 'why' } }]), [/^b\.ts is listed \(why\)/])
})
