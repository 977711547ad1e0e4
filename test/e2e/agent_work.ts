/**
 * Work that agents leave to a project: messages for later, snoozed tickets, retries, a bulk action, drafts, and the erasure of a
 * person. All is asked for until the project has answered; at the end each thing must have been done once.
 */
import { randomUUID } from 'node:crypto'
import type { Database } from '../../storage/mod.ts'
import { between, type Chance } from '../faults/chance.ts'
import { actionWhen, askerOf, countOf, isOver, storeTickets, wrongCounts } from './bulk_client.ts'
import { type Answer, eventually, type Json, patiently, sleep } from './client.ts'
import { made, type Outside, type Tenant, text } from './fixture.ts'
import { inboxAgent, inMs, ticketOf } from './inbox_client.ts'
import { rowsWith } from './traces.ts'

const PEOPLE = 8
const BULK = 400
const DRAFTS = 12
/** A busy machine takes long for the pauses of an erasure. */
const PATIENCE_MS = 120_000
/** The person who is erased. */
const ZORA = '+15554442999'

export type AgentWork = {
  /** Begins what was prepared. Resolves when all has an answer. */
  begin(): Promise<void>
  /** Differences from the wishes of the agents, once all is over. */
  findings(): Promise<string[]>
}

/** Asks until there is an answer of the project. */
const insist = (ask: () => Promise<Answer>) =>
  patiently(() => ask().catch(() => ({ status: 503, headers: {}, text: '', body: undefined })))

/** Asks for a moment a few seconds ahead, again where that was too soon. */
async function ahead(ask: (at: string) => Promise<Answer>): Promise<Json> {
  for (let ms = 3000; ; ms += 1000) {
    const at = inMs(ms)
    const { status, body, text } = await insist(() => ask(at))
    if (status < 300) return body
    if (!text.includes('must be in the future')) throw new Error(`refused with ${status}: ${text}`)
  }
}

/** Lets people write whose messages to them fail, and asks for what is done in a few seconds. */
export async function prepareAgentWork(
  world: Outside,
  database: Database,
  tenant: Tenant,
  random: Chance,
): Promise<AgentWork> {
  const { project_id } = tenant
  const agent = await inboxAgent(world, tenant)
  const ask = askerOf(world.http, world.base_url, agent.cookie, tenant)
  const phones = [...Array.from({ length: PEOPLE }, (_, n) => `+1555444${1000 + n}`), ZORA]
  const tickets: string[] = []
  for (const phone of phones) tickets.push(await ticketOf(tenant, agent, phone))
  const failed = await failedMessages(world, tenant, phones)
  const [contact] = await database.execute<Json>(
    `select _id from contact where phone = '${ZORA}' and project_id = '${project_id}'`,
  )
  await storeTickets(database, tenant, BULK)
  const schedule = (n: number, body: string) =>
    ahead((send_at) => {
      const json = { message: text(`${body} ${n}`), send_at }
      return ask('POST', `inbox/tickets/${tickets[n]}/scheduled_messages`, json, {
        'idempotency-key': `${body} ${n} ${send_at}`,
      })
    })
  const numbers = tickets.map((_, n) => n)
  const scheduled = await Promise.all(numbers.map((n) => schedule(n, 'later')))
  const doubtful = await Promise.all(numbers.map((n) => schedule(n, 'perhaps')))
  await Promise.all(tickets.map((id) => ahead((until) => ask('POST', `inbox/tickets/${id}/snooze`, { until }))))
  const people = numbers.slice(0, PEOPLE)
  const results = { bulk: {} as Json, is_cancelled: [] as boolean[], drafts: [] as number[], erasure: '' }

  async function bulk(): Promise<void> {
    const json = { filter: { is_closed: false }, action: { type: 'prioritize', priority: 'urgent' } }
    const key = { 'idempotency-key': randomUUID() }
    results.bulk = await eventually('the bulk action begins', async () => {
      const { status, body } = await insist(() => ask('POST', 'bulk_actions', json, key))
      return status === 202 && body
    })
  }

  async function cancel(n: number): Promise<void> {
    await sleep(between(random, 0, 5000))
    const { status } = await insist(() => ask('DELETE', `inbox/scheduled_messages/${doubtful[n].id}`))
    results.is_cancelled[n] = status === 200
  }

  async function draft(n: number): Promise<void> {
    results.drafts[n] = 0
    for (let version = 1; version <= DRAFTS; version++) {
      const save = { version, content: `draft ${version}` }
      const { status, body } = await insist(() => ask('PUT', `inbox/tickets/${tickets[n]}/drafts/reply`, save))
      if (status === 200 && body.is_saved) results.drafts[n] = version
      await sleep(50)
    }
  }

  async function erase(): Promise<void> {
    await sleep(between(random, 0, 1500))
    const json = { kind: 'contact', id: contact._id, confirm: true }
    const { body } = await insist(() => world.operator('POST', 'erasures', json))
    results.erasure = body._id
  }

  return {
    async begin() {
      const retries = failed.map((id) =>
        sleep(between(random, 0, 2000)).then(() => insist(() => ask('POST', `messages/${id}/retry`))),
      )
      await Promise.all([...retries, ...numbers.map(draft), ...people.map(cancel), bulk(), erase()])
    },
    async findings() {
      const found: string[] = []
      const differ = (what: string, is: unknown, wanted: unknown) => {
        if (JSON.stringify(is) !== JSON.stringify(wanted))
          found.push(`${what}: ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`)
      }
      await erasedWhen(world, results.erasure)
      const record = await actionWhen(ask, results.bulk.id, 'is over', isOver)
      differ('bulk action', record.status, 'completed')
      const urgent = await countOf(database, `ticket where project_id = '${project_id}' and priority = 'urgent'`)
      // The ticket of the erased person may have been among them.
      const changes = record.changed_count === urgent + 1 ? urgent + 1 : urgent
      found.push(...(await wrongCounts(database, record, changes)))
      const open = `scheduled_message where project_id = '${project_id}' and status = 'scheduled'`
      await eventually('nothing is to come', async () => (await countOf(database, open)) === 0)
      const snoozed = `inbox_entry where project_id = '${project_id}' and snoozed_at is not null`
      await eventually('every ticket is back', async () => (await countOf(database, snoozed)) === 0)
      const expected = people.flatMap((n) => [
        `again ${n}`,
        `later ${n}`,
        ...(results.is_cancelled[n] ? [] : [`perhaps ${n}`]),
      ])
      const hers = ({ body }: Json) => body.to === ZORA.slice(1)
      const sent = await eventually('the provider has all', async () => {
        const all: Json[] = await tenant.sent()
        const theirs = all.filter((one) => !hers(one))
        return theirs.length >= expected.length && all
      })
      differ(
        'the provider has',
        sent
          .filter((one) => !hers(one))
          .map(({ body }) => body.text.body)
          .toSorted(),
        expected.toSorted(),
      )
      await eventually('all are read', async () => {
        const waiting = `message where project_id = '${project_id}' and direction = 'outbound' and status not in ('read', 'failed')`
        return (await countOf(database, waiting)) === 0
      })
      const back = await database.execute<Json>(
        `select count(*)::int as count from crm_event where project_id = '${project_id}' and event_type = 'ticket.unsnoozed'
          group by ticket_id`,
      )
      differ(
        'tickets came back',
        back.map(({ count }) => count),
        people.map(() => 1),
      )
      const again = await database.execute<Json>(
        `select retry_of as id from message where project_id = '${project_id}' and retry_of is not null order by 1`,
      )
      differ(
        'sent again',
        again.map(({ id }) => id),
        failed.slice(0, PEOPLE).toSorted(),
      )
      for (const n of people) {
        const { body } = await insist(() => ask('GET', `inbox/tickets/${tickets[n]}/drafts/reply`))
        differ(`draft ${n}`, [body.version, body.content], [results.drafts[n], `draft ${results.drafts[n]}`])
      }
      differ('dead letters', await countOf(database, 'dead_letter'), 0)
      const names = [ZORA.slice(1), contact._id, tickets[PEOPLE]!, scheduled[PEOPLE].id, failed[PEOPLE]!]
      const left = (await rowsWith(database, names)).filter((row) => !/^(data_erasure|audit_entry):/.test(row))
      differ('left of the erased person', left, [])
      return found
    },
  }
}

async function failedMessages(world: Outside, tenant: Tenant, phones: string[]): Promise<string[]> {
  const match = { phone_number_id: tenant.number.phone_number_id }
  await made(world.control('POST', 'faults', { match, error: { code: 131009 } }))
  const failed: string[] = []
  for (const [n, phone] of phones.entries()) {
    failed.push((await made(tenant.send(phone, { message: text(`again ${n}`) }))).id)
  }
  for (const id of failed) await tenant.message(id, 'failed')
  await world.control('DELETE', 'faults')
  return failed
}

async function erasedWhen(world: Outside, id: string): Promise<void> {
  let last: Json
  await eventually(
    'the erasure has ended',
    async () => {
      last = (await insist(() => world.operator('GET', `erasures/${id}`))).body
      return last.status === 'done'
    },
    PATIENCE_MS,
  ).catch(() => {
    throw new Error(`it did not end: ${JSON.stringify(last)}`)
  })
}
