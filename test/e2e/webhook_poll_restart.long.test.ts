/** Polled subscriptions over a restart of the node. */
import t from 'tap'
import { eventually, type Json, patiently } from './client.ts'
import { made, makeSister, makeTenant, startWorld } from './fixture.ts'
import { pollsOf } from './poll_client.ts'

const RECEIVED = 'whatsapp.message.received'

const texts = ({ data }: Json): string[] => data.map(({ data }: Json) => data.messages[0].text.body)

t.test('a node for itself', async (t) => {
  // It restarts, and its figure of waiting polls must not count those of other files.
  const world = await startWorld(t)
  const tenant = await makeTenant(world)
  const { poll, page, polled, write, waitingPolls } = pollsOf(world, tenant)

  t.test('a subscription that is changed during the wait gives its present form', async (t) => {
    const { id } = await polled([RECEIVED])
    const waiting = page(id, { wait: 25 })
    await waitingPolls(1)
    await made(tenant.api('PATCH', `webhooks/${id}`, { payload: 'thin' }))
    await write('personal')
    const { data } = await waiting
    t.strictSame(Object.keys(data[0].data), ['event', 'record'])
  })

  t.test('a poll waits for the next event, and is answered when it is committed', async (t) => {
    const { id } = await polled([RECEIVED])
    const { next_cursor: cursor } = await page(id)
    t.strictSame((await page(id, { wait: 1 })).data, [], 'the end of the wait')
    const waiting = [page(id, { cursor, wait: 25 }), page(id, { wait: 25 })]
    await waitingPolls(2)
    await write('at last')
    for (const answer of await Promise.all(waiting)) t.strictSame(texts(answer), ['at last'])
    t.strictSame(texts(await page(id, { wait: 25 })), ['at last'], 'no wait while there is something')
  })

  t.test('a token polls what it may read', async (t) => {
    const { id } = await polled(['crm.ticket.*', RECEIVED])
    const thin = await polled([RECEIVED], { payload: 'thin' })
    const { project_id, user_id } = tenant
    const tokenWith = (scopes: string[]) =>
      made(world.operator('POST', 'tokens', { project_id, user_id, name: 'Few', scopes }))
    const reader = await tokenWith(['webhooks:read', 'messages:read'])
    t.match(await poll(id, {}, reader.token), {
      status: 403,
      body: { error: { code: 'INSUFFICIENT_SCOPE', details: { missing: ['crm:tickets:read'] } } },
    })
    t.equal((await poll(thin.id, {}, (await tokenWith(['webhooks:read'])).token)).status, 200, 'addresses need no more')
    t.equal((await poll(thin.id, {}, (await tokenWith(['messages:read'])).token)).status, 403)
    const sister = await makeSister(world, tenant)
    t.equal((await poll(id, {}, sister.token)).status, 404)

    const waiting = poll(thin.id, { wait: 25 }, reader.token)
    await waitingPolls(1)
    t.equal((await world.operator('DELETE', `tokens/${reader._id}`)).status, 204)
    await write('too late')
    t.equal((await waiting).status, 401, 'a token that was revoked meanwhile')
  })

  t.test('too many waiting polls of a project end the oldest, and a stopping node ends all', async (t) => {
    const { id } = await polled([RECEIVED])
    const { project_id, user_id } = tenant
    const second = await made(
      world.operator('POST', 'tokens', {
        project_id,
        user_id,
        name: 'Second',
        scopes: ['webhooks:read', 'messages:read'],
      }),
    )
    let ended = 0
    const waits = Array.from({ length: 33 }, async (_, n) => {
      // A busy machine may refuse one of so many at once.
      const answer = await patiently(() => poll(id, { wait: 25 }, n % 2 ? second.token : tenant.token))
      ended++
      return answer
    })
    await eventually('one has ended', () => ended > 0)
    t.equal(ended, 1)
    await world.restart()
    for (const { status, body } of await Promise.all(waits)) t.match([status, body.data], [200, []])
  })
})
