/** A call that several turns take is verified and parsed once, so that its cost grows with its length alone. */
import { createHmac } from 'node:crypto'
import t from 'tap'
import { readInboundCall } from '../../../actors/project/inbound/inbound_call.ts'
import type { RawCall } from '../../../actors/project/inbound/raw_call.ts'
import { missingProject, type ProjectChannel } from '../../../actors/project/turn/state.ts'
import { Providers } from '../../../actors/providers/mod.ts'

const providers = new Providers()
t.teardown(() => providers.close())

const app_secret = 'the secret of an app'
const channel = (secret = app_secret): ProjectChannel => ({
  ...{ id: 'one', channel_type: 'whatsapp', provider: 'cloud', name: 'One', is_active: true, status: 'connected' },
  ...{ provider_account_id: '5', credentials: { app_secret: secret, business_account_id: '1' } },
})

/** A project with the channel, and the number of times that its calls were parsed. */
function projectWith(one: ProjectChannel) {
  const state = missingProject('project')
  state.channels.set(one.id, one)
  const hook = providers.of(one)!.hook!
  const counted = { parsed: 0 }
  const read: typeof hook.read = (...call) => {
    counted.parsed++
    return hook.read(...call)
  }
  const counting = { of: () => ({ ...providers.of(one)!, hook: { ...hook, read } }) } as unknown as Providers
  const ask = (call: RawCall) => readInboundCall(state, call, counting, new Date())
  return { state, counted, ask }
}

/** `count` statuses. */
function callOf(count: number, name = 'wamid'): RawCall {
  const statuses = Array.from({ length: count }, (_, n) => ({ id: `${name}.${n}`, status: 'read' }))
  const value = { metadata: { phone_number_id: '5' }, statuses }
  const entry = [{ id: '1', changes: [{ field: 'messages', value }] }]
  const raw = JSON.stringify({ object: 'whatsapp_business_account', entry })
  const signature = `sha256=${createHmac('sha256', app_secret).update(raw).digest('hex')}`
  return { channel_id: 'one', raw, signature }
}

t.test('the parts of a call are parsed once, and none of it is kept after the last', async (t) => {
  const { counted, ask } = projectWith(channel())
  for (let repeat = 1; repeat <= 2; repeat++) {
    const sizes: number[] = []
    for (let from: number | undefined = 0; from !== undefined; ) {
      const { answer, said } = ask({ ...callOf(3_500), from })
      sizes.push(said.length)
      from = answer.next
    }
    t.same(sizes, [1_000, 1_000, 1_000, 500])
    t.equal(counted.parsed, repeat)
  }
})

t.test('items that are stored one by one are parsed once', async (t) => {
  const { counted, ask } = projectWith(channel())
  const call = callOf(50)
  t.equal(ask({ ...call, only: 'count' }).answer.items, 50)
  for (let index = 0; index < 50; index++) t.equal(ask({ ...call, only: { index } }).said.length, 1)
  t.equal(counted.parsed, 1)
})

t.test('a call counts for its channel, signature and secret alone', async (t) => {
  const { state, counted, ask } = projectWith(channel())
  const call = callOf(1_500)
  t.equal(ask({ ...call, from: 0 }).answer.next, 3_000)
  t.equal(ask({ ...call, from: 3_000, signature: 'sha256=00' }).answer.status, 401)
  t.equal(ask({ ...call, from: 3_000, raw: callOf(1_500, 'other').raw }).answer.status, 401)
  t.equal(ask({ ...call, from: 0, channel_id: 'two' }).answer.status, 404)
  state.channels.set('one', channel('another secret'))
  t.equal(ask({ ...call, from: 3_000 }).answer.status, 401)
  t.equal(counted.parsed, 4)
})

t.test('very many calls under way are read again, and none is lost', async (t) => {
  const { counted, ask } = projectWith(channel())
  const calls = Array.from({ length: 20 }, (_, n) => callOf(1_500, `call${n}`))
  for (const call of calls) t.equal(ask({ ...call, from: 0 }).answer.next, 3_000)
  for (const call of calls) t.equal(ask({ ...call, from: 3_000 }).said.length, 500)
  t.ok(counted.parsed > 20 && counted.parsed <= 40)
})

t.test('a call of more items than any provider sends is refused', async (t) => {
  const { ask } = projectWith(channel())
  t.equal(ask({ ...callOf(20_000), from: 0 }).answer.status, 200)
  const { answer, said } = ask({ ...callOf(20_001), from: 0 })
  t.match(answer, { status: 413, body: /at most 20000/ })
  t.same(said, [])
})
