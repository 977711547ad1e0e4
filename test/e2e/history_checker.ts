/**
 * Compares what was acknowledged with what the database, the provider and the receivers of webhooks have. The checker
 * remembers the rows it has seen, not their times, because the clocks of the nodes may be wrong. The checks are one
 * file: each uses what the others found at the same moment.
 */
import { type Database, literal, reconcileWebhooks } from '../../storage/mod.ts'
import { type Json, sleep } from './client.ts'
import type { Outside, Tenant } from './fixture.ts'
import type { Load, Request } from './load.ts'

/**
 * A fault. `stale`: a read that shows less than was acknowledged before the read began, or a refusal whose reason no
 * longer holds.
 */
export type Finding = { kind: 'lost' | 'doubled' | 'reordered' | 'stuck' | 'stale' | 'surprise'; what: string }

/** A span of time in milliseconds since the epoch, both ends included. */
export type Interval = { from: number; to: number }

export type Circumstances = {
  /** The time whose commits a server lacked when it took over. Whatever was acknowledged then may be gone. */
  lost?: Interval | undefined
  /** True when the wall clocks differed, so that records are not where their times put them. */
  skewed?: boolean | undefined
  patience_ms?: number
}

/** Returns true for a time whose acknowledgements need not have survived. */
export function isLost(acknowledged: number, lost: Interval | undefined): boolean {
  return lost !== undefined && acknowledged >= lost.from && acknowledged <= lost.to
}

type EventRow = { id: string; type: string; created_at: string; message_id: string }
type DeliveryRow = { id: string; subscription_id: string; event_id: string; status: string }
type Subscriber = { id: string; path: string; events: string[]; created_at: string }

/** The data of one look that the checks compare. */
type Scope = {
  load: Load
  /** The load's requests. Each key tells what was asked. */
  requests: ReadonlyMap<string, Request>
  /** Our ids by provider ids. */
  inbound: Map<string, string>
  lost: Interval | undefined
  /** Returns the time at which a send was acknowledged, or 0 when it is not known. */
  acknowledged: (send: { body: string }) => number
  /** Sends for which reports of the provider may have been lost. */
  unreported: Set<string>
  skewed: boolean
}

/** Milliseconds for any change among the waiting records, and the number of times that may pass in all. */
const PATIENCE_MS = 45_000
const MAX_PATIENCE = 4
/** Loads whose events the checker remembers, so that it notices a later repeat. */
const REMEMBERED = 4
/**
 * Milliseconds for everything else to settle after messages were parked. Parked messages do not come back by
 * themselves.
 */
const PARKED_MS = 5000
/** The provider reports on a message within this time of taking it. */
const REPORTED_MS = 2000
/** A call to the provider follows the commit that decided it within this time. */
const CALLED_MS = 1000
/** Farther than any clock is off. */
const FAR_MS = 40 * 86_400_000

export class HistoryChecker {
  readonly #world: Outside
  readonly #tenant: Tenant
  readonly #database: Database
  #since = new Date(0)
  #sequence = 0
  /** Messages, events and deliveries that existed before this load. */
  readonly #known = new Set<string>()
  /** Event ids by the path that received them, since the last findings. */
  #heard = new Map<string, Map<string, { type: string; message_id: string; at: number }>>()
  #past: Set<string>[] = []
  /** Differences found before. Two checks overlap in the second between two loads. */
  readonly #differences = new Set<string>()
  /** The number of deliveries of the last load. */
  deliveries = 0

  constructor(world: Outside, tenant: Tenant, database: Database) {
    this.#world = world
    this.#tenant = tenant
    this.#database = database
  }

  /** Counts everything that exists now as older than the loads to come. */
  async overlook(): Promise<void> {
    await this.#settled(() => 0)
    this.#sequence = (await this.#accepted()).at(-1)?.sequence ?? this.#sequence
    await Promise.all([this.#messages(), this.#events(), this.#deliveries(await this.#subscribers())])
    await this.#turnPage(new Set())
  }

  /** Waits until everything of a load has settled. Returns no finding when every promise was kept. */
  async findings(load: Load, circumstances: Circumstances = {}): Promise<Finding[]> {
    const { lost, patience_ms = PATIENCE_MS } = circumstances
    const findings: Finding[] = load.surprises.map((what) => ({ kind: 'surprise', what }))
    const requests = new Map(load.requests.map((request) => [request.what, request]))
    const acknowledged = ({ body }: { body: string }) => requests.get(body)?.ended ?? 0
    // The provider does not repeat a report that was acknowledged in that time.
    const told = load.sends.filter((send) => lost === undefined || acknowledged(send) > lost.to)
    let inbound = new Map<string, string>()
    const stuck = await this.#settled(async () => {
      inbound = await this.#inbound(load)
      const read = told.filter(({ id }) => !this.#told('whatsapp.message.read', id))
      // A message stored between this look and the next is missing in what was read, so the checker waits for every
      // missing one.
      const received = load.inbound.filter((provider_id) => {
        const id = inbound.get(provider_id)
        if (id === undefined) return !mayBeLost(requests.get(provider_id), lost)
        return !this.#told('whatsapp.message.received', id)
      })
      return read.length + received.length
    }, patience_ms)
    if (stuck) findings.push({ kind: 'stuck', what: stuck })
    this.#note(load.requests, inbound)
    findings.push(...(await this.#reconciled(circumstances)))
    const keys = new Set<string>()
    const scope: Scope = {
      load,
      requests,
      inbound,
      lost,
      acknowledged,
      unreported: new Set(),
      skewed: circumstances.skewed === true,
    }
    findings.push(...(await this.#atProvider(scope)), ...(await this.#inDatabase(scope)))
    findings.push(...(await this.#atReceivers(scope, keys)))
    await this.#turnPage(keys)
    return findings
  }

  /**
   * Compares by the times in ids. Different clocks make these times useless, and findings of now are not reported
   * later.
   */
  async #reconciled({ skewed }: Circumstances): Promise<Finding[]> {
    const now = Date.now()
    const [from, to] = skewed
      ? [now - FAR_MS, now + FAR_MS]
      : [Math.max(this.#since.getTime(), now - 3_600_000), now + 1000]
    const findings: Finding[] = []
    const { examples } = await reconcileWebhooks(this.#database, new Date(from), new Date(to))
    for (const what of examples.map((one) => `reconcile: ${JSON.stringify(one)}`)) {
      if (!skewed && !this.#differences.has(what)) findings.push({ kind: 'lost', what })
      this.#differences.add(what)
    }
    return findings
  }

  async #turnPage(keys: Set<string>): Promise<void> {
    const [{ now }] = (await this.#database.execute(`select now()::text as now`)) as [{ now: string }]
    this.#since = new Date(now)
    this.#heard.clear()
    for (const id of this.#seen.splice(0)) this.#known.add(id)
    this.#past = [...this.#past.slice(1 - REMEMBERED), keys]
  }

  /**
   * Returns undefined as soon as nothing is owed and nothing waits. Returns what still waits when that has not changed
   * for too long. `owed` counts the events still to be told.
   */
  async #settled(owed: () => number | Promise<number>, patience_ms = PATIENCE_MS): Promise<string | undefined> {
    const last = Date.now() + MAX_PATIENCE * patience_ms
    let before = ''
    for (let end = Date.now() + patience_ms; ; await sleep(200)) {
      await this.#listen()
      const untold = await owed()
      const rows = await this.#database.execute(`select (select count(*)::int from outbox) as outbox,
        (select count(*)::int from dispatch) as dispatch, (select count(*)::int from dead_letter) as dead,
        (select count(*)::int from delivery where status <> 'success') as undelivered`)
      const left = { untold, ...(rows[0] as { dead: number }) }
      if (Object.values(left).every((count) => count === 0)) return undefined
      const now = JSON.stringify(left)
      if (now !== before) end = Math.min(last, Date.now() + (left.dead > 0 ? PARKED_MS : patience_ms))
      before = now
      if (Date.now() > end) return `${now}${await this.#parked()}`
    }
  }

  async #parked(): Promise<string> {
    const rows = await this.#database.execute<{ address: string; type: string; error: string }>(
      `select address, message ->> 'type' as type, left(error, 200) as error from dead_letter order by id limit 3`,
    )
    return rows.map(({ address, type, error }) => `; parked: ${type} to ${address}: ${error}`).join('')
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

  /** Returns the time at which any receiver first got an event, or undefined. */
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

  /** Returns our ids by provider ids. */
  async #inbound({ inbound }: Load): Promise<Map<string, string>> {
    if (inbound.length === 0) return new Map()
    const rows = await this.#database.execute(`select id, provider_message_id from message
      where channel_id = ${literal(this.#tenant.number.channel_id)} and provider_message_id in (${list(inbound)})`)
    return new Map(rows.map((row) => [row.provider_message_id as string, row.id as string]))
  }

  /**
   * Notes the answers. An inbound message that was not acknowledged at once counts as answered when its event arrives.
   */
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

  async #atProvider({ load: { sends }, lost, acknowledged, unreported }: Scope): Promise<Finding[]> {
    const findings: Finding[] = []
    const accepted = await this.#accepted()
    this.#sequence = accepted.at(-1)?.sequence ?? this.#sequence
    /** The server that took over does not know of the call, or of the provider's answer. */
    const forgotten = (one: Json) => {
      const taken = Date.parse(one.accepted_at)
      return lost !== undefined && taken >= lost.from - REPORTED_MS && taken <= lost.to + CALLED_MS
    }
    const copies = new Map<string, Json[]>()
    for (const one of accepted) copies.set(one.opaque_data, [...(copies.get(one.opaque_data) ?? []), one])
    for (const send of sends) {
      const { id, body } = send
      const found = copies.get(id) ?? []
      copies.delete(id)
      if (found.some(forgotten)) unreported.add(id)
      if (found.length === 0 && !isLost(acknowledged(send), lost))
        findings.push({ kind: 'lost', what: `${id} "${body}" never reached the provider` })
      const times = found.map(({ accepted_at }) => accepted_at).join(', ')
      if (found.filter((one) => !forgotten(one)).length > 1)
        findings.push({ kind: 'doubled', what: `the provider has ${id} "${body}" from ${times}` })
    }
    for (const [id, found] of copies) {
      if (found.every(forgotten)) continue
      const what = `the provider has ${id}, which nobody was promised now (${found.length} times, ${found[0].accepted_at})`
      findings.push({ kind: 'doubled', what })
    }
    for (const to of new Set(sends.map((one) => one.to))) {
      const promised = sends.filter((one) => one.to === to)
      // Each was sent after the acknowledgement of the one before.
      const late = promised.find(({ id }, index) => index > 0 && id < promised[index - 1]!.id)
      if (late) findings.push({ kind: 'reordered', what: `to ${to}: ${late.id} has a lower id than the one before` })
      const wanted = promised.map((one) => one.body)
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

  async #inDatabase({ load, requests, inbound: stored, lost, acknowledged, unreported }: Scope): Promise<Finding[]> {
    const findings: Finding[] = []
    const statuses = new Map((await this.#messages()).map(({ id, status }) => [id, status]))
    for (const send of load.sends) {
      const { id, body } = send
      const status = statuses.get(id)
      statuses.delete(id)
      if (status === undefined) {
        if (!isLost(acknowledged(send), lost))
          findings.push({ kind: 'lost', what: `${id} "${body}" is not in the database` })
      } else if (status !== 'read' && !(unreported.has(id) && ['sent', 'delivered'].includes(status)))
        findings.push({ kind: 'stuck', what: `${id} "${body}" is ${status}` })
    }
    for (const [id] of statuses) findings.push({ kind: 'doubled', what: `${id} was stored and acknowledged to nobody` })
    for (const id of load.inbound) {
      if (stored.has(id) || mayBeLost(requests.get(id), lost)) continue
      findings.push({ kind: 'lost', what: `the inbound message ${id} was not stored` })
    }
    return findings
  }

  /** Checks that each event exists once, and reached each subscription to its type once. */
  async #atReceivers({ load, inbound, unreported, lost, acknowledged, skewed }: Scope, keys: Set<string>) {
    const findings: Finding[] = []
    const subscribers = await this.#subscribers()
    const [events, deliveries] = await Promise.all([this.#events(), this.#deliveries(subscribers)])
    // A delivery may fall between the last look at the receivers and this look at the table when not everything has
    // settled.
    await this.#listen()
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
        if (!subscriber.events.includes(type)) continue
        if (!skewed && new Date(created_at) <= new Date(subscriber.created_at)) continue
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
    for (const send of load.sends) {
      const { id, body } = send
      if (keys.has(`whatsapp.message.read ${id}`) || unreported.has(id) || isLost(acknowledged(send), lost)) continue
      findings.push({ kind: 'lost', what: `no event says that ${id} "${body}" was read` })
    }
    for (const [provider_id, id] of inbound)
      if (!keys.has(`whatsapp.message.received ${id}`))
        findings.push({ kind: 'lost', what: `no event says that ${id} (${provider_id}) was received` })
    return findings
  }

  readonly #seen: string[] = []

  /** Returns the rows that are new since the last load. */
  #fresh<Row extends { id: string }>(rows: Row[]): Row[] {
    const fresh = rows.filter(({ id }) => !this.#known.has(id))
    for (const { id } of fresh) this.#seen.push(id)
    return fresh
  }

  async #messages() {
    return this.#fresh(
      await this.#database.execute<{ id: string; status: string }>(
        `select id, status from message where project_id = ${literal(this.#tenant.project_id)} and direction = 'outbound'`,
      ),
    )
  }

  async #events() {
    return this.#fresh(
      await this.#database.execute<EventRow>(
        `select id, type, created_at::text, data ->> 'message_id' as message_id from event
          where project_id = ${literal(this.#tenant.project_id)} and type like '%.message.%'`,
      ),
    )
  }

  async #deliveries(subscribers: Subscriber[]) {
    return this.#fresh(
      await this.#database.execute<DeliveryRow>(
        `select id, subscription_id, event_id, status from delivery
          where subscription_id in (${list(subscribers.map(({ id }) => id))})`,
      ),
    )
  }
}

/**
 * Returns true for an inbound message that may have been acknowledged in the lost time: at once, or when the provider
 * repeated it.
 */
function mayBeLost(request: Request | undefined, lost: Interval | undefined): boolean {
  if (!lost || !request || request.begun > lost.to) return false
  return request.ended === 0 || request.tries > 1 || request.ended >= lost.from
}

function list(texts: Iterable<string>): string {
  return [...texts].map(literal).join() || "''"
}
