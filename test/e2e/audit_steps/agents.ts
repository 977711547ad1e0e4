/** Changes that people make in the console. */
import { formOf } from '../../http/media_client.ts'
import { ORDER, people } from '../broadcast_client.ts'
import { type Answer, type Call, eventually, type Json } from '../client.ts'
import { type Console, makeAgent, PASSWORD, signIn } from '../console_client.ts'
import { made as done } from '../fixture.ts'
import { type Scene, SECRET, type Step, ticketOfWriter } from './scene.ts'

const document = { type: 'document', name: 'Opening hours', content: 'We open at nine.' }

export function stepsOfAgents(scene: Scene): Step[] {
  const { world, tenant, database, keep, id } = scene
  const { project_id, api } = tenant
  let agent: Console
  const path = (rest: string) => `projects/${project_id}/${rest}`
  const call = (method: string, rest: string, json?: Json, more: Call = {}) =>
    agent.call(method, path(rest), { ...(json && { json }), ...more })
  return [
    [
      'sign_in',
      async () => {
        const managed = ['console.manage_templates', 'console.manage_assistants', 'developer.manage_webhooks']
        const permissions = ['console.agent', ...managed]
        agent = await signIn(world, await makeAgent(world, tenant, { permissions }))
        return { status: 201 } as Answer
      },
    ],
    [
      'change_own_password',
      () =>
        agent.call('PUT', 'password', { json: { current_password: PASSWORD, new_password: `${SECRET} of the agent` } }),
    ],
    ...stepsOfCrm(scene, call),
    ...stepsOfAppointments(scene, call),
    ...stepsOfDesk(scene, call),
    ...stepsOfKnowledge(scene, call),
    ...stepsOfWebhooks(scene, call),
    ...stepsOfAssistants(scene, call),
    ['console_send_bulk', () => call('POST', 'messages/bulk', { ...ORDER, recipients: people(2) })],
    [
      'console_cancel_broadcast',
      async () => {
        const bulk = await keep('bulk', api('POST', 'messages/bulk', { ...ORDER, recipients: people(200) }))
        return call('POST', `messages/bulk/${bulk.body.broadcast_id}/cancel`)
      },
    ],
    [
      'create_bulk_action',
      () => {
        const json = { filter: { is_closed: false }, action: { type: 'prioritize', priority: 'low' } }
        return keep('action', call('POST', 'bulk_actions', json))
      },
    ],
    [
      'cancel_bulk_action',
      async () => {
        const status = () => database.execute<{ status: string }>('select status from bulk_action')
        await eventually('it is over', async () => (await status())[0]!.status === 'completed')
        const session = await database.session()
        try {
          // It runs again and cannot end by itself: no node can read its tickets.
          await session.query('begin; lock table bulk_action_slice in access exclusive mode')
          await database.execute(`update bulk_action set status = 'running', completed_at = null`)
          return await call('POST', `bulk_actions/${id('action')}/cancel`)
        } finally {
          await session.end()
        }
      },
    ],
    ['sign_out', () => agent.call('DELETE', 'session')],
  ]
}

function stepsOfDesk({ keep, id }: Scene, call: Ask): Step[] {
  const canned = { shortcut: 'late', content: 'Dear {{contact.name}}', is_shared: true }
  return [
    ['create_canned_response', () => keep('canned', call('POST', 'canned_responses', canned))],
    ['update_canned_response', () => call('PATCH', `canned_responses/${id('canned')}`, { content: 'Hello' })],
    ['delete_canned_response', () => call('DELETE', `canned_responses/${id('canned')}`)],
    ['create_view', () => keep('view', call('POST', 'inbox/views', { name: 'Late', filter: { view: 'mine' } }))],
    ['update_view', () => call('PATCH', `inbox/views/${id('view')}`, { name: 'Too late' })],
    ['delete_view', () => call('DELETE', `inbox/views/${id('view')}`)],
  ]
}

type Ask = (method: string, rest: string, json?: Json, more?: Call) => Promise<Answer>

/** Merges contacts, and waits until that has ended. */
export async function mergeOf(
  keep: Scene['keep'],
  call: (method: string, path: string, json?: Json) => Promise<Answer>,
  contact_id: string,
  from_contact_id: string,
): Promise<Answer> {
  const answer = await keep('merge', call('POST', `contacts/${contact_id}/merge`, { from_contact_id }))
  const merges = async (): Promise<Json[]> => (await call('GET', `contacts/${contact_id}/merges`)).body.data
  await eventually('the contacts are merged', async () => (await merges())[0].status === 'merged')
  return answer
}

function stepsOfCrm({ tenant: { project_id }, made, keep, id, post }: Scene, call: Ask): Step[] {
  const person = { channel_type: 'whatsapp', user_id: '15550330001', name: 'Ana' }
  const ticket = () => `crm/tickets/${made.event.event.ticket_id}`
  return [
    ['console_create_contact', () => keep('person', call('POST', 'contacts', person))],
    ['console_create_customer', () => keep('client', call('POST', 'crm/customers', { full_name: 'Ana Torres' }))],
    ['console_update_customer', () => call('PATCH', `crm/customers/${id('client')}`, { full_name: 'Ana T. Ruiz' })],
    ['console_update_contact', () => call('PATCH', `contacts/${id('person')}`, { name: 'Ana Torres' })],
    ['console_take_thread', () => call('POST', `contacts/${id('person')}/take-thread`)],
    ['console_release_thread', () => call('POST', `contacts/${id('person')}/release-thread`)],
    [
      'console_merge_contacts',
      async () => {
        await keep('twin', call('POST', 'contacts', { ...person, user_id: '15550330002' }))
        return mergeOf(keep, call, id('person'), id('twin'))
      },
    ],
    ['console_undo_contact_merge', () => call('POST', `contacts/${id('person')}/merges/${id('merge')}/undo`)],
    [
      'console_record_event',
      () => {
        const event = {
          event_type: 'payment.confirmed',
          data: {},
          chat_user_id: id('person'),
          idempotency_key: 'audit',
        }
        return keep('event', call('POST', 'crm/events', event))
      },
    ],
    ['console_update_ticket', () => call('PATCH', ticket(), { priority: 'high' })],
    [
      'console_move_ticket',
      async () => {
        const stages = [{ name: 'One' }, { name: 'Two' }]
        const pipeline = await done(post('pipelines', { project_id, name: 'Line', stages }))
        return call('POST', `${ticket()}/stage`, { stage_id: pipeline.stages[1]._id })
      },
    ],
    ['console_take_over_ticket', () => call('POST', `${ticket()}/take-over`)],
    [
      'console_hand_back_ticket',
      async () => {
        const { _id } = await done(post('assistants', { project_id, name: 'Ana' }))
        return call('POST', `${ticket()}/hand-back`, { assistant_id: _id })
      },
    ],
    [
      'console_create_note',
      () => call('POST', 'crm/notes', { content: 'Likes tea', ticket_id: made.event.event.ticket_id }),
    ],
  ]
}

function stepsOfAppointments({ keep, id }: Scene, call: Ask): Step[] {
  const appointments = 'scheduling/appointments'
  const times = { starts_at: '2031-01-02T10:00:00Z', ends_at: '2031-01-02T10:30:00Z' }
  const one = () => `${appointments}/${id('visit')}`
  const again = () => keep('visit', call('POST', appointments, times))
  return [
    ['console_create_appointment', again],
    ['console_update_appointment', () => call('PATCH', one(), { location: 'Room 2' })],
    ['console_confirm_appointment', () => call('POST', `${one()}/confirm`)],
    ['console_cancel_appointment', () => call('POST', `${one()}/cancel`)],
    ...['complete', 'no_show'].map(
      (event): Step => [
        `console_${event}_appointment`,
        async () => {
          await again()
          return call('POST', `${one()}/${event.replace('_', '-')}`)
        },
      ],
    ),
  ]
}

function stepsOfKnowledge({ keep, id }: Scene, call: Ask): Step[] {
  return [
    ['console_create_knowledge_node', () => keep('page', call('POST', 'knowledge/nodes', document))],
    ['console_update_knowledge_node', () => call('PATCH', `knowledge/nodes/${id('page')}`, { name: 'Hours' })],
    ['console_delete_knowledge_node', () => call('DELETE', `knowledge/nodes/${id('page')}`)],
    [
      'console_import_knowledge_file',
      async () =>
        call('POST', 'knowledge/nodes/import', undefined, await formOf(Buffer.from('Text'), { filename: 'b.txt' })),
    ],
    [
      'console_import_knowledge_url',
      () => {
        const source_url = 'https://127.0.0.1:9/another.html'
        return keep('fetched', call('POST', 'knowledge/nodes/import-url', { source_url }))
      },
    ],
    ['console_repeat_knowledge_import', () => call('POST', `knowledge/nodes/${id('fetched')}/import`)],
  ]
}

function stepsOfAssistants({ keep, made, tenant }: Scene, call: Ask): Step[] {
  const one = () => `assistants/${made.own_assistant.assistant._id}`
  const tests = () => `${one()}/test-sets/${made.own_tests.test_set._id}`
  const test_set = { name: 'Greetings', cases: [{ name: 'One', steps: [{ user: 'Hello' }] }] }
  const block_id = () => made.own_block.block._id
  const block = () => `blocks/${block_id()}`
  const types = ['response_format', 'objective', 'cases_possible', 'steps']
  return [
    ['console_create_assistant', () => keep('own_assistant', call('POST', 'assistants', { name: 'Eva' }))],
    ['console_update_assistant', () => call('PATCH', one(), { name: 'Fay' })],
    [
      'console_set_assistant_deployments',
      () => call('PUT', `${one()}/deployments`, { deployments: [{ answers: 'always' }] }),
    ],
    [
      'console_update_agent',
      async () => {
        const tool = { name: 'find_stock', url: 'https://shop.example.com/stock' }
        const { _id } = await done(tenant.api('POST', 'agents/tools', tool))
        return call('PATCH', `agents/${made.own_assistant.assistant._id}`, { tools: [_id] })
      },
    ],
    ...types.map(
      (type): Step => [
        `console_create_${type}_block`,
        () => keep('own_block', call('POST', `blocks/${type.replace('_', '-')}`, { name: 'One', content: 'x' })),
      ],
    ),
    ['console_save_block_content', () => call('PUT', `${block()}/content`, { content: 'y' })],
    [
      'console_release_held_version',
      async () => {
        await done(call('PUT', `${block()}/content`, { content: 'z', hold: true }))
        return call('POST', `${block()}/held-version/release`)
      },
    ],
    [
      'console_discard_held_version',
      async () => {
        await done(call('PUT', `${block()}/content`, { content: 'zz', hold: true }))
        return call('DELETE', `${block()}/held-version`)
      },
    ],
    ['console_update_block', () => call('PATCH', block(), { name: 'Another' })],
    ['console_archive_block', () => call('POST', `${block()}/archive`)],
    ['console_unarchive_block', () => call('POST', `${block()}/unarchive`)],
    ['console_attach_block', () => call('POST', `${one()}/blocks`, { block_id: block_id() })],
    ['console_detach_block', () => call('DELETE', `${one()}/blocks/${block_id()}`)],
    ['console_create_test_set', () => keep('own_tests', call('POST', `${one()}/test-sets`, test_set))],
    ['console_replace_test_set', () => call('PUT', tests(), { ...test_set, runs: 2 })],
    [
      'console_append_test_case',
      async () => call('POST', `${tests()}/cases`, { ticket_id: await ticketOfWriter(tenant, '15550330099') }),
    ],
    ['console_start_test_run', () => call('POST', `${tests()}/runs`, {})],
    ['console_delete_test_set', () => call('DELETE', tests())],
  ]
}

function stepsOfWebhooks({ world, tenant, keep, id }: Scene, call: Ask): Step[] {
  const one = () => `webhooks/${id('own_hook')}`
  return [
    [
      'console_create_template',
      () => {
        const components = [{ type: 'BODY', text: 'We are open again.' }]
        const fields = { name: 'open_again', language: 'en', category: 'UTILITY', components }
        return keep('own_template', call('POST', 'messages/templates', fields))
      },
    ],
    [
      'console_update_template',
      () => {
        const components = [{ type: 'BODY', text: 'We are open again. Welcome!' }]
        return call('PATCH', `messages/templates/${id('own_template')}`, { components })
      },
    ],
    ['console_delete_template', () => call('DELETE', `messages/templates/${id('own_template')}`)],
    [
      'console_create_webhook',
      () => {
        const fields = { name: 'Agent', events: ['whatsapp.message.received'], headers: { 'X-Any': SECRET } }
        return keep('own_hook', call('POST', 'webhooks', { ...fields, url: world.sink.url('agents') }))
      },
    ],
    ['console_update_webhook', () => call('PATCH', one(), { name: 'The agent' })],
    ['console_rotate_webhook_secret', () => call('POST', `${one()}/rotate-secret`)],
    ['console_rotate_webhook_signing_key', () => call('POST', 'webhooks/signing-keys/rotate')],
    [
      'console_redeliver_webhook_delivery',
      async () => {
        await done(call('POST', `${one()}/test`, { event_type: 'whatsapp.message.received' }))
        const [delivery] = await tenant.deliveries(id('own_hook'))
        return call('POST', `${one()}/deliveries/${delivery.id}/redeliver`)
      },
    ],
    ['console_recover_webhook', () => call('POST', `${one()}/recover`, { since: '2026-01-01T00:00:00Z' })],
    ['console_delete_webhook', () => call('DELETE', one())],
  ]
}
