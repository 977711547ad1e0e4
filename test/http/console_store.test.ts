/** The state of the console's page, against the server. Its modules run without a DOM, as in a browser. */
import { join } from 'node:path'
import { io } from 'socket.io-client'
import t from 'tap'
import { broadcastWhen, countsOf, people, sendBulk, sumOf } from '../e2e/broadcast_client.ts'
import { eventually, type Json } from '../e2e/client.ts'
import { makeAgent, PASSWORD, signIn } from '../e2e/console_client.ts'
import { joinWorld, made, makeTenant, startWorld, type Tenant, type World } from '../e2e/fixture.ts'
import type { Owner } from '../support/mod.ts'

type Office = { world: World; tenant: Tenant; agent: Json; base: URL }

async function officeIn(world: World): Promise<Office> {
  const tenant = await makeTenant(world)
  return { world, tenant, agent: await makeAgent(world, tenant), base: new URL(`${world.base_url}/console/`) }
}

const office = await officeIn(await joinWorld(t))
const { world, tenant, agent } = office
const { project_id } = tenant

const pages = join(import.meta.dirname, '../../http/console/page')
const { Api } = await import(join(pages, 'data/api.js'))
const { Live } = await import(join(pages, 'live/live.js'))
const { Console } = await import(join(pages, 'app/console.js'))
const { placeOf } = await import(join(pages, 'app/places.js'))
const { Broadcasts } = await import(join(pages, 'broadcasts/broadcasts.js'))
const { broadcastsPlaceOf } = await import(join(pages, 'broadcasts/places.js'))
const { effect, untracked } = await import('@preact/signals')

/** A tab of a browser: its cookie, its requests so far, and its socket. */
function open(t: Owner, place?: string, { base, tenant }: Office = office) {
  const tab = { cookie: '', requests: [] as string[], socket: undefined as Json, store: undefined as Json }
  const api = new Api(base, async (url: URL, options: RequestInit) => {
    const { method } = options
    tab.requests.push(`${method} ${url.pathname.replace(/^.*\/messages\//, '')}`)
    const headers = { ...options.headers, cookie: tab.cookie, origin: base.origin }
    const response = await fetch(url, { ...options, headers })
    const set = response.headers.get('set-cookie')
    if (set) tab.cookie = set.split(';')[0]!
    return response
  })
  const connect = (on: Json) => {
    const extraHeaders = { cookie: tab.cookie, origin: base.origin }
    return new Live(
      (...all: Parameters<typeof io>) => {
        tab.socket = io(...all)
        return tab.socket
      },
      new URL('socket.io/', base),
      on,
      { extraHeaders },
    )
  }
  const store = storeOf(new Console({ api, connect }))
  tab.store = store
  store.go(placeOf(place ?? `#/projects/${tenant.project_id}/broadcasts`))
  t.teardown(() => store.close())
  return { ...tab, tab, api, store, isLive: () => eventually('it is live', () => store.live_state === 'live') }
}

/** The core of the console with the section of broadcasts, which is shown as its view shows it. */
function storeOf(core: Json) {
  const broadcasts = () => {
    const project = core.project.value
    return project?.part('broadcasts', () => new Broadcasts(project))
  }
  const stop = effect(() => {
    const [project, place] = [core.project.value, broadcastsPlaceOf(core.place.value)]
    if (project && place) untracked(() => broadcasts().show(place))
  })
  return {
    get session() {
      return core.session.value
    },
    get note() {
      return core.note.value
    },
    get live_state() {
      return core.live_state.value
    },
    get project() {
      return core.named.value
    },
    get list() {
      return broadcasts()?.list ?? null
    },
    get detail() {
      return broadcasts()?.detail ?? null
    },
    start: () => core.start(),
    signIn: (email: string, password: string) => core.signIn(email, password),
    signOut: () => core.signOut(),
    go: (place: Json) => core.go(place),
    subscribe: (listener: () => void) =>
      effect(() => {
        broadcasts()?.version.value
        untracked(listener)
      }),
    close() {
      stop()
      core.close()
    },
  }
}

async function openSignedIn(t: Owner, place?: string, at: Office = office) {
  const tab = open(t, place, at)
  await tab.store.signIn(at.agent.email, PASSWORD)
  await tab.isLive()
  return tab
}

/** Sets the speed: slow enough to watch, or as fast as possible. */
const pace = (messages_per_second: number, { world, tenant }: Office = office) =>
  made(world.operator('PATCH', `channels/${tenant.number.channel_id}`, { messages_per_second }))

const shownIn = ({ list }: Json, id: string) => list.broadcasts.find((one: Json) => one.id === id)

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
  const { tab, store } = await openSignedIn(t)
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
  const { tab, store, isLive } = await openSignedIn(t)
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

t.test('the page reads again the records that a restarted node forgot', async (t) => {
  // The node restarts.
  const world = await startWorld(t)
  const office = await officeIn(world)
  const { tenant } = office
  await pace(20, office)
  const { store, isLive } = await openSignedIn(t, undefined, office)
  const id = await sendBulk(tenant, people(120, 200))
  await eventually('it is shown', () => (shownIn(store, id)?.pending_count ?? 120) < 120)
  await world.restart()
  await isLive()
  await pace(80, office)
  await eventually('it has ended', () => shownIn(store, id).status === 'completed')
  await eventually('it is as the API says', async () => {
    const { body } = await tenant.api('GET', `messages/bulk/${id}`)
    return String(countsOf(body)) === String(countsOf(shownIn(store, id)))
  })
})

t.test('a list of one status gains and loses records as they change', async (t) => {
  await pace(40)
  const sending = await openSignedIn(t, `#/projects/${project_id}/broadcasts?status=sending`)
  const completed = await openSignedIn(t, `#/projects/${project_id}/broadcasts?status=completed&search=change`)
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
  const { store } = await openSignedIn(t, `#/projects/${project_id}/broadcasts/${id}`)
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
  const { store } = await openSignedIn(t, `#/projects/${project_id}/broadcasts/${id}`)
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
  const { store } = await openSignedIn(t, `#/projects/${project_id}/broadcasts/brd_000000000000000000000000`)
  await eventually('it is said', () => store.detail.state === 'failed')
  t.equal(store.detail.error.code, 'BROADCAST_NOT_FOUND')
  store.go(placeOf('#/projects/000000000000000000000000/broadcasts'))
  t.same([store.project, store.list, store.detail], [undefined, null, null])
})

t.test('a session that ends elsewhere ends on this page', async (t) => {
  const { tab, store } = await openSignedIn(t)
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
