/** The panel beside a thread, against the server. Its modules run without a DOM, as in a browser. */
import { join } from 'node:path'
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { makeAgent, signIn } from '../e2e/console_client.ts'
import { joinWorld, made, makeTenant } from '../e2e/fixture.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const agent = await makeAgent(world, tenant)
const { cookie } = await signIn(world, agent)
const { project_id, company_id, api: token } = tenant
const { operator } = world

const pages = join(import.meta.dirname, '../../http/console/page')
const { Api } = await import(join(pages, 'data/api.ts'))
const { Project } = await import(join(pages, 'data/project.ts'))
const { TicketChanges } = await import(join(pages, 'crm/record/ticket_changes.ts'))
const { OpenDetails } = await import(join(pages, 'crm/record/details.ts'))
const { ruleTexts, stageOptions, valueText } = await import(join(pages, 'crm/record/words.ts'))

const base = new URL(`${world.base_url}/console/`)
/** Each request waits for it before it is sent. */
let held: Promise<unknown> = Promise.resolve()
const api = new Api(base, async (url: URL, options: RequestInit) => {
  await held
  return fetch(url, { ...options, headers: { ...options.headers, cookie, origin: base.origin } })
})
const project = new Project({ api, live: { present() {} }, id: project_id, name: 'Shop', user: agent })

let people = 0

/** A ticket of somebody new, as the page knows it. */
async function openTicket() {
  const user_id = `1555033${1000 + ++people}`
  const contact = await made(token('POST', 'contacts', { channel_type: 'whatsapp', user_id, name: 'Ana' }))
  const event = { event_type: 'payment.confirmed', data: {}, chat_user_id: contact._id }
  const { ticket_id: id } = (await made(token('POST', 'crm/events', event))).event
  const stored = () => made(token('GET', `crm/tickets/${id}`))
  project.records.keep('ticket', await project.api.get(`crm/tickets/${id}`))
  return {
    id,
    contact,
    changes: new TicketChanges(project, id),
    stored,
    /** Somebody else changes the ticket. */
    other: (json: Json) => made(token('PATCH', `crm/tickets/${id}`, json)),
    shown: (): Json => project.records.signal('ticket', id).peek(),
  }
}

t.test(
  'a change is shown before the server has it, and an agent’s changes never conflict with each other',
  async (t) => {
    const { changes, stored, shown } = await openTicket()
    let release = () => {}
    held = new Promise<void>((resolve) => (release = resolve))
    const asked = [
      changes.patch('the priority', { priority: 'low' }, { priority: 'low' }),
      changes.patch('the priority', { priority: 'high' }, { priority: 'high' }),
      changes.patch('the category', { category: 'returns' }, { category: 'returns' }),
    ]
    t.match(shown(), { priority: 'high', category: 'returns', version: 1 })
    release()
    await Promise.all(asked)
    t.match(await stored(), { priority: 'high', category: 'returns', version: 4 })
    t.match(shown(), { priority: 'high', category: 'returns', version: 4 })
    t.equal(changes.conflict.value, null)
  },
)

t.test('a change fits beside a change of other fields', async (t) => {
  const { changes, stored, other, shown } = await openTicket()
  await other({ category: 'returns' })
  await other({ amount: 5 })
  await changes.patch('the priority', { priority: 'high' }, { priority: 'high' })
  t.match(await stored(), { priority: 'high', category: 'returns', amount: 5 })
  t.match(shown(), { priority: 'high', category: 'returns', amount: 5 })
  t.equal(changes.conflict.value, null)
})

t.test('a change that would undo somebody else’s is put to the agent', async (t) => {
  const { changes, stored, other, shown } = await openTicket()
  await other({ priority: 'urgent' })
  await changes.patch('the priority', { priority: 'low' }, { priority: 'low' })
  t.match(await stored(), { priority: 'urgent' })
  t.match(shown(), { priority: 'urgent' }, 'what is stored is shown')
  t.match(changes.conflict.value, { what: 'the priority', theirs: { priority: 'urgent' }, mine: { priority: 'low' } })
  changes.yield()
  t.equal(changes.conflict.value, null)

  await other({ priority: 'medium' })
  await changes.patch('the priority', { priority: 'low' }, { priority: 'low' })
  await changes.conflict.value.insist()
  t.match(await stored(), { priority: 'low' })
  t.match(shown(), { priority: 'low' })
  t.equal(changes.conflict.value, null)

  await other({ priority: 'high' })
  await changes.patch('the priority', { priority: 'high' }, { priority: 'high' })
  t.equal(changes.conflict.value, null, 'two who want the same agree')
})

t.test('a refused change is taken back', async (t) => {
  const { changes, stored, shown } = await openTicket()
  const assigned_to = { id: 'f'.repeat(24), full_name: 'Nobody', email: 'nobody@example.com' }
  const asked = changes.patch('the assignee', { assigned_to: assigned_to.id }, { assigned_to })
  t.match(shown(), { assigned_to: { full_name: 'Nobody' } })
  await t.rejects(asked, { code: 'ASSIGNEE_NOT_FOUND', status: 422 })
  t.equal(shown().assigned_to, null)
  t.equal((await stored()).assigned_to, null)
  await changes.patch('the priority', { priority: 'low' }, { priority: 'low' })
  t.match(await stored(), { priority: 'low' }, 'later changes go on')
})

t.test('tags of two agents are both kept', async (t) => {
  const { changes, stored, other, shown } = await openTicket()
  const [one, two] = await Promise.all(
    ['vip', 'late'].map((name) => made(operator('POST', 'tags', { project_id, name: `${name} ${people}` }))),
  )
  await other({ add_tag_ids: [one!._id] })
  const tags = [{ id: two!._id, name: two!.name, color: null }]
  await changes.patch('the tags', { add_tag_ids: [two!._id] }, { tags }, { is_mergeable: true })
  t.same((await stored()).tags.map(({ id }: Json) => id).sort(), [one!._id, two!._id].sort())
  t.same(shown().tags.length, 2)
  t.equal(changes.conflict.value, null)
})

t.test('the rules of a stage are told, and their refusal names what is missing', async (t) => {
  const { changes, stored, other, shown } = await openTicket()
  await made(
    operator('POST', 'custom-fields', { company_id, owner: 'ticket', key: 'order', name: 'Order', type: 'string' }),
  )
  const rules = { require_fields: ['amount', 'order', 'contexto'], close_with: 'won' }
  const stages = [{ name: 'New' }, { name: 'Sold', rules }]
  await made(operator('POST', 'pipelines', { project_id, name: 'Sales', is_default: true, stages }))
  project.define()
  await eventually('the definitions are known', () => project.definitions.value !== undefined)
  const definitions = project.definitions.value
  const sold = stageOptions(definitions).find(({ text }: Json) => text.endsWith('Sold'))
  t.same(ruleTexts(sold.rules, definitions), ['needs amount, order, context', 'closes the ticket as won'])

  const asked = changes.move(sold.value)
  t.equal(shown().stage.stage_id, sold.value, 'it is shown there')
  const refused = await asked.catch((error: unknown) => error)
  t.match(refused, { code: 'STAGE_REQUIREMENTS_NOT_MET', details: { fields: rules.require_fields } })
  t.not(shown().stage.stage_id, sold.value, 'and back where it was')
  await other({ priority: 'high' })
  await changes.patch('the ticket', { amount: 5, custom_fields: { order: 'A-1' } }, {}, { is_mergeable: true })
  await changes.move(sold.value, { contexto: 'By phone' })
  const expected = {
    is_closed: true,
    resolution: 'won',
    amount: 5,
    stage: { stage_id: sold.value, contexto: 'By phone' },
  }
  t.match(await stored(), expected)
  t.match(shown(), expected, 'what the rules did is shown')
})

t.test('the details follow the ticket, its contact and the events', async (t) => {
  const { id, contact, changes } = await openTicket()
  const customer = await made(operator('POST', 'customers', { company_id, full_name: 'Ana Torres' }))
  const program = await made(operator('POST', 'programs', { project_id, name: 'Club', type: 'points' }))
  const membership = await made(operator('POST', 'memberships', { program_id: program._id, customer_id: customer._id }))
  await made(operator('POST', `memberships/${membership._id}/ledger`, { kind: 'earn', amount: 7, key: 'first' }))
  const open = new OpenDetails(project)
  const details = open.of(id)
  t.equal(open.of(id), details)
  details.take(undefined)
  details.take(await project.api.get(`contacts/${contact._id}`))
  await eventually('all is read', () => details.tickets.data.value && details.appointments.data.value)
  t.equal(details.tickets.data.value.total, 1)
  t.same(details.appointments.data.value, [])
  await eventually('there is no customer', () => details.customer.data.value === null)

  const linked = await project.api.patch(`contacts/${contact._id}`, { customer_id: customer._id })
  details.take(linked)
  await eventually('the customer is read', () => details.customer.data.value?.full_name === 'Ana Torres')
  await eventually('with the loyalty', () => details.memberships.data.value?.length === 1)
  t.match(details.memberships.data.value, [{ balance_points: 7, program: { name: 'Club', type: 'points' } }])

  const note = await project.api.post('crm/notes', { content: 'Polite', ticket_id: id }, { key: 'one' })
  await project.api.post('crm/notes', { content: 'Polite', ticket_id: id }, { key: 'one' })
  open.hear([{ type: 'note.created', data: note }])
  await eventually('the note is read', () => details.notes.data.value?.data.length === 1)
  const times = { starts_at: '2031-05-01T10:00:00Z', ends_at: '2031-05-01T10:30:00Z' }
  await project.api.post('scheduling/appointments', { ...times, chat_user: contact._id })
  open.hear([{ type: 'event.recorded', data: { event_type: 'appointment.created', chat_user: contact._id } }])
  await eventually('the appointment is read', () => details.appointments.data.value.length === 1)

  await changes.patch('the state', { is_closed: true }, { is_closed: true })
  const event = { event_type: 'payment.confirmed', data: {}, chat_user_id: contact._id }
  const { ticket_id } = (await made(token('POST', 'crm/events', event))).event
  open.hear([{ type: 'ticket.created', data: { _id: ticket_id, chat_user: contact._id } }])
  await eventually('the next ticket is known', () => details.tickets.data.value.total === 2)
  const next = open.of(ticket_id)
  t.not(next, details)
  await eventually('its own notes are read', () => next.notes.data.value?.data.length === 0)
  open.read()
  open.close()
})

t.test('values are words', (t) => {
  t.equal(valueText(null), 'nothing')
  t.equal(valueText([]), 'nothing')
  t.equal(valueText(true), 'yes')
  t.equal(valueText({ id: 'x', full_name: 'Ana', email: 'a@example.com' }), 'Ana')
  t.equal(valueText({ motivo: null, estado: 'waits' }), 'waits')
  t.equal(valueText(['a', { name: 'b' }]), 'a, b')
  t.end()
})

t.test('amounts are read and shown as people write them where the reader is', async (t) => {
  const { amountField, amountIn, amountText } = await import(join(pages, 'crm/record/amount.ts'))
  const is = (text: string, language: string, amount: number | undefined, currency?: string) =>
    t.same(amountIn(text, language), amount === undefined ? undefined : { amount, currency }, `${text} in ${language}`)
  is('1,250.50 MXN', 'en-US', 1250.5, 'MXN')
  is('1.250,50 mxn', 'es-ES', 1250.5, 'MXN')
  is('MXN 1250.5', 'es-ES', 1250.5, 'MXN')
  is('1.234', 'en-US', 1.234)
  is('1.234', 'es-ES', 1234)
  is('1,234', 'es-ES', 1.234)
  is('12,5', 'en-US', 12.5)
  is('1\u202f250,50 EUR', 'fr-FR', 1250.5, 'EUR')
  is("-1'250.50", 'de-CH', -1250.5)
  is('1,234,567', 'es-ES', 1_234_567)
  for (const text of ['', 'lots', '1,2,3', 'MXN 5 USD', '5-3', '1.2.3,4']) is(text, 'en-US', undefined)
  is('1,00,000', 'en-IN', 100_000)
  is('١٬٢٥٠٫٥ EGP', 'ar-EG', 1250.5, 'EGP')
  is('۱۲۵۰٫۵', 'de-DE', 1250.5)
  for (const language of ['en-US', 'es-ES', 'de-DE', 'fr-FR', 'pt-BR', 'sv-SE', 'ar-EG', 'fa-IR', 'he-IL', 'mr-IN']) {
    for (const amount of [0, -3, 1250.5, 1_234_567.25]) {
      t.match(amountIn(amountField(amount, 'MXN', language), language), { amount, currency: 'MXN' })
      t.match(amountIn(amountText(amount, 'MXN', language), language), { amount, currency: 'MXN' })
    }
  }
})

t.test('the sums of a month that the server does not know are those of the present one', async (t) => {
  const { costsPlaceOf } = await import(join(pages, 'costs/places.ts'))
  const monthIn = (month: string) =>
    costsPlaceOf({ path: [], query: { month } }, new Date('2026-11-30T23:00:00Z')).month
  t.equal(monthIn('2026-10'), '2026-10')
  t.equal(monthIn('1970-01'), '1970-01')
  for (const month of ['1969-12', '0000-01', '2026-12', '2026-13', 'x']) t.equal(monthIn(month), '2026-11', month)
})
