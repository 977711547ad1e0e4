/** Deliveries of a subscription that all failed, for a recovery to send again. */
import { eventually } from '../e2e/client.ts'
import type { Tenant } from '../e2e/fixture.ts'
import type { Sink } from '../e2e/sink.ts'

const AT_ONCE = 50

/** Makes a subscription whose receiver answers 400, and `count` failed deliveries. Resolves to its id. */
export async function failDeliveries({ sink }: { sink: Sink }, tenant: Tenant, count: number): Promise<string> {
  sink.answer('recovered', () => 400)
  const { id } = await tenant.subscribe('recovered', ['whatsapp.message.received'])
  for (let i = 0; i < count; i += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => tenant.writes(`+1555731${1000 + i + n}`, 'Hi')))
  }
  // There may be more calls: a busy machine may answer one too late, and the call is repeated.
  await eventually('all failed', () => sink.calls('recovered').length >= count)
  await allEnded(tenant, id)
  return id
}

export const allEnded = (tenant: Tenant, id: string) =>
  eventually('all ended', async () => (await tenant.deliveries(id, '&status=pending')).length === 0)
