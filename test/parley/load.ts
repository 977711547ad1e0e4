/** Sends, inbound messages and webhooks all at once, with a history of what was acknowledged, held against what came of it. */
import type { Test } from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { type Answer, eventually, type Json, sleep } from './client.ts'
import { type Outside, type Tenant, text } from './fixture.ts'

const RECIPIENTS = 6
const WRITERS = 2
const EVENTS = ['sent', 'delivered', 'read', 'failed', 'received'].map((name) => `whatsapp.message.${name}`)

type Send = { id: string; to: string; body: string }

export type Load = {
  /** Acknowledged sends, in order for each recipient. */
  sends: Send[]
  /** Provider ids of acknowledged inbound messages. */
  inbound: string[]
  /** Answers that are neither yes nor an honest "not now". */
  surprises: string[]
  /** Ends after everything begun was acknowledged. */
  stop(): Promise<void>
}

const path = 'load'

export async function startLoad(tenant: Tenant): Promise<Load> {
  await tenant.subscribe(path, EVENTS)
  const recipients = Array.from({ length: RECIPIENTS }, (_, i) => `+1555800000${i}`)
  for (const to of recipients) await tenant.writes(to, 'before the storm')
  const load: Omit<Load, 'stop'> = { sends: [], inbound: [], surprises: [] }
  let going = true

  /** Repeats a request under one idempotency key until it is acknowledged, as a careful client does. */
  async function send(to: string, body: string): Promise<void> {
    const headers = { 'idempotency-key': `${to} ${body}` }
    for (; ; await sleep(50)) {
      const answer: Answer | undefined = await tenant
        .send(to, { message: text(body) }, { headers })
        .catch(() => undefined)
      if (answer?.status === 202) return void load.sends.push({ id: answer.body.id, to, body })
      if (answer && answer.status !== 503) load.surprises.push(`send: ${answer.status} ${answer.text}`)
      if (answer?.status === 503 && !answer.headers['retry-after']) load.surprises.push('503 without Retry-After')
    }
  }

  async function sender(to: string): Promise<void> {
    for (let n = 0; going; n++) {
      await send(to, `${n} to ${to}`)
      await sleep(15)
    }
  }

  /** The simulator repeats what is not acknowledged, as the provider does. */
  async function writer(name: number): Promise<void> {
    for (let n = 0; going; n++) {
      const id = `wamid.load.${name}.${n}`
      const { webhook } = await tenant.writes(`+1555801000${n % 5}`, `${n} of ${name}`, { id })
      if (webhook.status >= 400 && webhook.status !== 503) load.surprises.push(`inbound: ${webhook.status}`)
      load.inbound.push(id)
      await sleep(15)
    }
  }

  const work = [...recipients.map(sender), ...Array.from({ length: WRITERS }, (_, n) => writer(n))]
  return {
    ...load,
    async stop() {
      going = false
      await Promise.all(work)
    },
  }
}

/** Lost, doubled, reordered, stuck: none of it. Waits until everything has settled. */
export async function checkLoad(t: Test, world: Outside, tenant: Tenant, load: Load, database_url: string) {
  const { sends, inbound, surprises } = load
  t.comment(`${sends.length} sends, ${inbound.length} inbound messages`)
  t.same(surprises, [], 'only honest answers')
  const events = () => world.sink.calls(path).map(({ body }) => body)
  const told = (type: string) =>
    new Set(events().flatMap((event) => (event.type === type ? [event.data.message_id as string] : [])))
  await eventually('every message is read, and its webhook told so', () => {
    const read = told('whatsapp.message.read')
    return sends.every(({ id }) => read.has(id))
  }).catch(async () => {
    const read = told('whatsapp.message.read')
    const [stuck] = sends.filter(({ id }) => !read.has(id))
    if (stuck) t.same((await tenant.api('GET', `messages/${stuck.id}`)).body, undefined, 'a message is stuck')
  })

  const sent = await tenant.sent()
  const copies = new Map<string, number>()
  for (const { opaque_data } of sent) copies.set(opaque_data, (copies.get(opaque_data) ?? 0) + 1)
  t.same(
    sends.filter(({ id }) => copies.get(id) !== 1).map(({ id }) => `${id}: ${copies.get(id) ?? 0}`),
    [],
    'the provider has every acknowledged message once',
  )
  t.equal(copies.size, sends.length, 'and no other')
  const statuses = await Promise.all(sends.map(({ id }) => tenant.api('GET', `messages/${id}`)))
  t.same([...new Set(statuses.map(({ body }) => body.status))], ['read'])
  for (const to of new Set(sends.map((one) => one.to))) {
    const wanted = sends.filter((one) => one.to === to).map((one) => one.body)
    const found = sent
      .filter((one: Json) => `+${one.recipient.replace('+', '')}` === to)
      .map((one: Json) => one.body.text.body)
    t.same(found, wanted, `in order to ${to}`)
  }

  const stored = await allInbound(tenant)
  const ours = stored.filter(({ provider_message_id }) => inbound.includes(provider_message_id))
  t.same(ours.map((one) => one.provider_message_id).sort(), inbound.toSorted(), 'every inbound message is stored once')
  await eventually('every inbound message is told', () => {
    const received = told('whatsapp.message.received')
    return ours.every(({ id }) => received.has(id))
  })
  const ids = new Map<string, Set<string>>()
  for (const { id, type, data } of events()) {
    const key = `${type} ${data.message_id}`
    ids.set(key, (ids.get(key) ?? new Set()).add(id))
  }
  t.same(
    [...ids].filter(([, set]) => set.size > 1).map(([key]) => key),
    [],
    'each event was made once',
  )

  const database = await openDatabase({ url: database_url, pool_size: 1 })
  try {
    const left = () =>
      database.execute(`select (select count(*)::int from outbox) as outbox,
        (select count(*)::int from dispatch) as dispatch, (select count(*)::int from dead_letter) as dead,
        (select count(*)::int from delivery where status <> 'success') as undelivered`)
    const nothing = [{ outbox: 0, dispatch: 0, dead: 0, undelivered: 0 }]
    const settled = async () => JSON.stringify(await left()) === JSON.stringify(nothing)
    await eventually('nothing is left to do', settled, 15_000).catch(() => {})
    t.same(await left(), nothing, 'nothing waits, nothing was parked')
  } finally {
    await database.close()
  }
}

async function allInbound(tenant: Tenant): Promise<Json[]> {
  const all: Json[] = []
  for (let cursor = ''; ; ) {
    const { body } = await tenant.api('GET', `messages?status=received&limit=200${cursor}`)
    all.push(...body.data)
    if (body.next_cursor === null) return all
    cursor = `&cursor=${body.next_cursor}`
  }
}
