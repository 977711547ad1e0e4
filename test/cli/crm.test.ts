/** The commands for pipelines, tags, event types, custom fields and customers. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startOperator } from '../http/operator.ts'
import { tempDir, testDatabase } from '../support/mod.ts'
import { type Finished, run, runOnTerminal } from './command.ts'

const { database } = await testDatabase(t, { pool_size: 8 })
const { call, base_url, operator_key } = await startOperator(t, database)
const env = { PARLEY_BASE_URL: base_url, PARLEY_OPERATOR_KEY: operator_key }
const dir = tempDir(t)

// biome-ignore lint/suspicious/noExplicitAny: records of every kind
type Json = any

async function tenant() {
  const company = (await call('POST', '/admin/v1/companies', { name: 'Shop' })).body._id as string
  const project = (await call('POST', '/admin/v1/projects', { company_id: company, name: 'Support' })).body
    ._id as string
  return { company, project }
}

const { company, project } = await tenant()
const owners: Record<string, string[]> = {
  pipelines: ['--project', project],
  tags: ['--project', project],
  'event-types': ['--company', company],
  'custom-fields': ['--company', company],
  customers: ['--company', company],
}
const parley = (...args: string[]) => run(args, env)
const json = async (finished: Promise<Finished>): Promise<Json> => {
  const { code, out, err } = await finished
  if (code !== 0) throw new Error(err)
  return JSON.parse(out)
}

const cases: {
  name: string
  create: string[]
  made: Json
  row: RegExp
  update: string[]
  changed: Json
  shown: RegExp
}[] = [
  {
    name: 'tags',
    create: ['--name', 'Urgent', '--color', '#D73A4A'],
    made: { name: 'Urgent', color: '#d73a4a' },
    row: /^\w{24} {2}#d73a4a {2}Urgent$/m,
    update: ['--name', 'Hot', '--color', 'none'],
    changed: { name: 'Hot', color: null },
    shown: /^colour +none$/m,
  },
  {
    name: 'custom-fields',
    create: ['--of', 'ticket', '--key', 'size', '--name', 'Size', '--options', 'S, M'],
    made: { owner: 'ticket', key: 'size', type: 'string', options: ['S', 'M'] },
    row: /^\w{24} {2}ticket {2}size {2}string {2}S, M +Size$/m,
    update: ['--options', 'any'],
    changed: { name: 'Size', options: null },
    shown: /^options +any$/m,
  },
  {
    name: 'event-types',
    create: ['--key', 'shipped', '--name', 'Shipped', '--field', 'total:number;required;target=ticket.amount'],
    made: {
      key: 'custom.shipped',
      fields: [{ key: 'total', type: 'number', required: true, target: 'ticket.amount' }],
    },
    row: /^\w{24} {2}custom\.shipped +total +Shipped$/m,
    update: ['--field', 'at:date', '--field', 'by:string'],
    changed: { fields: [{ key: 'at', type: 'date' }, { key: 'by' }] },
    shown: /^fields +at:date\n +by:string$/m,
  },
  {
    name: 'customers',
    create: ['--name', 'Ana', '--phone', '+5215512345678', '--tags', 'vip,new', '--set', 'plan=gold', '--set', 'n=5'],
    made: { full_name: 'Ana', phone: '+5215512345678', tags: ['vip', 'new'], custom_fields: { plan: 'gold', n: 5 } },
    row: /^\w{24} {2}\+5215512345678 {10}Ana$/m,
    update: ['--phone', 'none', '--email', 'ana@example.com', '--tags', 'none'],
    changed: { full_name: 'Ana', phone: null, email: 'ana@example.com', tags: [] },
    shown: /^tags +none$/m,
  },
  {
    name: 'pipelines',
    create: ['--name', 'Sales', '--stage', 'Lead', '--stage', 'Won:close_with=won;set_fields.amount=5'],
    made: { stages: [{ name: 'Lead' }, { name: 'Won', rules: { close_with: 'won', set_fields: { amount: 5 } } }] },
    row: /^\w{24} {11}Lead → Won +Sales$/m,
    update: ['--name', 'Deals', '--default'],
    changed: { name: 'Deals', is_default: true },
    shown: /^ +\w{24} {2}Won:set_fields\.amount=5;close_with=won$/m,
  },
]

for (const { name, create, made, row, update, changed, shown } of cases) {
  t.test(`${name} are made, listed, shown, changed and deleted`, async (t) => {
    const owner = owners[name]!
    const record = await json(parley(name, 'create', ...owner, ...create, '--json'))
    t.match(record, made)
    t.match(await parley(name, 'list', ...owner), { code: 0, out: row, err: '' })
    t.match(await json(parley(name, 'list', ...owner, '--json')), [{ _id: record._id }])
    const before = await parley(name, 'show', record._id)
    t.match(await parley(name, 'update', record._id, ...update), { code: 0, err: '' })
    t.match(await json(parley(name, 'show', record._id, '--json')), changed)
    const after = await parley(name, 'show', record._id)
    t.match(after, { code: 0, out: shown })
    t.not(after.out, before.out)
    t.match(await parley(name, 'update', record._id), { code: 2, err: /^Say what to change: .*\n$/ })
    if (name === 'pipelines') {
      t.match(await parley(name, 'delete', record._id, '--yes'), { code: 1, err: / \(PIPELINE_IS_DEFAULT\)\.\n$/ })
      const other = (await json(parley(name, 'list', ...owner, '--json'))).find((one: Json) => one._id !== record._id)
      await parley(name, 'update', other._id, '--default')
    }
    const refused = { code: 1, out: '', err: /^Nothing is deleted: there is no terminal to ask on; --yes .*\n$/ }
    t.match(await parley(name, 'delete', record._id), refused)
    const asked = await runOnTerminal([name, 'delete', record._id], env, 'no')
    t.match(asked, {
      code: 1,
      err: new RegExp(`Delete the .+ “.+” \\(${record._id}\\)\\? .*Nothing is deleted\\.\n$`, 's'),
    })
    t.match(await parley(name, 'delete', record._id, '--yes'), { code: 0, out: `Deleted ${record._id}.\n` })
    t.match(await parley(name, 'show', record._id), { code: 1, out: '', err: / \(NOT_FOUND\)\.\n$/ })
    t.match(await parley(name, 'list'), { code: 2, err: /^--(project|company) is missing: .*\n$/ })
  })
}

t.test('an empty list says so, and an error is a sentence', async (t) => {
  const empty = await tenant()
  const said: [string[], object][] = [
    [['tags', 'list', '--project', empty.project], { code: 0, out: '', err: 'There are no tags.\n' }],
    [['tags', 'list', '--project', empty.project, '--json'], { code: 0, out: '[]\n' }],
    [
      ['customers', 'list', '--company', empty.company, '--search', 'x'],
      { code: 0, err: 'There are no such customers.\n' },
    ],
    [
      ['tags', 'create', '--project', project, '--name', 'Red', '--color', 'red'],
      { code: 1, err: 'color must be a colour such as #1f883d (VALIDATION_ERROR).\n' },
    ],
    [['pipelines', 'create', '--project', project], { code: 2, err: /^Say what it is, with --name/ }],
    [
      ['pipelines', 'create', '--project', project, '--name', 'x', '--stage', 'Won:close=won'],
      { code: 2, err: /"close" is no rule/ },
    ],
    [
      ['pipelines', 'create', '--project', project, '--name', 'x', '--stage', 'Won:close_with=won;tag=1'],
      { code: 2, err: /"tag=1" is no rule/ },
    ],
    [
      ['event-types', 'create', '--company', company, '--key', 'x', '--name', 'x', '--field', 'total'],
      { code: 2, err: /Use key:type/ },
    ],
    [
      ['event-types', 'create', '--company', company, '--key', 'x', '--name', 'x', '--field', 'a:date;must'],
      { code: 2, err: /"must" is neither/ },
    ],
    [['customers', 'create', '--company', company, '--name', 'x', '--set', 'plan'], { code: 2, err: /Use key=value/ }],
  ]
  for (const [args, expected] of said) t.match(await parley(...args), expected, args.join(' '))
})

t.test('applying a pipeline from a file shows its changes', async (t) => {
  const own = await tenant()
  const owner = ['--project', own.project]
  const file = join(dir, 'pipeline.json')
  const write = (pipeline: Json) => writeFileSync(file, JSON.stringify(pipeline))
  const apply = (...more: string[]) => parley('pipelines', 'apply', file, ...owner, ...more)

  write({ name: 'Sales', stages: [{ name: 'Lead' }, { name: 'Won', rules: { close_with: 'won' } }] })
  const asked = await apply()
  t.match(asked, { code: 1, out: '' })
  t.equal(
    asked.err,
    'Pipeline “Sales”, which is new:\n  + stage Lead\n  + stage Won:close_with=won\nNothing is changed: there is no terminal to ask on; --yes does it without asking.\n',
  )
  const sales = await json(apply('--yes', '--json'))
  t.match(await apply('--yes'), { code: 0, out: '“Sales” is as the file says: nothing to change.\n', err: '' })

  const exported = await json(parley('pipelines', 'export', sales._id))
  t.same(Object.keys(exported), ['_id', 'name', 'is_default', 'stages'])
  const [lead, won] = exported.stages
  write({
    ...exported,
    name: 'Deals',
    is_default: true,
    stages: [{ ...won, rules: { close_with: 'lost' } }, { name: 'Offer' }, { ...lead, name: 'First' }],
  })
  const changed = await apply('--yes')
  t.match(changed, { code: 0, out: `Changed ${sales._id}.\n` })
  t.same(changed.err.split('\n').slice(1, -1), [
    '  ~ name: Sales → Deals',
    '  ~ becomes the default',
    '  ~ stage Won:close_with=won → Won:close_with=lost',
    '  + stage Offer',
    '  ~ stage Lead → First',
    '  ~ order: Won, Offer, First',
  ])
  const now = await json(parley('pipelines', 'show', sales._id, '--json'))
  t.match(now, { name: 'Deals', is_default: true, stages: [{ _id: won._id }, { name: 'Offer' }, { _id: lead._id }] })

  const elsewhere = await tenant()
  const copied = await json(parley('pipelines', 'apply', file, '--project', elsewhere.project, '--yes', '--json'))
  t.match(copied, { name: 'Deals', stages: [{ name: 'Won' }, { name: 'Offer' }, { name: 'First' }] }, 'made elsewhere')

  write({ name: 'Deals', stages: [{ name: 'First' }] })
  const less = await apply('--yes')
  t.same(less.err.split('\n').slice(1, -1), ['  - stage Won', '  - stage Offer'])
  t.match((await json(parley('pipelines', 'show', sales._id, '--json'))).stages, [{ _id: lead._id, name: 'First' }])

  for (const text of ['{', '[]', 'null', '{"name":"x"}', '{"name":"x","stages":[1]}']) {
    writeFileSync(file, text)
    t.match(await apply('--yes'), { code: 1, out: '', err: /pipeline\.json is no (JSON|pipeline): .*\n$/ }, text)
  }
  t.match(await parley('pipelines', 'apply', '/no/file', ...owner), { code: 1, err: /^There is no file \/no\/file: / })
})

t.test('customers are imported from a file, once', async (t) => {
  const own = await tenant()
  const owner = ['--company', own.company]
  await parley(
    'custom-fields',
    'create',
    ...owner,
    '--of',
    'customer',
    '--key',
    'visits',
    '--name',
    'V',
    '--type',
    'number',
  )
  const file = join(dir, 'customers.csv')
  const load = (text: string, ...more: string[]) => {
    writeFileSync(file, text)
    return parley('customers', 'import', '--csv', file, ...owner, ...more)
  }
  const all = () => json(parley('customers', 'list', ...owner, '--json')) as Promise<Json[]>

  const faulty = [
    'Name;E-mail;Phone;Tags;visits;shoe',
    'Ana Díaz;ana@example.com;+52 155 1234 5678;vip|new;3;38',
    ';x@example.com;;;;',
    'Bob;bob;5215512345678;;;',
    'Eve;ANA@example.com;;;;',
    'Carl;carl@example.com;;;many;',
  ].join('\n')
  const refused = await load(faulty)
  t.match(refused, { code: 1, out: '' })
  t.match(refused.err, /^Columns that are not read: shoe\.\n/)
  t.match(refused.err, /^3 +Name +is empty$/m)
  t.match(refused.err, /^4 +Phone +“5215512345678” is no phone number: it must begin with \+ and the country code$/m)
  t.match(refused.err, /^5 +email +is that of line 2, too$/m)
  t.match(refused.err, /^6 +custom_fields\.visits +must be a finite number$/m)
  t.match(
    refused.err,
    /^Nobody is imported, as 4 lines of the file must be corrected: --skip-faulty leaves them out\.$/m,
  )
  t.same(await all(), [])

  const partly = await load(faulty, '--skip-faulty', '--json')
  t.equal(partly.code, 1)
  t.match(JSON.parse(partly.out), {
    imported: 1,
    present: 0,
    faults: { length: 4, 3: { line: 6, column: 'custom_fields.visits' } },
  })
  t.match(await all(), [
    {
      full_name: 'Ana Díaz',
      email: 'ana@example.com',
      phone: '+5215512345678',
      tags: ['vip', 'new'],
      custom_fields: { visits: 3 },
    },
  ])

  const refusable = 'name,email,visits\nLuz,luz@example.com,1\nBob,bob@example,1\nEva,eva@example.com,many'
  for (const option of [[], ['--dry-run']]) {
    const checked = await load(refusable, ...option)
    t.match(checked, { code: 1, out: '', err: /^3 +email +must be an e-mail address.*$\n^4 +custom_fields\.visits/m })
  }
  t.equal((await all()).length, 1, 'what the API would refuse is known before the first customer is made')

  const lines = Array.from({ length: 40 }, (_, n) => `Person ${n},+52155000000${String(n).padStart(2, '0')},`)
  const right = ['full_name,phone,email', ...lines, 'Ana,,Ana@Example.com'].join('\n')
  t.match(await load(right, '--dry-run'), { code: 0, out: '41 customers, no faults; nobody is imported.\n' })
  t.match(await load(right), { code: 0, out: '40 imported, 1 were there.\n' })
  t.match(await load(right), { code: 0, out: '0 imported, 41 were there.\n' })
  t.equal((await all()).length, 41)
  for (const [text, sentence] of [
    ['', /^The file is empty/],
    ['phone\n+5215512345678', /^The file has no column “full_name”/],
    ['name,full_name\na,b', /^Two columns are for full_name\./],
  ] as const) {
    t.match(await load(text), { code: 1, out: '', err: sentence })
  }
})

t.test('customers have the id of another system: set, shown, found, cleared and imported once', async (t) => {
  const owner = ['--company', (await tenant()).company]
  const record = await json(parley('customers', 'create', ...owner, '--name', 'Ana', '--external-id', 'C-1', '--json'))
  t.match(await parley('customers', 'show', record._id), { code: 0, out: /^external id +C-1$/m })
  const found = (id: string) => json(parley('customers', 'list', ...owner, '--external-id', id, '--json'))
  t.match(await found('C-1'), [{ _id: record._id }])
  t.same(await found('C-2'), [])
  const second = await parley('customers', 'create', ...owner, '--name', 'Eva', '--external-id', 'C-1')
  t.match(second, { code: 1, err: /EXTERNAL_ID_TAKEN|has this external_id/ })
  const file = join(dir, 'external.csv')
  const load = (...lines: string[]) => {
    writeFileSync(file, ['name,external_id', ...lines].join('\n'))
    return parley('customers', 'import', '--csv', file, ...owner)
  }
  t.match(await load('Luz,C-3', 'Leo,C-3'), { code: 1, err: /^3 +external_id +is that of line 2, too$/m })
  t.match(await load('Ana,C-1', 'Luz,C-3', 'Leo,c-3'), { code: 0, out: '2 imported, 1 were there.\n' })
  t.match(await load('Luz,Caf\u00e9', 'Leo,Cafe\u0301'), { code: 1, err: /^3 +external_id +is that of line 2, too$/m })
  const long = await load(`Luz,${'x'.repeat(256)}`)
  t.match(long, { code: 1, err: /^2 +external_id +must have at most 255 characters$/m })
  await parley('customers', 'update', record._id, '--external-id', 'none')
  t.match(await json(parley('customers', 'show', record._id, '--json')), { external_id: null })
})

t.test('two imports of the same external ids at once make each customer once, and none fails', async (t) => {
  const owner = ['--company', (await tenant()).company]
  const file = join(dir, 'at_once.csv')
  writeFileSync(file, ['name,external_id', ...Array.from({ length: 60 }, (_, n) => `Ana ${n},C-${n}`)].join('\n'))
  const both = await Promise.all(
    [0, 1].map(() => json(parley('customers', 'import', '--csv', file, ...owner, '--json'))),
  )
  t.equal(both[0].imported + both[1].imported, 60)
  for (const { imported, present, faults } of both) t.same([imported + present, faults], [60, []])
})
