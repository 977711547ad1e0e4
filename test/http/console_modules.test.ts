/**
 * The modules of the console's page, one by one, that merge, count, remember and phrase. One file, because each has a test
 * or two.
 */
import { join } from 'node:path'
import { mock } from 'node:test'
import t from 'tap'
import type { Json } from '../e2e/client.ts'

const pages = join(import.meta.dirname, '../../http/console/page')
const load = (name: string): Promise<Json> => import(join(pages, name))
const { placeOf } = await load('data/places.ts')
const { BroadcastList } = await load('broadcasts/broadcast_list.ts')
const { readFailures } = await load('broadcasts/failures.ts')
const { Pace } = await load('broadcasts/pace.ts')
const { broadcastPlace, broadcastsPlace, broadcastsPlaceOf } = await load('broadcasts/places.ts')
const { RecipientPages } = await load('broadcasts/recipient_pages.ts')
const { newest, Records } = await load('broadcasts/records.ts')
const { titleOf } = await load('broadcasts/title.ts')
const { applyEvent } = await load('data/apply_event.ts')
const { signInText } = await load('app/sign_in/sign_in_text.ts')
const { Records: ProjectRecords } = await load('data/records.ts')
const { duration, percent, perSecond, timeLeft } = await load('ui/format/figures.ts')
const { personName } = await load('ui/format/format.ts')
const { dismiss, hold, toast, toasts } = await load('ui/overlays/toast.ts')

const record = (fields: Json = {}): Json => ({
  id: 'brd_1',
  status: 'sending',
  campaign_name: null,
  template_name: 'order_update',
  total: 10,
  pending_count: 10,
  sent_count: 0,
  delivered_count: 0,
  read_count: 0,
  failed_count: 0,
  ...fields,
})
const at = (second: number) => `2026-11-21T10:00:${String(second).padStart(2, '0')}.000Z`

t.test('a person has a name that can be read, also one who never said it', async (t) => {
  const visitor = 'visitor-7cc6bf28ea30c92d1d3d66c9f1b8a0e4'
  for (const [contact, name] of [
    [{ name: 'Ana', phone: '15550001', user_id: '15550001' }, 'Ana'],
    [{ name: null, phone: '15550001', user_id: '15550001' }, '15550001'],
    [{ name: null, phone: null, user_id: visitor }, 'Visitor 7cc6'],
    [{ name: 'Eva', phone: null, user_id: visitor }, 'Eva'],
    [{ name: null, phone: null, user_id: 'visitor-of-my-shop' }, 'visitor-of-my-shop'],
    [{}, ''],
  ] as const)
    t.equal(personName(contact), name)
})

t.test('the later of two records counts, in whatever order they come', async (t) => {
  const early = record({ updated_at: at(1), sent_count: 5 })
  const late = record({ updated_at: at(2), sent_count: 1 })
  t.equal(newest(early, late), late)
  t.equal(newest(late, early), late)
  t.equal(newest(undefined, early), early)
})

t.test('without times, the record with more progress counts', async (t) => {
  const steps = [
    record({ status: 'queued' }),
    record(),
    record({ pending_count: 9, sent_count: 1 }),
    record({ pending_count: 9, delivered_count: 1 }),
    record({ pending_count: 9, read_count: 1 }),
    record({ pending_count: 8, read_count: 1, failed_count: 1 }),
    record({ status: 'cancelled', pending_count: 8, read_count: 1, failed_count: 1 }),
    record({ status: 'cancelled', pending_count: 0, read_count: 1, failed_count: 9 }),
  ]
  for (const [n, step] of steps.entries()) {
    for (const earlier of steps.slice(0, n)) {
      t.equal(newest(earlier, { ...step, updated_at: at(1) }).updated_at, at(1))
      t.equal(newest(step, { ...earlier, updated_at: at(1) }), step)
    }
  }
})

t.test('the speed is that of the last moments, and falls when nothing comes', async (t) => {
  const pace = new Pace()
  t.equal(pace.perSecond(0), null)
  for (let second = 0; second <= 30; second++)
    pace.add(1000 * second, second < 15 ? second : 15 + 10 * (second - 15), 0)
  t.equal(Math.round(pace.perSecond(0)), 10, 'what was before is forgotten')
  t.ok(pace.perSecond(30_000) < 5, 'and silence counts')
  pace.add(29_000, 1, 0)
  t.equal(Math.round(pace.perSecond(0)), 10, 'what comes late changes nothing')
  const short = new Pace()
  short.add(0, 0, 0)
  short.add(200, 50, 0)
  t.equal(short.perSecond(0), null, 'a moment says nothing')
})

/** Makes an API whose answers the test gives. */
function slowApi() {
  const asked: { query: Json; answer(data: Json[], next_cursor?: string | null): void; fail(error: Error): void }[] = []
  const ask = (query: Json) =>
    new Promise<Json>((resolve, reject) => {
      asked.push({
        query,
        answer: (data, next_cursor = null) => resolve({ data, next_cursor }),
        fail: reject,
      })
    })
  return { asked, ask, api: { list: ask } }
}

function makeList(filter: Json = {}) {
  const { asked, api } = slowApi()
  const records = new Records()
  const list = new BroadcastList({ api, records, project_id: 'p', filter, changed: () => {} })
  const hear = (heard: Json) => list.hear(records.keep(heard))
  const ids = () => list.broadcasts.map(({ id }: Json) => id)
  return {
    list,
    asked,
    hear,
    ids: () =>
      ids()
        .filter((id: string) => id.length === 1)
        .join(),
  }
}

const named = (...ids: string[]) => ids.map((id) => record({ id }))
/** Returns a full page, of which only the first ids matter. */
const fullPage = (...ids: string[]) =>
  named(...ids, ...Array.from({ length: 25 - ids.length }, (_, n) => `aa${99 - n}`))

t.test('a list has its records once and in order, whether they were read or came live', async (t) => {
  const { list, asked, hear, ids } = makeList()
  const reading = list.read()
  hear(record({ id: 'f' }))
  asked[0]!.answer(fullPage('e', 'd', 'b'), 'next')
  await reading
  t.equal(ids(), 'f,e,d,b', 'what came while it was read is kept')
  hear(record({ id: 'c' }))
  hear(record({ id: 'c', sent_count: 1 }))
  hear(record({ id: 'a' }))
  t.equal(ids(), 'f,e,d,c,b', 'what is older than all has its place on a later page')
  const more = list.readMore()
  asked[1]!.answer(named('b', 'a'))
  await more
  t.equal(asked[1]!.query.cursor, 'next')
  t.equal(ids(), 'f,e,d,c,b,a')
  t.notOk(list.hasMore)
  hear(record({ id: '0' }))
  t.equal(ids(), 'f,e,d,c,b,a,0', 'unless there is none')
})

t.test('a list keeps to its filter', async (t) => {
  const { list, asked, hear, ids } = makeList({ status: 'sending' })
  const reading = list.read()
  asked[0]!.answer(named('b', 'a'))
  await reading
  t.equal(asked[0]!.query.status, 'sending')
  hear(record({ id: 'b', status: 'completed' }))
  hear(record({ id: 'c', status: 'queued' }))
  t.equal(ids(), 'a')
  hear(record({ id: 'c' }))
  t.equal(ids(), 'c,a')
})

t.test('an overtaken answer changes nothing', async (t) => {
  const { list, asked, ids } = makeList()
  const first = list.read()
  const second = list.read()
  asked[1]!.answer(named('b'))
  await second
  asked[0]!.answer(named('a'))
  await first
  t.equal(ids(), 'b')
})

t.test('a list that could not be read says so; a list that was read before is only stale', async (t) => {
  const { list, asked, ids } = makeList()
  const first = list.read()
  asked[0]!.fail(new Error('away'))
  await first
  t.match(list, { state: 'failed', error: { message: 'away' } })
  const retry = list.retry()
  t.equal(list.state, 'loading')
  asked[1]!.answer(named('a'))
  await retry
  t.match(list, { state: 'ready', error: null, is_stale: false })
  const again = list.read()
  asked[2]!.fail(new Error('away'))
  await again
  t.match(list, { state: 'ready', is_stale: true })
  t.equal(ids(), 'a')
})

t.test('recipients are turned page by page, there and back', async (t) => {
  const { asked, ask } = slowApi()
  const recipients = new RecipientPages(ask, () => {})
  const answer = async (doing: Promise<unknown>, index: number, next: string | null) => {
    asked.at(-1)!.answer([{ index }], next)
    await doing
  }
  await answer(recipients.read(), 0, '49')
  await answer(recipients.next(), 50, '99')
  t.match(asked.at(-1)!.query, { cursor: '49' })
  t.match(recipients, { page: 1, hasNext: true, recipients: [{ index: 50 }] })
  await answer(recipients.previous(), 0, '49')
  t.equal(asked.at(-1)!.query.cursor, undefined)
  const failed = recipients.show('failed')
  t.match(asked.at(-1)!.query, { status: 'failed', cursor: undefined })
  const overtaken = asked.at(-1)!
  await answer(recipients.show('read')!, 7, null)
  overtaken.answer([{ index: 3 }])
  await failed
  t.match(recipients, { status: 'read', hasNext: false, recipients: [{ index: 7 }] })
})

t.test('equal failures are counted together, the most frequent first, within a limited number of pages', async (t) => {
  const failed = (code: string) => ({ error: { code, message: `of ${code}` } })
  const pages = [
    [failed('1'), failed('2')],
    [failed('2'), { error: null }],
  ]
  const some = await readFailures(async ({ cursor = 0 }) => ({
    data: pages[cursor],
    next_cursor: cursor === 0 ? 1 : null,
  }))
  t.same(some.groups, [
    { code: '2', message: 'of 2', count: 2 },
    { code: '1', message: 'of 1', count: 1 },
    { code: 'unknown', message: '', count: 1 },
  ])
  t.match(some, { looked_at: 4, is_all: true })
  const endless = await readFailures(async () => ({ data: [failed('1')], next_cursor: 'x' }))
  t.match(endless, { looked_at: 5, is_all: false })
})

t.test('addresses and places convert into each other', async (t) => {
  const empty = { path: [], query: {} }
  t.same(placeOf(''), { section: 'start', ...empty })
  t.same(placeOf('#/'), { section: 'start', ...empty })
  t.same(placeOf('#/projects/p'), { section: 'inbox', project_id: 'p', ...empty })
  t.same(placeOf('#/ops/nodes?a=1'), { section: 'ops', path: ['nodes'], query: { a: '1' } })
  const filter = { status: 'failed', search: 'Ä & b/c?#%' }
  t.same(broadcastsPlaceOf(placeOf(broadcastsPlace('p', filter))), { page: 'list', filter })
  const one = placeOf(broadcastPlace('p', 'brd_1', 'read'))
  t.match(one, { section: 'broadcasts', project_id: 'p' })
  t.same(broadcastsPlaceOf(one), { page: 'one', id: 'brd_1', recipients: 'read' })
  const of = (hash: string) => broadcastsPlaceOf(placeOf(`#/projects/p/broadcasts${hash}`))
  t.match(of('/x?recipients=nonsense'), { recipients: undefined })
  t.same(of('?status=nonsense&search=+').filter, {})
  t.equal(of('/a/b'), undefined)
  for (const hash of ['#/nothing', '#/projects']) t.equal(placeOf(hash).section, 'nowhere', hash)
  t.equal(placeOf('#/projects/%zz/broadcasts').project_id, '%zz')
})

t.test('numbers read as people write them', async (t) => {
  t.same([percent(0, 0), percent(1, 1000), percent(999, 1000), percent(1000, 1000)], ['0%', '<1%', '>99%', '100%'])
  t.same([perSecond(0.25), perSecond(9.99), perSecond(80.4)], ['0.3/s', '10/s', '80/s'])
  t.same([duration(-5), duration(400), duration(41_000), duration(185_000)], ['0 s', '0.4 s', '41 s', '3 min 5 s'])
  t.equal(duration(7_800_000), '2 h 10 min')
  t.same([timeLeft(2), timeLeft(41), timeLeft(61), timeLeft(7300)], ['<5 s', '45 s', '2 min', '2 h 10 min'])
  t.equal(titleOf(record({ campaign_name: 'Sale', pending_count: 5, sent_count: 5 })), '50% · Sale')
})

t.test('a failed sign-in is explained in one sentence', async (t) => {
  t.match(signInText({ code: 'UNAUTHORIZED' }), /is not right\.$/)
  t.match(signInText({ code: 'SIGN_IN_THROTTLED', retry_after_s: 30 }), /in 30 seconds\.$/)
  t.match(signInText({ code: 'SIGN_IN_THROTTLED', retry_after_s: 601 }), /in 11 minutes\.$/)
  t.equal(signInText({ code: 'OFFLINE', message: 'Away.' }), 'Away.')
})

t.test('an event changes a known record unless it is older, whole or in part', async (t) => {
  const ticket = { _id: 't', version: 2, last_activity_at: at(5), priority: 'low' }
  const find = (kind: string, id: string) => (kind === 'ticket' && id === 't' ? ticket : undefined)
  const of = (type: string, data: Json) => applyEvent(find, { type, data })
  t.same(of('ticket.updated', { ...ticket, version: 1 }), [])
  t.same(of('ticket.updated', { ...ticket, last_activity_at: at(4) }), [])
  t.match(of('ticket.updated', { ...ticket, priority: 'high' }), [{ after: { priority: 'high' }, is_new: false }])
  const part = { _id: 't', last_activity_at: at(6), partial: true, stale: false }
  t.same(of('ticket.updated', part)[0].after, { ...ticket, last_activity_at: at(6) })
  t.match(of('ticket.updated', { _id: 'other', partial: true }), [{ before: undefined, is_part: true }])
  t.match(of('message.created', { id: 'msg_1' }), [{ kind: 'message', id: 'msg_1', is_new: true }])
  t.match(of('ticket.deleted', { _id: 't' }), [{ before: ticket, after: undefined }])
  t.same(of('something.later', { _id: 't' }), [])
})

t.test('an optimistic change lies over the record until it is answered, and a refusal takes it back', async (t) => {
  const records = new ProjectRecords()
  const shown = () => records.get('ticket', 't')
  records.keep('ticket', { _id: 't', version: 1, priority: 'low', category: 'a' })
  const answer = Promise.withResolvers<Json>()
  const change = records.change(
    'ticket',
    't',
    { priority: 'high' },
    () => answer.promise,
    ({ ticket }: Json) => ticket,
  )
  t.match(shown(), { priority: 'high', category: 'a' })
  records.hear([{ type: 'ticket.updated', data: { _id: 't', version: 2, priority: 'low', category: 'b' } }])
  t.match(shown(), { priority: 'high', category: 'b' }, 'what the server says meanwhile goes below it')
  answer.resolve({ ticket: { _id: 't', version: 3, priority: 'high', category: 'b' } })
  await change
  t.match(shown(), { version: 3, priority: 'high' })
  await t.rejects(records.change('ticket', 't', { priority: null }, () => Promise.reject(new Error('refused'))))
  t.match(shown(), { priority: 'high' })
  records.hear([{ type: 'ticket.deleted', data: { _id: 't' } }])
  t.equal(shown(), undefined)
})

t.test('a message goes by itself, but not while it is read or has a question', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const texts = () => toasts.peek().map(({ text }: Json) => text)
  const act = () => {}
  toast('Closed.', { undo: act })
  toast('Not sent.', { is_bad: true })
  toast('Somebody moved it.', { is_bad: true, act, act_text: 'Move it' })
  mock.timers.tick(5_000)
  hold(true)
  toast('Came meanwhile.')
  mock.timers.tick(60_000)
  t.same(texts(), ['Closed.', 'Not sent.', 'Somebody moved it.', 'Came meanwhile.'], 'all stay while one is read')
  hold(false)
  mock.timers.tick(5_999)
  t.equal(texts().length, 4, 'each has its whole time again')
  mock.timers.tick(1)
  t.same(texts(), ['Not sent.', 'Somebody moved it.'])
  mock.timers.tick(60_000)
  t.same(texts(), ['Somebody moved it.'], 'a question stays until it is answered')
  dismiss(toasts.peek()[0].id)
  t.same(texts(), [])
})
