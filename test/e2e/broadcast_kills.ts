/** A bulk send during which nodes die again and again, and the rules that hold throughout and at the end. */

import { type Database, literal } from '../../storage/mod.ts'
import { between, type Chance } from '../faults/chance.ts'
import { countsOf, ORDER, people, sumOf } from './broadcast_client.ts'
import { eventually, type Json, sleep } from './client.ts'
import type { Tenant } from './fixture.ts'

export type Ordeal = {
  tenant: Tenant
  /** A connection that outlives the nodes. */
  database: Database
  recipients: number
  kills: number
  random: Chance
  /** Kills a node and brings the service back. */
  kill(): Promise<void>
  /** Sets the speed of the channel; null lets it send as fast as it can. Rejects while the service is away. */
  pace(messages_per_second: number | null): Promise<unknown>
  log(line: string): void
}

/** One of so many recipients lacks a variable. It fails, whatever dies. */
const FAULTY = 50
/** Seconds from one kill to the next, until the test has measured them. */
const CYCLE_S = 5
const LIFE_MS = [0, 2500] as const
/** Milliseconds, less than a test may take, so that a failed test reports what is missing. */
const PATIENCE_MS = 240_000

/**
 * Sends, kills and waits. Returns no finding when everybody got the message once, nobody was left out, and the counts
 * were right at every moment.
 */
export async function underKills(ordeal: Ordeal): Promise<string[]> {
  const { tenant, database, recipients: total, kills, random, kill, pace, log } = ordeal
  const findings = new Set<string>()
  const recipients = people(total).map((one, n) => (n % FAULTY === 0 ? { phone: one.phone } : one))
  /** The speed keeps the send under way until the last kill. */
  const setPace = (per_second: number | null) =>
    eventually('the pace is set', () =>
      pace(per_second).then(
        () => true,
        () => false,
      ),
    )
  await setPace(Math.ceil(total / (kills * CYCLE_S)))
  const id = await submit(tenant, recipients)
  let going = true
  const watching = watch(database, id, () => going, findings)
  let under_way = 0
  const began = Date.now()
  for (let n = 1; n <= kills; n++) {
    await sleep(between(random, ...LIFE_MS))
    const [row] = await database.execute<Json>(`select * from broadcast where id = ${literal(id)}`)
    if (row.pending_count > 0) under_way++
    log(`kill ${n} of ${kills}: ${countsOf(row).join(' ')} of ${total}`)
    await kill()
    const left_s = ((Date.now() - began) / 1000 / n) * (kills - n + 1)
    await setPace(Math.max(1, Math.ceil(row.pending_count / left_s)))
  }
  if (under_way < kills * 0.6) findings.add(`only ${under_way} of ${kills} kills came while it was under way`)
  await setPace(null)
  const faulty = Math.ceil(total / FAULTY)
  const settled = await eventually(
    'everybody has read it',
    async () => {
      const { body } = await tenant.api('GET', `messages/bulk/${id}`).catch(() => ({ body: undefined }))
      return body?.read_count === total - faulty && body
    },
    PATIENCE_MS,
  ).catch((error) => void findings.add(String(error)))
  going = false
  await watching
  if (settled && settled.failed_count !== faulty) findings.add(`${settled.failed_count} failed, not ${faulty}`)
  if (settled && settled.status !== 'completed') findings.add(`it is ${settled.status}`)
  if (!settled) findings.add(await leftBehind(database, id))
  for (const one of await inDatabase(database, id, total)) findings.add(one)
  for (const one of await atProvider(tenant, recipients)) findings.add(one)
  return [...findings]
}

/** Repeats the request under one key until the service takes it, as a careful client does. */
async function submit(tenant: Tenant, recipients: object[]): Promise<string> {
  const headers = { 'idempotency-key': 'the broadcast' }
  return eventually('it is taken', async () => {
    const answer = await tenant
      .api('POST', 'messages/bulk', { ...ORDER, recipients }, { headers })
      .catch(() => undefined)
    return answer?.status === 202 && answer.body.broadcast_id
  })
}

/** Checks that the counts add up and match the rows, at every moment. */
async function watch(database: Database, id: string, going: () => boolean, findings: Set<string>): Promise<void> {
  for (; going(); await sleep(50)) {
    const [row] = await database.execute<Json>(`select b.*, r.rows from broadcast b cross join lateral (
      select coalesce(json_object_agg(status, number), '{}') as rows from (
        select status, count(*) as number from broadcast_recipient where broadcast_id = b.id group by status) s) r
      where b.id = ${literal(id)}`)
    if (sumOf(row) !== row.total) findings.add(`counts of ${countsOf(row)} do not add up to ${row.total}`)
    const { pending = 0, sent = 0, delivered = 0, read = 0, failed = 0 } = row.rows
    const rows = [pending + row.total - row.taken_up, sent, delivered, read, failed]
    if (rows.join() !== countsOf(row).join()) findings.add(`counts are ${countsOf(row)}, the rows say ${rows}`)
  }
}

/** Describes the messages that nobody has read, and what is to become of each, to help find the reason. */
async function leftBehind(database: Database, id: string): Promise<string> {
  const rows = await database.execute<Json>(`select m.id, m.status, m.provider_message_id, row_to_json(d) as dispatch
    from message m left join dispatch d on d.message_id = m.id
    where m.broadcast_id = ${literal(id)} and m.status not in ('read', 'failed') limit 5`)
  return `left behind: ${JSON.stringify(rows)}`
}

async function inDatabase(database: Database, id: string, total: number): Promise<string[]> {
  const look = async () => {
    const [row] = await database.execute<Json>(`select
      (select count(*)::int from broadcast_recipient where broadcast_id = ${literal(id)}) as recipients,
      (select count(*)::int from broadcast_slice where broadcast_id = ${literal(id)}) as slices,
      (select count(*)::int from dispatch) as dispatches,
      (select count(*)::int from dead_letter) as dead_letters,
      (select count(*)::int from broadcast_recipient r left join message m on m.id = r.message_id
        where r.broadcast_id = ${literal(id)} and case when r.message_id is null then r.status <> 'failed'
          else (m.status, m.broadcast_id, m.broadcast_index) is distinct from (r.status, r.broadcast_id, r.index) end) as different,
      (select count(*)::int from message where broadcast_id = ${literal(id)}
        and id not in (select message_id from broadcast_recipient where broadcast_id = ${literal(id)}
          and message_id is not null)) as strays`)
    return row
  }
  const expected = { recipients: total, slices: 0, dispatches: 0, dead_letters: 0, different: 0, strays: 0 }
  const is_right = (row: Json) => JSON.stringify(row) === JSON.stringify(expected)
  const found = await eventually('the tables are at rest', async () => is_right(await look())).catch(() => false)
  return found ? [] : [`the tables hold ${JSON.stringify(await look())}`]
}

async function atProvider(tenant: Tenant, recipients: { phone: string; variables?: object }[]): Promise<string[]> {
  const times = new Map<string, number>()
  for (const { recipient } of await tenant.sent()) times.set(`+${recipient}`, (times.get(`+${recipient}`) ?? 0) + 1)
  return recipients.flatMap(({ phone, variables }) => {
    const count = times.get(phone) ?? 0
    const wanted = variables ? 1 : 0
    return count === wanted ? [] : [`${phone} got it ${count} times, not ${wanted}`]
  })
}
