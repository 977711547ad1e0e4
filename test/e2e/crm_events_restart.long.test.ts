/** Idempotency keys of events over a restart of the node. */
import t from 'tap'
import type { Json } from './client.ts'
import { made, startWorld } from './fixture.ts'
import { startShops } from './shops.ts'

const ABSENT = '0123456789abcdef01234567'

const LIMITS = { minute: 1_000_000, hour: 1_000_000, day: 1_000_000, ingest_minute: 1_000_000 }

t.test('an idempotency_key stands for one event, also after a restart', async (t) => {
  // The node restarts.
  const world = await startWorld(t)
  const { setUp } = await startShops(t, world)
  const shop = await setUp()
  const { _id: chat_user_id } = await shop.contact()
  const body = { chat_user_id, data: { n: 1 }, idempotency_key: 'order 1' }
  const first = await shop.record(body)
  const { event } = await made(Promise.resolve(first))
  const replays: [string, Json][] = [
    ['the same', body],
    ['other data', { ...body, data: { n: 2 } }],
    ['data that does not fit any more', { ...body, event_type: 'custom.none' }],
    ['a contact that there is not', { ...body, chat_user_id: ABSENT }],
  ]
  for (const [what, replay] of replays) {
    const answer = await shop.record(replay)
    t.same([answer.status, answer.body], [200, { event, duplicated: true }], what)
  }
  const project = { company_id: shop.company_id, name: 'Second', limits: LIMITS }
  const second = await made(world.operator('POST', 'projects', project))
  const fields = { project_id: second._id, user_id: shop.user_id, name: 'Second', scopes: ['crm:events:write'] }
  const { token } = await made(world.operator('POST', 'tokens', fields))
  const there = await shop.record(body, { token })
  t.equal(there.status, 409, 'another project of the company cannot use the key')
  t.same(Object.keys(there.body.error), ['code', 'message'], 'the refusal tells nothing of the event')
  t.equal(there.body.error.code, 'IDEMPOTENCY_KEY_REUSED')
  const elsewhere = await setUp()
  const stranger = await elsewhere.record({ ...body, chat_user_id: (await elsewhere.contact())._id })
  t.equal(stranger.status, 201, 'another company may use the same key')
  await world.restart()
  const again = await shop.record(body)
  t.same(
    [again.status, again.body],
    [200, { event, duplicated: true }],
    'the key still stands for the event after a restart',
  )
  t.equal((await shop.record({ chat_user_id })).status, 201)
  t.equal((await shop.record({ chat_user_id })).status, 201, 'without a key it is recorded twice')
  const count = (await shop.events()).filter(({ event_type }) => event_type === 'payment.link_sent').length
  t.equal(count, 3)
  const header = { headers: { 'idempotency-key': 'a request' } }
  const sent = await shop.record({ chat_user_id, data: { n: 9 } }, header)
  const resent = await shop.record({ chat_user_id, data: { n: 9 } }, header)
  t.same([resent.status, resent.text, resent.headers['idempotent-replayed']], [201, sent.text, 'true'])
})
