/** Histories of people who write to an assistant, and of people of the business who take over, with what has to hold of each. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../storage/mod.ts'
import { newPerson } from './assistant_desk.ts'
import { eventually, type Json } from './client.ts'
import type { Outside, Tenant } from './fixture.ts'
import { callAsProvider } from './provider_call.ts'

/** Milliseconds between the messages of a burst. `takes_over_ms`: after the first message; null for nobody. */
export type Burst = { gaps_ms: number[]; takes_over_ms: number | null }

export type History = { phone: string; marks: string[] }

let marks = 0

/** Writes the burst, as a provider that repeats its calls until they are taken, and takes over meanwhile. */
export async function playHistory(world: Outside, tenant: Tenant, { gaps_ms, takes_over_ms }: Burst): Promise<History> {
  const history: History = { phone: newPerson(), marks: [] }
  const begun = Date.now()
  const taking = takes_over_ms === null ? undefined : takeOver(tenant, history.phone, begun + takes_over_ms)
  for (const gap_ms of [0, ...gaps_ms]) {
    await sleep(gap_ms)
    const mark = `#${++marks}`
    history.marks.push(mark)
    const body = `Tell me about my order, please ${mark}`
    const messages = [
      { id: `wamid.history.${process.pid}.${marks}`, from: history.phone, type: 'text', text: { body } },
    ]
    await eventually('the call is taken', async () => {
      const answer = await callAsProvider(world, tenant.number, { messages, contacts: [] }).catch(() => undefined)
      return answer?.status === 200
    })
  }
  await taking
  return history
}

async function takeOver(tenant: Tenant, phone: string, at: number): Promise<void> {
  await sleep(Math.max(0, at - Date.now()))
  await eventually('the ticket is taken over', async () => {
    const contacts = await tenant.api('GET', `contacts?phone=%2B${phone}`).catch(() => undefined)
    const contact = contacts?.body?.data?.[0]
    const tickets = contact && (await tenant.api('GET', `crm/tickets?chat_user=${contact._id}`).catch(() => undefined))
    const ticket = tickets?.body?.data?.[0]
    const fields = { user_id: tenant.user_id }
    const taken =
      ticket && (await tenant.api('POST', `crm/tickets/${ticket._id}/take-over`, fields).catch(() => undefined))
    return taken?.status === 200
  })
}

type Row = { id: string; direction: string; created_at: string; body: string; is_assistants: boolean }

/** The faults of a history that has come to rest; empty when it has none. */
export async function findingsOf(
  database: Database,
  { project_id }: Tenant,
  { phone, marks }: History,
): Promise<string[]> {
  const rows = await database.execute<Row>(`
    select m.id, m.direction, m.created_at::text, m.message->>'body' as body, m.assistant_id is not null as is_assistants
    from message m join contact c on c._id = m.chat_user
    where m.project_id = '${project_id}' and c.phone = '+${phone}' order by m.created_at, m.id`)
  const [ticket] = await database.execute<{ handled_by: string | null; taken_at: string | null }>(`
    select t.handled_by, (select min(e.created_at)::text from crm_event e where e.ticket_id = t._id
      and e.event_type = 'ticket.handled_by_changed' and e.data->>'handled_by' = 'person') as taken_at
    from ticket t join contact c on c._id = t.chat_user where t.project_id = '${project_id}' and c.phone = '+${phone}'`)
  const found: string[] = []
  const said: string[] = []
  let answered = 0
  let is_answered = true
  for (const { direction, created_at, body, is_assistants } of rows) {
    if (direction === 'inbound') {
      said.push(/#\d+/.exec(body)![0])
      is_answered = false
      continue
    }
    if (!is_assistants) continue
    if (ticket?.taken_at && created_at > ticket.taken_at) found.push(`an answer left after a person took over: ${body}`)
    if (!body.startsWith('I have read')) continue
    if (is_answered) found.push(`a second answer to the same messages: ${body}`)
    const seen = [...body.matchAll(/#\d+/g)].map(([mark]) => mark)
    const missing = said.filter((mark) => !seen.includes(mark))
    if (missing.length > 0) found.push(`an answer is older than ${missing.join(' ')}`)
    answered++
    is_answered = true
  }
  if (said.length !== marks.length) found.push(`${said.length} of ${marks.length} messages are stored`)
  if (!is_answered && ticket?.handled_by !== 'person') found.push('the last message has no answer, and no person')
  if (answered === 0 && ticket?.handled_by !== 'person') found.push('no answer at all')
  return found.map((one) => `${phone}: ${one}`)
}

/** Resolves when no conversation has a turn to come. */
export function rested(database: Database, { project_id }: Tenant): Promise<boolean> {
  return eventually('all conversations are at rest', async () => {
    const [row] = await database.execute<Json>(`
      select count(*)::int as count from actor_state where address like 'conversation/%'
        and state->'known'->>'project_id' = '${project_id}' and state->>'phase' not in ('idle', 'with_a_person')`)
    const [told] = await database.execute<Json>(`select count(*)::int as count from outbox`)
    return row!.count === 0 && told!.count === 0
  })
}
