/** The state of the console's page, against the server. Its modules run without a DOM, as in a browser. */
import t from 'tap'
import { broadcastWhen, countsOf, people, sendBulk, sumOf } from '../e2e/broadcast_client.ts'
import { eventually, type Json } from '../e2e/client.ts'
import { PASSWORD, signIn } from '../e2e/console_client.ts'
import { joinWorld, made } from '../e2e/fixture.ts'
import type { Owner } from '../support/mod.ts'
import { officeIn, openSignedIn, openTab, placeOf, setPace, shownIn } from './console_tab.ts'

const office = await officeIn(await joinWorld(t))
const { world, tenant, agent } = office
const { project_id } = tenant

const open = (t: Owner) => openTab(t, office)
const openAt = (t: Owner, place?: string) => openSignedIn(t, office, place)
const pace = (messages_per_second: number) => setPace(office, messages_per_second)

t.test('a page begins signed out; wrong credentials say so; right ones lead to the wanted page', async (t) => {
  const { store } = open(t)
  t.equal(store.session, undefined)
  await store.start()
  t.same([store.session, store.note], [null, null])
  await t.rejects(store.signIn(agent.email, 'something else'), { code: 'UNAUTHORIZED' })
  t.equal(store.session, null)
  await store.signIn(agent.email, PASSWORD)
  t.match(store.session, { user: { email: agent.email }, projects: [{ _id: project_id }] })
  await eventually('the list is read', () => store.list.state === 'ready')
  t.same(store.list.broadcasts, [])
})

t.test('a session outlives a reload of the page', async (t) => {
  const { cookie } = await signIn(world, agent)
  const { tab, store, isLive } = open(t)
  tab.cookie = cookie
  await store.start()
  t.equal(store.session.user.email, agent.email)
  await isLive()
})

t.test('a broadcast comes to the top and moves, without a further request', async (t) => {
  await pace(40)
  const { tab, store } = await openAt(t)
  await eventually('the list is read', () => store.list.state === 'ready' && tab.requests.length >= 3)
  const before = tab.requests.length
  // The node tells its watchers to read again when it is not sure that they heard all.
  let resyncs = 0
  tab.socket.on('resync', () => resyncs++)
  const seen: number[][] = []
  const id = await sendBulk(tenant, people(60), { campaign_name: 'Moves' })
  t.teardown(
    store.subscribe(() => {
      const shown = shownIn(store, id)
      if (shown) seen.push(countsOf(shown))
    }),
  )
  await eventually('it has ended', () => shownIn(store, id)?.status === 'completed')
  await eventually('all have read it', () => shownIn(store, id).read_count === 60)
  t.equal(store.list.broadcasts[0].id, id)
  t.ok(new Set(seen.map(String)).size > 4, 'it was seen to move')
  t.ok(
    seen.every((counts) => counts.reduce((sum, count) => sum + count) === 60),
    'and whole at any time',
  )
  const pending = seen.map(([pending]) => pending!)
  t.same(
    pending,
    pending.toSorted((a, b) => b - a),
    'and only forward',
  )
  t.equal(tab.requests.length, before + resyncs)
})

t.test('events missed during a break of the connection come after it, and nothing is read again', async (t) => {
  await pace(20)
  const { tab, store, isLive } = await openAt(t)
  const id = await sendBulk(tenant, people(300, 1000))
  await eventually('it moves', () => (shownIn(store, id)?.pending_count ?? 300) < 300)
  // A node that has just started cannot know yet which events were missed.
  await eventually('a break is bridged by what is told', async () => {
    const before = tab.requests.length
    tab.socket.io.engine.close()
    await eventually('the page notices', () => store.live_state === 'reconnecting')
    await isLive()
    return tab.requests.length === before
  })
  const before = tab.requests.length
  await pace(80)
  await eventually('it has ended', () => shownIn(store, id).status === 'completed')
  t.equal(tab.requests.length, before)
  t.equal(sumOf(shownIn(store, id)), 300)
})

t.test('a list of one status gains and loses records as they change', async (t) => {
  await pace(40)
  const sending = await openAt(t, `#/projects/${project_id}/broadcasts?status=sending`)
  const completed = await openAt(t, `#/projects/${project_id}/broadcasts?status=completed&search=change`)
  const id = await sendBulk(tenant, people(40, 400), { campaign_name: 'Changes' })
  await eventually('it is sent', () => shownIn(sending.store, id))
  t.notOk(shownIn(completed.store, id))
  await eventually('it is completed', () => shownIn(completed.store, id))
  await eventually('and sent no more', () => !shownIn(sending.store, id))
  const other = await sendBulk(tenant, people(1, 400), { campaign_name: 'Another' })
  await broadcastWhen(tenant, other, 'is completed', ({ status }) => status === 'completed')
  await eventually('another list knows', () => sending.store.list.state === 'ready')
  t.same(
    completed.store.list.broadcasts.map((one: Json) => one.campaign_name),
    ['Changes'],
  )
})

t.test('the page of a broadcast shows its speed, its recipients and the causes of failures', async (t) => {
  // Slow enough for a page that opens late on a busy machine.
  await pace(5)
  await made(
    world.control('POST', 'faults', {
      match: { recipient: '+15552000600*' },
      error: { code: 131051, status: 400 },
    }),
  )
  const id = await sendBulk(tenant, people(90, 600))
  const { store } = await openAt(t, `#/projects/${project_id}/broadcasts/${id}`)
  const { detail } = store
  await eventually('there is a speed', () => detail.speed.per_second > 0 && detail.speed.left_s > 0)
  t.ok(detail.speed.per_second < 60, `${detail.speed.per_second}/s`)
  await pace(80)
  await eventually('it has ended', () => detail.broadcast.status === 'completed')
  const { failed_count } = await broadcastWhen(
    tenant,
    id,
    'is read',
    (one) => one.sent_count + one.delivered_count === 0,
  )
  t.equal(failed_count, 1)
  await eventually('the reason is known', () => detail.failures)
  t.match(detail.failures, { groups: [{ code: '131051', count: 1 }], looked_at: 1, is_all: true })
  await eventually('recipients are as they are', () =>
    detail.recipients.recipients.every(({ status }: Json) => status === 'read' || status === 'failed'),
  )
  t.equal(detail.recipients.recipients.length, 50)
  await detail.recipients.next()
  // A periodic read that begins meanwhile brings the page instead.
  t.ok(await eventually('the second page', () => detail.recipients.recipients[0].index === 50))
  t.notOk(detail.recipients.hasNext)
  store.go(placeOf(`#/projects/${project_id}/broadcasts/${id}?recipients=failed`))
  await eventually('one is left', () => detail.recipients.recipients.length === 1)
  t.match(detail.recipients.recipients[0], { phone: '+15552000600', error: { code: '131051' } })
  t.equal(store.detail, detail, 'the page is the same')
})

t.test('a running broadcast is cancelled; an ended one says that it has ended', async (t) => {
  await pace(5)
  const id = await sendBulk(tenant, people(200, 700))
  const { store } = await openAt(t, `#/projects/${project_id}/broadcasts/${id}`)
  await eventually('it is read', () => store.detail.state === 'ready')
  await store.detail.cancel()
  t.equal(store.detail.broadcast.status, 'cancelled')
  await pace(80)
  const done = await sendBulk(tenant, people(1, 700))
  await broadcastWhen(tenant, done, 'is completed', ({ status }) => status === 'completed')
  store.go(placeOf(`#/projects/${project_id}/broadcasts/${done}`))
  await eventually('it is read', () => store.detail.id === done && store.detail.state === 'ready')
  await t.rejects(store.detail.cancel(), { code: 'BROADCAST_FINISHED', status: 409 })
})

t.test('an unknown broadcast is not shown', async (t) => {
  const { store } = await openAt(t, `#/projects/${project_id}/broadcasts/brd_000000000000000000000000`)
  await eventually('it is said', () => store.detail.state === 'failed')
  t.equal(store.detail.error.code, 'BROADCAST_NOT_FOUND')
  store.go(placeOf('#/projects/000000000000000000000000/broadcasts'))
  t.same([store.project, store.list, store.detail], [undefined, null, null])
})

t.test('a session that ends elsewhere ends on this page', async (t) => {
  const { tab, store } = await openAt(t)
  const other = open(t)
  other.tab.cookie = tab.cookie
  await other.store.start()
  await other.store.signOut()
  t.same([other.store.session, other.store.note], [null, null])
  await eventually('it is over', () => store.session === null)
  t.match(store.note, /session is over/)
  t.notOk(tab.socket.connected)
  t.same([store.list, store.detail], [null, null], 'nothing of it is kept')
  await store.signIn(agent.email, PASSWORD)
  await eventually('the list is read', () => store.list?.state === 'ready')
})
