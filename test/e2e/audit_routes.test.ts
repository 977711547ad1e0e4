/**
 * Each route that changes something leaves exactly one audit entry, or is in the explained list of those that leave none.
 * The entries show no secret. The steps are one story in one long file, because later steps need the records of earlier
 * ones, and the list of steps is compared with the table of routes.
 */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { upload } from '../http/media_client.ts'
import { allRoutes } from '../support/hostile/routes.ts'
import { ORDER, people } from './broadcast_client.ts'
import type { Answer, Json } from './client.ts'
import { type Console, makeAgent, ownPage, PASSWORD, signIn, trySignIn } from './console_client.ts'
import { makeTenant, startWorld } from './fixture.ts'
import { importFile, importUrl } from './import_client.ts'

const world = await startWorld(t, { config: { assistant_models: ['model-a'] } })
const { operator } = world
const tenant = await makeTenant(world)
const { company_id, project_id, user_id, api } = tenant
const database = await openDatabase({ url: world.config.database_url!, pool_size: 2 })
t.teardown(() => database.close())

const SECRET = 'S3CRET'

/** The records of earlier steps, by name. */
const made: Record<string, Json> = {}
async function keep(name: string, answer: Promise<Answer>): Promise<Answer> {
  const kept = await answer
  made[name] = kept.body
  return kept
}
const routes = allRoutes()
const each = (why: string, names: string[]) => Object.fromEntries(names.map((name) => [name, why]))
const id = (name: string): string => made[name]._id ?? made[name].id
const assistant = (): string => made.mine.assistant._id
const block = (): string => made.made.block._id
const post = (path: string, json: Json = {}) => operator('POST', path, json)
const patch = (path: string, json: Json) => operator('PATCH', path, json)
const remove = (path: string) => operator('DELETE', path)

async function parkLetter(): Promise<string> {
  const [row] = await database.execute<{ id: string }>(
    `insert into dead_letter (partition, address, sender, message, error)
      values (0, 'mail/none', 'project/one', '{"type":"attempted","attempt":0}', 'Error: old') returning id::text`,
  )
  return row!.id
}

const draft = {
  version: '7.0',
  screens: [
    {
      id: 'ONE',
      title: 'One',
      terminal: true,
      layout: {
        type: 'SingleColumnLayout',
        children: [{ type: 'Footer', label: 'Done', 'on-click-action': { name: 'complete', payload: {} } }],
      },
    },
  ],
}
const tool = {
  name: 'find_order',
  description: 'Finds an order',
  url: `https://example.com/?token=${SECRET}`,
  method: 'POST',
  headers: { 'X-Shop': SECRET },
  parameters: { type: 'object', properties: {} },
}
const document = { type: 'document', name: 'Returns', content: 'Goods may be returned.' }

type Step = [operation: string, ask: () => Promise<Answer>]

const ofOperators: Step[] = [
  ['create_company', () => keep('company', post('companies', { name: 'Acme' }))],
  ['update_company', () => patch(`companies/${id('company')}`, { name: 'Apex' })],
  ['create_project', () => keep('project', post('projects', { company_id: id('company'), name: 'Shop' }))],
  ['update_project', () => patch(`projects/${id('project')}`, { limits: { minute: 7 } })],
  ['delete_project', () => remove(`projects/${id('project')}`)],
  ['delete_company', () => remove(`companies/${id('company')}`)],
  [
    'create_user',
    () =>
      keep(
        'user',
        post('users', { company_id, full_name: 'Eva', email: 'eva@example.com', password: SECRET.repeat(3) }),
      ),
  ],
  ['update_user', () => patch(`users/${id('user')}`, { password: SECRET.repeat(4) })],
  ['delete_user', () => remove(`users/${id('user')}`)],
  ['create_token', () => keep('token', post('tokens', { project_id, user_id, name: 'CI', scopes: ['messages:read'] }))],
  ['update_token', () => patch(`tokens/${id('token')}`, { scopes: ['messages:write'] })],
  ['revoke_token', () => remove(`tokens/${id('token')}`)],
  [
    'create_channel',
    () => {
      const credentials = {
        bot_token: `123:${SECRET}`,
        webhook_secret: SECRET.repeat(5),
        api_base_url: world.simulator_url,
      }
      return keep(
        'channel',
        post('channels', { project_id, channel_type: 'telegram', provider: 'simulator', name: 'Bot', credentials }),
      )
    },
  ],
  ['update_channel', () => patch(`channels/${id('channel')}`, { credentials: { bot_token: `124:${SECRET}` } })],
  ['delete_channel', () => remove(`channels/${id('channel')}`)],
  ['check_channel', () => post(`channels/${tenant.number.channel_id}/check`)],
  ['create_event_type', () => keep('type', post('event-types', { company_id, key: 'visit', name: 'Visit' }))],
  ['update_event_type', () => patch(`event-types/${id('type')}`, { name: 'Visited' })],
  ['delete_event_type', () => remove(`event-types/${id('type')}`)],
  [
    'create_custom_field',
    () =>
      keep(
        'field',
        post('custom-fields', { company_id, owner: 'customer', key: 'size', name: 'Size', type: 'string' }),
      ),
  ],
  ['update_custom_field', () => patch(`custom-fields/${id('field')}`, { name: 'Shoe size' })],
  ['delete_custom_field', () => remove(`custom-fields/${id('field')}`)],
  ['create_customer', () => keep('customer', post('customers', { company_id, full_name: 'Ana' }))],
  ['update_customer', () => patch(`customers/${id('customer')}`, { full_name: 'Ana Ruiz' })],
  ['delete_customer', () => remove(`customers/${id('customer')}`)],
  ['create_tag', () => keep('tag', post('tags', { project_id, name: 'vip' }))],
  ['update_tag', () => patch(`tags/${id('tag')}`, { name: 'very important' })],
  ['delete_tag', () => remove(`tags/${id('tag')}`)],
  [
    'create_pipeline',
    () =>
      keep('pipeline', post('pipelines', { project_id, name: 'Sales', stages: [{ name: 'New' }, { name: 'Won' }] })),
  ],
  ['update_pipeline', () => patch(`pipelines/${id('pipeline')}`, { stages: [{ name: 'Open' }, { name: 'Lost' }] })],
  ['create_stage', () => keep('stage', post(`pipelines/${id('pipeline')}/stages`, { name: 'Offer', position: 1 }))],
  ['update_stage', () => patch(`stages/${id('stage')}`, { position: 0 })],
  ['delete_stage', () => remove(`stages/${id('stage')}`)],
  ['delete_pipeline', () => remove(`pipelines/${id('pipeline')}`)],
  ['create_assistant_of_project', () => keep('bot', post('assistants', { project_id, name: 'Ana' }))],
  ['update_assistant_record', () => patch(`assistants/${id('bot')}`, { name: 'Bea' })],
  [
    'create_block_of_project',
    () => keep('block', post('blocks', { project_id, type: 'steps', name: 'Steps', content: 'First' })),
  ],
  ['update_block_record', () => patch(`blocks/${id('block')}`, { name: 'The steps' })],
  [
    'save_content_of_block',
    () => operator('PUT', `blocks/${id('block')}/content`, { edit_mode: 'free', content: 'Second' }),
  ],
  ['attach_block_to_assistant', () => post(`assistants/${id('bot')}/blocks`, { block_id: id('block') })],
  ['detach_block_from_assistant', () => remove(`assistants/${id('bot')}/blocks/${id('block')}`)],
  ['create_knowledge_node_of_project', () => keep('node', post('knowledge/nodes', { project_id, ...document }))],
  ['update_knowledge_node_record', () => patch(`knowledge/nodes/${id('node')}`, { content: 'None may.' })],
  ['reindex_knowledge', () => post('knowledge/reindex', { project_id })],
  ['delete_knowledge_node_record', () => remove(`knowledge/nodes/${id('node')}`)],
  ['replay_dead_letter', async () => post(`dead-letters/${await parkLetter()}/replay`)],
  ['drop_dead_letter', async () => remove(`dead-letters/${await parkLetter()}`)],
  ['replay_dead_letters', () => parkLetter().then(() => post('dead-letters/replay'))],
  ['drop_dead_letters', () => parkLetter().then(() => post('dead-letters/drop', { confirm: true }))],
]

const ofTokens: Step[] = [
  [
    'create_webhook',
    () => {
      const fields = { name: 'Hook', events: ['whatsapp.message.received'], headers: { 'X-Any': SECRET } }
      return keep('hook', api('POST', 'webhooks', { ...fields, url: world.sink.url('audited') }))
    },
  ],
  ['update_webhook', () => api('PATCH', `webhooks/${id('hook')}`, { name: 'The hook' })],
  ['rotate_webhook_secret', () => keep('rotated', api('POST', `webhooks/${id('hook')}/rotate-secret`))],
  [
    'redeliver_webhook_delivery',
    async () => {
      await api('POST', `webhooks/${id('hook')}/test`, { event_type: 'whatsapp.message.received' })
      const [delivery] = await tenant.deliveries(id('hook'))
      return api('POST', `webhooks/${id('hook')}/deliveries/${delivery.id}/redeliver`)
    },
  ],
  ['recover_webhook', () => api('POST', `webhooks/${id('hook')}/recover`, { since: '2026-01-01T00:00:00Z' })],
  ['delete_webhook', () => api('DELETE', `webhooks/${id('hook')}`)],
  ['create_agent_tool', () => keep('tool', api('POST', 'agents/tools', tool))],
  ['update_agent_tool', () => api('PATCH', `agents/tools/${id('tool')}`, { headers: { 'X-Shop': `${SECRET}2` } })],
  ['switch_agent_tool', () => patch(`agent-tools/${id('tool')}`, { is_active: false })],
  ['create_assistant', () => keep('mine', api('POST', 'assistants', { name: 'Cleo' }))],
  ['update_assistant', () => api('PATCH', `assistants/${assistant()}`, { name: 'Dora' })],
  ['update_agent', () => api('PATCH', `agents/${assistant()}`, { tools: [id('tool')] })],
  ...routes
    .filter(({ path }) => /^\/v1\/blocks\/[a-z-]+$/.test(path))
    .map(
      ({ operation, path }): Step => [
        operation,
        () => keep('made', api('POST', path.slice(4), { name: 'One', content: 'x' })),
      ],
    ),
  ['save_block_content', () => api('PUT', `blocks/${block()}/content`, { edit_mode: 'free', content: 'y' })],
  ['update_block', () => api('PATCH', `blocks/${block()}`, { name: 'Another' })],
  ['archive_block', () => api('POST', `blocks/${block()}/archive`)],
  ['unarchive_block', () => api('POST', `blocks/${block()}/unarchive`)],
  ['attach_block', () => api('POST', `assistants/${assistant()}/blocks`, { block_id: block() })],
  ['detach_block', () => api('DELETE', `assistants/${assistant()}/blocks/${block()}`)],
  [
    'delete_agent_tool',
    async () => {
      await keep('tool', api('POST', 'agents/tools', { ...tool, name: 'unused' }))
      return api('DELETE', `agents/tools/${id('tool')}`)
    },
  ],
  ['create_knowledge_node', () => keep('node', api('POST', 'knowledge/nodes', document))],
  ['update_knowledge_node', () => api('PATCH', `knowledge/nodes/${id('node')}`, { name: 'Refunds' })],
  ['delete_knowledge_node', () => api('DELETE', `knowledge/nodes/${id('node')}`)],
  ['import_knowledge_file', () => importFile(tenant, 'Text', { filename: 'a.txt' })],
  ['import_knowledge_url', () => keep('url', importUrl(tenant, 'https://127.0.0.1:9/document.html'))],
  ['repeat_knowledge_import', () => api('POST', `knowledge/nodes/${id('url')}/import`)],
  ['create_flow', () => keep('flow', api('POST', 'flows', { name: 'One', categories: ['SURVEY'], flow_json: draft }))],
  ['delete_flow', () => api('DELETE', `flows/${id('flow')}`)],
  [
    'publish_flow',
    async () => {
      await keep('flow', api('POST', 'flows', { name: 'Two', categories: ['SURVEY'], flow_json: draft }))
      return api('POST', `flows/${id('flow')}/publish`)
    },
  ],
  [
    'delete_media',
    async () => {
      const { phone_number_id } = tenant.number
      const { media_id } = (await upload(tenant, Buffer.from('text'), { phone_number_id })).body
      return api('DELETE', `media/${media_id}?phone_number_id=${phone_number_id}`)
    },
  ],
  ['send_bulk', () => keep('bulk', api('POST', 'messages/bulk', { ...ORDER, recipients: people(200) }))],
  ['cancel_broadcast', () => api('POST', `messages/bulk/${made.bulk.broadcast_id}/cancel`)],
  [
    'revoke_my_token',
    async () => {
      await keep('token', post('tokens', { project_id, user_id, name: 'CI', scopes: [] }))
      return api('DELETE', 'me/token', undefined, { token: made.token.token })
    },
  ],
]

let agent: Console
const ofAgents: Step[] = [
  [
    'sign_in',
    async () => {
      const user = await makeAgent(world, tenant)
      agent = await signIn(world, user)
      return { status: 201 } as Answer
    },
  ],
  [
    'console_cancel_broadcast',
    async () => {
      await keep('bulk', api('POST', 'messages/bulk', { ...ORDER, recipients: people(200) }))
      return agent.call('POST', `projects/${project_id}/messages/bulk/${made.bulk.broadcast_id}/cancel`)
    },
  ],
  ['sign_out', () => agent.call('DELETE', 'session')],
]

/** The last step, because a drained node owns no project any more. */
const ofNodes: Step[] = [
  ['drain_node', async () => post(`cluster/nodes/${(await operator('GET', 'cluster')).body.nodes[0].id}/drain`)],
]

/** Routes that change something without an entry, and why. */
const WITHOUT: Record<string, string> = {
  ...each('a message has a record of its own', ['send_message', 'send_raw_message', 'mark_message_read']),
  ...each('files come at the pace of messages', ['upload_media']),
  ...each('programs keep contacts and events at the pace of messages', [
    'create_contact',
    'update_contact',
    'record_event',
  ]),
  ...each('the timeline has these changes', ['update_ticket', 'move_ticket', 'create_note']),
  ...each('a test changes no configuration', ['test_webhook', 'test_agent_tool']),
}

const steps = [...ofOperators, ...ofTokens, ...ofAgents, ...ofNodes]

t.test('each route that changes something is a step here, or leaves no entry for a reason', (t) => {
  const changing = routes.filter(({ method, read, raw }) => method !== 'GET' && !read && !raw)
  const names = changing.map(({ operation }) => operation)
  t.strictSame(names.filter((name) => !WITHOUT[name]).sort(), steps.map(([name]) => name).sort())
  t.strictSame(
    Object.keys(WITHOUT).filter((name) => !names.includes(name)),
    [],
    'the list has no other names',
  )
  const ofToken = changing.filter(({ auth, operation }) => auth === 'token' && !WITHOUT[operation])
  t.ok(
    ofToken.every(({ audited }) => audited),
    'the routes of tokens say so themselves',
  )
  t.end()
})

const count = async (where: string): Promise<number> => {
  const [row] = await database.execute<{ count: number }>(
    `select count(*)::integer as count from audit_entry where ${where}`,
  )
  return row!.count
}

t.test('each of them leaves one entry', async (t) => {
  for (const [operation, ask] of steps) {
    const before = await count(`action = '${operation}'`)
    const { status, text } = await ask()
    t.ok(status < 300, `${operation}: ${status} ${text}`)
    t.equal(await count(`action = '${operation}'`), before + 1, operation)
  }
})

t.test('no entry has a secret', async (t) => {
  const secrets = [SECRET, tenant.token, made.rotated.secret, made.token.token, PASSWORD, tenant.number.app_secret]
  const hashes = await database.execute<{ hash: string }>(
    `select hash from token union all select password_hash from "user" where password_hash is not null
      union all select credentials from channel union all select secret from subscription`,
  )
  for (const text of [...secrets, ...hashes.map(({ hash }) => hash)]) {
    const found = await database.execute(
      `select action, before, after from audit_entry e where strpos(e::text, ?) > 0`,
      [text],
    )
    t.strictSame(found, [], text.slice(0, 6))
  }
  const [user] = await database.execute(`select after from audit_entry where action = 'update_user' limit 1`)
  t.strictSame(user, { after: { password_hash: '[redacted]' } })
})

t.test('a request that is refused or changes nothing leaves no entry', async (t) => {
  const before = await count('true')
  await patch(`projects/${project_id}`, {})
  await patch(`projects/${'f'.repeat(24)}`, { name: 'None' })
  await post('companies', { name: '' })
  await trySignIn(world, { email: 'nobody@example.com', password: PASSWORD })
  await world.http('DELETE', `${world.base_url}/console/session`, { headers: ownPage(world) })
  t.equal(await count('true'), before)
})
