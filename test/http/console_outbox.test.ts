/** Messages that an agent sends while the server cannot be reached, or refuses. */
import { join } from 'node:path'
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'

const { Outbox } = await import(join(import.meta.dirname, '../../http/console/page/inbox/thread/outbox.js'))
const { ApiError } = await import(join(import.meta.dirname, '../../http/console/page/data/api.js'))

/** A server as the page meets it. It does a request once for each key. Without `is_heard`, its answers are lost. */
function server() {
  const stored: string[] = []
  const done = new Map<string, Json>()
  const state = {
    is_reached: true,
    is_heard: true,
    asked: 0,
    stored,
    async post(_: string, { message }: Json, { key }: { key: string }) {
      state.asked++
      if (!state.is_reached) throw new ApiError('OFFLINE', 'Parley cannot be reached.')
      if (message.body === '') throw new ApiError('VALIDATION_ERROR', 'The text is empty.', { status: 422 })
      if (!done.has(key)) {
        done.set(key, { id: `msg_${stored.length}` })
        stored.push(message.body)
      }
      // The first answer takes longer than the next request.
      await new Promise((resolve) => setTimeout(resolve, stored.length === 1 ? 20 : 0))
      if (!state.is_heard) throw new ApiError('OFFLINE', 'The answer was lost.')
      return done.get(key)
    },
  }
  return state
}

const open = (api: Json) => new Outbox(api, () => true)
const say = (outbox: Json, body: string): Promise<boolean> =>
  outbox.add({ client_id: `id of ${body}`, kind: 'message', request: { message: { type: 'text', body } } })
const states = (outbox: Json) => outbox.entries.value.map(({ state }: Json) => state)

t.test('what is written fast is sent in its order', async (t) => {
  const api = server()
  const outbox = open(api)
  t.same(await Promise.all(['one', 'two', 'three'].map((body) => say(outbox, body))), [true, true, true])
  t.same(api.stored, ['one', 'two', 'three'])
  t.same(outbox.entries.value, [])
})

t.test('without a connection everything waits, and is sent once and in order when it is back', async (t) => {
  const api = server()
  const outbox = open(api)
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
  const outbox = open(api)
  t.same(await Promise.all([say(outbox, ''), say(outbox, 'two')]), [false, true])
  t.match(outbox.entries.value, [{ state: 'failed', fault: { code: 'VALIDATION_ERROR' } }])
  const { asked } = api
  outbox.again('id of ')
  await eventually('it was asked again', () => api.asked > asked && states(outbox).join() === 'failed')
  outbox.discard('id of ')
  t.same(outbox.entries.value, [])
  t.same(api.stored, ['two'])
})

t.test('a thread that is closed sends nothing more', async (t) => {
  const api = server()
  const outbox = open(api)
  api.is_reached = false
  void say(outbox, 'one')
  await eventually('it waits', () => states(outbox).join() === 'waiting')
  outbox.close()
  const { asked } = api
  await new Promise((resolve) => setTimeout(resolve, 1500))
  t.equal(api.asked, asked)
})
