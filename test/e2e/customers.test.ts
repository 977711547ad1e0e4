import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import type { Json } from './client.ts'
import { joinWorld, made, makeTenant, type Tenant } from './fixture.ts'

const world = await joinWorld(t)
const { operator, http, base_url } = world
const database = await openDatabase({ url: world.config.database_url!, pool_size: 2 })
t.teardown(() => database.close())

const keep = (company_id: string, full_name: string, fields: Json = {}): Promise<Json> =>
  made(operator('POST', 'customers', { company_id, full_name, ...fields }))

async function list({ api }: Tenant, query: Record<string, string> | string): Promise<Json> {
  const { status, body } = await api('GET', `crm/customers?${new URLSearchParams(query)}`)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body
}

t.test('a customer is shown with its contacts to every project of its company and to no other', async (t) => {
  const tenant = await makeTenant(world)
  const other = await makeTenant(world)
  const fields = { email: 'ana@example.com', phone: '+5215550000001', tags: ['vip'], custom_fields: { size: 'L' } }
  const kept = await keep(tenant.company_id, 'Ana López', fields)
  const contacts = []
  for (const user_id of ['5215550000001', '5215550000002']) {
    const contact = await made(tenant.api('POST', 'contacts', { channel_type: 'whatsapp', user_id }))
    contacts.push((await made(tenant.api('PATCH', `contacts/${contact._id}`, { customer_id: kept._id })))._id)
  }
  const { company_id: _, ...shown } = kept
  const expected = { ...shown, ...fields, full_name: 'Ana López', chat_users: contacts }
  t.same(await list(tenant, ''), {
    data: [expected],
    total: 1,
    limit: 50,
    offset: 0,
    has_more: false,
    next_cursor: null,
  })
  t.same((await tenant.api('GET', `crm/customers/${kept._id}`)).body, expected)
  t.same(await list(other, ''), { data: [], total: 0, limit: 50, offset: 0, has_more: false, next_cursor: null })
  t.same((await list(other, { search: 'ana' })).data, [])
  t.same((await list(other, { phone: '+5215550000001' })).data, [])
  t.equal((await other.api('GET', `crm/customers/${kept._id}`)).status, 404)
  for (const id of ['x', 'f'.repeat(24)]) t.equal((await tenant.api('GET', `crm/customers/${id}`)).status, 404)
  const { company_id, user_id } = tenant
  const { _id: project_id } = await made(operator('POST', 'projects', { company_id, name: 'Second' }))
  const scopes = ['crm:customers:read']
  const { token } = await made(operator('POST', 'tokens', { project_id, user_id, name: 'Second', scopes }))
  const unlinked = { ...expected, chat_users: [] }
  t.same((await http('GET', `${base_url}/v1/crm/customers`, { token })).body.data, [unlinked], 'without its contacts')
  t.same((await http('GET', `${base_url}/v1/crm/customers/${kept._id}`, { token })).body, unlinked)
  t.same(
    (await operator('GET', `customers/${kept._id}`)).body.chat_users,
    contacts,
    'operators see those of all projects',
  )
  const { token: bare } = await made(operator('POST', 'tokens', { project_id, user_id, name: 'Bare', scopes: [] }))
  t.match(await http('GET', `${base_url}/v1/crm/customers`, { token: bare }), {
    status: 403,
    body: { error: { details: { required: scopes, missing: scopes } } },
  })
})

t.test('a search finds parts of a name or an e-mail address, and takes every character literally', async (t) => {
  const tenant = await makeTenant(world)
  const people: [string, Json][] = [
    ['Ana López', { email: 'ana.lopez@example.com', phone: '+5215550000001' }],
    ['LUIS 100%', { email: 'luis_vega@example.com', phone: '+5215550000002' }],
    ['Back\\slash', {}],
    ["Robert'); drop table customer; --", { phone: '+5215550000001' }],
    ['ÉLODIE 😀 ?', { email: 'Elodie@Example.com' }],
    ['Zoe', { email: 'lopez@example.com' }],
  ]
  const ids: string[] = []
  for (const [name, fields] of people) ids.push((await keep(tenant.company_id, name, fields))._id)
  const finds: [query: Record<string, string>, found: number[]][] = [
    [{}, [5, 4, 3, 2, 1, 0]],
    [{ search: '' }, [5, 4, 3, 2, 1, 0]],
    [{ search: 'a' }, [5, 4, 3, 2, 1, 0]],
    [{ search: 'Z' }, [5, 0]],
    [{ search: 'LO' }, [5, 4, 0]],
    [{ search: 'lop' }, [5, 0]],
    [{ search: 'LÓPEZ' }, [5, 0]],
    [{ search: 'lopez' }, [5, 0]],
    [{ search: 'lopez@EXAMPLE' }, [5, 0]],
    [{ search: 'ana lopez' }, [0]],
    [{ search: 'é' }, [4]],
    [{ search: '😀' }, [4]],
    [{ search: 'example.com' }, [5, 4, 1, 0]],
    [{ search: '%' }, [1]],
    [{ search: '0%' }, [1]],
    [{ search: '_' }, [1]],
    [{ search: 'luis_vega' }, [1]],
    [{ search: 'luis%vega' }, []],
    [{ search: 'luis.vega' }, []],
    [{ search: '\\' }, [2]],
    [{ search: 'k\\s' }, [2]],
    [{ search: "'" }, [3]],
    [{ search: "'); drop table" }, [3]],
    [{ search: '?' }, [4]],
    // The first holds all pieces, but not in a row. The second joins the end of a name with the start of its address.
    [{ search: 'anana' }, []],
    [{ search: 'pezana' }, []],
    [{ search: 'péz' }, [5, 0]],
    [{ search: '5215550000001' }, []],
    [{ phone: '+5215550000001' }, [3, 0]],
    [{ phone: ' 5215550000001' }, [3, 0]],
    [{ phone: '5215550000001' }, []],
    [{ phone: '+521555000000' }, []],
    [{ phone: '+5215550000001', search: 'ana' }, [0]],
    [{ phone: '+5215550000002', search: 'ana' }, []],
  ]
  for (const [query, found] of finds) {
    const { data, total } = await list(tenant, query)
    t.same(
      data.map(({ _id }: Json) => ids.indexOf(_id)),
      found,
      JSON.stringify(query),
    )
    t.equal(total, found.length)
  }
  t.equal((await tenant.api('GET', 'crm/customers?phone=+5215550000001')).body.total, 2, 'a + that was not encoded')
})

t.test('an invalid page or filter is refused', async (t) => {
  const tenant = await makeTenant(world)
  for (const query of [
    'limit=0',
    'limit=201',
    'limit=1e2',
    'offset=-1',
    'offset=x',
    'page=2',
    'name=ana',
    'search=%00',
    'search=a%0Ab',
    'search=a&search=b',
    `search=${'x'.repeat(201)}`,
  ]) {
    const { status, body } = await tenant.api('GET', `crm/customers?${query}`)
    t.equal(status, 400, query)
    t.equal(body.error.code, 'VALIDATION_ERROR')
  }
})

t.test('the pages of every search add up to the whole list and tell the total', async (t) => {
  const tenant = await makeTenant(world)
  const idOf = (n: number) => `${tenant.company_id.slice(0, 16)}${String(n).padStart(8, '0')}`
  const rows = Array.from({ length: 500 }, (_, n) => {
    const name = `${n % 50 === 0 ? 'Xochitl' : 'Ana'} ${n}`
    return `('${idOf(n)}', '${tenant.company_id}', '${name}', 'c${n}@example.com')`
  })
  await database.execute(`insert into customer (_id, company_id, full_name, email) values ${rows.join()}`)
  const all = Array.from({ length: 500 }, (_, n) => idOf(499 - n))
  const rare = all.filter((_, at) => (499 - at) % 50 === 0)
  const finds: [search: string, ids: string[]][] = [
    ['', all],
    ['@', all],
    ['example', all],
    ['ana', all.filter((id) => !rare.includes(id))],
    ['x', all],
    ['xo', rare],
    ['xochitl', rare],
    ['499', [idOf(499)]],
    ['nobody', []],
  ]
  for (const [search, ids] of finds) {
    for (const limit of [200, 7, 3].slice(0, ids.length > 100 ? 1 : 3)) {
      const seen: string[] = []
      for (let offset = 0, total = 1; offset < total; offset += limit) {
        const page = await list(tenant, { search, limit: String(limit), offset: String(offset) })
        total = page.total
        t.equal(total, ids.length, `${search} at ${offset}`)
        seen.push(...page.data.map(({ _id }: Json) => _id))
      }
      t.same(seen, ids, `${search} by ${limit}`)
    }
    for (const offset of [1, 250, 333, 497, 499, 500, 900]) {
      const page = await list(tenant, { search, limit: '3', offset: String(offset) })
      t.same(
        page.data.map(({ _id }: Json) => _id),
        ids.slice(offset, offset + 3),
        `${search} at ${offset}`,
      )
      t.equal(page.total, ids.length)
    }
  }
})

t.test('totals stay exact while customers come, change and go at once', async (t) => {
  const tenant = await makeTenant(world)
  const kept = await Promise.all(Array.from({ length: 24 }, (_, n) => keep(tenant.company_id, `Old ${n}`)))
  await Promise.all([
    ...kept.slice(0, 8).map(({ _id }) => made(operator('DELETE', `customers/${_id}`))),
    ...kept.slice(8, 16).map(({ _id }, n) => made(operator('PATCH', `customers/${_id}`, { full_name: `New ${n}` }))),
    ...kept.slice(16).map(({ _id }) => made(operator('PATCH', `customers/${_id}`, { tags: ['same name'] }))),
    ...Array.from({ length: 8 }, (_, n) => keep(tenant.company_id, `New and ol ${n}`)),
  ])
  const rows = await database.execute<Json>('select full_name from customer where company_id = ?', [tenant.company_id])
  const names: string[] = rows.map(({ full_name }) => full_name.toLowerCase())
  t.equal(names.length, 24)
  for (const search of ['', 'o', 'ol', 'old', 'old ', 'n', 'new', 'w a', '7', 'q']) {
    t.equal((await list(tenant, { search })).total, names.filter((name) => name.includes(search)).length, search)
  }
})

t.test('a company can be deleted after its last customer', async (t) => {
  const { _id } = await made(operator('POST', 'companies', { name: 'Short' }))
  const customer = await keep(_id, 'Ana')
  t.equal((await operator('DELETE', `companies/${_id}`)).status, 409)
  await operator('DELETE', `customers/${customer._id}`)
  t.equal((await operator('DELETE', `companies/${_id}`)).status, 204)
  t.same(await database.execute('select * from customer_gram where company_id = ?', [_id]), [])
})
