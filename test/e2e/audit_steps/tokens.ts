/** Changes that tokens make in the configuration of their project. */

import type { Route } from '../../../http/server/route/route.ts'
import { upload } from '../../http/media_client.ts'
import { ORDER, people } from '../broadcast_client.ts'
import { made as done } from '../fixture.ts'
import { importFile, importUrl } from '../import_client.ts'
import { mergeOf } from './agents.ts'
import { type Scene, SECRET, type Step, ticketOfWriter } from './scene.ts'

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

const thanks = { type: 'BODY', text: 'Thank you for your order.' }
/** Another text: nothing would change by the same one while the provider still looks at it. */
const many_thanks = { type: 'BODY', text: 'Thank you very much for your order.' }
const template = { name: 'thanks', language: 'en', category: 'UTILITY', components: [thanks] }
const tool = {
  name: 'find_order',
  description: 'Finds an order',
  url: `https://example.com/?token=${SECRET}`,
  method: 'POST',
  headers: { 'X-Shop': SECRET },
  parameters: { type: 'object', properties: {} },
}

const test_set = { name: 'Orders', cases: [{ name: 'One', steps: [{ user: 'Hello' }] }] }

const document = { type: 'document', name: 'Returns', content: 'Goods may be returned.' }

/** `routes`: all of them, for the types of blocks. */
export function stepsOfTokens({ world, tenant, made, keep, id, post, patch }: Scene, routes: readonly Route[]): Step[] {
  const { project_id, user_id, api } = tenant
  const assistant = (): string => made.mine.assistant._id
  const block = (): string => made.made.block._id
  return [
    [
      'create_webhook',
      () => {
        const fields = { name: 'Hook', events: ['whatsapp.message.received'], headers: { 'X-Any': SECRET } }
        return keep('hook', api('POST', 'webhooks', { ...fields, url: world.sink.url('audited') }))
      },
    ],
    ['update_webhook', () => api('PATCH', `webhooks/${id('hook')}`, { name: 'The hook' })],
    ['rotate_webhook_secret', () => keep('rotated', api('POST', `webhooks/${id('hook')}/rotate-secret`))],
    ['rotate_webhook_signing_key', () => keep('signing_key', api('POST', 'webhooks/signing-keys/rotate'))],
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
    [
      'set_assistant_deployments',
      () => api('PUT', `assistants/${assistant()}/deployments`, { deployments: [{ answers: 'always' }] }),
    ],
    ['create_test_set', () => keep('tests', api('POST', `assistants/${assistant()}/test-sets`, test_set))],
    [
      'replace_test_set',
      () => api('PUT', `assistants/${assistant()}/test-sets/${made.tests.test_set._id}`, { ...test_set, runs: 2 }),
    ],
    [
      'append_test_case',
      async () => {
        const ticket_id = await ticketOfWriter(tenant, '15550330098')
        return api('POST', `assistants/${assistant()}/test-sets/${made.tests.test_set._id}/cases`, { ticket_id })
      },
    ],
    ['start_test_run', () => api('POST', `assistants/${assistant()}/test-sets/${made.tests.test_set._id}/runs`, {})],
    ['delete_test_set', () => api('DELETE', `assistants/${assistant()}/test-sets/${made.tests.test_set._id}`)],
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
    [
      'release_held_version',
      async () => {
        await done(api('PUT', `blocks/${block()}/content`, { content: 'z', hold: true }))
        return api('POST', `blocks/${block()}/held-version/release`)
      },
    ],
    [
      'discard_held_version',
      async () => {
        await done(api('PUT', `blocks/${block()}/content`, { content: 'zz', hold: true }))
        return api('DELETE', `blocks/${block()}/held-version`)
      },
    ],
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
    [
      'merge_contacts',
      async () => {
        const person = { channel_type: 'whatsapp', user_id: '15550330003' }
        await keep('one', api('POST', 'contacts', person))
        await keep('other', api('POST', 'contacts', { ...person, user_id: '15550330004' }))
        return mergeOf(keep, api, id('one'), id('other'))
      },
    ],
    ['undo_contact_merge', () => api('POST', `contacts/${id('one')}/merges/${id('merge')}/undo`)],
    ['create_knowledge_node', () => keep('node', api('POST', 'knowledge/nodes', document))],
    ['update_knowledge_node', () => api('PATCH', `knowledge/nodes/${id('node')}`, { name: 'Refunds' })],
    ['delete_knowledge_node', () => api('DELETE', `knowledge/nodes/${id('node')}`)],
    ['import_knowledge_file', () => importFile(tenant, 'Text', { filename: 'a.txt' })],
    ['import_knowledge_url', () => keep('url', importUrl(tenant, 'https://127.0.0.1:9/document.html'))],
    ['repeat_knowledge_import', () => api('POST', `knowledge/nodes/${id('url')}/import`)],
    [
      'create_flow',
      () => keep('flow', api('POST', 'flows', { name: 'One', categories: ['SURVEY'], flow_json: draft })),
    ],
    ['delete_flow', () => api('DELETE', `flows/${id('flow')}`)],
    ['create_template', () => keep('template', api('POST', 'messages/templates', template))],
    ['update_template', () => api('PATCH', `messages/templates/${id('template')}`, { components: [many_thanks] })],
    ['delete_template', () => api('DELETE', `messages/templates/${id('template')}`)],
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
      'confirm_appointment',
      async () => {
        const times = { starts_at: '2030-01-02T10:00:00Z', ends_at: '2030-01-02T10:30:00Z' }
        await keep('meeting', post('appointments', { project_id, ...times }))
        return api('POST', `scheduling/appointments/${id('meeting')}/confirm`)
      },
    ],
    [
      'revoke_my_token',
      async () => {
        await keep('token', post('tokens', { project_id, user_id, name: 'CI', scopes: [] }))
        return api('DELETE', 'me/token', undefined, { token: made.token.token })
      },
    ],
  ]
}
