/**
 * Sends, inbound messages and webhooks all at once, with a history of what was acknowledged for the comparison with the
 * results.
 */
import type { Test } from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { type Answer, sleep } from './client.ts'
import { type Outside, type Tenant, text } from './fixture.ts'
import { HistoryChecker } from './history_checker.ts'

const EVENTS = ['sent', 'delivered', 'read', 'failed', 'received'].map((name) => `whatsapp.message.${name}`)

export type Send = { id: string; to: string; body: string }

/** One wish, however often it was asked for. Times in milliseconds since the epoch. */
export type Request = {
  what: string
  begun: number
  /** The time of the acknowledgement; 0 until then. */
  ended: number
  tries: number
}

export type Load = {
  /** Acknowledged sends, in order for each recipient. */
  sends: Send[]
  /** Provider ids of inbound messages. The provider repeats each until it is acknowledged. */
  inbound: string[]
  /** Answers that are neither a yes nor an honest "not now". */
  surprises: string[]
  requests: Request[]
  /** Stops the load. Resolves when everything begun was acknowledged. */
  stop(): Promise<void>
}

export type LoadOptions = {
  /** The name that tells this load from other loads of the same tenant. */
  name?: string
  /** The number of recipients. Each gets one message after the other. Default 6. */
  recipients?: number
  /** The number of writers. Each writes one message after the other. Default 2. */
  writers?: number
  /** Milliseconds between two messages to, or of, the same person. Default 120. */
  pause_ms?: number
}

/** The paths of a tenant's two subscriptions: one gets every event, one gets a part. */
export const loadPaths = ({ project_id }: Tenant) => [`${project_id}-all`, `${project_id}-some`] as const

const recipient = (n: number) => `+1555800000${n}`
const MAX_RECIPIENTS = 6

/** Prepares a tenant for any number of loads. Resolves to the ids of its subscriptions. */
export async function prepareLoad(tenant: Tenant): Promise<string[]> {
  const [all, some] = loadPaths(tenant)
  const { id: first } = await tenant.subscribe(all, EVENTS)
  const { id: second } = await tenant.subscribe(some, EVENTS.slice(2))
  for (let n = 0; n < MAX_RECIPIENTS; n++) await tenant.writes(recipient(n), 'before the storm')
  return [first, second]
}

export async function startLoad(tenant: Tenant): Promise<Load> {
  await prepareLoad(tenant)
  return runLoad(tenant)
}

/** Runs a load for a prepared tenant. */
export function runLoad(tenant: Tenant, options: LoadOptions = {}): Load {
  const { name = 'load', recipients = MAX_RECIPIENTS, writers = 2, pause_ms = 120 } = options
  const load: Omit<Load, 'stop'> = { sends: [], inbound: [], surprises: [], requests: [] }
  let going = true

  function begin(what: string): Request {
    const request = { what, begun: Date.now(), ended: 0, tries: 0 }
    load.requests.push(request)
    return request
  }

  /** Repeats a request under one idempotency key until it is acknowledged, as a careful client does. */
  async function send(to: string, body: string): Promise<void> {
    const headers = { 'idempotency-key': `${to} ${body}` }
    const request = begin(`${body}`)
    for (; ; await sleep(50)) {
      request.tries++
      const answer: Answer | undefined = await tenant
        .send(to, { message: text(body) }, { headers })
        .catch(() => undefined)
      if (answer?.status === 202) {
        request.ended = Date.now()
        return void load.sends.push({ id: answer.body.id, to, body })
      }
      if (answer && answer.status !== 503) load.surprises.push(`send: ${answer.status} ${answer.text}`)
      if (answer?.status === 503 && !answer.headers['retry-after']) load.surprises.push('503 without Retry-After')
    }
  }

  async function sender(to: string): Promise<void> {
    for (let n = 0; going; n++) {
      await send(to, `${name} ${n} to ${to}`)
      await sleep(pause_ms)
    }
  }

  /** The simulator repeats a message until it is acknowledged, as the provider does. */
  async function writer(number: number): Promise<void> {
    for (let n = 0; going; n++) {
      const id = `wamid.${name}.${number}.${n}`
      const request = begin(id)
      const { webhook } = await tenant.writes(`+1555801000${n % 5}`, `${n} of ${number}`, { id })
      request.tries++
      // A message that is not acknowledged at once counts as acknowledged when its event comes. The history checker
      // notes that.
      if (webhook.status === 200) request.ended = Date.now()
      if (webhook.status >= 400 && webhook.status !== 503) load.surprises.push(`inbound: ${webhook.status}`)
      load.inbound.push(id)
      await sleep(pause_ms)
    }
  }

  const work = [
    ...Array.from({ length: recipients }, (_, n) => sender(recipient(n))),
    ...Array.from({ length: writers }, (_, n) => writer(n)),
  ]
  return {
    ...load,
    async stop() {
      going = false
      await Promise.all(work)
    },
  }
}

/** Waits until everything has settled, and checks that nothing is lost, doubled, reordered or stuck. */
export async function checkLoad(t: Test, world: Outside, tenant: Tenant, load: Load, database_url: string) {
  t.comment(`${load.sends.length} sends, ${load.inbound.length} inbound messages`)
  const database = await openDatabase({ url: database_url, pool_size: 1 })
  try {
    const history_checker = new HistoryChecker(world, tenant, database)
    t.same(await history_checker.findings(load), [], 'nothing is lost, doubled, reordered or stuck')
  } finally {
    await database.close()
  }
}
