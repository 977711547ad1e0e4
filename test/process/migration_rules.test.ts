import t from 'tap'
import { migrations } from '../../storage/migrations/list.ts'
import {
  buildIndex,
  dropIndex,
  inBatches,
  inTransaction,
  removeUnused,
  type Step,
} from '../../storage/migrations/step.ts'
import { lintMigrations } from '../checks/migration_lint.ts'
import { root } from '../support/root.ts'

const RELEASE = '1.10.0'
const newTable = 'create table fresh (id bigint primary key, name text)'

const bad: [rule: string, ...steps: Step[]][] = [
  // Rules of squawk.
  ['require-concurrent-index-creation', inTransaction('create index on contact (name)')],
  ['require-concurrent-index-deletion', inTransaction('drop index contact_phone')],
  ['ban-concurrent-index-creation-in-transaction', inTransaction('create index concurrently x on contact (name)')],
  ['adding-field-with-default', inTransaction('alter table contact add column x text default random()::text')],
  ['adding-required-field', inTransaction('alter table contact add column x text not null')],
  ['adding-not-nullable-field', inTransaction('alter table contact alter column name set not null')],
  ['constraint-missing-not-valid', inTransaction(`alter table contact add constraint x check (name <> '')`)],
  ['adding-foreign-key-constraint', inTransaction('alter table contact add constraint x foreign key (a) references b')],
  ['disallowed-unique-constraint', inTransaction('alter table contact add constraint x unique (name)')],
  ['changing-column-type', removeUnused('1.9.0', 'alter table contact alter column name type varchar(10)')],
  // Rules of our own.
  ['still-in-use', inTransaction('alter table contact drop column name')],
  ['still-in-use', inTransaction('alter table contact rename column name to full_name')],
  ['still-in-use', inTransaction('alter table contact rename to person')],
  ['still-in-use', inTransaction('drop table contact')],
  ['still-in-use', inTransaction(newTable, 'drop table fresh, contact')],
  ['still-in-use', inTransaction('drop function lane_fence')],
  ['still-in-use', inTransaction('drop trigger customer_added on customer')],
  ['unused-since', removeUnused('1.10.0', 'drop function lane_fence')],
  ['unused-since', removeUnused('1.11.0', 'drop function lane_fence')],
  ['unused-since', removeUnused('soon', 'drop function lane_fence')],
  ['whole-table', inTransaction(`update contact set name = '' where name is null`)],
  ['whole-table', inTransaction('delete from contact')],
  [
    'whole-table',
    inTransaction(`with x as (update contact set name = '' returning 1) insert into fresh select 1 from x`),
  ],
  ['whole-table', inTransaction('insert into contact (_id) select _id from customer')],
  ['hidden-work', inTransaction('do $$ begin delete from contact; end $$')],
  ['hidden-work', inTransaction('select day_tables_add(current_date, current_date)')],
  ['column-with-constraint', inTransaction('alter table contact add column x integer check (x > 0)')],
  ['column-with-constraint', inTransaction('alter table contact add column x text references company')],
  ['column-with-constraint', inTransaction('alter table contact add column x integer unique')],
  ['column-with-constraint', inTransaction('alter table contact add column x text generated always as (name) stored')],
  [
    'validate-apart',
    inTransaction('alter table contact add column x text', 'alter table contact validate constraint y'),
  ],
  ['validate-apart', inTransaction('alter table contact add column x text, validate constraint y')],
  ['one-table', inTransaction('alter table contact add column x text', 'alter table message add column x text')],
  ['unknown-change', inTransaction('vacuum full contact')],
  ['unknown-change', inTransaction('cluster contact using contact_pkey')],
  ['unknown-change', inTransaction('truncate contact')],
  ['unknown-change', inTransaction('lock table contact')],
  ['unknown-change', inTransaction('alter table contact set unlogged')],
  ['unknown-change', inTransaction(`create table event_x partition of event for values from ('a') to ('b')`)],
  ['outside-a-step', inTransaction('drop index concurrently contact_phone')],
]

const good: Step[] = [
  inTransaction(
    newTable,
    'create index on fresh (name)',
    'insert into fresh select 1 from company',
    `update fresh set name = ''`,
  ),
  inTransaction('alter table fresh drop column name', 'drop table fresh'),
  inTransaction(
    `alter table contact add column x jsonb not null default '{}'`,
    'alter table contact alter column y set default 1',
  ),
  inTransaction('alter table contact add constraint x check (x is not null) not valid'),
  inTransaction('alter table contact validate constraint x'),
  inTransaction(`insert into event_type (_id) values ('one')`),
  removeUnused('1.9.3', 'alter table contact rename column a to b'),
  buildIndex('x', 'contact (name)', { is_unique: true }),
  dropIndex('contact_phone'),
  inBatches({ table: 'contact', key: '_id', set: 'x = 1', where: 'x is null' }),
]

t.test('a migration that would break nodes of the release before is refused', async (t) => {
  const named = bad.map(([rule, ...steps], place) => ({ name: `${place}_${rule}`, steps }))
  const lines = await lintMigrations(root, named, RELEASE, [])
  for (const { name } of named) {
    const rule = name.slice(name.indexOf('_') + 1)
    const own = lines.filter((line) => line.startsWith(`${name}: `))
    t.ok(
      own.some((line) => line.startsWith(`${name}: ${rule}: `)),
      `${name}: ${own.join('; ')}`,
    )
  }
})

t.test('a migration that nodes of the release before tolerate is accepted', async (t) => {
  t.same(await lintMigrations(root, [{ name: 'good', steps: good }], RELEASE, []), [])
})

t.test('exceptions count for one rule and one migration, and have to be needed', async (t) => {
  const steps = [inTransaction('truncate contact', 'delete from contact')]
  const reason = 'a test'
  const lines = await lintMigrations(root, [{ name: 'one', steps }], RELEASE, [
    { migration: 'one', rule: 'unknown-change', reason },
    { migration: 'two', rule: 'whole-table', reason },
  ])
  t.match(lines, [/^one: whole-table: /, 'two: the exception from whole-table is not needed'])
})

t.test('names are unique and in order', async (t) => {
  const names = migrations.map(({ name }) => name)
  t.same(names, [...new Set(names)].sort())
})
