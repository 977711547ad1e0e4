/** Messages that an agent sends while the server cannot be reached, or refuses. */
import { join } from 'node:path'
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import type { Owner } from '../support/mod.ts'
import { browserStorage } from './browser_storage.ts'

const pages = join(import.meta.dirname, '../../http/console/page')
const { Outboxes } = await import(join(pages, 'data/outbox/outboxes.ts'))
const { ApiError } = await import(join(pages, 'data/api.ts'))

/** A server as the page meets it. It does a request once for each key. Without `is_heard`, its answers are lost. */
function server() {
  const stored: string[] = []
  const done = new Map<string, Json>()
  const state = {
    is_reached: true,
    is_heard: true,
    /** The status of all answers, for a server that does nothing. */
    refuses: undefined as number | undefined,
    asked: 0,
    max_at_once: 0,
    stored,
    drafts: new Map<string, Json>(),
    async request(method: string, path: string, { json, key }: Json = {}) {
      if (path.includes('/drafts/')) return draft(method, path)
      state.asked++
      at_once++
      state.max_at_once = Math.max(state.max_at_once, at_once)
      try {
        return await answer(json.message, key)
      } finally {
        at_once--
      }
    },
  }
  let at_once = 0
  function draft(method: string, path: string) {
    const [name, query] = path.split('?') as [string, string?]
    const known = state.drafts.get(name) ?? { content: '', version: 0 }
    if (method === 'DELETE' && query === `version=${known.version + 1}`) state.drafts.delete(name)
    return known
  }
  async function answer(message: Json, key: string) {
    await new Promise((resolve) => setTimeout(resolve, 1))
    if (!state.is_reached) throw new ApiError('OFFLINE', 'Parley cannot be reached.')
    if (state.refuses) throw new ApiError('REFUSED', 'It is refused.', { status: state.refuses })
    // A refusal is the answer under its key.
    if (message.body === '') done.set(key, undefined)
    if (done.has(key) && !done.get(key)) throw new ApiError('VALIDATION_ERROR', 'The text is empty.', { status: 422 })
    if (!done.has(key)) {
      done.set(key, { id: `msg_${stored.length}` })
      stored.push(message.body)
    }
    // The first answer takes longer than the next request.
    await new Promise((resolve) => setTimeout(resolve, stored.length === 1 ? 20 : 0))
    if (!state.is_heard) throw new ApiError('OFFLINE', 'The answer was lost.')
    return done.get(key)
  }
  return state
}

/** Locks as all tabs of a browser share them. */
function browserLocks() {
  const last = new Map<string, Promise<unknown>>()
  return {
    request(name: string, act: () => Promise<unknown>) {
      const held = (last.get(name) ?? Promise.resolve()).then(act, act)
      last.set(name, held)
      return held
    },
  }
}

/** A browser whose tabs share its storage and hear each other's changes of it. */
function browser() {
  const values = browserStorage()
  const tabs: Json[] = []
  const locks = browserLocks()
  return {
    values,
    /** The page of a user. */
    open(t: Owner, api: Json, user_id = 'ana') {
      const tell = (key: string, newValue: string | null) => {
        for (const other of tabs) if (other !== outboxes) setTimeout(() => other.hear({ key, newValue }), 0)
      }
      const storage = {
        get length() {
          return values.length
        },
        key: (at: number) => values.key(at),
        getItem: (name: string) => values.getItem(name),
        setItem(name: string, value: string) {
          values.setItem(name, value)
          tell(name, value)
        },
        removeItem(name: string) {
          if (values.getItem(name) === null) return
          values.removeItem(name)
          tell(name, null)
        },
      }
      const outboxes: Json = new Outboxes({ api, user_id, storage, locks })
      tabs.push(outboxes)
      const close = () => {
        outboxes.close()
        if (tabs.includes(outboxes)) tabs.splice(tabs.indexOf(outboxes), 1)
      }
      t.teardown(close)
      return { outboxes, outbox: outboxes.of('shop', 'ticket'), close }
    },
  }
}

const open = (t: Owner, api: Json) => browser().open(t, api).outbox
const say = (outbox: Json, body: string, draft?: string): Promise<boolean> =>
  outbox.add({ client_id: `id of ${body}`, kind: 'message', request: { message: { type: 'text', body } }, draft })
const states = (outbox: Json) => outbox.entries.value.map(({ state }: Json) => state)

t.test('what is written fast is sent in its order', async (t) => {
  const api = server()
  const outbox = open(t, api)
  t.same(await Promise.all(['one', 'two', 'three'].map((body) => say(outbox, body))), [true, true, true])
  t.same(api.stored, ['one', 'two', 'three'])
  t.same(outbox.entries.value, [])
})

t.test('without a connection everything waits, and is sent once and in order when it is back', async (t) => {
  const api = server()
  const outbox = open(t, api)
  api.is_heard = false
  const sent = ['one', 'two'].map((body) => say(outbox, body))
  await eventually('both wait', () => states(outbox).join() === 'waiting,waiting')
  t.same(api.stored, ['one'], 'the first was stored, which the page does not know')
  api.is_reached = false
  api.is_heard = true
  sent.push(say(outbox, 'three'))
  const { asked } = api
  await eventually('it tries again', () => api.asked > asked)
  t.same(states(outbox).slice(0, 2), ['waiting', 'waiting'])
  api.is_reached = true
  t.same(await Promise.all(sent), [true, true, true])
  t.same(api.stored, ['one', 'two', 'three'])
})

t.test('a refused entry stays, keeps none waiting, and is sent again or discarded by the agent', async (t) => {
  const api = server()
  const outbox = open(t, api)
  t.same(await Promise.all([say(outbox, ''), say(outbox, 'two')]), [false, true])
  t.match(outbox.entries.value, [{ state: 'failed', fault: { code: 'VALIDATION_ERROR' } }])
  const { asked } = api
  outbox.again('id of ')
  await eventually('it was asked again', () => api.asked > asked && states(outbox).join() === 'failed')
  outbox.discard('id of ')
  t.same(outbox.entries.value, [])
  t.same(api.stored, ['two'])
})

t.test(
  'what was refused is sent again under another key, because the refusal is the answer under its own',
  async (t) => {
    const api = server()
    const outbox = open(t, api)
    await say(outbox, '')
    const [{ request }] = outbox.entries.value
    request.message.body = 'now it is right'
    outbox.again('id of ')
    await eventually('it is sent', () => api.stored.length === 1)
  },
)

const ENDS = {
  'another project is opened': ({ outboxes }: Json) => outboxes.leave('shop', 'ticket'),
  'the session ends': ({ outboxes }: Json) => outboxes.close(),
  'the tab is closed or crashes': ({ close }: Json) => close(),
}
for (const [what, end] of Object.entries(ENDS)) {
  t.test(`what waits is sent once, in order and under its key, although ${what}`, async (t) => {
    const api = server()
    const chrome = browser()
    const page = chrome.open(t, api)
    api.is_heard = false
    for (const body of ['one', 'two', 'three']) void say(page.outbox, body)
    await eventually('all wait', () => states(page.outbox).join() === 'waiting,waiting,waiting')
    t.same(api.stored, ['one'])
    end(page)
    const later = chrome.open(t, api)
    t.equal(later.outboxes.unsent.value.length, 3, 'it is shown to the agent who comes back')
    api.is_heard = true
    await eventually('all are sent', () => later.outboxes.unsent.value.length === 0)
    t.same(api.stored, ['one', 'two', 'three'])
    t.equal(chrome.values.length, 0)
  })
}

t.test('a session that is over refuses nothing for good: the same user sends it after signing in', async (t) => {
  const api = server()
  const chrome = browser()
  const page = chrome.open(t, api)
  api.refuses = 401
  void say(page.outbox, 'one')
  await eventually('it is asked', () => api.asked === 1)
  api.refuses = undefined
  page.close()
  t.same(states(page.outbox), ['sending'])
  await eventually('it is sent', () => chrome.open(t, api) && api.stored.length === 1)
})

t.test('another user of the same browser neither sees nor sends it', async (t) => {
  const api = server()
  const chrome = browser()
  const ana = chrome.open(t, api)
  api.is_reached = false
  void say(ana.outbox, 'of Ana')
  await eventually('it waits', () => states(ana.outbox).join() === 'waiting')
  ana.close()
  api.is_reached = true
  const eva = chrome.open(t, api, 'eva')
  t.ok(await say(eva.outbox, 'of Eva'))
  t.same(eva.outboxes.unsent.value, [])
  t.same(api.stored, ['of Eva'])
  chrome.open(t, api)
  await eventually('Ana sends it', () => api.stored.length === 2)
})

t.test('of several tabs one sends, all show what waits, and another one goes on when it is closed', async (t) => {
  const api = server()
  const chrome = browser()
  const [one, two, three] = [chrome.open(t, api), chrome.open(t, api), chrome.open(t, api)]
  api.is_heard = false
  const sent = [say(one.outbox, 'one'), say(two.outbox, 'two'), say(three.outbox, 'three')]
  for (const { outbox } of [one, two, three])
    await eventually('all tabs show all', () => states(outbox).join() === 'waiting,waiting,waiting')
  one.close()
  api.is_heard = true
  await Promise.all(sent.slice(1))
  for (const { outbox } of [two, three]) await eventually('no tab shows any', () => outbox.entries.value.length === 0)
  t.same(api.stored, ['one', 'two', 'three'])
  t.equal(api.max_at_once, 1)
})

t.test('what is refused in one tab is refused in the others, where it is discarded', async (t) => {
  const api = server()
  const chrome = browser()
  const [one, two] = [chrome.open(t, api), chrome.open(t, api)]
  t.notOk(await say(one.outbox, ''))
  await eventually('the other one shows it', () => states(two.outbox).join() === 'failed')
  two.outbox.discard('id of ')
  await eventually('it is gone', () => one.outbox.entries.value.length === 0)
})

t.test('an entry that waited longer than the server knows its key is left to the agent', async (t) => {
  const api = server()
  const chrome = browser()
  const page = chrome.open(t, api)
  api.is_reached = false
  void say(page.outbox, 'of yesterday')
  await eventually('it waits', () => states(page.outbox).join() === 'waiting')
  page.close()
  const name = chrome.values.key(0)!
  const at = new Date(Date.now() - 24 * 3_600_000).toISOString()
  chrome.values.setItem(name, JSON.stringify({ ...JSON.parse(chrome.values.getItem(name)!), at }))
  api.is_reached = true
  const later = chrome.open(t, api)
  await eventually('it has failed', () => states(later.outbox).join() === 'failed')
  t.match(later.outbox.entries.value, [{ fault: { code: 'WAITED_TOO_LONG' } }])
  t.same(api.stored, [])
  later.outbox.again('id of of yesterday')
  await eventually('the agent sends it', () => api.stored.length === 1)
})

t.test('the draft that a crashed page left goes with the message, unless it is another text', async (t) => {
  for (const [draft, is_left] of [
    ['Hello', false],
    ['Hello and mo', false],
    ['Something else', true],
  ] as const) {
    const api = server()
    const chrome = browser()
    const page = chrome.open(t, api)
    api.is_reached = false
    void say(page.outbox, 'Hello and more', 'Hello and more')
    await eventually('it waits', () => states(page.outbox).join() === 'waiting')
    page.close()
    api.drafts.set('projects/shop/inbox/tickets/ticket/drafts/reply', { content: draft, version: 3 })
    api.is_reached = true
    chrome.open(t, api)
    await eventually('it is sent', () => api.stored.length === 1)
    if (is_left) await new Promise((resolve) => setTimeout(resolve, 50))
    else await eventually('the draft is gone', () => api.drafts.size === 0)
    t.equal(api.drafts.size, is_left ? 1 : 0)
  }
})

t.test('a browser without storage or with a full one sends as long as the page is there', async (t) => {
  const api = server()
  const full = { ...browserStorage(), setItem: () => assertNever() }
  for (const storage of [undefined, full]) {
    const outboxes: Json = new Outboxes({ api, user_id: 'ana', storage })
    t.ok(await say(outboxes.of('shop', 'ticket'), `in ${String(storage)}`))
  }
  t.equal(api.stored.length, 2)
})

function assertNever(): never {
  throw new Error('QuotaExceededError')
}
