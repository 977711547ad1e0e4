/**
 * Work on tickets, with a history of what was acknowledged: events recorded, tickets closed and moved between stages.
 */
import { type Answer, type Json, sleep } from '../e2e/client.ts'
import { made, type Outside, type Tenant } from '../e2e/fixture.ts'
import type { Request } from '../e2e/load.ts'

/** A recorded event. `at` is the time of its acknowledgement, in milliseconds since the epoch. */
export type Recorded = { id: string; key: string; data: Json; worker: number; ticket_id: string; at: number }
export type Moved = { ticket_id: string; stage_id: string; previous_stage_id: string; version: number; at: number }

export type CrmLoad = {
  recorded: Recorded[]
  /** Tickets closed, each by one request, with the time of the acknowledgement. */
  closed: Map<string, number>
  /** Moves, in the order of each ticket. */
  moved: Moved[]
  surprises: string[]
  requests: Request[]
  /** Stops the work. Resolves when everything begun was acknowledged. */
  stop(): Promise<void>
}

/** The subscription and the stages that the work of a tenant needs. */
export type CrmPlace = { path: string; stages: string[] }

const EVENTS = ['crm.event.recorded', 'crm.ticket.stage_changed']
const PEOPLE = 3
const PAUSE_MS = 40
/** A worker closes a ticket after so many events, so that others are opened. */
const CLOSED_AFTER = 4

const phoneOf = (person: number) => `1555802000${person}`

/** Prepares a tenant for any number of loads. */
export async function prepareCrm({ operator }: Outside, tenant: Tenant): Promise<CrmPlace> {
  const path = `${tenant.project_id}-crm`
  const [pipeline] = (await made(operator('GET', `pipelines?project_id=${tenant.project_id}`))).data
  await tenant.subscribe(path, EVENTS)
  for (let person = 0; person < PEOPLE; person++) await tenant.writes(`+${phoneOf(person)}`, 'before the storm')
  return { path, stages: pipeline.stages.map(({ _id }: Json) => _id) }
}

/**
 * Starts the work. With `closing`, each person has two workers, of whom one closes tickets. Otherwise each person has
 * one worker, who moves the ticket.
 */
export function runCrm(tenant: Tenant, { stages }: CrmPlace, name: string, closing: boolean): CrmLoad {
  const load: Omit<CrmLoad, 'stop'> = { recorded: [], closed: new Map(), moved: [], surprises: [], requests: [] }
  let going = true

  /** Repeats a request until it is acknowledged, as a careful client does. Returns undefined when the answer is no. */
  async function acknowledged(what: string, ask: () => Promise<Answer>): Promise<Json | undefined> {
    const request: Request = { what, begun: Date.now(), ended: 0, tries: 0 }
    load.requests.push(request)
    for (; ; await sleep(50)) {
      request.tries++
      const answer = await ask().catch(() => undefined)
      if (!answer) continue
      if (answer.status === 503) {
        if (!answer.headers['retry-after']) load.surprises.push('503 without Retry-After')
        continue
      }
      request.ended = Date.now()
      if (answer.status < 300) return answer.body
      load.surprises.push(`${what}: ${answer.status} ${answer.text}`)
      return undefined
    }
  }

  async function record(worker: number, n: number): Promise<string | undefined> {
    const key = `${name} ${worker} ${n}`
    const data = { worker, n }
    const event = { event_type: 'payment.link_sent', data, phone: phoneOf(worker % PEOPLE), idempotency_key: key }
    const body = await acknowledged(`event ${key}`, () => tenant.api('POST', 'crm/events', event))
    if (!body) return undefined
    const { _id: id, ticket_id } = body.event
    load.recorded.push({ id, key, data, worker, ticket_id, at: Date.now() })
    return ticket_id
  }

  async function recorder(worker: number): Promise<void> {
    for (let n = 0; going; n++) {
      const ticket_id = await record(worker, n)
      if (worker < PEOPLE && ticket_id && n % CLOSED_AFTER === CLOSED_AFTER - 1) {
        const close = () => tenant.api('PATCH', `crm/tickets/${ticket_id}`, { is_closed: true })
        if (await acknowledged(`close ${ticket_id}`, close)) load.closed.set(ticket_id, Date.now())
      }
      await sleep(PAUSE_MS)
    }
  }

  async function mover(worker: number): Promise<void> {
    const ticket_id = await record(worker, 0)
    for (let n = 0; going && ticket_id; n++) {
      const stage_id = stages[n % stages.length]!
      const headers = { 'idempotency-key': `${name} ${worker} move ${n}` }
      const move = () => tenant.api('POST', `crm/tickets/${ticket_id}/stage`, { stage_id }, { headers })
      const body = await acknowledged(`move ${ticket_id} ${n}`, move)
      const { previous_stage_id, ticket } = body ?? {}
      // The first move may find the ticket in its target stage.
      if (ticket && previous_stage_id !== stage_id) {
        load.moved.push({ ticket_id, stage_id, previous_stage_id, version: ticket.version, at: Date.now() })
      }
      await sleep(PAUSE_MS)
    }
  }

  const workers = Array.from({ length: closing ? 2 * PEOPLE : PEOPLE }, (_, worker) => worker)
  const work = workers.map(closing ? recorder : mover)
  return {
    ...load,
    async stop() {
      going = false
      await Promise.all(work)
    },
  }
}
