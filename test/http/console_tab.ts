/** A tab of the console in which an agent looks at broadcasts. Its modules run without a DOM, as in a browser. */
import { join } from 'node:path'
import { io } from 'socket.io-client'
import { eventually, type Json } from '../e2e/client.ts'
import { makeAgent, PASSWORD } from '../e2e/console_client.ts'
import { made, makeTenant, type Tenant, type World } from '../e2e/fixture.ts'
import type { Owner } from '../support/mod.ts'

export type Office = { world: World; tenant: Tenant; agent: Json; base: URL }

/** Makes a tenant with an agent. */
export async function officeIn(world: World): Promise<Office> {
  const tenant = await makeTenant(world)
  return { world, tenant, agent: await makeAgent(world, tenant), base: new URL(`${world.base_url}/console/`) }
}

const pages = join(import.meta.dirname, '../../http/console/page')
const { Api } = await import(join(pages, 'data/api.ts'))
const { Live } = await import(join(pages, 'live/live.ts'))
const { Console } = await import(join(pages, 'core/console.ts'))
export const { placeOf } = await import(join(pages, 'data/places.ts'))
const { Broadcasts } = await import(join(pages, 'broadcasts/broadcasts.ts'))
const { broadcastsPlaceOf } = await import(join(pages, 'broadcasts/places.ts'))
const { effect, untracked } = await import('@preact/signals')

/** A tab of a browser: its cookie, its requests so far, and its socket. */
export function openTab(t: Owner, { base, tenant }: Office, place?: string) {
  const tab = {
    cookie: '',
    requests: [] as string[],
    socket: undefined as Json,
    store: undefined as Json,
    core: undefined as Json,
  }
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
  tab.core = new Console({ api, connect })
  const store = storeOf(tab.core)
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

export async function openSignedIn(t: Owner, at: Office, place?: string) {
  const tab = openTab(t, at, place)
  await tab.store.signIn(at.agent.email, PASSWORD)
  await tab.isLive()
  return tab
}

/** Sets the speed: slow enough to watch, or as fast as possible. */
export const setPace = ({ world, tenant }: Office, messages_per_second: number) =>
  made(world.operator('PATCH', `channels/${tenant.number.channel_id}`, { messages_per_second }))

export const shownIn = ({ list }: Json, id: string) => list.broadcasts.find((one: Json) => one.id === id)
