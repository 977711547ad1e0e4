/** Idempotency keys of the operator API. One file, because all rules are about the same table of requests. */
import t from 'tap'
import { objectId, openDatabase } from '../../storage/mod.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant, OPERATOR_KEY } from './fixture.ts'

const world = await joinWorld(t)
const { operator } = world
const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
t.teardown(() => database.close())

const tenant = await makeTenant(world)
const { company_id, project_id, user_id, api } = tenant

function post(path: string, json: Json, key: string, token = OPERATOR_KEY) {
  return world.http('POST', `${world.base_url}/admin/v1/${path}`, { json, token, headers: { 'idempotency-key': key } })
}

const { _id: contact_id } = await made(api('POST', 'contacts', { channel_type: 'whatsapp', user_id: '5215538110001' }))
const [pipeline] = (await made(operator('GET', `pipelines?project_id=${project_id}`))).data
const program = await made(operator('POST', 'programs', { project_id, name: 'Points', type: 'points' }))
const customer_id = (await made(operator('POST', 'customers', { company_id, full_name: 'Ada' })))._id
const membership = await made(operator('POST', 'memberships', { program_id: program._id, customer_id }))
const assistant = await made(operator('POST', 'assistants', { project_id, name: 'Known' }))

/** A request that creates something, and the list or record in which it shows how often it was done. */
type Creation = { body: Json; different: Json; count(): Promise<number> }

const counted = async (path: string, name: string): Promise<number> => {
  const { data } = await made(operator('GET', path))
  return data.filter((one: Json) => Object.values(one).includes(name)).length
}

/** Another text of the same form. */
const other = (text: string) => text.replace(/once/i, 'other')

const of_project = (list: string, name: string, fields: Json = {}, called = 'name'): [string, Creation] => [
  list,
  {
    body: { project_id, [called]: name, ...fields },
    different: { project_id, [called]: other(name), ...fields },
    count: () => counted(`${list}?project_id=${project_id}&limit=200`, name),
  },
]
const of_company = (list: string, name: string, fields: Json = {}, called = 'name'): [string, Creation] => [
  list,
  {
    body: { company_id, [called]: name, ...fields },
    different: { company_id, [called]: other(name), ...fields },
    count: () => counted(`${list}?company_id=${company_id}&limit=200`, name),
  },
]

const visit = { starts_at: '2027-09-25T16:00:00.000Z', ends_at: '2027-09-25T16:30:00.000Z', timezone: 'UTC' }
const letters = {
  channel_type: 'web',
  provider: 'simulator',
  credentials: { visitor_secret: 'known to the pages only' },
}

const creations: [string, Creation][] = [
  [
    'companies',
    {
      body: { name: `C ${company_id}` },
      different: { name: 'D' },
      count: () => counted(`companies?limit=200&search=${company_id}`, `C ${company_id}`),
    },
  ],
  of_company('projects', 'Once'),
  of_company('users', `once-${company_id}@example.com`, { full_name: 'Once' }, 'email'),
  of_project('tokens', 'Once', { user_id, scopes: ['messages:read'] }),
  [
    'operator-keys',
    {
      body: { name: `Once ${company_id}`, role: 'read' },
      different: { name: 'Two', role: 'read' },
      count: () => counted('operator-keys?limit=200', `Once ${company_id}`),
    },
  ],
  of_project('channels', 'Once', letters),
  of_company('customers', 'Once', {}, 'full_name'),
  of_company('event-types', 'once', { key: 'once' }),
  of_company('custom-fields', 'once', { key: 'once', owner: 'contact', type: 'number' }),
  of_project('tags', 'Once', { color: '#112233' }),
  of_project('pipelines', 'Once', { stages: [{ name: 'New' }] }),
  [
    `pipelines/${pipeline._id}/stages`,
    {
      body: { name: 'Once' },
      different: { name: 'Twice' },
      async count() {
        const { stages } = await made(operator('GET', `pipelines/${pipeline._id}`))
        return stages.filter(({ name }: Json) => name === 'Once').length
      },
    },
  ],
  of_project('canned-responses', 'once', { content: 'Once.' }, 'shortcut'),
  of_project('assistants', 'Once'),
  of_project('blocks', 'Once', { type: 'steps', content: '1. Once' }),
  of_project('knowledge/nodes', 'Once', { type: 'folder' }),
  of_project(
    'appointments',
    'https://meet.example.com/once',
    { ...visit, modality: 'online', chat_user: contact_id },
    'meeting_url',
  ),
  of_project('programs', 'Once', { type: 'points' }),
  [
    'memberships',
    {
      body: {
        program_id: program._id,
        customer_id: (await made(operator('POST', 'customers', { company_id, full_name: 'Bo' })))._id,
      },
      different: { program_id: program._id, customer_id: objectId() },
      count: async () => (await made(operator('GET', `memberships?program_id=${program._id}`))).total - 1,
    },
  ],
  [
    `memberships/${membership._id}/ledger`,
    {
      body: { kind: 'earn', amount: 5 },
      different: { kind: 'earn', amount: 6 },
      count: async () => (await made(operator('GET', `memberships/${membership._id}/ledger`))).total,
    },
  ],
  [
    `assistants/${assistant._id}/blocks`,
    {
      body: { block_id: (await made(operator('POST', 'blocks', { project_id, name: 'Attached', type: 'steps' })))._id },
      different: { block_id: objectId() },
      count: async () => counted(`assistants/${assistant._id}/blocks`, 'Attached'),
    },
  ],
]

/** Makes the state that a node leaves when it dies after the change and before the answer: its claim, which has ended. */
async function loseAnswer(key: string) {
  const rows = await database.execute(
    `update idempotency set status = 0, body = '{"claim":{"id":"lost","until":0}}'
      where project_id = '' and key = '${key}' returning 1`,
  )
  return rows.length
}

for (const [path, { body, different, count }] of creations) {
  t.test(`POST ${path.replace(/[0-9a-f]{24}/, ':id')} under one key is done once`, async (t) => {
    const key = `${path} ${objectId()}`
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(path, body, key)))
    const first = answers.find(({ headers, status }) => status === 201 && !headers['idempotent-replayed'])!
    t.ok(first, answers.map(({ status, text }) => `${status} ${text}`).join())
    for (const { status, text, headers, body } of answers) {
      if (status === 409)
        t.same([body.error.code, headers['retry-after'] !== undefined], ['IDEMPOTENCY_IN_PROGRESS', true])
      else if (headers['idempotent-replayed']) t.equal(text, first.text)
    }
    const again = await post(path, body, key)
    t.same([again.status, again.text, again.headers['idempotent-replayed']], [201, first.text, 'true'])
    t.equal(again.headers.etag, first.headers.etag)
    t.match(await post(path, different, key), { status: 422, body: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } } })
    t.equal(await count(), 1)
  })
}

t.test('a change of a project whose answer was lost is not made again', async (t) => {
  const [path, { body }] = creations.find(([path]) => path.endsWith('/ledger'))!
  const first = await post(path, body, 'lost')
  t.equal(await loseAnswer('lost'), 1)
  const again = await post(path, body, 'lost')
  t.same([again.status, again.body], [201, first.body])
  t.equal(await loseAnswer('lost'), 1)
  t.match(await post(path, { kind: 'earn', amount: 7 }, 'lost'), { status: 422 }, 'the key still has its request')
  const assistant = await post('assistants', { project_id, name: 'Lost' }, 'lost assistant')
  t.equal(await loseAnswer('lost assistant'), 1)
  t.same((await post('assistants', { project_id, name: 'Lost' }, 'lost assistant')).body, assistant.body)
})

t.test('a change is committed together with its answer, or not at all', async (t) => {
  const taken = `taken-${company_id}`
  // The key is taken over while the transaction waits for the company: its change is void then.
  const other = await openDatabase({ url: world.config.database_url!, pool_size: 3 })
  t.teardown(() => other.close())
  const name = `Void ${company_id}`
  let late: ReturnType<typeof post> | undefined
  await other.em().transactional(async (em) => {
    await em.execute(`select 1 from company where _id = '${company_id}' for update`)
    late = post('customers', { company_id, full_name: name }, taken)
    await eventually('the key is claimed', async () => await loseAnswer(taken))
  })
  t.match(await late, { status: 409, body: { error: { code: 'IDEMPOTENCY_IN_PROGRESS' } } })
  t.equal(await counted(`customers?company_id=${company_id}&limit=200`, name), 0)
  t.equal((await post('customers', { company_id, full_name: name }, taken)).status, 201)
  t.equal(await counted(`customers?company_id=${company_id}&limit=200`, name), 1)
})

t.test('a refusal is replayed, and a 400 uses up no key', async (t) => {
  const unknown = { company_id: objectId(), name: 'Nowhere' }
  const [first, second] = [await post('projects', unknown, 'refused'), await post('projects', unknown, 'refused')]
  t.match(first, { status: 422, body: { error: { code: 'COMPANY_NOT_FOUND' } } })
  t.same([second.status, second.text, second.headers['idempotent-replayed']], [422, first.text, 'true'])
  t.equal((await post('companies', { name: 7 }, 'mended')).status, 400)
  t.equal((await post('companies', { name: 'Mended' }, 'mended')).status, 201)
})

t.test('each operator has keys of its own', async (t) => {
  const one = await made(operator('POST', 'operator-keys', { name: `One ${company_id}`, role: 'admin' }))
  const mine = await post('companies', { name: 'Mine' }, 'own')
  const theirs = await post('companies', { name: 'Theirs' }, 'own', one.key)
  t.same([mine.status, theirs.status], [201, 201])
  t.not(mine.body._id, theirs.body._id)
})

t.test('a change that is repeated by nature, and one without a body, are answered from the first', async (t) => {
  const appointment = await made(
    operator('POST', 'appointments', {
      project_id,
      ...visit,
      modality: 'online',
      chat_user: contact_id,
      meeting_url: 'https://meet.example.com/b',
    }),
  )
  const path = `appointments/${appointment._id}/cancel`
  const first = await post(path, undefined, 'cancelled')
  const again = await post(path, undefined, 'cancelled')
  t.same([first.status, again.status, again.text], [200, 200, first.text])
  t.match(await post(path, undefined, 'other'), { status: 409, body: { error: { code: 'APPOINTMENT_NOT_OPEN' } } })
})

t.test('secrets of stored answers are sealed', async (t) => {
  const body = { project_id, user_id, name: 'Sealed', scopes: ['messages:read'] }
  const { body: token } = await post('tokens', body, 'sealed')
  const [row] = await database.execute<{ body: string }>(`select body::text from idempotency where key = 'sealed'`)
  t.match(row!.body, /^\{"sealed":/)
  t.notOk(row!.body.includes(token.token))
  t.equal((await post('tokens', body, 'sealed')).body.token, token.token)
})

t.test('answers about an erased person are erased', async (t) => {
  const body = { company_id, full_name: 'Ana Erased', email: 'ana.erased@example.com' }
  const { _id } = (await post('customers', body, 'erased')).body
  const erasure = await made(operator('POST', 'erasures', { kind: 'customer', id: _id, confirm: true }))
  await eventually(
    'it is erased',
    async () => (await operator('GET', `erasures/${erasure._id}`)).body.status === 'done',
  )
  t.match(await post('customers', body, 'erased'), {
    status: 409,
    body: { error: { code: 'IDEMPOTENCY_ANSWER_ERASED' } },
  })
  t.same(await database.execute(`select 1 from idempotency where body::text like '%Ana Erased%'`), [])
})
