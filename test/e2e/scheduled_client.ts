/** Messages that agents send later, through the inbox. */
import { eventually, type Json } from './client.ts'
import { made, type Tenant, text } from './fixture.ts'
import { type InboxAgent, inMs } from './inbox_client.ts'

export const HOUR_MS = 3_600_000
export const person = (n: number) => `+155501970${String(n).padStart(2, '0')}`
/** The column with the time at which a message is due, for `turnClock`. */
export const ROW: [string, string] = ['scheduled_message', 'send_at']

export const of = (ticket_id: string) => `inbox/tickets/${ticket_id}/scheduled_messages`
export const schedule = (agent: InboxAgent, ticket_id: string, fields: Json = {}) =>
  agent.ask('POST', of(ticket_id), { message: text('Did it arrive?'), send_at: inMs(HOUR_MS), ...fields })
export const open = async (agent: InboxAgent, ticket_id: string): Promise<Json[]> =>
  (await made(agent.ask('GET', of(ticket_id)))).data

/** Resolves to the record once it has the status. */
export const becomes = (agent: InboxAgent, { id }: Json, status: string): Promise<Json> =>
  eventually(`${id} is ${status}`, async () => {
    const path = `inbox/scheduled_messages?status=${status}`
    const answer = await agent.ask('GET', path).catch(() => undefined)
    return answer?.status === 200 && answer.body.data.find((one: Json) => one.id === id)
  })

/** Resolves to the texts of the project's outbound messages. */
export const bodies = async (tenant: Tenant): Promise<string[]> =>
  (await made(tenant.api('GET', 'messages?limit=200'))).data
    .filter(({ direction }: Json) => direction === 'outbound')
    .map(({ message }: Json) => message.body)
