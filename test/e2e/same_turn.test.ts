/**
 * A turn reads records that are older than its own changes. The tests call the turns directly, because such cases are
 * too rare from outside.
 */
import t from 'tap'
import { broadcastActor } from '../../actors/broadcast/actor.ts'
import { channelActor } from '../../actors/channel/actor.ts'
import { missingChannel } from '../../actors/channel/state.ts'
import { projectActor } from '../../actors/project/actor.ts'
import { subscriptionActor } from '../../actors/subscription/actor.ts'
import { missingSubscription } from '../../actors/subscription/state.ts'
import type { Json } from './client.ts'

/** Makes a turn that notes what is asked of it. */
function turnOf(state: Json, records: Json) {
  const noted = { works: 0, soon: [] as string[], told: [] as Json[], updates: [] as Json[], removed: [] as Json[] }
  const turn = {
    key: 'x',
    now: new Date('2026-01-31T12:00:00Z'),
    state,
    records,
    insert: () => {},
    update: (_entity: unknown, key: Json, patch: Json) => void noted.updates.push({ ...key, ...patch }),
    remove: (_entity: unknown, key: Json) => void noted.removed.push(key),
    tell: (_address: string, message: Json) => void noted.told.push(message),
    timer: () => {},
    work: () => void noted.works++,
    soon: (_ms: number, message: Json) => void noted.soon.push(message.type),
    full: () => {},
    awake: () => {},
    after: () => {},
  }
  return { turn: turn as never, noted }
}

const due_at = new Date('2026-01-31T11:59:00Z')

const delivery = (id: string): Json => ({
  id,
  subscription_id: 'wh',
  status: 'pending',
  attempts: 0,
  next_attempt_at: due_at,
})

const subscription = subscriptionActor({ database: {}, sender: {}, schedule: [0, 5] } as never).receive

/** Returns the state of a subscription with these deliveries under way. */
function subscribed(...ids: string[]) {
  const config = {
    id: 'wh',
    project_id: 'p',
    url: 'https://example.com',
    headers: null,
    secret: '',
    concurrency: 8,
    deleted: false,
    mode: 'push' as const,
    present: undefined,
    content_type: undefined,
    previous: null,
    disable_on_410: false,
  }
  const health = { is_active: true, failure_count: 0, disabled_reason: null }
  const state = { ...missingSubscription(), config, health }
  for (const id of ids) state.queue.running.set(id, { delivery: delivery(id) as never, body: '{}' })
  return state
}

const read = (due: Json[]): Json => ({
  row: null,
  due: {
    loose: due.map((one) => ({ delivery: one, body: '{}' })),
    more: false,
    heads: [],
    heads_asked: 0,
    keys: new Map(),
  },
  read_up_to: 'dlv_2',
  known: new Map(due.map((one) => [one.id, one])),
  bodies: new Map([['evt', '{}']]),
  undelivered: due,
  recovery: null,
  failed: [],
  failed_total: 0,
  ended: new Set(),
})

const success = { outcome: 'success', status_code: 200, duration_ms: 1, error: null, retry_after_s: undefined }

t.test('a delivery that ended in this turn is not attempted again by the look for more', async (t) => {
  const { turn, noted } = turnOf(subscribed('dlv'), read([delivery('dlv'), delivery('other')]))
  subscription.attempted!(turn, { type: 'attempted', delivery_id: 'dlv', result: success } as never)
  subscription.due!(turn, { type: 'due' })
  t.equal(noted.works, 1, 'only the other delivery is attempted')
})

t.test('a delivery that ended in this turn keeps its end when the subscription is switched off', async (t) => {
  const state = subscribed('dlv')
  state.health.is_active = false
  const { turn, noted } = turnOf(state, read([delivery('dlv')]))
  subscription.attempted!(turn, { type: 'attempted', delivery_id: 'dlv', result: success } as never)
  subscription.give_up!(turn, { type: 'give_up' })
  const statuses = noted.updates.filter(({ id, status }) => id === 'dlv' && status).map(({ status }) => status)
  t.same(statuses, ['success'])
})

t.test('a delivery read from the table before its message came is not attempted twice', async (t) => {
  const told = {
    delivery_id: 'dlv_1',
    event_id: 'evt',
    event_type: 'x',
    ordering_key: null,
    is_test: false,
  }
  const item = { ...told, next_attempt_at: due_at.getTime(), created_at: due_at.getTime() }
  const message = { type: 'deliver' as const, items: [item] }
  for (const [what, stored, works] of [
    ['it is done', { next_attempt_at: null, attempts: 1, status: 'success' }, 0],
    ['it waits for its second attempt', { attempts: 1, status: 'failed' }, 0],
    ['it was not tried yet', {}, 1],
  ] as const) {
    const { turn, noted } = turnOf(subscribed(), read([{ ...delivery('dlv_1'), ...stored }]))
    subscription.deliver!(turn, message)
    t.equal(noted.works, works, what)
  }
  const { turn, noted } = turnOf(subscribed('dlv_1'), read([]))
  subscription.deliver!(turn, message)
  t.equal(noted.works, 0, 'the delivery is already under way')
})

t.test('a delivery that was due when its subscription was switched off is not sent after a crash', async (t) => {
  const state = subscribed()
  state.health.is_active = false
  const { turn, noted } = turnOf(state, read([delivery('dlv')]))
  subscription.wake!(turn, { type: 'wake' })
  t.equal(noted.works, 0)
  t.match(noted.updates, [{ id: 'dlv', status: 'failed', last_error: 'subscription_disabled', next_attempt_at: null }])
})

const channel = channelActor({ database: {}, providers: { of: () => undefined } } as never).receive

function connected(): Json {
  return { ...missingChannel(), config: { id: 'c', project_id: 'p', credentials: {}, status: 'connected' } }
}

const dispatch = (number: number, fields: Json = {}): Json => ({
  message_id: `msg_${number}`,
  channel_id: 'c',
  project_id: 'p',
  number,
  recipient: `r${number}`,
  request: {},
  state: 'queued',
  attempts: 0,
  next_attempt_at: null,
  ...fields,
})

/** The result of a channel's read. */
const found = (...more: Json[]): Json => ({ row: null, more, beyond: new Map(), ended: new Set(), timed: false })

t.test('a message that comes while its recipient is read follows with the next read', async (t) => {
  const state = connected()
  const row = { recipient: 'r', is_bulk: false, broadcast_id: null }
  Object.assign(state, { next_number: 8 })
  for (const number of ['6', '7']) state.stored_queues.append({ ...row, number })
  state.stored_queues.want('r')
  state.stored_queues.ask(true, 16)
  const { turn } = turnOf(state, found())
  channel.dispatch!(turn, { type: 'dispatch', project_id: 'p', message_id: 'msg_late', recipient: 'r', request: {} })
  const first = turnOf(state, found(dispatch(6, row), dispatch(7, row)))
  channel.refill!(first.turn, { type: 'refill' })
  t.notOk(state.stored_queues.is_empty, 'the late message is still to be read')
  t.strictSame(state.stored_queues.asked, [{ recipient: 'r', numbers: [8] }])
  const next = turnOf(state, found(dispatch(8, { ...row, message_id: 'msg_late' })))
  channel.refill!(next.turn, { type: 'refill' })
  t.ok(state.stored_queues.is_empty)
  t.ok(state.queue.find('msg_late'))
})

for (const phase of ['queued', 'attempting', 'doubtful'] as const) {
  t.test(`a status callback settles a message that is ${phase}, and lets the next one go`, async (t) => {
    const state = connected()
    const item = state.queue.add(dispatch(1, { recipient: 'r', attempts: 1 }))
    state.queue.add(dispatch(2, { recipient: 'r' }))
    item.phase = phase
    if (phase === 'attempting') state.running.set('msg_1', 0)
    const { turn, noted } = turnOf(state, found())
    channel.confirmed!(turn, { type: 'confirmed', message_id: 'msg_1' })
    t.same(noted.removed, [{ message_id: 'msg_1' }])
    t.equal(noted.works, 1, 'the next message of the recipient leaves')
    // The result of the call that is still under way no longer matters.
    const failure = { kind: 'unknown', code: 'timeout', message: '', maybe_accepted: true }
    channel.attempted!(turn, { type: 'attempted', message_id: 'msg_1', outcome: { failure }, at: 0 } as never)
    t.equal(noted.works, 1)
    t.same([...state.running.keys()], ['msg_2'])
  })
}

t.test('an erasure and the refresh of a channel share a turn with no other message', async (t) => {
  const options = { database: {}, providers: {}, sender: {}, schedule: [0] } as never
  // A refresh reads the row that other messages of its turn may change.
  t.same(channelActor(options).alone, ['erase', 'refresh', 'refill'])
  t.same(subscriptionActor(options).alone, ['erase', 'acknowledge'])
  t.same(broadcastActor(options).alone, ['erase'])
  t.same(projectActor(options).alone, ['erase_people', 'erase_project'])
})
