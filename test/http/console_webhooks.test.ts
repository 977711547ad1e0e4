/** The modules of the console's webhooks: events that are chosen, fields of the form, pages of deliveries. */
import { join } from 'node:path'
import t from 'tap'
import { eventTypeNames } from '../../actors/mod.ts'
import { covers as coversOnServer } from '../../storage/mod.ts'
import type { Json } from '../e2e/client.ts'

const pages = join(import.meta.dirname, '../../http/console/page')
const load = (name: string): Promise<Json> => import(join(pages, name))
const { placeOf } = await load('data/places.ts')
const { Deliveries } = await load('webhooks/deliveries.ts')
const { areasOf, choose, covers, eventsText, includedIn, matched } = await load('webhooks/event_choice.ts')
const { changesOf, draftOf, fieldsOf, NEW_DRAFT } = await load('webhooks/form.ts')
const { webhookPlace, webhooksPlace, webhooksPlaceOf } = await load('webhooks/places.ts')
const { Resource } = await load('data/resource.ts')
const { deliveryState, failureText, fieldFaults, stateOf } = await load('webhooks/words.ts')
const { Webhooks } = await load('webhooks/webhooks.ts')

t.test('a pattern includes what the server says it includes', async (t) => {
  const entries = ['*', ...eventTypeNames, ...new Set(eventTypeNames.map((type) => type.replace(/[^.]+$/, '*')))]
  for (const one of entries) {
    for (const other of entries) {
      if (one !== other) t.equal(covers(one, other), coversOnServer(one, other), `${one} ${other}`)
    }
  }
})

t.test('choosing a pattern takes the place of what it includes', async (t) => {
  t.same(choose(['crm.ticket.updated', 'crm.note.created'], 'crm.ticket.*', true), ['crm.note.created', 'crm.ticket.*'])
  t.same(choose(['crm.ticket.*'], 'crm.ticket.*', false), [])
  t.same(choose(['crm.ticket.*', 'a.b'], '*', true), ['*'])
  t.equal(includedIn(['crm.*'], 'crm.ticket.*'), 'crm.*')
  t.equal(includedIn(['crm.*'], 'crm.*'), undefined)
  t.same(matched(['crm.ticket.*'], ['crm.ticket.updated', 'crm.note.created']), ['crm.ticket.updated'])
  t.same([eventsText(['*']), eventsText(['a.b', 'c.*']), eventsText(['a.b'])], ['every event', 'c.* and 1 more', 'a.b'])
  const areas = areasOf(eventTypeNames as string[])
  t.same(
    areas.flatMap(({ groups }: Json) => groups.flatMap((group: Json) => group.types)).sort(),
    [...eventTypeNames].sort(),
    'every type is in one group',
  )
})

t.test('addresses and places convert into each other', async (t) => {
  const of = (address: string) => webhooksPlaceOf(placeOf(address))
  t.same(of(webhooksPlace('p')), { page: 'list' })
  t.same(of(webhooksPlace('p', 'new')), { page: 'new' })
  t.same(of(webhooksPlace('p', 'wh_1', 'edit')), { page: 'edit', id: 'wh_1' })
  const filter = { status: 'dead', event_type: 'crm.note.created' }
  t.same(of(webhookPlace('p', 'wh_1', filter)), { page: 'one', id: 'wh_1', filter })
  const delivery = { page: 'delivery', id: 'wh_1', delivery_id: 'dlv_1' }
  t.same(of(webhooksPlace('p', 'wh_1', 'deliveries', 'dlv_1')), delivery)
  for (const path of [
    ['new', 'x'],
    ['wh_1', 'x'],
    ['wh_1', 'deliveries'],
    ['wh_1', 'deliveries', 'a', 'b'],
  ]) {
    t.equal(of(webhooksPlace('p', ...path)), undefined, path.join('/'))
  }
})

t.test('a request has the fields of its mode, and a change only those that differ', async (t) => {
  const push = { ...NEW_DRAFT, name: ' Orders ', url: 'https://x.example', events: ['*'], concurrency: '' }
  t.match(fieldsOf(push), { name: 'Orders', url: 'https://x.example', concurrency: null, headers: {} })
  t.same(Object.keys(fieldsOf({ ...push, mode: 'poll' })).sort(), ['events', 'format', 'mode', 'name', 'payload'])
  const headers = [
    { name: ' X-Key ', value: ' a ' },
    { name: '', value: '' },
  ]
  t.same(fieldsOf({ ...push, headers }).headers, { 'X-Key': 'a' })
  const before = draftOf({ ...fieldsOf(push), concurrency: 8 })
  t.same(changesOf(before, before), {})
  t.same(changesOf(before, { ...before, concurrency: '2', headers }), { headers: { 'X-Key': 'a' }, concurrency: 2 })
})

t.test('states, failures and refusals in words', async (t) => {
  const active = { is_active: true, failure_count: 0, disabled_reason: null, last_error: null, mode: 'push' }
  t.equal(stateOf(active).word, 'Active')
  t.equal(stateOf({ ...active, failure_count: 3 }).word, 'Failing')
  const retrying = stateOf({ ...active, last_error: 'http_500' })
  t.same([retrying.word, /answered with 500/.test(retrying.text)], ['Failing', true], 'before the last attempt of any')
  t.match(stateOf({ ...active, is_active: false, disabled_reason: 'receiver_gone' }).text, /410/)
  const words = (status: string, next_attempt_at: string | null = null) =>
    deliveryState({ status, next_attempt_at }).word
  t.same(
    [words('success'), words('failed'), words('failed', 'x'), words('dead'), words('pending')],
    ['Delivered', 'Failed', 'Will retry', 'Dead', 'Pending'],
  )
  t.equal(failureText('http_503'), 'The receiver answered with 503.')
  t.match(failureText('tls_failed: cert_has_expired'), /cert_has_expired/)
  t.equal(failureText('something_new'), 'something_new')
  const details = {
    violations: [
      { path: 'events[0]', message: 'is listed twice' },
      { path: 'url', message: 'is required' },
    ],
  }
  t.same(fieldFaults({ details }), { events: 'It is listed twice.', url: 'It is required.' })
})

const rowsOf = (...numbers: number[]) => numbers.map((n) => ({ id: `dlv_${String(n).padStart(3, '0')}` }))
const idsOf = (deliveries: Json) => deliveries.state.value.rows.map(({ id }: Json) => Number(id.slice(4)))

t.test('refreshing brings new deliveries and keeps the older pages', async (t) => {
  let all = Array.from({ length: 120 }, (_, n) => 120 - n)
  const api = {
    async deliveries(_: string, { limit, cursor }: Json) {
      const from = cursor ? all.findIndex((n) => n < Number(cursor.slice(4))) : 0
      const data = rowsOf(...all.slice(from, from + limit))
      return { data, next_cursor: from + limit < all.length ? data.at(-1)!.id : null }
    },
  }
  const deliveries = new Deliveries(api, 'wh_1', {})
  await deliveries.read()
  t.equal(idsOf(deliveries).length, 50)
  await deliveries.readMore()
  t.equal(idsOf(deliveries).length, 100)
  all = [122, 121, ...all]
  await deliveries.read()
  t.same(idsOf(deliveries).slice(0, 3), [122, 121, 120])
  await deliveries.readMore()
  t.same(idsOf(deliveries), all, 'nothing is missing and nothing twice')
  t.equal(deliveries.state.value.has_more, false)
})

t.test('a filter that leaves pages empty is read on, also across a refreshing', async (t) => {
  const pages: Record<string, Json> = {
    '': { data: [], next_cursor: 'dlv_8' },
    dlv_8: { data: [], next_cursor: 'dlv_4' },
    dlv_4: { data: [{ id: 'dlv_2' }], next_cursor: null },
  }
  const api = { deliveries: async (_: string, { cursor = '' }: Json) => pages[cursor] }
  const deliveries = new Deliveries(api, 'wh_1', { event_type: 'crm.note.created' })
  await deliveries.read()
  t.match(deliveries.state.value, { rows: [], has_more: true })
  await deliveries.readMore()
  await deliveries.read()
  t.match(deliveries.state.value, { rows: [], has_more: true })
  await deliveries.readMore()
  t.match(deliveries.state.value, { rows: [{ id: 'dlv_2' }], has_more: false })
  await deliveries.read()
  t.match(deliveries.state.value, { rows: [{ id: 'dlv_2' }], has_more: false })
})

t.test('a failed refreshing keeps what is shown; a record that is gone is not shown', async (t) => {
  const answers: (Json | Error)[] = [{ id: 1 }, new Error('away'), Object.assign(new Error('gone'), { status: 404 })]
  const resource = new Resource(async () => {
    const answer = answers.shift()
    if (answer instanceof Error) throw answer
    return answer
  })
  await resource.read()
  await resource.read()
  t.same(resource.value, { id: 1 })
  await resource.read()
  t.equal(resource.value, undefined)
  t.equal(resource.fault.status, 404)
})

t.test('an answer that was asked for before a change does not undo it', async (t) => {
  const waiting: ((value: Json) => void)[] = []
  const resource = new Resource(() => new Promise((resolve) => waiting.push(resolve)))
  const reading = resource.read()
  resource.put({ is_active: false })
  waiting[0]!({ is_active: true })
  await reading
  t.same(resource.value, { is_active: false })
})

t.test('the permission of the session decides what is offered', async (t) => {
  const open = (...permissions: string[]) => new Webhooks({ id: 'p', api: {}, user: { permissions } }).may_manage
  t.equal(open('console.agent'), false)
  t.equal(open('console.agent', 'developer.manage_webhooks'), true)
})
