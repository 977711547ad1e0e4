/** Deliveries whose event was deleted. */
import t from 'tap'
import { openDatabase, prefixedId } from '../../storage/mod.ts'
import { eventually, type Json } from './client.ts'
import { made, makeTenant, startWorld, type Tenant } from './fixture.ts'

const RECEIVED = 'whatsapp.message.received'

async function write(tenant: Tenant, count: number, from = '+15557200001'): Promise<void> {
  for (let i = 0; i < count; i++) await tenant.writes(from, `message ${i}`)
}

function ended(tenant: Tenant, id: string, count: number, query = ''): Promise<Json[]> {
  return eventually(`${count} ended${query}`, async () => {
    const all = await tenant.deliveries(id, query)
    return all.length === count && all.every(({ next_attempt_at }) => next_attempt_at === null) && all
  })
}

t.test('deliveries whose event is gone end, and hold back no other delivery', async (t) => {
  // The node restarts.
  const world = await startWorld(t)
  const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
  t.teardown(() => database.close())
  const tenant = await makeTenant(world)
  const GONE = 300
  /** More than the actor reads at once, older than any other delivery, and due. */
  const store = (id: string, key: string | null, from: number) =>
    database.execute(`
      insert into delivery (id, subscription_id, project_id, event_id, event_type, ordering_key, status, attempts,
        next_attempt_at, created_at)
      select '${prefixedId('dlv').slice(0, 12)}' || lpad(n::text, 16, '0'), '${id}', '${tenant.project_id}',
        'evt_${'0'.repeat(24)}', '${RECEIVED}', ${key === null ? 'null' : `'${key}'`}, 'failed', 1,
        now() - interval '1 hour', now()
      from generate_series(${from + 1}, ${from + GONE}) n`)
  const hooks: { path: string; id: string }[] = []
  for (const [path, ordering] of [
    ['gone', 'none'],
    ['gone-in-order', 'subscription'],
  ] as const) {
    const { id } = await tenant.subscribe(path, [RECEIVED], { ordering })
    await store(id, ordering === 'none' ? null : '*', GONE * hooks.length)
    hooks.push({ path, id })
  }
  // The actors have not read these rows yet, or have found none before they were there.
  await world.restart()
  await write(tenant, 1, '+15557200009')
  for (const { path, id } of hooks) {
    await eventually('the event that is there is delivered', () => world.sink.events(path).length === 1)
    const dead = await ended(tenant, id, 200, '&status=dead')
    t.ok(dead.every(({ last_error }) => last_error === 'event_expired'))
    const { body } = await tenant.api('GET', `webhooks/${id}`)
    t.match(body, { is_active: true, failure_count: 0 }, 'the receiver is not to blame')

    const redelivered = await tenant.api('POST', `webhooks/${id}/deliveries/${dead[0]!.id}/redeliver`)
    t.match(redelivered, { status: 409, body: { error: { code: 'EVENT_EXPIRED' } } })
    await made(tenant.api('POST', `webhooks/${id}/recover`, { since: dead.at(-1)!.created_at }))
    const recovered = await eventually('the recovery is over', async () => {
      const { recovery } = (await tenant.api('GET', `webhooks/${id}`)).body
      return recovery?.status === 'completed' && recovery
    })
    t.match(recovered, { total: 0, requeued: 0 })
  }
})
