/** People who write where an assistant may answer. */
import type { Json } from './client.ts'
import { made, type Outside, type Tenant } from './fixture.ts'

let people = 0

/** A person whom nobody else writes as. */
export const someone = () => `+1555016${String(++people).padStart(4, '0')}`

export async function deployed(tenant: Tenant, deployments: Json[], name = 'Ana'): Promise<string> {
  const { _id } = (await made(tenant.api('POST', 'assistants', { name }))).assistant
  await made(tenant.api('PUT', `assistants/${_id}/deployments`, { deployments }))
  return _id
}

/** The person writes. Resolves to the ticket, which an assistant got in the turn that stored the message, or did not get. */
export async function written(tenant: Tenant, phone: string): Promise<{ id: string; is_given: boolean }> {
  await tenant.writes(phone, 'Where is my order?')
  const { data } = await made(tenant.api('GET', `contacts?phone=${encodeURIComponent(phone)}`))
  const [ticket] = (await made(tenant.api('GET', `crm/tickets?chat_user=${data[0]._id}`))).data
  const timeline: Json = await made(tenant.api('GET', `crm/tickets/${ticket._id}/timeline?kind=event&limit=200`))
  const is_given = timeline.data.some(
    ({ event_type, data }: Json) => event_type === 'ticket.handled_by_changed' && data.handled_by === 'assistant',
  )
  return { id: ticket._id, is_given }
}

/** Office hours that are over all week, or never. */
export function openHours(world: Outside, { project_id }: Tenant, is_open: boolean): Promise<Json> {
  const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
  const weekly = Object.fromEntries(days.map((day) => [day, is_open ? [{ from: '00:00', to: '24:00' }] : []]))
  const office_hours = { timezone: 'UTC', weekly, closed_on: [] }
  return made(world.operator('PATCH', `projects/${project_id}`, { office_hours }))
}
