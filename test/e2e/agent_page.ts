/**
 * An agent's page without a window: the modules of the console that keep a project's records, over the network of the
 * test. It reads when they ask for it, and otherwise believes the live events.
 */
import { join } from 'node:path'
import { io, type ManagerOptions, type SocketOptions } from 'socket.io-client'
import type { Owner } from '../support/mod.ts'
import { eventually, type Json } from './client.ts'
import { PASSWORD } from './console_client.ts'

const pages = join(import.meta.dirname, '../../http/console/page')
const { Api } = await import(join(pages, 'data/api.ts'))
const { Live } = await import(join(pages, 'live/live.ts'))
const { Console } = await import(join(pages, 'core/console.ts'))
const { placeOf } = await import(join(pages, 'data/places.ts'))

/** The records that the page keeps, with their lists. */
const KINDS = {
  message: { path: 'messages', id: 'id', age: 'updated_at' },
  ticket: { path: 'crm/tickets', id: '_id', age: 'version' },
} as const

type Kind = keyof typeof KINDS
const kinds = Object.keys(KINDS) as Kind[]

export class AgentPage {
  /** Times that everything was read. */
  reads = 0
  /** Events that came again, or after a later one of their record. */
  readonly faults: string[] = []
  readonly #console: Json
  readonly #known: Record<Kind, Set<string>> = { message: new Set(), ticket: new Set() }
  readonly #heard = new Set<string>()
  readonly #ages = new Map<string, number | string>()
  #reading: Promise<void> = Promise.resolve()

  private constructor(base_url: string) {
    let cookie = ''
    const base = new URL(`${base_url}/console/`)
    const api = new Api(base, async (url: URL, options: RequestInit) => {
      const headers = { ...options.headers, cookie, origin: base.origin }
      const response = await fetch(url, { ...options, headers })
      cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie
      return response
    })
    const open = (origin: string, options: Partial<ManagerOptions & SocketOptions>) =>
      io(origin, { ...options, extraHeaders: { cookie, origin: base.origin } })
    const connect = (on: Json) => new Live(open, new URL('socket.io/', base), on)
    this.#console = new Console({ api, connect })
  }

  /** Signs in and opens the project. Resolves when the page is live and has read everything. */
  static async open(t: Owner, base_url: string, email: string, project_id: string): Promise<AgentPage> {
    const page = new AgentPage(base_url)
    t.teardown(() => page.#console.close())
    // Not the inbox, whose page reads what it shows in one request.
    page.#console.go(placeOf(`#/projects/${project_id}/contacts`))
    await page.#console.signIn(email, PASSWORD)
    page.#project.part('mirror', () => ({
      hear: (events: Json[], changes: Json[]) => page.#hear(events, changes),
      read: () => page.#read(),
    }))
    await eventually('the page has read', () => page.isLive && page.reads > 0)
    await page.#reading
    return page
  }

  get isLive(): boolean {
    return this.#console.live_state.value === 'live'
  }

  /** Sends a request of the agent until it is done. */
  async post(path: string, json: object, key: string): Promise<Json> {
    return this.#patiently(() => this.#project.api.post(path, json, { key }))
  }

  /** The records of the page that differ from those of the API. */
  async differences(all: (path: string) => Promise<Json[]>): Promise<string[]> {
    await this.#reading
    const wrong: string[] = []
    for (const kind of kinds) {
      const { path, id } = KINDS[kind]
      const stored = await all(path)
      for (const record of stored) {
        const kept = JSON.stringify(this.#project.records.get(kind, record[id]))
        if (kept !== JSON.stringify(record)) wrong.push(`${kind} ${JSON.stringify(record)} is here ${kept}`)
      }
      if (this.#known[kind].size !== stored.length) wrong.push(`${this.#known[kind].size} of ${stored.length} ${kind}s`)
    }
    return wrong
  }

  get #project(): Json {
    return this.#console.project.value
  }

  #hear(events: Json[], changes: Json[]): void {
    for (const event of events) {
      const text = JSON.stringify(event)
      if (this.#heard.has(text)) this.faults.push(`again: ${text}`)
      this.#heard.add(text)
      const kind = event.type.split('.')[0] as Kind
      const { age, id } = KINDS[kind] ?? {}
      if (age === undefined || event.data[age] === undefined) continue
      const name = `${kind} ${event.data[id]}`
      const before = this.#ages.get(name)
      if (before !== undefined && event.data[age] < before) this.faults.push(`late: ${text}`)
      this.#ages.set(name, event.data[age])
    }
    for (const { kind, id, after, is_part, is_stale } of changes) {
      if (!Object.hasOwn(KINDS, kind)) continue
      if (is_part || is_stale) this.#later(() => this.#readOne(kind, id))
      else if (after) this.#keep(kind, after)
    }
  }

  #keep(kind: Kind, record: Json): void {
    this.#known[kind].add(record[KINDS[kind].id])
    this.#project.records.keep(kind, record)
  }

  #read(): void {
    this.reads++
    this.#later(async () => {
      for (const kind of kinds) {
        for (let cursor = ''; ; ) {
          const query = { limit: 200, cursor }
          const { data, next_cursor } = await this.#patiently(() => this.#project.api.get(KINDS[kind].path, query))
          for (const record of data) this.#keep(kind, record)
          if (!next_cursor) break
          cursor = next_cursor
        }
      }
    })
  }

  async #readOne(kind: Kind, id: string): Promise<void> {
    this.#keep(kind, await this.#patiently(() => this.#project.api.get(`${KINDS[kind].path}/${id}`)))
  }

  #later(read: () => Promise<void>): void {
    this.#reading = this.#reading.then(read).catch((error) => {
      // A page that was closed amid its reading has no project any more.
      if (this.#project !== null) throw error
    })
  }

  /** Node kills and cut networks end requests; every request of the page may be repeated. */
  #patiently(ask: () => Promise<Json>): Promise<Json> {
    return eventually('the request is answered', () =>
      ask().catch(({ status, message }) => {
        if (status >= 400 && status < 500 && status !== 429 && status !== 409) throw new Error(`${status}: ${message}`)
        return undefined
      }),
    )
  }
}
