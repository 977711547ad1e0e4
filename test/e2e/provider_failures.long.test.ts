import t from 'tap'
import { eventually } from './client.ts'
import { joinWorld, makeTenant, startWorld, type Tenant, type World } from './fixture.ts'

const patient = await joinWorld(t)
/** For a message that is never accepted: however early it is in doubt, nothing is sent twice. Its waits are short. */
const impatient = await startWorld(t, { waits: { confirm_ms: 700, send_ms: 500 } })

const EVENTS = ['sent', 'delivered', 'read', 'failed'].map((status) => `whatsapp.message.${status}`)

type Row = {
  to: string
  what: string
  status: string
  error?: string
  /** The number of times the provider has the message. Default 1. */
  sent?: number
  /** The statuses that events tell. Default: sent, delivered, read. */
  events?: string[]
  /** Default: the patient one. */
  world?: World
}

/** The recipients of docs/simulator.md. */
const rows: Row[] = [
  { to: '+15550131026', what: 'a failure told later', status: 'failed', error: '131026', events: ['failed', 'sent'] },
  { to: '+15550180016', what: 'a failure after sent', status: 'failed', error: '131026', events: ['failed', 'sent'] },
  { to: '+15550131009', what: 'a refusal', status: 'failed', error: '131009', sent: 0, events: ['failed'] },
  { to: '+15550131000', what: 'two transient errors', status: 'read' },
  { to: '+15550130429', what: 'a rate limit with Retry-After', status: 'read' },
  { to: '+15550131056', what: 'a limit for this recipient', status: 'read' },
  { to: '+15550180001', what: 'a reset before it is accepted', status: 'read' },
  { to: '+15550180002', what: 'a reset after it was accepted', status: 'read' },
  {
    to: '+15550180003',
    what: 'never an answer, never accepted',
    status: 'failed',
    error: 'timeout',
    sent: 0,
    events: ['failed'],
    world: impatient,
  },
  { to: '+15550180004', what: 'never an answer, but accepted', status: 'read' },
  { to: '+15550180005', what: 'two answers of something in between', status: 'read' },
  { to: '+15550180007', what: 'statuses before the answer', status: 'read' },
  { to: '+15550180010', what: 'no status at all', status: 'sent', events: ['sent'] },
  { to: '+15550180011', what: 'every status twice', status: 'read' },
  { to: '+15550180012', what: 'statuses in reverse', status: 'read' },
  { to: '+15550180013', what: 'delivered left out', status: 'read' },
  { to: '+15550180015', what: 'nobody who reads it', status: 'delivered', events: ['delivered', 'sent'] },
]

/** Returns the statuses of one message, oldest first, as the events told them. */
function told({ sink }: World, path: string, id: string): string[] {
  const events = sink.events(path).filter(({ data }) => data.message_id === id)
  return events.map(({ type }) => type.split('.')[2])
}

t.test('each failure of the provider gives the message the right end', async (t) => {
  await Promise.all(
    rows.map(async ({ to, what, status, error, sent = 1, events, world = patient }, index) => {
      const tenant = await makeTenant(world)
      const path = `told-${index}`
      await tenant.subscribe(path, EVENTS)
      await tenant.writes(to, 'Hi')
      const { body } = await tenant.send(to)
      const message = await tenant.message(body.id, status)
      if (status !== 'queued') {
        // Late callbacks and settled doubts after the last word of the provider must change nothing.
        await eventually('the provider is quiet', () => quiet(world, tenant, body.id))
      }
      if (!events) await eventually('the last event has arrived', () => told(world, path, body.id).at(-1) === 'read')
      const after = (await tenant.api('GET', `messages/${body.id}`)).body
      t.test(`${to}: ${what}`, async (t) => {
        t.equal(after.status, status, 'the status stays')
        t.equal(message.error?.code, error, 'the error')
        t.equal(
          (await tenant.sent(`&opaque_data=${body.id}`)).length,
          sent,
          'the provider has the message the expected number of times',
        )
        const seen = told(world, path, body.id)
        t.same(seen, [...new Set(seen)], 'each event once')
        const ranks = seen.map((one) => EVENTS.indexOf(`whatsapp.message.${one}`))
        t.same(ranks, ranks.toSorted(), 'the status never goes back')
        if (events) for (const one of seen) t.ok(events.includes(one), one)
        else t.equal(seen.at(-1), 'read')
      })
    }),
  )
})

/** Returns true when nothing waits for this message and no callback is on its way. */
async function quiet(world: World, tenant: Tenant, id: string): Promise<boolean> {
  const { body } = await world.control('GET', '')
  await tenant.api('GET', `messages/${id}`)
  return body.webhooks_pending === 0 && body.callbacks_scheduled === 0
}
