/**
 * Two projects of one company that serve the same people. The projects share nothing but the customers: no answer and
 * no event for one project contains an id or a name of the other.
 */
import t from 'tap'
import { broadcastWhen, sendBulk } from './broadcast_client.ts'
import { type Answer, eventually, type Json } from './client.ts'
import { type JoinedNode, joinCluster } from './cluster.ts'
import { made, makeSister, makeTenant, type Tenant } from './fixture.ts'
import { importFile } from './import_client.ts'
import { addDocument, addFolder, indexed } from './knowledge_client.ts'

const cluster = await joinCluster(t)
const { nodes, world } = cluster
const { sink, operator } = world

const PERSON = '15550220001'
const PHONE = `+${PERSON}`
const EVENTS = ['crm.contact.created', 'crm.contact.updated', 'crm.ticket.created', 'crm.ticket.updated']
const MORE = ['crm.note.created', 'crm.event.recorded', 'whatsapp.message.received', 'whatsapp.message.sent']

type Side = { tenant: Tenant; path: string; word: string; ids: Json; hook: Json }

const first = await makeTenant(world)
const customer = await made(
  operator('POST', 'customers', { company_id: first.company_id, full_name: 'Ana', phone: PHONE }),
)
const sides = [await inhabit(first, 'quetzal'), await inhabit(await makeSister(world, first), 'axolotl')] as const

/** Makes one record of every kind, about the same person, with a word that no record of the other project has. */
async function inhabit(tenant: Tenant, word: string): Promise<Side> {
  const { api, project_id } = tenant
  const path = `told-${word}`
  const hook = await tenant.subscribe(path, [...EVENTS, ...MORE])
  const wide = await api('POST', 'contacts', { channel_type: 'whatsapp', user_id: PERSON, name: word })
  await tenant.writes(PHONE, `Hello ${word}`, { name: word })
  const { id: sent } = await made(tenant.send(PHONE, { message: { type: 'text', body: `Answer ${word}` } }))
  await tenant.message(sent, 'read')
  const [contact] = (await made(api('GET', 'contacts'))).data
  const [ticket] = (await made(api('GET', 'crm/tickets'))).data
  const inbound = (await made(api('GET', 'messages?status=received'))).data[0].id
  await made(api('PATCH', `crm/tickets/${ticket._id}`, { category: word }))
  const about = { chat_user: contact._id, ticket_id: ticket._id }
  const note = (await made(api('POST', 'crm/notes', { content: word, ...about })))._id
  const event = { event_type: 'payment.confirmed', data: { word }, phone: PERSON, idempotency_key: `key ${word}` }
  const recorded = (await made(api('POST', 'crm/events', event))).event._id
  const recipients = [{ phone: PHONE, variables: { 1: word, 2: word } }]
  const broadcast = await sendBulk(tenant, recipients)
  await broadcastWhen(tenant, broadcast, 'is over', ({ status }) => status === 'completed')
  const tag = (await made(operator('POST', 'tags', { project_id, name: word })))._id
  const stages = [{ name: word, rules: { add_tag_ids: [tag] } }]
  const pipeline = await made(operator('POST', 'pipelines', { project_id, name: word, stages }))
  const { assistant } = await made(api('POST', 'assistants', { name: word }))
  const { block } = await made(api('POST', 'blocks/steps', { name: word, content: word }))
  await made(api('POST', `assistants/${assistant._id}/blocks`, { block_id: block._id }))
  const [starting] = assistant.blocks
  const assistants = {
    assistant: assistant._id,
    block: block._id,
    starting: starting._id,
    version: block.current_version_id,
  }
  const folder = await addFolder(tenant, word)
  const document = await addDocument(tenant, word, `All about the ${word}.`, { parent_id: folder })
  await indexed(tenant, [document])
  const fields = { filename: `${word}.md`, name: word, parent_id: folder }
  const imported = (await made(importFile(tenant, `# ${word}`, fields)))._id
  const times = { starts_at: '2030-01-01T10:00:00Z', ends_at: '2030-01-01T11:00:00Z' }
  const meeting = { project_id, ...times, customer_id: customer._id, location: word }
  const appointment = (await made(operator('POST', 'appointments', meeting))).id
  const program = await made(operator('POST', 'programs', { project_id, name: word, type: 'points' }))
  const enrolment = { program_id: program._id, customer_id: customer._id }
  const membership = await made(operator('POST', 'memberships', enrolment))
  await made(operator('POST', `memberships/${membership._id}/ledger`, { kind: 'earn', amount: 5, ref: word }))
  const [delivery] = await eventually('it is told', async () => {
    const done = await tenant.deliveries(hook.id, '&status=success')
    return done.length > 5 && done
  })
  const ids = {
    ...assistants,
    contact: contact._id,
    ticket: ticket._id,
    sent,
    inbound,
    note,
    recorded,
    broadcast,
    tag,
    pipeline: pipeline._id,
    stage: pipeline.stages[0]._id,
    folder,
    document,
    imported,
    appointment,
    program: program._id,
    membership: membership._id,
  }
  const more = { hook: hook.id, delivery: delivery!.id, event: delivery!.event_id, channel: tenant.number.channel_id }
  const created = wide.status === 201 ? { wide: wide.body._id } : {}
  return { tenant, path, word, ids: { ...ids, ...more, ...created, project: project_id }, hook }
}

const ask = (node: JoinedNode, { token }: Tenant, method: string, path: string, json?: unknown) =>
  node.call(token, method, path, json)

/** Returns the records of a project that appear in the text of an answer. */
function traces(text: string, { ids, word }: Side): string[] {
  return [...Object.entries(ids), ['word', word]]
    .filter(([, id]) => text.includes(id as string))
    .map(([name]) => name as string)
}

const lists = (of: Json): string[] => [
  ...['contacts', 'contacts?search=1555', `contacts?phone=${encodeURIComponent(PHONE)}`, 'crm/tickets', 'crm/notes'],
  ...[`contacts?customer_id=${customer._id}`, 'crm/events', 'messages', 'messages/bulk', 'messages/templates'],
  ...['crm/pipelines', 'crm/tags', 'users', 'users?is_active=true'],
  ...['flows', 'webhooks', 'crm/customers', `crm/customers/${customer._id}`, 'me'],
  ...['crm/search?search=axolotl', 'crm/search?search=quetzal', 'crm/search?search=1555022'],
  ...[`messages?chat_user=${of.contact}`, `crm/tickets?chat_user=${of.contact}`, `crm/notes?chat_user=${of.contact}`],
  ...[`crm/notes?ticket_id=${of.ticket}`, `crm/events?ticket_id=${of.ticket}`, `crm/events?chat_user=${of.contact}`],
  ...['assistants', 'assistants?search=e', 'assistants?search=axolotl', 'blocks', 'blocks?include_archived=true'],
  ...['blocks?type=steps', 'blocks?family=instructions'],
  'knowledge/tree',
  ...['scheduling/appointments', `scheduling/appointments?customer_id=${customer._id}`],
  ...['knowledge/imports', `knowledge/imports?parent_id=${of.folder}`, `knowledge/imports?cursor=${of.imported}`],
  ...[`crm/tickets?tag_id=${of.tag}`, `messages?cursor=${of.sent}`, `crm/events?cursor=${of.recorded}`],
]

/** Each request with the status it must get. */
const single = (of: Json): [method: string, path: string, status: number, json?: Json][] => [
  ['GET', `contacts/${of.contact}`, 404],
  ['PATCH', `contacts/${of.contact}`, 404, { name: 'Mine' }],
  ['GET', `crm/tickets/${of.ticket}`, 404],
  ['PATCH', `crm/tickets/${of.ticket}`, 404, { category: 'Mine' }],
  ['POST', `crm/tickets/${of.ticket}/stage`, 404, { stage_id: of.stage }],
  ['GET', `crm/tickets/${of.ticket}/timeline`, 404],
  ['GET', `crm/notes/${of.note}`, 404],
  ['GET', `crm/events/${of.recorded}`, 404],
  ['GET', `messages/${of.sent}`, 404],
  ['GET', `messages/${of.inbound}`, 404],
  ['GET', `messages/bulk/${of.broadcast}`, 404],
  ['GET', `messages/bulk/${of.broadcast}/recipients`, 404],
  ['POST', `messages/bulk/${of.broadcast}/cancel`, 404],
  ['GET', `webhooks/${of.hook}`, 404],
  ['PATCH', `webhooks/${of.hook}`, 404, { name: 'Mine' }],
  ['DELETE', `webhooks/${of.hook}`, 404],
  ['GET', `webhooks/${of.hook}/deliveries`, 404],
  ['GET', `webhooks/${of.hook}/deliveries/${of.delivery}`, 404],
  ['POST', `webhooks/${of.hook}/deliveries/${of.delivery}/redeliver`, 404],
  ['GET', `assistants/${of.assistant}`, 404],
  ['PATCH', `assistants/${of.assistant}`, 404, { name: 'Mine' }],
  ['GET', `assistants/${of.assistant}/blocks`, 404],
  ['POST', `assistants/${of.assistant}/blocks`, 404, { block_id: of.block }],
  ['DELETE', `assistants/${of.assistant}/blocks/${of.block}`, 404],
  ['GET', `assistants/${of.assistant}/prompt`, 404],
  ['GET', `blocks/${of.block}`, 404],
  ['PATCH', `blocks/${of.block}`, 404, { name: 'Mine' }],
  ['GET', `blocks/${of.block}/content`, 404],
  ['GET', `blocks/${of.starting}/content`, 404],
  ['PUT', `blocks/${of.block}/content`, 404, { content: 'Mine' }],
  ['GET', `blocks/${of.block}/versions`, 404],
  ['GET', `blocks/${of.block}/versions/${of.version}`, 404],
  ['POST', `blocks/${of.block}/archive`, 404],
  ['POST', `blocks/${of.block}/unarchive`, 404],
  ['POST', 'crm/events', 422, { event_type: 'payment.confirmed', data: {}, ticket_id: of.ticket }],
  ['POST', 'crm/events', 422, { event_type: 'payment.confirmed', data: {}, chat_user_id: of.contact }],
  ['GET', `knowledge/nodes/${of.document}`, 404],
  ['GET', `knowledge/tree?parent_id=${of.folder}`, 404],
  ['PATCH', `knowledge/nodes/${of.document}`, 404, { name: 'Mine' }],
  ['DELETE', `knowledge/nodes/${of.folder}`, 404],
  ['GET', `knowledge/nodes/${of.imported}/import`, 404],
  ['POST', `knowledge/nodes/${of.imported}/import`, 404],
  ['POST', 'knowledge/nodes/import-url', 422, { source_url: 'https://example.com/', parent_id: of.folder }],
  ['POST', 'knowledge/nodes', 422, { type: 'folder', name: 'Mine', parent_id: of.folder }],
  ['POST', 'knowledge/search', 422, { query: 'all', node_ids: [of.folder] }],
  ['GET', `scheduling/appointments/${of.appointment}`, 404],
  ['POST', `scheduling/appointments/${of.appointment}/confirm`, 404],
  ['POST', 'messages/mark-read', 422, { message_id: of.inbound }],
]

for (const [n, node] of nodes.entries()) {
  for (const [at, own] of sides.entries()) {
    const other = sides[1 - at]!
    t.test(`${own.word} at node ${n} lists nothing of the other project`, async (t) => {
      for (const path of [...lists(own.ids), ...lists(other.ids)]) {
        const { status, text } = await ask(node, own.tenant, 'GET', path)
        t.equal(status, 200, path)
        t.same(traces(text, other), [], path)
      }
    })
    t.test(`${own.word} at node ${n} finds nothing of the other project by its id`, async (t) => {
      for (const [method, path, status, json] of single(other.ids)) {
        const answer: Answer = await ask(node, own.tenant, method, path, json)
        t.equal(answer.status, status, `${method} ${path} ${answer.text}`)
        const named = new Set([...path.split('/'), ...Object.values(json ?? {}).flat()])
        const leaked = traces(answer.text, other).filter((name) => !named.has(other.ids[name]))
        t.same(leaked, [], `${method} ${path}`)
      }
    })
    t.test(`${own.word} at node ${n} uses no block of the other project`, async (t) => {
      const attached = `assistants/${own.ids.assistant}/blocks`
      const answer = await ask(node, own.tenant, 'POST', attached, { block_id: other.ids.block })
      t.match(answer, { status: 422, body: { error: { code: 'BLOCK_NOT_FOUND' } } })
      const read = await ask(node, own.tenant, 'GET', `blocks/${own.ids.block}/versions/${other.ids.version}`)
      t.match(read, { status: 404, body: { error: { code: 'BLOCK_VERSION_NOT_FOUND' } } })
      t.same(traces(read.text, other), [])
    })
    t.test(`${own.word} at node ${n} searches its own knowledge alone`, async (t) => {
      for (const query of [own.word, other.word, `${other.word.slice(0, 4)}`, `${other.word}x`, 'all about']) {
        const { status, text } = await ask(node, own.tenant, 'POST', 'knowledge/search', { query })
        t.equal(status, 200)
        t.same(traces(text, other), [], query)
        if (query === own.word) t.ok(text.includes(own.ids.document))
      }
    })
    t.test(`${own.word} at node ${n} cannot use what the other project has used`, async (t) => {
      const contact = { channel_type: 'whatsapp', user_id: PERSON }
      const again = await ask(node, own.tenant, 'POST', 'contacts', contact)
      t.match(again, { status: 400, body: { error: { code: 'CONTACT_ALREADY_EXISTS' } } })
      const event = { event_type: 'payment.confirmed', data: {}, phone: PERSON, idempotency_key: `key ${other.word}` }
      const used = await ask(node, own.tenant, 'POST', 'crm/events', event)
      t.match(used, { status: 409, body: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } } })
      for (const { text } of [again, used]) t.same(traces(text, other), [])
    })
  }
}

t.test('an event for the person or the customer lands on the contact of the sending project', async (t) => {
  for (const [at, { tenant, ids }] of sides.entries()) {
    for (const who of [{ phone: PERSON }, { customer_id: customer._id }]) {
      const body = { event_type: 'payment.confirmed', data: {}, ...who }
      const { event } = await made(ask(nodes[at]!, tenant, 'POST', 'crm/events', body))
      t.match(event, { chat_user: ids.contact, ticket_id: ids.ticket })
    }
  }
})

t.test('a project gets no event of the other', async (t) => {
  for (const [at, { path, tenant, hook }] of sides.entries()) {
    await eventually('all is told', async () => {
      const all = await tenant.deliveries(hook.id)
      return all.length > 10 && all.every(({ status }) => status === 'success')
    })
    for (const { body } of sink.calls(path)) t.same(traces(JSON.stringify(body), sides[1 - at]!), [], body.type)
  }
})
