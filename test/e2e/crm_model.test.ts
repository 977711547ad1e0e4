/**
 * Random sequences of requests on a few contacts, through two nodes, against a plain model. Requests for one contact
 * come one after the other, and for different contacts at the same time. Afterwards the tickets, their timelines and
 * the webhooks match the model, and each event is the step from the one before. The model and its checks are one file,
 * because a new kind of request needs a change in both.
 *
 * PARLEY_TEST_ALL=1 runs more sequences. PARLEY_TEST_SEED and PARLEY_TEST_PATH repeat the one whose seed and path were
 * printed.
 */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { type Answer, eventually, type Json, patiently } from './client.ts'
import { joinCluster } from './cluster.ts'
import { type Expected, type Fields, fieldsOf, ModelContact, type ModelTicket, type Told } from './crm_model.ts'
import { made, makeTenant } from './fixture.ts'

const RUNS = process.env.PARLEY_TEST_ALL ? 150 : 3
const LIMIT_MS = process.env.PARLEY_TEST_ALL ? 600_000 : 60_000
const { PARLEY_TEST_SEED, PARLEY_TEST_PATH } = process.env
const seed = Number(PARLEY_TEST_SEED ?? Date.now() % 1_000_000)

const CONTACTS = 3
const TICKET_EVENTS = ['created', 'updated', 'stage_changed', 'closed', 'reopened'].map((name) => `crm.ticket.${name}`)
const TEMPLATE = { name: 'order_update', language: 'en_US' }

const { nodes, world } = await joinCluster(t)
const { operator, sink } = world
const tenant = await makeTenant(world)
const { company_id, project_id } = tenant
const colleague = await made(
  operator('POST', 'users', { company_id, full_name: 'Ben', email: `ben.${seed}@example.com` }),
)
const people = [null, tenant.user_id, colleague._id]
const tags: string[] = []
for (const name of ['A', 'B', 'C']) tags.push((await made(operator('POST', 'tags', { project_id, name })))._id)
const [pipeline] = (await made(operator('GET', `pipelines?project_id=${project_id}`))).data
const stages: string[] = pipeline.stages.map(({ _id }: Json) => _id)
const last = { stage: stages.at(-1)!, tag: tags[2]!, assignee: colleague._id }
const rules = {
  require_fields: ['category'],
  set_fields: { priority: 'low' },
  assign_to: [last.assignee],
  add_tag_ids: [last.tag],
  close_with: 'won',
}
await made(operator('PATCH', `stages/${last.stage}`, { rules }))
const fields = [
  { key: 'kind', type: 'string', required: true },
  { key: 'total', type: 'number', required: false, target: 'ticket.amount' },
]
await made(operator('POST', 'event-types', { company_id, key: 'order', name: 'Order', fields }))
const types = [...TICKET_EVENTS, 'crm.event.recorded', 'crm.note.created']
const subscription = await tenant.subscribe('model', types, { ordering: 'contact' })

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 })
const some = fc.constantFrom('a', 'b', null)
const amount = fc.constantFrom(0, 12.5, 999999.9999, null)
const subset = fc.subarray(tags)
const index = fc.nat({ max: 2 })

const patch = fc
  .record({
    is_closed: optional(fc.boolean()),
    resolution: optional(fc.constantFrom('won', 'lost', null)),
    priority: optional(fc.constantFrom('low', 'high', null)),
    category: optional(some),
    assigned_to: optional(fc.constantFrom(...people)),
    custom_fields: optional(fc.constantFrom({}, { plan: 'gold' }, { plan: 'gold', seats: [1, null] })),
    amount: optional(amount),
    amount_currency: optional(fc.constantFrom('MXN', null)),
    amount_status: optional(fc.constantFrom('estimated', 'confirmed', null)),
    conversation_summary: optional(fc.constantFrom({ motivo: 'x' }, { is_final: true, estado: null }, null)),
    tags: optional(
      fc.oneof(
        fc.record({ tag_ids: subset }),
        fc.record({ add_tag_ids: subset, remove_tag_ids: subset }),
        fc.record({ add_tag_ids: subset }),
      ),
    ),
  })
  .map(({ tags, ...rest }) => JSON.parse(JSON.stringify({ ...rest, ...tags })) as Json)

/** `of` is the number of the contact's ticket, counted from the newest. */
const command = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('inbound' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('repeat' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('template' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('read' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('note' as const), of: index }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('patch' as const), of: index, patch }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('close' as const), of: index, is_closed: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('move' as const), of: index, to: index, contexto: optional(some) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('ingest' as const),
      of: index,
      by: fc.constantFrom('ticket_id' as const, 'chat_user_id' as const, 'phone' as const),
      total: optional(amount),
      key: optional(fc.nat({ max: 1 })),
    }),
  },
)
type Command = (typeof command extends fc.Arbitrary<infer Value> ? Value : never) & { node?: number }
const step = fc.tuple(command, fc.nat({ max: nodes.length - 1 }))

let everybody = 0

/** Makes a contact in the world and in the model. Commands run on both. */
async function meet() {
  const user_id = `15550${String(++everybody).padStart(6, '0')}`
  const contact = await made(tenant.api('POST', 'contacts', { channel_type: 'whatsapp', user_id, name: 'Ana' }))
  const model = new ModelContact({ first_stage: stages[0]!, last })
  const keys = new Map<number, string>()
  let written: string | undefined
  let steps = 0

  /** Returns all tickets, the oldest first, which is the order of the model. */
  async function tickets(node: number): Promise<Json[]> {
    const path = `crm/tickets?chat_user=${contact._id}&limit=200`
    return (await made(patiently(() => nodes[node]!.call(tenant.token, 'GET', path)))).data.reverse()
  }

  async function run(command: Command, node: number): Promise<void> {
    const step = ++steps
    const headers = { 'idempotency-key': `${user_id} ${step}` }
    const ask = (method: string, path: string, json?: Json) =>
      patiently(() => nodes[node]!.call(tenant.token, method, path, json, method === 'POST' ? { headers } : {}))
    const told = (answer: Answer, expected: Expected) => {
      const got = answer.status < 300 ? answer.status : [answer.status, answer.body?.error?.code]
      same(got, expected, `step ${step} of ${user_id}, ${JSON.stringify(command)}: ${answer.text}`)
    }
    const named = 'of' in command ? await chosen(command.of, node) : undefined
    switch (command.do) {
      case 'inbound':
      case 'repeat':
        if (command.do === 'repeat' && written === undefined) return
        if (command.do === 'inbound') {
          written = `wamid.model.${user_id}.${step}`
          model.inbound()
        }
        same((await tenant.writes(`+${user_id}`, 'Hi', { id: written })).webhook.status, 200, 'it is taken')
        return
      case 'template': {
        const message = { type: 'template', ...TEMPLATE, variables: { 1: 'Ana', 2: 'A-1' } }
        const answer = await ask('POST', 'messages', { channel: 'whatsapp', to: `+${user_id}`, message })
        told(answer, 202)
        model.template({ template_name: TEMPLATE.name, language: TEMPLATE.language, message_id: answer.body.id })
        return
      }
      case 'read':
        if (written === undefined) return
        told(await ask('POST', 'messages/mark-read', { message_id: written }), 200)
        model.read()
        return
      case 'note':
        if (!named) return
        told(await ask('POST', 'crm/notes', { content: `${step}`, ticket_id: named.id }), 201)
        model.note(named.ticket, `${step}`)
        return
      case 'patch':
      case 'close': {
        if (!named) return
        const patch: Json = command.do === 'patch' ? command.patch : { is_closed: command.is_closed }
        const { version } = named.ticket
        const answer = await ask('PATCH', `crm/tickets/${named.id}`, patch)
        const was_closed = named.ticket.fields.is_closed
        const expected = model.patch(named.ticket, inModel(patch, named.ticket.fields))
        told(answer, expected)
        if (expected !== 200) return
        const { is_closed } = named.ticket.fields
        const changed = named.ticket.version === version ? 'unchanged' : 'updated'
        const action = was_closed === is_closed ? changed : is_closed ? 'closed' : 'reopened'
        same([answer.body.action, answer.body.just_closed], [action, action === 'closed'], answer.text)
        shows(answer.body.ticket, named.ticket)
        return
      }
      case 'move': {
        if (!named) return
        const { contexto } = command
        const texts = contexto === undefined ? {} : { contexto }
        const previous_stage_id = named.ticket.fields.stage.stage_id
        const answer = await ask('POST', `crm/tickets/${named.id}/stage`, { stage_id: stages[command.to], ...texts })
        const expected = model.move(named.ticket, stages[command.to]!, texts)
        told(answer, expected)
        if (expected !== 200) return
        same(answer.body.previous_stage_id, previous_stage_id, answer.text)
        shows(answer.body.ticket, named.ticket)
        return
      }
      case 'ingest': {
        const { by, total, key } = command
        if (by === 'ticket_id' && !named) return
        const data = { kind: 'web', step, ...(total !== undefined && { total }) }
        const whom = { ticket_id: named?.id, chat_user_id: contact._id, phone: user_id }[by]
        const idempotency_key = key === undefined ? undefined : `${user_id} ${key}`
        const repeated = key !== undefined && model.keys.has(key)
        const body = { event_type: 'custom.order', data, [by]: whom, idempotency_key }
        // The request leaves out the header, so that only its own key can tell a repeat.
        const answer = await patiently(() => nodes[node]!.call(tenant.token, 'POST', 'crm/events', body))
        told(answer, model.ingest(by === 'ticket_id' ? named!.ticket : undefined, data, key))
        if (answer.status >= 300) return
        same(answer.body.duplicated, repeated, answer.text)
        if (key === undefined) return
        same(answer.body.event._id, keys.get(key) ?? answer.body.event._id, 'the event of the key')
        keys.set(key, answer.body.event._id)
        return
      }
    }
  }

  async function chosen(of: number, node: number): Promise<{ id: string; ticket: ModelTicket } | undefined> {
    const ticket = model.tickets.at(-1 - of) ?? model.tickets.at(-1)
    if (!ticket) return undefined
    return { id: (await tickets(node))[model.tickets.indexOf(ticket)]._id, ticket }
  }

  /** Checks that everything matches the model. */
  async function check(): Promise<void> {
    const all = await tickets(steps % nodes.length)
    same(all.length, model.tickets.length, 'the tickets')
    const ids = all.map(({ _id }) => _id)
    for (const [n, ticket] of model.tickets.entries()) {
      shows(all[n], ticket)
      const { data } = await made(tenant.api('GET', `crm/tickets/${ids[n]}/timeline?limit=200`))
      const items: Json[] = data.reverse()
      const of = (kind: string) => items.filter((item) => item.kind === kind)
      same(
        of('event').map(({ event_type, data }) => [event_type, data]),
        ticket.timeline,
        'the events on record',
      )
      same(
        of('note').map(({ content }) => content),
        ticket.notes,
        'the notes',
      )
    }
    const received = await eventually(`${user_id}: ${model.told.length} webhooks`, () => {
      const calls = heard(contact._id, ids)
      return calls.length >= model.told.length && calls
    })
    same(
      received.map((body) => asTold(body, ids)),
      model.told,
      'the webhooks',
    )
    follows(received, all)
  }
  return { run, check }
}

function heard(chat_user: string, ticket_ids: string[]): Json[] {
  const bodies = sink.calls('model').map(({ body }) => body)
  return bodies.filter(
    ({ data }) => (data.ticket?.chat_user ?? data.chat_user) === chat_user || ticket_ids.includes(data.ticket_id),
  )
}

/** Returns a webhook in the form of the model. */
function asTold({ type, data }: Json, ids: string[]): Told {
  const { ticket, changed_fields } = data
  if (type === 'crm.event.recorded') {
    return { type, ticket: ids.indexOf(data.ticket_id), what: [data.event_type, data.data] }
  }
  if (type === 'crm.note.created') return { type, ticket: ids.indexOf(data.ticket_id), what: data.content }
  const { version, unread_count } = ticket
  return {
    type,
    ticket: ids.indexOf(ticket._id),
    what: { version, unread_count, changed_fields: changed_fields.sort() },
  }
}

/** Fields that change without a change of the ticket itself. */
const LOOSE = ['updated_at', 'version', 'unread_count', 'last_activity_at']

/**
 * Checks that the former values in an event are those of the event before, and that the last event tells the present
 * values.
 */
function follows(bodies: Json[], all: Json[]): void {
  const states = new Map<string, Json>()
  for (const { type, data } of bodies) {
    if (!data.ticket) continue
    const { ticket, previous } = data
    const before = states.get(ticket._id)
    if (type === 'crm.ticket.updated') {
      const changed = Object.keys(ticket).filter((name) => !LOOSE.includes(name) && differ(ticket[name], before[name]))
      same(Object.keys(previous).sort(), changed.sort(), 'the changed fields')
      for (const name of changed) same(previous[name], before[name], `what ${name} was`)
    } else if (before) same(ticket, before, `${type} tells of the same ticket`)
    states.set(ticket._id, ticket)
  }
  for (const ticket of all) {
    const { unread_count, last_activity_at, ...rest } = ticket
    const told = states.get(ticket._id)
    same(
      { ...told, unread_count, last_activity_at },
      { ...rest, unread_count, last_activity_at },
      'the last state told',
    )
  }
}

const differ = (one: unknown, other: unknown) => !isDeepStrictEqual(one, other)

function same(found: unknown, expected: unknown, what: string): void {
  if (isDeepStrictEqual(found, expected)) return
  throw new Error(`${what}: found ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`)
}

function shows(record: Json, { fields, version, unread }: ModelTicket): void {
  same([fieldsOf(record), record.version, record.unread_count], [fields, version, unread], `the ticket ${record._id}`)
  same(record.closed_at === null, !fields.is_closed, 'the time of its end')
}

/** Returns a patch of the API as a change of the model. */
function inModel({ tag_ids, add_tag_ids = [], remove_tag_ids = [], ...patch }: Json, fields: Fields): Partial<Fields> {
  const kept = [...new Set<string>([...(tag_ids ?? fields.tags), ...add_tag_ids])]
  return { ...patch, tags: kept.filter((tag) => !remove_tag_ids.includes(tag)) }
}

t.test('tickets, timelines and webhooks match a plain model', async (t) => {
  const sequences = fc.array(fc.array(step, { maxLength: 16, size: 'max' }), { minLength: 1, maxLength: CONTACTS })
  const property = fc.asyncProperty(sequences, async (sequences) => {
    const contacts = await Promise.all(sequences.map(meet))
    await Promise.all(
      sequences.map(async (sequence, n) => {
        for (const [command, node] of sequence) await contacts[n]!.run(command, node)
      }),
    )
    for (const { check } of contacts) await check()
  })
  const options = {
    seed,
    numRuns: RUNS,
    interruptAfterTimeLimit: LIMIT_MS,
    ...(PARLEY_TEST_PATH && { path: PARLEY_TEST_PATH }),
  }
  const result = await fc.check(property, options)
  t.comment(`PARLEY_TEST_SEED=${seed}, ${result.numRuns} runs`)
  if (result.failed) t.fail(`${fc.defaultReportMessage(result)}\n${result.errorInstance}`)
  else t.ok(result.numRuns > 0)
  const { data } = await made(tenant.api('GET', `webhooks/${subscription.id}/deliveries?limit=1&status=pending`))
  t.same(data, [], 'no further event is delivered')
})
