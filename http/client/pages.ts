/** Lists: one page when awaited, all records when iterated. */
import type { ApiRequest, CallOptions, Connection, QueryValue } from './connection.ts'

/** A list that ends, or a queue of events that never does. */
export type Paging = 'list' | 'queue'

type AnyPage = { data: unknown[]; next_cursor?: string | null; total?: number; has_more?: boolean }

/** Seconds that the server holds a poll back while there is nothing. */
const MAX_WAIT_S = 25

/**
 * `await` gives the first page. `for await` gives the records of all pages, and asks for a page when the records before
 * it are done. Nothing is sent before one of them begins.
 */
export class Pages<Page extends AnyPage, Item> implements PromiseLike<Page>, AsyncIterable<Item> {
  readonly #connection: Connection
  readonly #request: ApiRequest
  readonly #paging: Paging
  readonly #options: CallOptions
  #first: Promise<Page> | undefined

  constructor(connection: Connection, request: ApiRequest, paging: Paging, options: CallOptions = {}) {
    this.#connection = connection
    this.#request = request
    this.#paging = paging
    this.#options = options
  }

  // biome-ignore lint/suspicious/noThenProperty: a list is awaited for its first page
  then<One = Page, Other = never>(
    fulfilled?: ((page: Page) => One | PromiseLike<One>) | null,
    rejected?: ((reason: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<One | Other> {
    this.#first ??= this.#ask(this.#request.query ?? {}, this.#options)
    return this.#first.then(fulfilled, rejected)
  }

  catch<Other = never>(rejected: (reason: unknown) => Other | PromiseLike<Other>): Promise<Page | Other> {
    return this.then(undefined, rejected)
  }

  /** The records of all pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page.data as Item[]
  }

  /** All pages. A page of a queue is acknowledged when the next one is asked for. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    const is_queue = this.#paging === 'queue'
    // A receiver of a queue outlives the failures of its server.
    const options = is_queue ? { max_retries: Number.POSITIVE_INFINITY, ...this.#options } : this.#options
    let query = { ...(is_queue && { wait: MAX_WAIT_S }), ...this.#request.query }
    for (;;) {
      const page = await this.#ask(query, options)
      if (page.data.length > 0 || !is_queue) yield page
      const next = this.#nextQuery(query, page)
      if (next === undefined) return
      query = next
    }
  }

  /**
   * All records in one list. `limit` bounds it, so that a large list does not fill the memory.
   * @throws {TypeError} without a limit
   */
  async toArray(bound: { limit: number }): Promise<Item[]> {
    // A caller without types may have forgotten it.
    const limit = (bound as typeof bound | undefined)?.limit
    if (typeof limit !== 'number') throw new TypeError('toArray needs a limit, such as { limit: 1000 }')
    const items: Item[] = []
    if (limit <= 0) return items
    for await (const item of this) {
      items.push(item)
      if (items.length >= limit) break
    }
    return items
  }

  #ask(query: Readonly<Record<string, QueryValue>>, options: CallOptions): Promise<Page> {
    const holds_ms = this.#paging === 'queue' ? Number(query.wait ?? 0) * 1000 : 0
    return this.#connection.request<Page>({ ...this.#request, query, holds_ms }, options)
  }

  #nextQuery(query: Record<string, QueryValue>, page: Page): Record<string, QueryValue> | undefined {
    const { data, next_cursor, total, has_more } = page
    if (this.#paging === 'queue') return { ...query, since: undefined, cursor: next_cursor ?? undefined }
    if (next_cursor === null) return undefined
    // `skip` is a former name of `offset`.
    const { offset, skip, ...rest } = query
    if (next_cursor !== undefined) return { ...rest, cursor: next_cursor }
    const next = Number(offset ?? skip ?? 0) + data.length
    const goes_on = has_more ?? (total !== undefined && next < total)
    return data.length > 0 && goes_on ? { ...rest, offset: next } : undefined
  }
}
