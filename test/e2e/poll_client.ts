/** The requests of a tenant for its polled subscriptions. */
import { eventually, type Json } from './client.ts'
import { made, type Tenant, type World } from './fixture.ts'

export type Query = { cursor?: string; since?: string; limit?: number; wait?: number }

export function pollsOf(world: World, tenant: Tenant) {
  const poll = (id: string, query: Query = {}, token = tenant.token) => {
    const text = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    )
    return tenant.api('GET', `webhooks/${id}/poll?${text}`, undefined, { token })
  }
  return {
    poll,
    page: (id: string, query?: Query): Promise<Json> => made(poll(id, query)),
    polled: (events: string[], fields: object = {}, of: Tenant = tenant): Promise<Json> =>
      made(of.api('POST', 'webhooks', { name: 'Polled', mode: 'poll', events, ...fields })),
    write: (...bodies: string[]) =>
      bodies.reduce((before, body) => before.then(() => tenant.writes('+15557500001', body)), Promise.resolve({})),
    waitingPolls: (count: number) =>
      eventually(`${count} waiting polls`, async () => {
        const { text } = await world.http('GET', world.metrics_url())
        return text.includes(`parley_http_limiter_inside{limiter="waits"} ${count}\n`)
      }),
    arrived: (id: string, count: number) =>
      eventually(`${count} deliveries`, async () => (await tenant.deliveries(id)).length === count),
  }
}
