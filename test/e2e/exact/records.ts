/** Records that exist once stay exact from two nodes at once. */
import type { Test } from 'tap'
import { scopes } from '../../../actors/mod.ts'
import { eventually, type Json, patiently } from '../client.ts'
import { type ClusterNode, statuses } from '../cluster.ts'
import { connectNumber, made, makeTenant } from '../fixture.ts'
import { atOnce, database, nodes, somewhen, upTo, world } from './nodes.ts'

/** `user_email`, `channel_account` and the other records that operators may make only once. */
export async function recordsAreExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const { company_id, project_id } = tenant
  const spellings = ['One@example.com', 'one@EXAMPLE.com', 'one@example.com']
  const email = (n: number) => `${project_id}.${spellings[n % 3]}`
  const users = await atOnce(50, (node, n) =>
    node.operator('POST', 'users', { company_id, full_name: 'One', email: email(n) }),
  )
  t.same(statuses(users), { 201: 1, 409: 49 }, 'one user of an e-mail address')

  const second = await connectNumber(world, tenant.project_id)
  const stored = (await world.operator('GET', `channels?project_id=${project_id}`)).body.data
  t.equal(stored.length, 2)
  const other = await makeTenant(world)
  const { channel_id, ...account } = second
  const credentials = { ...account, business_account_id: '1', access_token: 'x', api_base_url: world.simulator_url }
  const channel = {
    project_id: other.project_id,
    channel_type: 'whatsapp',
    provider: 'simulator',
    name: 'Same',
    credentials,
  }
  const channels = await atOnce(20, (node) => node.operator('POST', 'channels', channel))
  t.same(statuses(channels), { 201: 1, 409: 19 }, 'one channel of an account in a project')

  const checks = await atOnce(20, (node) => node.operator('POST', `channels/${channel_id}/check`))
  t.same(statuses(checks), { 200: 20 }, 'templates are synchronised by many at once')
  const templates = (await tenant.api('GET', `messages/templates?channel_id=${channel_id}&limit=200`)).body.data
  const names = templates.map(({ name, language }: Json) => `${name} ${language}`)
  t.ok(names.length > 0)
  t.equal(new Set(names).size, names.length, 'no template is stored twice')

  const tokens = await atOnce(50, (node, n) =>
    node.operator('POST', 'tokens', { project_id, user_id: tenant.user_id, name: `Token ${n}`, scopes }),
  )
  t.equal(new Set(tokens.map(({ body }) => body.token)).size, 50)
  const opened = await atOnce(50, (node, n) =>
    patiently(() => node.call(tokens[(n + 1) % 50]!.body.token, 'GET', 'me')),
  )
  t.same(
    opened.map(({ body }, n) => body.token?.id === tokens[(n + 1) % 50]!.body._id),
    upTo(50).map(() => true),
    'each token is known to the other node at once',
  )
  const patches = await atOnce(40, (node, n) =>
    patiently(() =>
      node.operator(
        'PATCH',
        `users/${tenant.user_id}`,
        n % 4 < 2 ? { full_name: 'New' } : { permissions: ['console.agent'] },
      ),
    ),
  )
  t.same(statuses(patches), { 200: 40 })
  t.match((await world.operator('GET', `users/${tenant.user_id}`)).body, {
    full_name: 'New',
    permissions: ['console.agent'],
  })
}

/**
 * `event_type_key`, `custom_field_key`, `tag_name` and `pipeline_default`: the records that operators set up for the
 * CRM.
 */
export async function definitionsAreExact(t: Test): Promise<void> {
  const { company_id, project_id } = await makeTenant(world)
  const once: [string, (n: number) => Json][] = [
    ['event-types', (n) => ({ company_id, key: n % 2 ? 'once' : 'custom.once', name: 'Once' })],
    ['custom-fields', () => ({ company_id, owner: 'ticket', key: 'once', name: 'Once', type: 'string' })],
    ['tags', (n) => ({ project_id, name: n % 2 ? 'Once' : 'ONCE' })],
  ]
  for (const [path, body] of once) {
    const answers = await atOnce(20, (node, n) => node.operator('POST', path, body(n)))
    t.same(statuses(answers), { 201: 1, 409: 19 }, `one of ${path}`)
  }
  const stages = [{ name: 'New' }]
  const made = await atOnce(20, (node, n) =>
    node.operator('POST', 'pipelines', { project_id, name: `${n}`, is_default: true, stages }),
  )
  t.same(statuses(made), { 201: 20 }, 'each of many pipelines becomes the default')
  const taken = await atOnce(20, (node, n) =>
    node.operator('PATCH', `pipelines/${made[n]!.body._id}`, { is_default: true }),
  )
  t.same(statuses(taken), { 200: 20 })
  const { data } = (await world.operator('GET', `pipelines?project_id=${project_id}&limit=200`)).body
  t.equal(data.length, 21)
  t.equal(data.filter(({ is_default }: Json) => is_default).length, 1, 'one pipeline is the default in the end')
  const added = await atOnce(20, (node, n) =>
    node.operator('POST', `pipelines/${data[0]._id}/stages`, { name: `${n}`, position: 0 }),
  )
  t.same(statuses(added), { 201: 20 })
  const { body } = await world.operator('GET', `pipelines/${data[0]._id}`)
  t.same(
    body.stages.map(({ position }: Json) => position),
    upTo(21),
    'each stage has a place of its own',
  )
}

/** `customer_external_id` and `ticket_external_id`: one of many records takes an id, and another when it was given back. */
export async function externalIdsAreExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const { company_id, token } = tenant
  const made_customers = await atOnce(20, async (node, n) => {
    await somewhen()
    return node.operator('POST', 'customers', { company_id, full_name: `Ana ${n}`, external_id: 'C-1' })
  })
  t.same(statuses(made_customers), { 201: 1, 409: 19 }, 'one customer of an external id')
  await Promise.all(upTo(10).map((n) => tenant.writes(`+1555745${1000 + n}`, 'Hello')))
  const tickets = await eventually('ten tickets', async () => {
    const { data } = await made(patiently(() => nodes[0]!.call(token, 'GET', 'crm/tickets')))
    return data.length === 10 && (data as Json[])
  })
  const take = (external_id: string | null) => (node: ClusterNode, n: number) =>
    patiently(() => node.call(token, 'PATCH', `crm/tickets/${tickets[n]!._id}`, { external_id }))
  t.same(statuses(await atOnce(10, take('T-1'))), { 200: 1, 409: 9 }, 'one ticket of an external id')
  t.same(statuses(await atOnce(10, take(null))), { 200: 10 })
  t.same(statuses(await atOnce(10, take('T-1'))), { 200: 1, 409: 9 }, 'and one when it was given back')
}

/** `assistant_block_identity`: of one identity type, an assistant has one block. */
export async function identityIsExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const { assistant } = await made(patiently(() => tenant.api('POST', 'assistants', { name: 'Once' })))
  const blocks = await atOnce(20, (node, n) =>
    patiently(() => node.call(tenant.token, 'POST', 'blocks/response-format', { name: `${n}` })),
  )
  const answers = await atOnce(20, async (node, n) => {
    await somewhen()
    const block_id = blocks[n]!.body.block._id
    return patiently(() => node.call(tenant.token, 'POST', `assistants/${assistant._id}/blocks`, { block_id }))
  })
  const codes = answers.map(({ status, body }) => body.error?.code ?? status)
  t.equal(codes.filter((code) => code === 201).length, 1, 'one of twenty blocks is attached')
  t.equal(codes.filter((code) => code === 'ASSISTANT_DUPLICATE_IDENTITY_BLOCK').length, 19)
  const attached = await patiently(() => tenant.api('GET', `assistants/${assistant._id}/blocks`))
  t.equal(attached.body.data.filter(({ type }: Json) => type === 'response_format').length, 1)
}

/** `assistant_deployment_position`: a place in the list of an assistant has one deployment. */
export async function deploymentsAreExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const { assistant } = await made(patiently(() => tenant.api('POST', 'assistants', { name: 'Somewhere' })))
  const path = `assistants/${assistant._id}/deployments`
  const answers = await atOnce(20, async (node, n) => {
    await somewhen()
    const deployments = Array.from({ length: n % 5 }, () => ({ answers: 'unanswered', after_minutes: n + 1 }))
    return patiently(() => node.call(tenant.token, 'PUT', path, { deployments }))
  })
  t.same(new Set(answers.map(({ status }) => status)), new Set([200]))
  const { deployments }: Json = (await patiently(() => tenant.api('GET', path))).body
  t.ok(
    answers.some(({ body }) => JSON.stringify(body.deployments) === JSON.stringify(deployments)),
    'one list is stored as a whole',
  )
}

/** `assistant_test_set_name`: an assistant has one test set of a name, however it got the name. */
export async function testSetsAreExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const { assistant } = await made(patiently(() => tenant.api('POST', 'assistants', { name: 'Tested' })))
  const path = `assistants/${assistant._id}/test-sets`
  const fields = (name: string) => ({ name, cases: [{ name: 'One', steps: [{ user: 'Hello' }] }] })
  const { test_set: other } = await made(patiently(() => tenant.api('POST', path, fields('Other'))))
  const answers = await atOnce(20, async (node, n) => {
    await somewhen()
    const [method, place] = n === 0 ? ['PUT', `${path}/${other._id}`] : ['POST', path]
    return patiently(() => node.call(tenant.token, method!, place!, fields('Once')))
  })
  const taken = answers.filter(({ status }) => status < 300)
  t.equal(taken.length, 1, 'one of twenty gets the name')
  t.equal(answers.filter(({ body }) => body.error?.code === 'TEST_SET_ALREADY_EXISTS').length, 19)
  const { data }: Json = (await patiently(() => tenant.api('GET', `${path}?name=Once`))).body
  t.same(
    data.map(({ _id }: Json) => _id),
    [taken[0]!.body.test_set._id],
  )
}

/** `knowledge_node_number` and `knowledge_term_project`: documents of two nodes that share a word count it exactly. */
export async function knowledgeIsExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const { project_id } = tenant
  const documents = await atOnce(20, async (node, n) => {
    await somewhen()
    const document = { type: 'document', name: `Document ${n}`, content: 'A quetzal.', language: 'en' }
    return patiently(() => node.call(tenant.token, 'POST', 'knowledge/nodes', document))
  })
  t.same(statuses(documents), { 201: 20 })
  const counted = () =>
    database.execute<{ documents: number }>(
      `select documents from knowledge_term where project_id = ? and term like 'quetzal%'`,
      [project_id],
    )
  await eventually('all are indexed', async () => (await counted())[0]?.documents === 20)
  t.same(await counted(), [{ documents: 20 }], 'the word exists once')
  const [numbers] = await database.execute<{ count: number }>(
    'select count(distinct number)::integer as count from knowledge_node where project_id = ?',
    [project_id],
  )
  t.equal(numbers!.count, 20, 'each has a number of its own')
}
