/** The records of a project as a console has them that read nothing: made of events alone. */
import type { Json } from './client.ts'
import type { Tenant } from './fixture.ts'

const KINDS = {
  message: { path: 'messages', id: 'id' },
  ticket: { path: 'crm/tickets', id: '_id' },
  note: { path: 'crm/notes', id: '_id' },
  event: { path: 'crm/events', id: '_id' },
  contact: { path: 'contacts', id: '_id' },
} as const

type Kind = keyof typeof KINDS
const kinds = Object.keys(KINDS) as Kind[]

export class ConsoleMirror {
  readonly records: Record<Kind, Map<string, Json>> = {
    message: new Map(),
    ticket: new Map(),
    note: new Map(),
    event: new Map(),
    contact: new Map(),
  }
  /** Contacts that broadcasts have written to. */
  readonly of_broadcasts = new Set<string>()
  /** A broadcast has written to more contacts than an event names. */
  has_many = false
  /** A user or tag has another name, which no record was published for. */
  has_new_names = false
  /** Records of which an event had only a part, by kind and id. */
  readonly stale = new Set<string>()

  apply(events: Json[]): void {
    for (const { type, data } of events) {
      const [kind, what] = type.split('.') as [Kind, string]
      if (type === 'broadcast.messages') {
        if (data.chat_users === null) this.has_many = true
        else for (const id of data.chat_users) this.of_broadcasts.add(id)
      }
      if (type === 'definitions.changed') this.has_new_names = true
      const records = this.records[kind]
      if (!records) continue
      const id = data[KINDS[kind].id]
      // The API does not show the mentions of notes.
      const { partial, stale, mentions, ...record } = data
      if (stale) this.stale.add(`${kind} ${id}`)
      else if (!partial) this.stale.delete(`${kind} ${id}`)
      if (what === 'deleted') records.delete(id)
      else records.set(id, partial ? { ...records.get(id), ...record } : record)
    }
  }

  /**
   * The records that the API has and this mirror lacks, or has otherwise. `of_broadcasts`: contacts that broadcasts have
   * written to; events do not have their records.
   */
  async differences({ api }: Pick<Tenant, 'api'>, of_broadcasts: Iterable<string> = []): Promise<string[]> {
    const named = new Set(of_broadcasts)
    const wrong: string[] = []
    for (const id of named) if (!this.has_many && !this.of_broadcasts.has(id)) wrong.push(`the broadcast to ${id}`)
    for (const kind of kinds) {
      const { path, id } = KINDS[kind]
      const known = new Map(this.records[kind])
      for (const record of await readAll(api, path)) {
        const mirrored = known.get(record[id])
        known.delete(record[id])
        if (this.#text(mirrored) === this.#text(record) || this.stale.has(`${kind} ${record[id]}`)) continue
        if (!mirrored && named.has(kind === 'contact' ? record._id : record.chat_user)) continue
        wrong.push(`${kind} ${JSON.stringify(record)} is here ${JSON.stringify(mirrored)}`)
      }
      for (const id of known.keys()) wrong.push(`${kind} ${id} is not in the API`)
    }
    return wrong
  }

  #text(record: Json): string {
    return JSON.stringify(record, (key, value) => (this.has_new_names && key === 'full_name' ? undefined : value))
  }
}

async function readAll(api: Tenant['api'], path: string): Promise<Json[]> {
  const all: Json[] = []
  for (let query = 'limit=200'; ; ) {
    const { status, body } = await api('GET', `${path}?${query}`)
    if (status !== 200) throw new Error(`${path}: ${status}`)
    all.push(...body.data)
    if (body.next_cursor) query = `limit=200&cursor=${body.next_cursor}`
    else if (body.total !== undefined && all.length < body.total) query = `limit=200&offset=${all.length}`
    else return all
  }
}
