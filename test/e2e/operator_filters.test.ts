/** Filters of operators: names and addresses, states and types, among the records of all tenants. */
import t from 'tap'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const { operator } = world
const tenant = await makeTenant(world)
const { company_id, project_id, user_id } = tenant

/** A word that no other test has. */
const word = `Ñandú ${company_id}`
const plain = word.toLowerCase().replace('ñ', 'n').replace('ú', 'u')
const address = `Luz.${company_id}@Example.com`

const idsOf = async (path: string): Promise<string[]> =>
  (await made(operator('GET', path))).data.map(({ _id }: Json) => _id)
const add = async (path: string, body: Json): Promise<string> => (await made(operator('POST', path, body)))._id

/** A channel. */
const site = {
  project_id,
  channel_type: 'web',
  provider: 'cloud',
  credentials: { visitor_secret: 'x'.repeat(32) },
}

t.test('records are found by a part of their names, whatever its case and accents are', async (t) => {
  const added = {
    companies: await add('companies', { name: word }),
    projects: await add('projects', { company_id, name: word }),
    users: await add('users', { company_id, full_name: word, email: address }),
    tokens: await add('tokens', { project_id, user_id, name: word, scopes: [] }),
    channels: await add('channels', { ...site, name: word }),
    tags: await add('tags', { project_id, name: word }),
    pipelines: await add('pipelines', { project_id, name: word, stages: [{ name: 'New' }] }),
    'event-types': await add('event-types', { company_id, key: `order_${company_id}`, name: word }),
    'custom-fields': await add('custom-fields', {
      company_id,
      owner: 'customer',
      key: 'plan',
      name: word,
      type: 'string',
    }),
    'canned-responses': await add('canned-responses', {
      project_id,
      shortcut: 'thanks',
      content: 'Thank you!',
      title: word,
    }),
  }
  for (const [path, id] of Object.entries(added)) {
    for (const part of [word, plain, plain.toUpperCase(), plain.slice(1)]) {
      t.same(await idsOf(`${path}?${new URLSearchParams({ search: part })}`), [id], `${path} ${part}`)
    }
    t.same(await idsOf(`${path}?search=${encodeURIComponent('%andu_')}`), [], `${path}: every character is literal`)
  }
  t.same(await idsOf(`users?search=luz.${company_id}`), [added.users], 'a part of the address')
  t.same(await idsOf(`event-types?search=der_${company_id}`), [added['event-types']], 'a part of the key')
  t.same(
    await idsOf(`custom-fields?search=LAN&company_id=${company_id}`),
    [added['custom-fields']],
    'a part of the key',
  )
  t.same(
    await idsOf(`canned-responses?search=hank&project_id=${project_id}`),
    [added['canned-responses']],
    'of the shortcut',
  )
  const own = (path: string) => tenant.api('GET', `${path}?${new URLSearchParams({ search: plain })}`)
  t.same(
    (await made(own('users'))).data.map(({ id }: Json) => id),
    [added.users],
    'a token finds users',
  )
  t.same(
    (await made(own('crm/tags'))).data.map(({ _id }: Json) => _id),
    [added.tags],
    'and tags',
  )
})

t.test('a user is found by the whole address, in any case', async (t) => {
  const email = `ana.${company_id}@example.com`
  const id = await add('users', { company_id, full_name: 'Ana', email, is_active: false })
  for (const text of [email, email.toUpperCase()]) t.same(await idsOf(`users?email=${text}`), [id])
  t.same(await idsOf(`users?email=x.${email}`), [])
  t.same(await idsOf(`users?email=${email}&is_active=true`), [])
  t.same(await idsOf(`users?company_id=${company_id}&is_active=false`), [id])
})

t.test('tokens are listed by their status', async (t) => {
  const { project_id, user_id, token_id } = await makeTenant(world)
  const token = (fields: Json = {}) => add('tokens', { project_id, user_id, name: 'Token', scopes: [], ...fields })
  const later = await token({ expires_at: '2100-01-01T00:00:00Z' })
  const revoked = await token()
  await operator('DELETE', `tokens/${revoked}`)
  const soon = new Date(Date.now() + 1500).toISOString()
  const expired = await token({ expires_at: soon })
  const list = (status: string) => idsOf(`tokens?project_id=${project_id}&status=${status}`)
  t.ok((await list('active')).includes(expired) || Date.now() >= Date.parse(soon))
  await eventually('it has expired', async () => (await list('expired')).length > 0)
  t.same(await list('expired'), [expired])
  t.same(await list('active'), [later, token_id])
  t.same(await list('revoked'), [revoked])
  for (const status of ['active', 'expired', 'revoked']) {
    const { data } = await made(operator('GET', `tokens?project_id=${project_id}&status=${status}`))
    t.ok(
      data.every((one: Json) => one.status === status),
      'as each says itself',
    )
  }
})

t.test('channels are listed by their type', async (t) => {
  const list = (type: string) => idsOf(`channels?project_id=${project_id}&channel_type=${type}`)
  t.same(await list('whatsapp'), [tenant.number.channel_id])
  t.equal((await list('web')).length, 1)
  t.same(await list('email'), [])
})

t.test('a value that a filter cannot have is refused', async (t) => {
  for (const [path, name] of [
    ['users?email=ana', 'email'],
    ['users?is_active=yes', 'is_active'],
    ['tokens?status=gone', 'status'],
    ['channels?channel_type=fax', 'channel_type'],
    ['channels?channel_type=playground', 'channel_type'],
    [`companies?search=${'x'.repeat(201)}`, 'search'],
    ['projects?search=%00', 'search'],
    ['programs?search=x', 'search'],
  ] as const) {
    const { status, body } = await operator('GET', path)
    t.same([status, body.error?.details.violations.map(({ path }: Json) => path)], [400, [name]], path)
  }
})
