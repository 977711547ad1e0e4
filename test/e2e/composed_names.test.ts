/** Names in both Unicode forms. One file, because it is one rule for all records that have a name. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { people as recipients, sendBulk } from './broadcast_client.ts'
import type { Json } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const { operator } = world
const tenant = await makeTenant(world)
const { company_id, project_id, api } = tenant

const COMPOSED = 'José Ñandú'.normalize('NFC')
const DECOMPOSED = 'José Ñandú'.normalize('NFD')
/** Each finds the name, in whichever form it was sent. */
const SEARCHES = [COMPOSED, DECOMPOSED, 'jose nandu', 'JOSÉ', DECOMPOSED.slice(0, 5), 'ñan', 'nan']

type Kind = { create(name: string): Promise<Json>; field?: string; list: string; by: 'client' | 'operator' }

let people = 0
const contact = (name: string) => ({
  channel_type: 'whatsapp',
  user_id: `52155381${String(++people).padStart(5, '0')}`,
  name,
})
const kinds: Record<string, Kind> = {
  contacts: { create: (name) => made(api('POST', 'contacts', contact(name))), list: 'contacts?', by: 'client' },
  customers: {
    create: (full_name) => made(operator('POST', 'customers', { company_id, full_name })),
    field: 'full_name',
    list: 'crm/customers?',
    by: 'client',
  },
  'customers of operators': {
    create: (full_name) => made(operator('POST', 'customers', { company_id, full_name })),
    field: 'full_name',
    list: `customers?company_id=${company_id}&`,
    by: 'operator',
  },
  assistants: {
    create: async (name) => (await made(api('POST', 'assistants', { name }))).assistant,
    list: 'assistants?',
    by: 'client',
  },
  'agent tools': {
    create: (name) => made(api('POST', 'agents/tools', { name, url: world.sink.url('tool') })),
    list: 'agents/tools?',
    by: 'client',
  },
  broadcasts: {
    async create(campaign_name) {
      const id = await sendBulk(tenant, recipients(1), { campaign_name })
      return made(api('GET', `messages/bulk/${id}`))
    },
    field: 'campaign_name',
    list: 'messages/bulk?',
    by: 'client',
  },
}

for (const [what, { create, field = 'name', list, by }] of Object.entries(kinds)) {
  t.test(`${what}: a name is stored composed, and found in either form, with accents and without`, async (t) => {
    for (const form of [COMPOSED, DECOMPOSED]) {
      const record = await create(form)
      t.equal(record[field], COMPOSED)
      const id = record._id ?? record.id ?? record.broadcast_id
      for (const search of SEARCHES) {
        const path = `${list}limit=200&search=${encodeURIComponent(search)}`
        const { data } = await made(by === 'client' ? api('GET', path) : operator('GET', path))
        t.ok(
          data.some((one: Json) => (one._id ?? one.id ?? one.broadcast_id) === id),
          `${search} finds it`,
        )
      }
      const other = `${list}limit=200&search=${encodeURIComponent('Jose Nande')}`
      t.same((await made(by === 'client' ? api('GET', other) : operator('GET', other))).data, [])
    }
  })
}

t.test('a name that was stored decomposed before is found, too', async (t) => {
  const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
  t.teardown(() => database.close())
  const { _id } = await made(api('POST', 'contacts', contact('x')))
  await database.execute(`update contact set name = ? where _id = ?`, [DECOMPOSED, _id])
  for (const search of SEARCHES) {
    const { data } = await made(api('GET', `contacts?limit=200&search=${encodeURIComponent(search)}`))
    t.ok(
      data.some((one: Json) => one._id === _id),
      search,
    )
  }
})

t.test('names that arrive over a channel and names of operators are stored composed', async (t) => {
  await tenant.writes('+15557359001', 'Hello', { name: DECOMPOSED })
  const [arrived] = (await made(api('GET', 'contacts?search=15557359001'))).data
  t.equal(arrived.name, COMPOSED)
  const known: [string, Json][] = [
    ['companies', { name: DECOMPOSED }],
    ['projects', { company_id, name: DECOMPOSED }],
    ['tags', { project_id, name: DECOMPOSED }],
    ['pipelines', { project_id, name: DECOMPOSED, stages: [{ name: DECOMPOSED }] }],
    ['programs', { project_id, type: 'points', name: DECOMPOSED }],
    ['knowledge/nodes', { project_id, type: 'folder', name: DECOMPOSED }],
  ]
  for (const [path, body] of known) t.equal((await made(operator('POST', path, body))).name, COMPOSED, path)
  t.match(await operator('POST', 'tags', { project_id, name: COMPOSED }), { status: 409 }, 'both forms are one name')
})
