/** Lists that are read page by page while records are added at their beginning. */
import t from 'tap'
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

type List = { name: string; read: (query: string) => Promise<Json>; add: (number: number) => Promise<Json> }

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
]

function read(path: string) {
  return (query: string): Promise<Json> => made(tenant.api('GET', `${path}${query}`))
}
function readAsOperator(path: string) {
  return (query: string): Promise<Json> => made(operator('GET', `${path}${query}`))
}

for (const { name, read, add } of lists) {
  t.test(`pages of ${name} neither repeat nor leave out records while others are added`, async (t) => {
    for (let number = 1; number <= 7; number++) await add(number)
    const { data: before, total } = await read('limit=200')
    const shown: string[] = []
    let [query, added] = ['limit=2', 7]
    for (;;) {
      const page = await read(query)
      shown.push(...page.data.map(({ _id }: Json) => _id))
      t.match(page, { total: total + added - 7, limit: 2, offset: 0, has_more: page.next_cursor !== null })
      if (page.next_cursor === null) break
      query = `limit=2&cursor=${page.next_cursor}`
      await add(++added)
    }
    t.ok(added > 9, 'others were added meanwhile')
    t.same(
      shown,
      before.map(({ _id }: Json) => _id),
    )
    const { data: by_offset } = await read('limit=3&offset=1')
    const { next_cursor } = await read('limit=1')
    t.same((await read(`limit=3&cursor=${next_cursor}`)).data, by_offset, 'a cursor and an offset show the same order')
  })
}

t.test('a page begins in one place, and a cursor is one of its list', async (t) => {
  const id = 'f'.repeat(24)
  const cases: [string, string][] = [
    ['contacts', id],
    [`loyalty/memberships/${membership}/ledger`, '7'],
  ]
  for (const [path, cursor] of cases) {
    const { body } = await tenant.api('GET', `${path}?cursor=${cursor}&offset=1`)
    t.match(body.error.details.violations, [{ path: 'offset', message: 'must not come with cursor' }], path)
    t.equal((await tenant.api('GET', `${path}?cursor=${cursor}&offset=0`)).status, 200, path)
    const wrong = await tenant.api('GET', `${path}?cursor=x`)
    t.match(wrong.body.error.details.violations, [{ path: 'cursor', message: /^must be the next_cursor of a page, / }])
  }
})
