/**
 * The history of a contact: messages, notes and events in one order, the latest first, page by page. No DOM.
 *
 * Each kind has a list of its own. An entry is shown once all that could be later than it is read.
 */

import { signal } from '@preact/signals'
import { faultOf } from '../data/errors.ts'
import type { ProjectApi } from '../data/project_api.ts'
import type { Fault } from '../records/fault.ts'
import type { AnyRecord } from '../records/record.ts'

type Entry = { kind: 'message' | 'note' | 'event'; id: string; at: string; record: AnyRecord }
type Stream = { kind: Entry['kind']; path: string; by: string; items: AnyRecord[]; cursor: string | null | undefined }

const PAGE = 20

const KINDS = [
  { kind: 'message', path: 'messages', by: 'chat_user' },
  // Those on its tickets, too.
  { kind: 'note', path: 'crm/notes', by: 'about' },
  { kind: 'event', path: 'crm/events', by: 'chat_user' },
] as const

export class Timeline {
  entries = signal<readonly Entry[]>([])
  state = signal<'loading' | 'ready' | 'failed'>('loading')
  fault = signal<Fault | null>(null)
  has_more = signal(false)
  is_loading = signal(false)
  #api
  #chat_user
  #reads = 0
  #streams: Stream[] = []

  constructor(api: ProjectApi, chat_user: string) {
    this.#api = api
    this.#chat_user = chat_user
  }

  /** Reads the latest entries, and puts them before those that are shown. */
  async read() {
    if (this.state.peek() !== 'ready') {
      this.#reads++
      return this.#readOn(KINDS.map((kind) => ({ ...kind, items: [], cursor: undefined })))
    }
    const read = this.#reads
    try {
      const pages = await Promise.all(this.#streams.map((stream) => this.#page(stream)))
      if (read !== this.#reads) return
      this.#streams = this.#streams.map((stream, n) => withLatest(stream, pages[n]))
      this.#show()
    } catch (error) {
      if (read === this.#reads) this.fault.value = faultOf(error)
    }
  }

  /** Reads older entries, of the kinds that hold back the others. */
  readMore() {
    if (this.is_loading.peek() || !this.has_more.peek()) return Promise.resolve()
    return this.#readOn(this.#streams)
  }

  close() {
    this.#reads++
  }

  async #readOn(streams: Stream[]) {
    const read = this.#reads
    const edge = edgeOf(streams)
    const sources = streams.filter(
      ({ cursor, items }) => cursor !== null && (cursor === undefined || lastOf(items) >= edge),
    )
    this.is_loading.value = true
    this.fault.value = null
    try {
      const pages = await Promise.all(sources.map((stream) => this.#page(stream, stream.cursor)))
      if (read !== this.#reads) return
      for (const [n, { data, next_cursor }] of pages.entries()) {
        const stream = sources[n]
        if (stream) Object.assign(stream, { items: [...stream.items, ...data], cursor: next_cursor })
      }
      this.#streams = streams
      this.#show()
      this.state.value = 'ready'
    } catch (error) {
      if (read !== this.#reads) return
      this.fault.value = faultOf(error)
      if (this.state.peek() === 'loading') this.state.value = 'failed'
    } finally {
      if (read === this.#reads) this.is_loading.value = false
    }
  }

  #show() {
    this.has_more.value = this.#streams.some(({ cursor }) => cursor !== null)
    this.entries.value = entriesOf(this.#streams)
  }

  #page({ path, by }: Stream, cursor?: string | null) {
    return this.#api.get(path, { [by]: this.#chat_user, limit: PAGE, cursor })
  }
}

/**
 * The entries that are certain, the latest first.
 *
 * @public for tests
 */
export function entriesOf(streams: readonly Stream[]): Entry[] {
  const edge = edgeOf(streams)
  return streams
    .flatMap(({ kind, items }) =>
      items.map((record) => ({ kind, id: record._id ?? record.id, at: record.created_at, record })),
    )
    .filter(({ at }) => at >= edge)
    .sort((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : one.id < other.id ? 1 : -1))
}

/**
 * A list with its latest page, read anew. Where the page does not reach down to the known items, these are forgotten.
 *
 * @public for tests
 */
export function withLatest(
  stream: Stream,
  { data, next_cursor }: { data: AnyRecord[]; next_cursor: string | null },
): Stream {
  const ids = new Set(data.map(({ _id, id }) => _id ?? id))
  const older = stream.items.filter(({ _id, id }) => !ids.has(_id ?? id))
  const is_joined = older.length < stream.items.length || stream.items.length === 0
  const last = lastOf(data)
  if (!is_joined || next_cursor === null) return { ...stream, items: data, cursor: next_cursor }
  return {
    ...stream,
    items: [...data, ...older.filter(({ created_at }) => created_at <= last)],
    cursor: older.length > 0 ? stream.cursor : next_cursor,
  }
}

/** The time down to which all kinds are read. */
function edgeOf(streams: readonly Stream[]) {
  const lasts = streams
    .filter(({ cursor, items }) => cursor !== null && items.length > 0)
    .map(({ items }) => lastOf(items))
  return lasts.sort().at(-1) ?? ''
}

function lastOf(items: readonly AnyRecord[]) {
  return items.at(-1)?.created_at ?? '~'
}
