/** Changes that operators make. */
import { ownPage } from '../console_client.ts'
import { made as done } from '../fixture.ts'
import { type Scene, SECRET, type Step } from './scene.ts'

const document = { type: 'document', name: 'Returns', content: 'Goods may be returned.' }

export function stepsOfOperators({ world, tenant, database, made, keep, id, post, patch, remove }: Scene): Step[] {
  const { operator } = world
  const { company_id, project_id, user_id } = tenant
  const parkLetter = async (): Promise<string> => {
    const [row] = await database.execute<{ id: string }>(
      `insert into dead_letter (partition, address, sender, message, error)
        values (0, 'mail/none', 'project/one', '{"type":"attempted","attempt":0}', 'Error: old') returning id::text`,
    )
    return row!.id
  }
  const bookAt = (hour: number) => {
    const times = { starts_at: `2030-01-01T0${hour}:00:00Z`, ends_at: `2030-01-01T0${hour}:30:00Z` }
    return keep('meeting', post('appointments', { project_id, ...times }))
  }
  return [
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
    [
      'invite_user',
      async () => {
        const guest = { company_id, full_name: 'Leo', email: 'leo@example.com', permissions: ['console.agent'] }
        await keep('guest', post('users', guest))
        return keep('invitation', post(`users/${id('guest')}/invite`))
      },
    ],
    [
      'accept_invitation',
      () => {
        const [, token] = /invitation\/([\w-]+)/.exec(made.invitation.url)!
        const json = { token, password: SECRET.repeat(3) }
        return world.http('POST', `${world.base_url}/console/invitation`, { json, headers: ownPage(world) })
      },
    ],
    ['delete_user', () => remove(`users/${id('user')}`)],
    [
      'create_token',
      () => keep('token', post('tokens', { project_id, user_id, name: 'CI', scopes: ['messages:read'] })),
    ],
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
    ['request_channel_history', () => post(`channels/${tenant.number.channel_id}/history`)],
    ['check_channel', () => post(`channels/${tenant.number.channel_id}/check`)],
    [
      'load_rates',
      () =>
        post('rates', { valid_from: '2026-10-01', currency: 'USD', markets: [{ market: 'Other', marketing: 0.0604 }] }),
    ],
    ['create_operator_key', () => keep('key', post('operator-keys', { name: 'Eva', role: 'read' }))],
    ['revoke_operator_key', () => remove(`operator-keys/${id('key')}`)],
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
    ['create_export', () => keep('export', post('exports', { kind: 'project', id: project_id }))],
    ['delete_export', () => remove(`exports/${id('export')}`)],
    [
      'create_erasure',
      async () => {
        const { body } = await post('customers', { company_id, full_name: 'Eva' })
        return post('erasures', { kind: 'customer', id: body._id, confirm: true })
      },
    ],
    ['delete_customer', () => remove(`customers/${id('customer')}`)],
    ['create_tag', () => keep('tag', post('tags', { project_id, name: 'vip' }))],
    ['update_tag', () => patch(`tags/${id('tag')}`, { name: 'very important' })],
    ['delete_tag', () => remove(`tags/${id('tag')}`)],
    [
      'create_shared_canned_response',
      () => keep('shared', post('canned-responses', { project_id, shortcut: 'hi', content: 'Hello' })),
    ],
    ['update_shared_canned_response', () => patch(`canned-responses/${id('shared')}`, { content: 'Hello again' })],
    ['delete_shared_canned_response', () => remove(`canned-responses/${id('shared')}`)],
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
    ['update_retention', () => patch(`projects/${project_id}/retention`, { events: 7 })],
    ['create_loyalty_program', () => keep('club', post('programs', { project_id, name: 'Club', type: 'points' }))],
    ['update_loyalty_program', () => patch(`programs/${id('club')}`, { name: 'The club' })],
    [
      'create_loyalty_membership',
      async () => {
        await keep('customer', post('customers', { company_id, full_name: 'Ana' }))
        return keep('member', post('memberships', { program_id: id('club'), customer_id: id('customer') }))
      },
    ],
    ['update_loyalty_membership', () => patch(`memberships/${id('member')}`, { serial_number: 'A-1' })],
    ['record_loyalty_movement', () => post(`memberships/${id('member')}/ledger`, { kind: 'earn', amount: 5 })],
    ['delete_loyalty_membership', () => remove(`memberships/${id('member')}?with_ledger=true`)],
    ['delete_loyalty_program', () => remove(`programs/${id('club')}`)],
    ['create_appointment', () => bookAt(0)],
    ['update_appointment', () => patch(`appointments/${id('meeting')}`, { location: 'Room 1' })],
    ['confirm_appointment_record', () => post(`appointments/${id('meeting')}/confirm`)],
    ['complete_appointment_record', () => post(`appointments/${id('meeting')}/complete`)],
    ['cancel_appointment_record', () => bookAt(1).then(() => post(`appointments/${id('meeting')}/cancel`))],
    ['no_show_appointment_record', () => bookAt(2).then(() => post(`appointments/${id('meeting')}/no-show`))],
    ['create_assistant_of_project', () => keep('bot', post('assistants', { project_id, name: 'Ana' }))],
    [
      'set_deployments_of_assistant',
      () => operator('PUT', `assistants/${id('bot')}/deployments`, { deployments: [{ answers: 'always' }] }),
    ],
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
    [
      'release_held_version_of_block',
      async () => {
        await done(operator('PUT', `blocks/${id('block')}/content`, { content: 'Third', hold: true }))
        return post(`blocks/${id('block')}/held-version/release`, {})
      },
    ],
    [
      'discard_held_version_of_block',
      async () => {
        await done(operator('PUT', `blocks/${id('block')}/content`, { content: 'Fourth', hold: true }))
        return remove(`blocks/${id('block')}/held-version`)
      },
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
}

/** The last steps, because a drained node owns no project any more. */
export function stepsOfNodes({ world, database, post }: Scene): Step[] {
  const resume = async () => {
    await database.execute('update cluster set quiet_since = now()')
    return post('cluster/resume')
  }
  const drain = async () => {
    const { nodes } = (await world.operator('GET', 'cluster')).body
    return post(`cluster/nodes/${nodes[0].id}/drain`)
  }
  return [
    ['resume_cluster', resume],
    ['drain_node', drain],
  ]
}
