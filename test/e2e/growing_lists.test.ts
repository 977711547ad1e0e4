/** Lists that are read page by page while records are added at their beginning. */
import t from 'tap'
import { plainQuery } from '../support/plain_query.ts'
import type { Json } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const { operator } = world
const tenant = await makeTenant(world)
const { project_id, company_id } = tenant

const addContact = (user_id: number) =>
  made(
    tenant.api('POST', 'contacts', { channel_type: 'whatsapp', user_id: String(5215500000000 + user_id), name: 'Ana' }),
  )
const addCustomer = (fields: Json = {}) =>
  made(operator('POST', 'customers', { company_id, full_name: 'Ana Torres', ...fields }))

async function newMembership(): Promise<string> {
  const program = await made(operator('POST', 'programs', { project_id, name: 'Club', type: 'points' }))
  const { _id: customer_id } = await addCustomer()
  return (await made(operator('POST', 'memberships', { program_id: program._id, customer_id })))._id
}

const membership = await newMembership()
const addMovement = (number: number) =>
  made(operator('POST', `memberships/${membership}/ledger`, { kind: number % 2 ? 'earn' : 'adjust', amount: number }))

let count = 0
const addProgram = () => made(operator('POST', 'programs', { project_id, name: `Club ${++count}`, type: 'points' }))
const addTag = () => made(operator('POST', 'tags', { project_id, name: `Tag ${++count}` }))
const addProject = () => made(operator('POST', 'projects', { company_id, name: `Project ${++count}` }))
const addUser = () =>
  made(operator('POST', 'users', { company_id, full_name: 'Ana', email: `ana${++count}@${company_id}.example` }))
const addTicket = (number: number) =>
  tenant.writes(`+5215570${String(number).padStart(6, '0')}`, { type: 'text', text: { body: 'Hello' } })

const addAssistant = () => made(tenant.api('POST', 'assistants', { name: `Assistant ${++count}` }))
const addBlock = () => made(tenant.api('POST', 'blocks/steps', { name: `Block ${++count}`, content: 'x' }))
/** An export or an erasure of a contact of its own. */
const addRequest = (path: 'exports' | 'erasures') => async () => {
  const { _id: id } = await addContact(1000 + ++count)
  return made(operator('POST', path, { kind: 'contact', id, ...(path === 'erasures' && { confirm: true }) }))
}

let days = 0
/** Each begins later than those before it. */
const addAppointment = () => {
  const at = (minutes: number) => new Date(Date.UTC(2029, 0, ++days) + minutes * 60_000).toISOString()
  return made(operator('POST', 'appointments', { project_id, starts_at: at(0), ends_at: at(1500) }))
}
const addTool = () =>
  made(tenant.api('POST', 'agents/tools', { name: `Tool ${++count}`, description: 'x', url: world.sink.url('tool') }))
/** The receiver of the dead letters of this file. */
const address = `nobody/${project_id}`
const statement = (text: string) => plainQuery(world.config.database_url!, text)
const addDeadLetter = () =>
  statement(
    `insert into dead_letter (partition, address, message, error) values (0, '${address}', '{"type":"x"}', 'late')`,
  )
t.teardown(() => statement(`delete from dead_letter where address = '${address}'`))

type List = { name: string; read: (query: string) => Promise<Json>; add: (number: number) => Promise<unknown> }

const lists: List[] = [
  { name: 'a ledger', read: read(`loyalty/memberships/${membership}/ledger?`), add: addMovement },
  { name: 'a ledger of operators', read: readAsOperator(`memberships/${membership}/ledger?`), add: addMovement },
  {
    name: 'a filtered ledger of operators',
    read: readAsOperator(`memberships/${membership}/ledger?kind=earn&`),
    add: (number) => addMovement(2 * number + 1),
  },
  { name: 'contacts', read: read('contacts?'), add: addContact },
  { name: 'contacts that are searched', read: read('contacts?search=ana&'), add: (number) => addContact(100 + number) },
  { name: 'customers', read: read('crm/customers?'), add: () => addCustomer() },
  { name: 'customers that are searched', read: read('crm/customers?search=ana&'), add: () => addCustomer() },
  {
    name: 'customers by phone',
    read: read('crm/customers?phone=%2B15550001&'),
    add: () => addCustomer({ phone: '+15550001' }),
  },
  { name: 'customers by a short search', read: read('crm/customers?search=to&'), add: () => addCustomer() },
  {
    name: 'customers of operators',
    read: readAsOperator(`customers?company_id=${company_id}&`),
    add: () => addCustomer(),
  },
  ...['created_at', 'updated_at', 'last_activity_at'].map((sort, n) => ({
    name: `tickets by ${sort}`,
    read: read(`crm/tickets?sort=${sort}&`),
    add: (number: number) => addTicket(1000 * (n + 1) + number),
  })),
  { name: 'programs', read: readAsOperator(`programs?project_id=${project_id}&`), add: addProgram },
  { name: 'memberships', read: readAsOperator(`memberships?project_id=${project_id}&`), add: newMembership },
  { name: 'tags', read: read('crm/tags?'), add: addTag },
  { name: 'tags of operators', read: readAsOperator(`tags?project_id=${project_id}&search=tag&`), add: addTag },
  { name: 'projects', read: readAsOperator(`projects?company_id=${company_id}&`), add: addProject },
  { name: 'users', read: read('users?'), add: addUser },
  { name: 'assistants', read: read('assistants?'), add: addAssistant },
  {
    name: 'assistants of operators',
    read: readAsOperator(`assistants?project_id=${project_id}&search=assis&`),
    add: addAssistant,
  },
  { name: 'blocks', read: read('blocks?type=steps&'), add: addBlock },
  { name: 'blocks of operators', read: readAsOperator(`blocks?project_id=${project_id}&`), add: addBlock },
  ...['starts_at', 'created_at'].flatMap((sort) => [
    {
      name: `appointments by ${sort}`,
      read: read(`scheduling/appointments?sort=${sort}&order=desc&`),
      add: addAppointment,
    },
    {
      name: `appointments of operators by ${sort}`,
      read: readAsOperator(`appointments?project_id=${project_id}&sort=${sort}&order=desc&`),
      add: addAppointment,
    },
  ]),
  { name: 'agent tools', read: read('agents/tools?search=tool&'), add: addTool },
  { name: 'dead letters', read: readAsOperator(`dead-letters?address=${address}&`), add: addDeadLetter },
  { name: 'exports', read: readAsOperator(`exports?project_id=${project_id}&`), add: addRequest('exports') },
  { name: 'erasures', read: readAsOperator(`erasures?project_id=${project_id}&`), add: addRequest('erasures') },
]

function read(path: string) {
  return (query: string): Promise<Json> => made(tenant.api('GET', `${path}${query}`))
}
function readAsOperator(path: string) {
  return (query: string): Promise<Json> => made(operator('GET', `${path}${query}`))
}

/** Dead letters alone have no `_id`. */
const idOf = ({ _id, id }: Json): string => _id ?? id

for (const { name, read, add } of lists) {
  t.test(`pages of ${name} neither repeat nor leave out records while others are added`, async (t) => {
    for (let number = 1; number <= 7; number++) await add(number)
    const { data: before, total } = await read('limit=200')
    const shown: string[] = []
    let [query, added] = ['limit=2', 7]
    for (;;) {
      const page = await read(query)
      shown.push(...page.data.map(idOf))
      if (total !== undefined) t.equal(page.total, total + added - 7)
      t.match(page, { limit: 2, offset: 0, has_more: page.next_cursor !== null })
      if (page.next_cursor === null) break
      query = `limit=2&cursor=${page.next_cursor}`
      await add(++added)
    }
    t.ok(added > 9, 'others were added meanwhile')
    t.same(shown, before.map(idOf))
    // Records of work under way change meanwhile.
    const idsOf = ({ data }: Json) => data.map(idOf)
    const by_offset = idsOf(await read('limit=3&offset=1'))
    const { next_cursor } = await read('limit=1')
    t.same(idsOf(await read(`limit=3&cursor=${next_cursor}`)), by_offset, 'a cursor and an offset show the same order')
  })
}

t.test('a page begins in one place, and a cursor is one of its list', async (t) => {
  const id = 'f'.repeat(24)
  const cases: [string, string][] = [
    ['contacts', id],
    [`loyalty/memberships/${membership}/ledger`, '7'],
    ['agents/tools', id],
  ]
  for (const [path, cursor] of cases) {
    const { body } = await tenant.api('GET', `${path}?cursor=${cursor}&offset=1`)
    t.match(body.error.details.violations, [{ path: 'offset', message: 'must not come with cursor' }], path)
    t.equal((await tenant.api('GET', `${path}?cursor=${cursor}&offset=0`)).status, 200, path)
    const wrong = await tenant.api('GET', `${path}?cursor=x`)
    t.match(wrong.body.error.details.violations, [{ path: 'cursor', message: /^must be the next_cursor of a page, / }])
  }
  const moment = `1790000000000-${id}`
  for (const query of [
    `crm/tickets?cursor=${moment}`,
    `crm/tickets?sort=updated_at&cursor=${id}`,
    'crm/tickets?sort=updated_at&cursor=9'.padEnd(60, '9'),
    `scheduling/appointments?cursor=${id}`,
    `scheduling/appointments?sort=created_at&cursor=${moment}`,
  ]) {
    const { body } = await tenant.api('GET', query)
    const message = 'must be the next_cursor of a page of the same sort'
    t.match(body.error.details.violations, [{ path: 'cursor', message }], query)
  }
  t.equal((await tenant.api('GET', `crm/tickets?sort=updated_at&cursor=${moment}`)).status, 200)
})
