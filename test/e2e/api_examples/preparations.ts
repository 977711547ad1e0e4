/** Records of their own for operations that end a record, or that need one in a certain state. */
import { exampleIds as ids } from '../../../actors/mod.ts'
import type { Database } from '../../../storage/mod.ts'
import { people, sendBulk } from '../broadcast_client.ts'
import { eventually, type Json } from '../client.ts'
import { made, type Tenant, type World } from '../fixture.ts'
import type { startToolServer } from '../tool_server.ts'
import { exported, newFlow, type Places, parkedLetter, testSetOf } from './records.ts'

/** Each makes the record of one operation and says where the example has it. */
export function preparations(
  { operator }: World,
  tenant: Tenant,
  tools: Awaited<ReturnType<typeof startToolServer>>,
  database: Database,
): Record<string, () => Promise<Places>> {
  const { api, project_id, company_id, user_id } = tenant
  let count = 0
  const next = (name: string) => `${name} ${++count}`
  const ofClient = async (example: string, path: string, json: Json) => {
    const body = await made(api('POST', path, json))
    return { [example]: (body.block ?? body.assistant ?? body)._id }
  }
  const ofOperator = async (example: string, path: string, json: Json) => {
    const body = await made(operator('POST', path, json))
    return { [example]: body._id ?? body.id }
  }
  const block = () => ofClient(ids.block, 'blocks/steps', { name: next('Steps'), content: '1. Ask.' })
  const folder = () => ofClient(ids.node, 'knowledge/nodes', { type: 'folder', name: next('Folder') })
  const contact = () => ofClient(ids.contact, 'contacts', { channel_type: 'web', user_id: next('visitor') })
  const customer = () => ofOperator(ids.customer, 'customers', { company_id, full_name: next('Customer') })
  const program = () => ofOperator(ids.program, 'programs', { project_id, name: next('Program'), type: 'points' })
  const letter = async () => ({ 17: await parkedLetter(database) })
  const draft = async () => ({ [ids.flow]: (await newFlow(tenant, next('Draft'))).id })
  const template = () => {
    const components = [{ type: 'BODY', text: 'Thank you for your order.' }]
    const fields = { name: `thanks_${++count}`, language: 'en_US', category: 'UTILITY', components }
    return ofClient(ids.template, 'messages/templates', fields)
  }
  const appointment = async (status: string) => {
    const starts_at = new Date(Date.UTC(2028, 0, ++count, 10)).toISOString()
    const ends_at = new Date(Date.UTC(2028, 0, count, 11)).toISOString()
    return ofOperator(ids.appointment, 'appointments', { project_id, starts_at, ends_at, status })
  }
  const holding = async () => {
    const place = await block()
    await made(api('PUT', `blocks/${place[ids.block]}/content`, { content: '1. Ask twice.', hold: true }))
    return place
  }
  const attached = async () => {
    const place = await block()
    const assistant = await ofClient(ids.assistant, 'assistants', { name: next('Assistant') })
    await made(api('POST', `assistants/${assistant[ids.assistant]}/blocks`, { block_id: place[ids.block] }))
    return { ...place, ...assistant }
  }
  const pair = async () => {
    const person = () => ({ channel_type: 'whatsapp', user_id: String(15_550_340_000 + ++count) })
    const other = await ofClient(ids.merged_contact, 'contacts', person())
    return { ...other, ...(await ofClient(ids.contact, 'contacts', person())) }
  }
  const merged = async () => {
    const places = await pair()
    const path = `contacts/${places[ids.contact]}`
    const merge = await made(api('POST', `${path}/merge`, { from_contact_id: places[ids.merged_contact] }))
    await eventually('the contacts are merged', async () => {
      const { data } = await made(api('GET', `${path}/merges`))
      return data[0].status === 'merged'
    })
    return { ...places, [ids.merge]: merge._id }
  }
  const testSet = async () => {
    const assistant = await ofClient(ids.assistant, 'assistants', { name: next('Assistant') })
    return { ...assistant, [ids.test_set]: await testSetOf(api, assistant[ids.assistant]!) }
  }
  return {
    replace_test_set: testSet,
    delete_test_set: testSet,
    start_test_run: testSet,
    merge_contacts: pair,
    list_contact_merges: merged,
    undo_contact_merge: merged,
    async cancel_broadcast() {
      await operator('PATCH', `channels/${tenant.number.channel_id}`, { messages_per_second: 20 })
      return { [ids.broadcast]: await sendBulk(tenant, people(400)) }
    },
    async poll_webhook() {
      const fields = { name: 'Polled', mode: 'poll', events: ['crm.ticket.updated'] }
      return { [ids.webhook]: (await made(api('POST', 'webhooks', fields))).id }
    },
    delete_flow: draft,
    publish_flow: draft,
    update_template: template,
    delete_template: template,
    delete_knowledge_node: folder,
    delete_knowledge_node_record: folder,
    delete_agent_tool: () => ofClient(ids.tool, 'agents/tools', { name: 'unused', url: tools.url('unused') }),
    release_held_version: holding,
    release_held_version_of_block: holding,
    discard_held_version: holding,
    discard_held_version_of_block: holding,
    detach_block: attached,
    detach_block_from_assistant: attached,
    attach_block_to_assistant: block,
    confirm_appointment_record: () => appointment('pending'),
    cancel_appointment_record: () => appointment('pending'),
    complete_appointment_record: () => appointment('confirmed'),
    no_show_appointment_record: () => appointment('confirmed'),
    delete_company: () => ofOperator(ids.company, 'companies', { name: next('Company') }),
    delete_project: () => ofOperator(ids.project, 'projects', { company_id, name: next('Project') }),
    delete_user: () => ofOperator(ids.user, 'users', { company_id, full_name: 'Gone', email: 'gone@example.com' }),
    invite_user: () => {
      const guest = { company_id, full_name: 'Luis Vega', email: 'vega@example.com', permissions: ['console.agent'] }
      return ofOperator(ids.user, 'users', guest)
    },
    revoke_token: () => ofOperator(ids.token, 'tokens', { project_id, user_id, name: 'Gone', scopes: [] }),
    delete_channel: () =>
      ofOperator(ids.channel, 'channels', {
        ...{ project_id, channel_type: 'phone', provider: 'simulator', name: next('Phone') },
      }),
    delete_event_type: () => ofOperator(ids.event_type, 'event-types', { company_id, key: 'gone', name: 'Gone' }),
    delete_custom_field: () =>
      ofOperator(ids.custom_field, 'custom-fields', {
        ...{ company_id, owner: 'ticket', key: 'gone', name: 'Gone', type: 'string' },
      }),
    delete_customer: customer,
    delete_shared_canned_response: () =>
      ofOperator(ids.canned_response, 'canned-responses', { project_id, shortcut: 'gone', content: 'Gone' }),
    delete_tag: () => ofOperator(ids.tag, 'tags', { project_id, name: next('tag') }),
    delete_pipeline: () =>
      ofOperator(ids.pipeline, 'pipelines', { project_id, name: 'Gone', stages: [{ name: 'One' }] }),
    async delete_stage() {
      const [first] = (await made(operator('GET', `pipelines?project_id=${project_id}`))).data
      return ofOperator(ids.stage, `pipelines/${first._id}/stages`, { name: next('Stage') })
    },
    delete_loyalty_program: program,
    async delete_loyalty_membership() {
      const [{ [ids.program]: program_id }, { [ids.customer]: customer_id }] = [await program(), await customer()]
      return ofOperator(ids.membership, 'memberships', { program_id, customer_id })
    },
    drop_dead_letter: letter,
    drop_dead_letters: letter,
    replay_dead_letter: letter,
    replay_dead_letters: letter,
    revoke_operator_key: () => ofOperator(ids.operator_key, 'operator-keys', { name: next('key'), role: 'read' }),
    async download_export() {
      const own = await ofOperator(ids.export, 'exports', { kind: 'contact', id: (await contact())[ids.contact] })
      await exported(operator, own[ids.export]!)
      return own
    },
    delete_export: async () =>
      ofOperator(ids.export, 'exports', { kind: 'contact', id: (await contact())[ids.contact] }),
    preview_erasure: contact,
    create_erasure: contact,
  }
}
