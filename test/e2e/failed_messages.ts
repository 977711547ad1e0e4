/** Messages that failed, for tests that send them again. */
import type { Json } from './client.ts'
import { made, type Outside, type Tenant } from './fixture.ts'

export const ANA = '+15550195001'

/** Sends messages that the provider refuses; later ones pass. Returns their ids. */
export async function failedMessages(world: Outside, tenant: Tenant, fields: Json[]): Promise<string[]> {
  const { phone_number_id } = tenant.number
  // Within the reply window.
  await tenant.writes(ANA, 'Hi')
  await made(world.control('POST', 'faults', { match: { phone_number_id }, error: { code: 131009 } }))
  const ids: string[] = []
  for (const one of fields) ids.push((await made(tenant.send(ANA, one))).id)
  for (const id of ids) await tenant.message(id, 'failed')
  await world.control('DELETE', 'faults')
  return ids
}
