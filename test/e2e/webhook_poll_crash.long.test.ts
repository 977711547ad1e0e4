/** A receiver that polls while its node is killed. */
import t from 'tap'
import { eventually, type Json, sleep } from './client.ts'
import { made, makeTenant, OPERATOR_KEY } from './fixture.ts'
import { startKillable } from './killable.ts'
import { startPoller } from './poller.ts'

const RECEIVED = 'whatsapp.message.received'

t.test('kill -9 of the node between pages loses, doubles and reorders nothing', async (t) => {
  const world = await startKillable(t)
  const tenant = await makeTenant(world)
  const { id } = await made(() =>
    tenant.api('POST', 'webhooks', { name: 'Polled', mode: 'poll', events: [RECEIVED], payload: 'thin' }),
  )
  const poller = startPoller((query) => tenant.api('GET', `webhooks/${id}/poll${query}`))
  const COUNT = 60
  // The simulator repeats what the node did not take.
  const writing = (async () => {
    for (let n = 0; n < COUNT; n++) await tenant.writes(`+1555751${1000 + n}`, `message ${n}`)
  })()
  await eventually('the first pages', () => poller.seen.length > 10)
  await world.process().end('SIGKILL')
  await world.start()
  await writing
  await eventually('all events', () => poller.seen.length >= COUNT)
  await poller.stop()
  const deliveries = await eventually('all acknowledged', async () => {
    const all = await tenant.deliveries(id)
    return all.every(({ status }) => status === 'success') && all
  })
  t.equal(deliveries.length, COUNT)
  t.strictSame(
    poller.seen.map(({ id }) => id),
    deliveries.map(({ event_id }) => event_id).reverse(),
  )
  t.equal(await world.process().end('SIGTERM'), 0, world.process().said())
})

t.test('changing groups, owners that are stopped, killed and end orderly: pages stay whole and in order', async (t) => {
  const NODES = 3
  const world = await startKillable(t, { env: () => ({ PARLEY_NODES: String(NODES), PARLEY_POOL_SIZE: '6' }) })
  const nodes = async (): Promise<{ id: string; pid: number }[]> => {
    // A killed node takes its connections along.
    const answer = await world
      .http('GET', `${world.base_url}/admin/v1/cluster`, { token: OPERATOR_KEY })
      .catch(() => undefined)
    return answer?.status === 200 ? answer.body.nodes : []
  }
  const all = () =>
    eventually('all nodes', async () => {
      const found = await nodes()
      return found.length === NODES && found
    })
  await all()
  const tenant = await makeTenant(world)
  /** A killed node may have done it or not. */
  const surely = (method: string, path: string, json?: unknown): Promise<Json> =>
    eventually(`${method} ${path}`, async () => {
      const answer = await tenant.api(method, path, json).catch(() => undefined)
      return answer && answer.status < 300 && answer.body
    })
  const create = () => surely('POST', 'webhooks', { name: 'Polled', mode: 'poll', events: [RECEIVED], payload: 'thin' })
  const subscriptions: Json[] = [await create(), await create()]
  const pollers = subscriptions.map(({ id }) =>
    startPoller((query) => tenant.api('GET', `webhooks/${id}/poll${query}`)),
  )

  let count = 0
  let is_over = false
  const writing = (async () => {
    while (!is_over) await tenant.writes(`+1555752${1000 + (count % 50)}`, `message ${count++}`)
  })()
  const changing = (async () => {
    while (!is_over) {
      const { id } = await create()
      await sleep(100)
      for (const is_active of [false, true]) {
        await surely('PATCH', `webhooks/${id}`, { is_active })
        await sleep(50)
      }
      await tenant.api('DELETE', `webhooks/${id}`).catch(() => undefined)
    }
  })()
  for (const signal of ['SIGKILL', 'SIGTERM', 'SIGSTOP', 'SIGTERM', 'SIGKILL', 'SIGTERM'] as const) {
    const [node] = await all()
    process.kill(node!.pid, signal)
    if (signal === 'SIGSTOP') {
      await sleep(8000)
      process.kill(node!.pid, 'SIGCONT')
    }
    const former = node!.id
    if (signal !== 'SIGSTOP')
      await eventually('another in its place', async () => {
        const found = await nodes()
        return found.length === NODES && !found.some(({ id }) => id === former)
      })
    await sleep(500)
  }
  is_over = true
  await Promise.all([writing, changing])
  for (const [index, { id }] of subscriptions.entries()) {
    const poller = pollers[index]!
    await eventually('all events', () => new Set(poller.seen.map((one) => one.id)).size >= count)
    await poller.stop()
    const seen = poller.seen.map((one) => one.id)
    t.equal(new Set(seen).size, seen.length, 'none twice')
    t.equal(seen.length, count, 'none missing')
    t.strictSame((await surely('GET', `webhooks/${id}/poll`)).data, [], 'nothing is left')
    const again: string[] = []
    for (let query = `?since=${new Date(Date.now() - 3_600_000).toISOString()}`; ; ) {
      const page = await surely('GET', `webhooks/${id}/poll${query}`)
      again.push(...page.data.map((one: Json) => one.id))
      if (!page.has_more) break
      query = `?cursor=${page.next_cursor}`
    }
    t.strictSame(seen, again, 'the order stays')
    t.strictSame(seen, seen.toSorted(), 'ids rise')
  }
  t.equal(await world.process().end('SIGTERM'), 0, world.process().said())
})
