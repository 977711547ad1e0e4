/** Operators find records among those of all tenants along an index. */
import t from 'tap'
import {
  CannedResponse,
  Channel,
  CrmEventType,
  CustomField,
  type Database,
  listRecords,
  listTokens,
  Pipeline,
  Project,
  Tag,
  Token,
  User,
} from '../../storage/mod.ts'
import { testDatabase } from '../support/mod.ts'
import { plansOf } from './plans.ts'

const ROWS = 20_000
const own = (n: string) => `lpad(to_hex(${n}), 24, '0')`
const from = `from generate_series(1, ${ROWS}) n`
/** A thousand projects of a hundred companies. */
const owner = `${own('n % 100')}, ${own('n % 1000')}`

const rows = [
  `insert into company (_id, name) select ${own('n')}, 'Company ' || n from generate_series(0, 99) n`,
  `insert into project (_id, company_id, name, limits) select ${own('n')}, ${own('n % 100')}, 'Tienda ' || n, '{}'
    from generate_series(0, ${ROWS}) n`,
  `insert into "user" (_id, company_id, full_name, email) select ${own('n')}, ${own('n % 100')}, 'José ' || n, n || '@Example.com'
    ${from}`,
  `insert into token (_id, company_id, project_id, user_id, name, prefix, hash, scopes, revoked_at, expires_at)
    select ${own('n')}, ${owner}, ${own('n')}, 'Envíos ' || n, 'x', 'hash ' || n, '{}', case when n % 1000 = 0 then now() end,
      case n % 1000 when 1 then now() - interval '1 day' when 2 then now() + interval '1 day' end ${from}`,
  `insert into channel (_id, company_id, project_id, channel_type, name, provider, credentials, is_active, status)
    select ${own('n')}, ${owner}, case when n % 1000 = 0 then 'email' else 'web' end, 'Línea ' || n, 'web', '', true, 'connected' ${from}`,
  `insert into tag (_id, company_id, project_id, name) select ${own('n')}, ${owner}, 'Pedido ' || n ${from}`,
  `insert into pipeline (_id, company_id, project_id, name) select ${own('n')}, ${owner}, 'Etapa ' || n ${from}`,
  `insert into event_type (_id, company_id, key, name) select ${own('n')}, ${own('n % 100')}, 'key.' || n, 'Envío ' || n ${from}`,
  `insert into custom_field (_id, company_id, owner, key, name, type)
    select ${own('n')}, ${own('n % 100')}, 'contact', 'key' || n, 'Campo ' || n, 'string' ${from}`,
  `insert into canned_response (_id, company_id, project_id, shortcut, content, created_at, updated_at)
    select ${own('n')}, ${owner}, 'atajo' || n, 'x', now(), now() ${from}`,
]

const page = { limit: 50, offset: 0 }
type Cut = { data: { _id: string }[]; total: number }

t.test('each filter of operators has its index, and finds exactly its records', async (t) => {
  const { database } = await testDatabase(t)
  for (const sql of rows) await database.execute(sql)
  await database.execute('vacuum analyze')
  const cases: [name: string, index: RegExp, total: number, list: (database: Database) => Promise<Cut>][] = [
    ['projects', /project_names/, 11, (db) => listRecords(db, Project, { search: 'TIENDA 1999' }, page)],
    ['users by name', /user_names/, 11, (db) => listRecords(db, User, { search: 'jose 1999' }, page)],
    ['users by a part of the address', /user_names/, 1, (db) => listRecords(db, User, { search: '19999@ex' }, page)],
    ['users by their address', /user_email/, 1, (db) => listRecords(db, User, { email: '19999@exampLE.com' }, page)],
    ['tokens', /token_names/, 11, (db) => listTokens(db, { search: 'envios 1999' }, page)],
    ['revoked tokens', /token_revoked/, 20, (db) => listTokens(db, { status: 'revoked' }, page)],
    ['expired tokens', /token_expiry|token_live/, 20, (db) => listTokens(db, { status: 'expired' }, page)],
    ['channels', /channel_names/, 11, (db) => listRecords(db, Channel, { search: 'linea 1999' }, page)],
    ['channels of a type', /channel_of_type/, 20, (db) => listRecords(db, Channel, { channel_type: 'email' }, page)],
    ['tags', /tag_names/, 11, (db) => listRecords(db, Tag, { search: 'pedido 1999' }, page)],
    ['pipelines', /pipeline_names/, 11, (db) => listRecords(db, Pipeline, { search: 'etapa 1999' }, page)],
    ['event types', /event_type_names/, 11, (db) => listRecords(db, CrmEventType, { search: 'KEY.1999' }, page)],
    ['custom fields', /custom_field_names/, 11, (db) => listRecords(db, CustomField, { search: 'campo 1999' }, page)],
    [
      'canned responses',
      /canned_response_names/,
      11,
      (db) => listRecords(db, CannedResponse, { search: 'Atajo1999' }, page),
    ],
  ]
  for (const [name, index, total, list] of cases) {
    const found = await list(database)
    t.same([found.total, found.data.length], [total, total], name)
    for (const plan of await plansOf(database, list)) {
      t.match(plan, index, name)
      t.notMatch(plan, /Seq Scan/, name)
    }
  }
  const active = await listTokens(database, { status: 'active' }, page)
  t.equal(active.total, ROWS - 40)
  t.equal((await listRecords(database, Token, {}, page)).total, ROWS)
})
