/**
 * Holds what was acknowledged against what the database, the provider and the receivers of webhooks have. It remembers
 * where it read last, so that looking again and again costs no more each time.
 */
import { type Database, literal, objectIdAt, reconcileWebhooks } from '../../storage/mod.ts'
import { type Json, sleep } from './client.ts'
import type { Outside, Tenant } from './fixture.ts'
import type { Load, Request } from './load.ts'

export type Finding = { kind: 'lost' | 'doubled' | 'reordered' | 'stuck' | 'surprise'; what: string }

type EventRow = { id: string; type: string; created_at: string; message_id: string }
type DeliveryRow = { subscription_id: string; event_id: string; status: string }
type Subscriber = { id: string; path: string; events: string[]; created_at: string }

const PATIENCE_MS = 45_000
/** Loads whose events are remembered, so that one made again later is noticed. */
const REMEMBERED = 4

export class Witness {
  readonly #world: Outside
  readonly #tenant: Tenant
  readonly #database: Database
  #since = new Date(0)
  #sequence = 0
  /** Event ids by the path that got them, since the last findings. */
  #heard = new Map<string, Map<string, { type: string; message_id: string; at: number }>>()
  #past: Set<string>[] = []
  /** Found before: what happened in the second that divides two loads is looked at twice. */
  readonly #differences = new Set<string>()
  /** Deliveries that the last load led to. */
  deliveries = 0

  constructor(world: Outside, tenant: Tenant, database: Database) {
    this.#world = world
    this.#tenant = tenant
    this.#database = database
  }

  /** What is there now is none of the loads to come. */
  async overlook(): Promise<void> {
    await this.#settled(() => true)
    this.#sequence = (await this.#accepted()).at(-1)?.sequence ?? this.#sequence
    await this.#turnPage(new Set())
  }

  /** Waits until everything a load led to has settled; empty when every promise was kept. */
  async findings(load: Load, patience_ms = PATIENCE_MS): Promise<Finding[]> {
    const findings: Finding[] = load.surprises.map((what) => ({ kind: 'surprise', what }))
    let inbound = new Map<string, string>()
    const stuck = await this.#settled(async () => {
      if (load.sends.some(({ id }) => !this.#told('whatsapp.message.read', id))) return false
      inbound = await this.#inbound(load)
      return [...inbound.values()].every((id) => this.#told('whatsapp.message.received', id))
    }, patience_ms)
    if (stuck) findings.push({ kind: 'stuck', what: stuck })
    // What was delivered between the last look here and the last look at the table.
    await this.#listen()
    this.#note(load.requests, inbound)
    const since = new Date(Math.max(this.#since.getTime(), Date.now() - 3_600_000))
    const { examples } = await reconcileWebhooks(this.#database, since, new Date(Date.now() + 1000))
    for (const what of examples.map((one) => `reconcile: ${JSON.stringify(one)}`)) {
      if (!this.#differences.has(what)) findings.push({ kind: 'lost', what })
      this.#differences.add(what)
    }
    const keys = new Set<string>()
    findings.push(...(await this.#atProvider(load)), ...(await this.#inDatabase(load, inbound)))
    findings.push(...(await this.#atReceivers(load, inbound, keys)))
    await this.#turnPage(keys)
    return findings
  }

  async #turnPage(keys: Set<string>): Promise<void> {
    const [{ now }] = (await this.#database.execute(`select now()::text as now`)) as [{ now: string }]
    this.#since = new Date(now)
    this.#heard.clear()
    this.#past = [...this.#past.slice(1 - REMEMBERED), keys]
  }

  /** Undefined once `done` and nothing waits anywhere; else, after too long, what still waits. */
  async #settled(done: () => boolean | Promise<boolean>, patience_ms = PATIENCE_MS): Promise<string | undefined> {
    let left: Record<string, unknown> = {}
    for (const end = Date.now() + patience_ms; ; await sleep(100)) {
      await this.#listen()
      const told = await done()
      if (told || Date.now() > end) {
        const rows = await this.#database.execute(`select (select count(*)::int from outbox) as outbox,
          (select count(*)::int from dispatch) as dispatch, (select count(*)::int from dead_letter) as dead,
          (select count(*)::int from delivery where status <> 'success') as undelivered`)
        left = rows[0]!
        if (told && Object.values(left).every((count) => count === 0)) return undefined
        if (Date.now() > end) return `${told ? '' : 'not everything was told; '}${JSON.stringify(left)}`
      }
    }
  }

  async #subscribers(): Promise<Subscriber[]> {
    const rows = await this.#database.execute<Subscriber & { url: string }>(
      `select id, url, events, created_at::text from subscription where project_id = ${literal(this.#tenant.project_id)}`,
    )
    const base = this.#world.sink.url('')
    return rows.map((row) => ({ ...row, path: row.url.slice(base.length) }))
  }

  async #listen(): Promise<void> {
    for (const { path } of await this.#subscribers()) {
      const heard = this.#heard.get(path) ?? new Map()
      this.#heard.set(path, heard)
      for (const { body, at } of this.#world.sink.calls(path).splice(0)) {
        if (!heard.has(body.id)) heard.set(body.id, { type: body.type, message_id: body.data.message_id, at })
      }
    }
    this.#index.clear()
  }

  #index = new Map<string, number>()

  /** When an event was first heard by whoever listens; undefined when it was not. */
  #told(type: string, message_id: string): number | undefined {
    if (this.#index.size === 0) {
      for (const heard of this.#heard.values())
        for (const { type, message_id, at } of heard.values()) {
          const key = `${type} ${message_id}`
          this.#index.set(key, Math.min(at, this.#index.get(key) ?? at))
        }
    }
    return this.#index.get(`${type} ${message_id}`)
  }

  /** Ids by provider ids. */
  async #inbound({ inbound }: Load): Promise<Map<string, string>> {
    if (inbound.length === 0) return new Map()
    const rows = await this.#database.execute(`select id, provider_message_id from message
      where channel_id = ${literal(this.#tenant.number.channel_id)} and provider_message_id in (${list(inbound)})`)
    return new Map(rows.map((row) => [row.provider_message_id as string, row.id as string]))
  }

  /** An inbound message that was not acknowledged at once counts as answered when its event was heard. */
  #note(requests: Request[], inbound: Map<string, string>): void {
    for (const request of requests) {
      if (request.ended > 0) continue
      const at = this.#told('whatsapp.message.received', inbound.get(request.what) ?? '')
      if (at) request.ended = at
      request.tries++
    }
  }

  async #accepted(): Promise<Json[]> {
    return this.#tenant.sent(`&after=${this.#sequence}`)
  }

  async #atProvider({ sends }: Load): Promise<Finding[]> {
    const findings: Finding[] = []
    const accepted = await this.#accepted()
    this.#sequence = accepted.at(-1)?.sequence ?? this.#sequence
    const copies = new Map<string, Json[]>()
    for (const one of accepted) copies.set(one.opaque_data, [...(copies.get(one.opaque_data) ?? []), one])
    for (const { id, body } of sends) {
      const found = copies.get(id) ?? []
      copies.delete(id)
      if (found.length === 0) findings.push({ kind: 'lost', what: `${id} "${body}" never reached the provider` })
      const times = found.map(({ accepted_at }) => accepted_at).join(', ')
      if (found.length > 1) findings.push({ kind: 'doubled', what: `the provider has ${id} "${body}" from ${times}` })
    }
    for (const [id, found] of copies) {
      const what = `the provider has ${id}, which nobody was promised now (${found.length} times, ${found[0].accepted_at})`
      findings.push({ kind: 'doubled', what })
    }
    for (const to of new Set(sends.map((one) => one.to))) {
      const wanted = sends.filter((one) => one.to === to).map((one) => one.body)
      const found = accepted
        .filter(({ recipient }) => `+${recipient.replace('+', '')}` === to)
        .map((one) => one.body.text.body as string)
      const first = [...new Set(found)].filter((body) => wanted.includes(body))
      const ordered = wanted.filter((body) => first.includes(body))
      const at = first.findIndex((body, index) => body !== ordered[index])
      if (at >= 0) findings.push({ kind: 'reordered', what: `to ${to}: "${first[at]}" came before "${ordered[at]}"` })
    }
    return findings
  }

  async #inDatabase({ sends, inbound }: Load, stored: Map<string, string>): Promise<Finding[]> {
    const findings: Finding[] = []
    const rows = await this.#database.execute<{ id: string; status: string }>(
      `select id, status from message where project_id = ${literal(this.#tenant.project_id)} and direction = 'outbound'
        and id >= 'msg_${this.#floor}' and created_at > ${this.#after}`,
    )
    const statuses = new Map(rows.map(({ id, status }) => [id, status]))
    for (const { id, body } of sends) {
      const status = statuses.get(id)
      statuses.delete(id)
      if (status === undefined) findings.push({ kind: 'lost', what: `${id} "${body}" is not in the database` })
      else if (status !== 'read') findings.push({ kind: 'stuck', what: `${id} "${body}" is ${status}` })
    }
    for (const [id] of statuses) findings.push({ kind: 'doubled', what: `${id} was stored and acknowledged to nobody` })
    for (const id of inbound)
      if (!stored.has(id)) findings.push({ kind: 'lost', what: `the inbound message ${id} was not stored` })
    return findings
  }

  /** Each event once, and told to each subscription that asks for its type, once. */
  async #atReceivers({ sends }: Load, inbound: Map<string, string>, keys: Set<string>): Promise<Finding[]> {
    const findings: Finding[] = []
    const subscribers = await this.#subscribers()
    const events = await this.#database.execute<EventRow>(
      `select id, type, created_at::text, data ->> 'message_id' as message_id from event
        where project_id = ${literal(this.#tenant.project_id)} and id >= 'evt_${this.#floor}' and created_at > ${this.#after}
          and type like '%.message.%'`,
    )
    const deliveries = await this.#database.execute<DeliveryRow>(
      `select subscription_id, event_id, status from delivery
        where subscription_id in (${list(subscribers.map(({ id }) => id))})
        and id >= 'dlv_${this.#floor}' and created_at > ${this.#after}`,
    )
    this.deliveries = deliveries.length
    const queued = new Map<string, DeliveryRow[]>()
    for (const row of deliveries) {
      const key = `${row.subscription_id} ${row.event_id}`
      queued.set(key, [...(queued.get(key) ?? []), row])
    }
    for (const { id, type, created_at, message_id } of events) {
      const key = `${type} ${message_id}`
      if (keys.has(key) || this.#past.some((past) => past.has(key)))
        findings.push({ kind: 'doubled', what: `${type} of ${message_id} was made again as ${id}` })
      keys.add(key)
      for (const subscriber of subscribers) {
        if (!subscriber.events.includes(type) || new Date(created_at) <= new Date(subscriber.created_at)) continue
        const rows = queued.get(`${subscriber.id} ${id}`) ?? []
        const to = `${type} of ${message_id} (${id}) to ${subscriber.id}`
        if (rows.length === 0) findings.push({ kind: 'lost', what: `no delivery of ${to}` })
        if (rows.length > 1) findings.push({ kind: 'doubled', what: `${rows.length} deliveries of ${to}` })
        if (rows[0] && rows[0].status !== 'success')
          findings.push({ kind: 'stuck', what: `the delivery of ${to} is ${rows[0].status}` })
        if (rows[0]?.status === 'success' && !this.#heard.get(subscriber.path)?.has(id))
          findings.push({ kind: 'lost', what: `nobody heard ${to}` })
      }
    }
    for (const { id, body } of sends)
      if (!keys.has(`whatsapp.message.read ${id}`))
        findings.push({ kind: 'lost', what: `no event says that ${id} "${body}" was read` })
    for (const [provider_id, id] of inbound)
      if (!keys.has(`whatsapp.message.received ${id}`))
        findings.push({ kind: 'lost', what: `no event says that ${id} (${provider_id}) was received` })
    return findings
  }

  get #after(): string {
    return literal(this.#since.toISOString())
  }

  /** Ids of records made later are greater. */
  get #floor(): string {
    return objectIdAt(new Date(Math.max(0, this.#since.getTime() - 5000)))
  }
}

function list(texts: Iterable<string>): string {
  return [...texts].map(literal).join() || "''"
}
