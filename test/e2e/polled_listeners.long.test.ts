/**
 * An event costs one delivery however many subscriptions are polled for it. With `POLLED_FIGURES=1` the load lasts for 20
 * seconds, and the figures of docs/benchmarks.md are printed.
 */
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import type { Answer } from './client.ts'
import { made, makeTenant, startWorld, type Tenant } from './fixture.ts'

const SUBSCRIPTIONS = 1000
const EVENTS_PER_SECOND = 100
const OTHERS_PER_SECOND = 20
const IS_MEASURED = Boolean(process.env.POLLED_FIGURES)
const SECONDS = IS_MEASURED ? 20 : 3
const LIMITS = { minute: 1_000_000, hour: 1_000_000, day: 1_000_000, ingest_minute: 1_000_000 }

// Counts the rows of all tenants.
const world = await startWorld(t)
const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
t.teardown(() => database.close())

/** Makes requests at a rate, whatever their answers are. Returns the answers and their times in milliseconds, sorted. */
async function load(rate: number, ask: (n: number) => Promise<Answer>) {
  const answers: Promise<{ status: number; ms: number }>[] = []
  const begin = performance.now()
  for (let n = 0; n < rate * SECONDS; n++) {
    const due = begin + (n * 1000) / rate
    if (due > performance.now()) await pause(due - performance.now())
    answers.push(ask(n).then(({ status }) => ({ status, ms: performance.now() - due })))
  }
  const all = await Promise.all(answers)
  return { statuses: new Set(all.map(({ status }) => status)), ms: all.map(({ ms }) => ms).sort((a, b) => a - b) }
}

/** Rows of events and deliveries of a project. */
async function rowsOf({ project_id }: Tenant): Promise<number> {
  const [row] = await database.execute<{ rows: number }>(
    `
    select ((select count(*) from crm_event where project_id = ?) + (select count(*) from event where project_id = ?)
      + (select count(*) from delivery where project_id = ?) + (select count(*) from poll_group where project_id = ?))::int as rows`,
    [project_id, project_id, project_id, project_id],
  )
  return row!.rows
}

t.test('an event with a thousand polled subscriptions is three rows', async (t) => {
  const [tenant, other] = [await makeTenant(world, LIMITS), await makeTenant(world, LIMITS)]
  const event_type = 'payment.link_sent'
  const person = { channel_type: 'telegram', user_id: 'ana', name: 'Ana' }
  const { _id: chat_user_id } = await made(tenant.api('POST', 'contacts', person))
  const record = () => tenant.api('POST', 'crm/events', { event_type, chat_user_id, data: { amount: 12.5 } })
  await made(record())
  const webhook = { name: 'Polled', mode: 'poll', events: ['crm.event.recorded'] }
  for (let n = 0; n < SUBSCRIPTIONS; n += 20) {
    await Promise.all(Array.from({ length: 20 }, () => made(tenant.api('POST', 'webhooks', webhook))))
  }
  const before = await rowsOf(tenant)
  const [events, others] = await Promise.all([
    load(EVENTS_PER_SECOND, record),
    load(OTHERS_PER_SECOND, (n) => other.send(`+1555${2_000_000 + (n % 500)}`)),
  ])
  t.strictSame([[...events.statuses], [...others.statuses]], [[201], [202]])
  const rows = (await rowsOf(tenant)) - before
  t.equal(rows, 3 * events.ms.length + 1, 'the event, what receivers get of it, one delivery; and once the group')
  if (!IS_MEASURED) return
  const at = ({ ms }: { ms: number[] }, share: number) => `${ms[Math.floor(ms.length * share)]!.toFixed(0)} ms`
  const times = (one: { ms: number[] }) => `p50 ${at(one, 0.5)}, p99 ${at(one, 0.99)}`
  const rss = (process.memoryUsage.rss() / 2 ** 20).toFixed(0)
  console.error(`events: ${times(events)}; the other tenant: ${times(others)}; ${rss} MiB with the load`)
})
