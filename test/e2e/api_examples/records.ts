/** The records that the examples of the API name, made for real. */
import { exampleIds } from '../../../actors/mod.ts'
import { type Database, objectId } from '../../../storage/mod.ts'
import { upload } from '../../http/media_client.ts'
import { eventually, type Json } from '../client.ts'
import { made, type Tenant, type World } from '../fixture.ts'
import type { startToolServer } from '../tool_server.ts'

/** Real values by the values in examples. */
export type Places = Record<string, string>

const PHONE = '+15550180000'

const flow_json = {
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

export const newFlow = (tenant: Tenant, name: string): Promise<Json> =>
  made(tenant.api('POST', 'flows', { name, categories: ['SURVEY'], flow_json }))

/** Makes one record of each kind, and returns where the examples have them. */
export async function makeRecords(
  world: World,
  tenant: Tenant,
  tools: Awaited<ReturnType<typeof startToolServer>>,
  database: Database,
): Promise<Places> {
  const { operator, sink } = world
  const { api, project_id, company_id } = tenant
  const make = async (path: string, json: Json) => made(operator('POST', path, json))
  const of: Partial<Record<keyof typeof exampleIds, string>> = {
    project: project_id,
    company: company_id,
    user: tenant.user_id,
    channel: tenant.number.channel_id,
  }
  const token = { project_id, user_id: tenant.user_id, name: 'Reports', scopes: ['messages:read'] }
  of.token = (await make('tokens', token))._id
  await tenant.writes(PHONE, 'Where is my order?')
  const inbound = await eventually('a message', async () => (await api('GET', 'messages?status=received')).body.data[0])
  of.inbound_message = inbound.id
  of.contact = inbound.chat_user
  of.ticket = (await api('GET', 'crm/tickets')).body.data[0]._id
  of.message = (await made(tenant.send(PHONE))).id
  of.template = (await api('GET', 'messages/templates')).body.data[0]._id
  of.customer = (await make('customers', { company_id, full_name: 'Ana Torres', email: 'ana@example.com' }))._id
  of.tag = (await make('tags', { project_id, name: 'returns', color: '#cc0000' }))._id
  const canned = { project_id, shortcut: 'late', content: 'Dear {{contact.name}}, we are sorry.' }
  of.canned_response = (await make('canned-responses', canned))._id
  const [first] = (await made(operator('GET', `pipelines?project_id=${project_id}`))).data
  of.pipeline = first._id
  of.stage = (await make(`pipelines/${first._id}/stages`, { name: 'In work' }))._id
  const fields = [{ key: 'order', type: 'string', required: true }]
  of.event_type = (await make('event-types', { company_id, key: 'order_shipped', name: 'Order shipped', fields }))._id
  const custom = { company_id, owner: 'ticket', key: 'order', name: 'Order', type: 'string' }
  of.custom_field = (await make('custom-fields', custom))._id
  const event = { event_type: 'custom.order_shipped', data: { order: 'A-1000' }, chat_user_id: of.contact }
  of.event = (await made(api('POST', 'crm/events', event))).event._id
  of.note = (await made(api('POST', 'crm/notes', { content: 'Called back.', chat_user: of.contact })))._id
  of.folder = (await made(api('POST', 'knowledge/nodes', { type: 'folder', name: 'Help' })))._id
  const source_url = tools.url('help')
  of.node = (
    await made(api('POST', 'knowledge/nodes/import-url', { source_url, parent_id: of.folder, name: 'Orders' }))
  )._id
  of.program = (await make('programs', { project_id, name: 'Coffee club', type: 'points' }))._id
  const member = await make('customers', { company_id, full_name: 'Eva Ruiz' })
  of.membership = (await make('memberships', { program_id: of.program, customer_id: member._id }))._id
  of.ledger_entry = (
    await make(`memberships/${of.membership}/ledger`, { kind: 'earn', amount: 120, ref: 'A-1000' })
  )._id
  const bulk = { template_name: 'order_update', language: 'en_US' }
  const recipients = [{ phone: PHONE, variables: { 1: 'Ana', 2: 'A-1000' } }]
  of.broadcast = (
    await made(api('POST', 'messages/bulk', { ...bulk, recipients, campaign_name: 'Orders' }))
  ).broadcast_id
  of.media = (await upload(tenant, PNG, { filename: 'order.png', part_type: 'image/png' })).body.media_id
  of.flow = (await newFlow(tenant, 'Survey')).id
  const tool = { name: 'find_orders', description: 'Finds orders.', url: tools.url('orders'), parameters: TOOL }
  of.tool = (await made(api('POST', 'agents/tools', tool)))._id
  of.assistant = (await made(api('POST', 'assistants', { name: 'Reception' }))).assistant._id
  of.turn = await turnOf(database, tenant, of as { assistant: string; ticket: string; contact: string })
  of.test_set = await testSetOf(api, of.assistant!)
  of.run = await testRunOf(api, of.assistant!, of.test_set!)
  of.block = (await made(api('POST', 'blocks/steps', { name: 'Orders', content: '1. Ask for the number.' }))).block._id
  of.version = (await api('GET', `blocks/${of.block}/versions`)).body.data[0]._id
  const time = { starts_at: '2027-05-04T10:00:00.000Z', ends_at: '2027-05-04T10:30:00.000Z', timezone: 'UTC' }
  of.appointment = (await make('appointments', { project_id, ...time, chat_user: of.contact })).id
  of.webhook = (await tenant.subscribe('examples', ['crm.ticket.updated'])).id
  await made(api('POST', `webhooks/${of.webhook}/test`, { event_type: 'crm.ticket.updated' }))
  of.delivery = await eventually('it is delivered', async () => {
    const [one] = await tenant.deliveries(of.webhook!)
    of.webhook_event = one?.event_id
    return one?.status === 'success' && one.id
  })
  of.operator_key = (await make('operator-keys', { name: 'reports', role: 'read' }))._id
  of.export = (await make('exports', { kind: 'customer', id: of.customer }))._id
  await exported(operator, of.export!)
  const gone = await made(api('POST', 'contacts', { channel_type: 'whatsapp', user_id: '5215550000000' }))
  of.erasure = (await make('erasures', { kind: 'contact', id: gone._id, confirm: true }))._id
  // Its last phases remove the files of exports, of later ones too.
  const erasure = () => made(operator('GET', `erasures/${of.erasure}`))
  await eventually('the contact is erased', async () => (await erasure()).status === 'done')
  of.entry = (await made(operator('GET', 'audit?limit=1'))).data[0]._id
  const named = Object.entries(of).map(([name, id]) => [exampleIds[name as keyof typeof exampleIds], id])
  return {
    ...Object.fromEntries(named),
    17: await parkedLetter(database),
    // The first half of an id stands for the id of a node.
    [exampleIds.channel.slice(0, 12)]: (await made(operator('GET', 'cluster'))).nodes[0].id,
    '106540352242922': tenant.number.phone_number_id,
    'https://shop.example.com/hooks': sink.url('shop'),
    'https://shop.example.com/orders': tools.url('orders'),
    'https://www.example.com/help/shipping': tools.url('shipping'),
  }
}

/** Waits until the export has its file. */
export function exported(operator: World['operator'], id: string): Promise<boolean> {
  return eventually('it is exported', async () => (await made(operator('GET', `exports/${id}`))).status === 'done')
}

const TOOL = { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] }

/** One transparent pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Parks a message as earlier trouble would have left it. */
export async function parkedLetter(database: Database): Promise<string> {
  const message = JSON.stringify({ type: 'attempted', attempt: 0, outcome: { kind: 'failed', error: '' } })
  const [row] = await database.execute<{ id: string }>(
    `insert into dead_letter (partition, address, sender, message, error, parked_at)
     values (0, 'mail/none', 'project/one', ?::json, 'Error: old', now()) returning id::text`,
    [message],
  )
  return row!.id
}

type Api = Tenant['api']

/** A test set that the examples do not delete or replace by name. */
export async function testSetOf(api: Api, assistant: string, name = 'Orders'): Promise<string> {
  const steps = [{ user: 'Where is my order A-1001?', expect: { outcome: 'answered', excludes: ['refund'] } }]
  const cases = [{ name: 'Where is my order?', steps }]
  return (await made(api('POST', `assistants/${assistant}/test-sets`, { name, cases }))).test_set._id
}

/** A run of the set that has ended. */
async function testRunOf(api: Api, assistant: string, test_set: string): Promise<string> {
  const path = `assistants/${assistant}/test-sets/${test_set}/runs`
  const { _id } = (await made(api('POST', path, {}))).run
  await eventually('the run is over', async () => (await made(api('GET', `${path}/${_id}`))).run.ended_at !== null)
  return _id
}

/** A turn that ended, without a model. */
async function turnOf(
  database: Database,
  { company_id, project_id }: Tenant,
  { assistant, ticket, contact }: { assistant: string; ticket: string; contact: string },
): Promise<string> {
  const _id = objectId()
  const step = {
    kind: 'model',
    name: 'model-a',
    started_at: '2026-09-21T14:13:20.000Z',
    ms: 850,
    input_tokens: 812,
    output_tokens: 31,
  }
  await database.execute(`
    insert into assistant_turn (_id, company_id, project_id, assistant_id, origin, ticket_id, chat_user, model, outcome,
      answer, sources, steps, input_tokens, output_tokens, cost, cost_currency, started_at, ended_at)
    values ('${_id}', '${company_id}', '${project_id}', '${assistant}', 'conversation', '${ticket}', '${contact}', 'model-a',
      'answered', 'Your order arrives tomorrow.', '[{"title":"Shipping","node_id":null,"url":null}]',
      '${JSON.stringify([step])}', 812, 31, 0.0021, 'USD', now() - interval '1 s', now())`)
  return _id
}
