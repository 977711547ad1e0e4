/**
 * `GET /v1/webhooks/{id}/poll`: the events of a polled subscription, page by page.
 *
 *  P1 A cursor acknowledges what came before it, and nothing else does. An answer that was lost comes again.
 *  P2 Pages without a gap: the answer to a cursor begins right behind it, and without a cursor with the first event
 *  that was not acknowledged.
 *  P3 Waiting polls are bounded, for a project and for this node. When there are too many, the oldest of the project
 *  with most of them is answered at once (`waiting_polls.ts`).
 *  P4 A token that was revoked during the wait gets nothing, and a subscription that was changed gives its present form.
 */
import { performance } from 'node:perf_hooks'
import { envelopeOf, matchedTypes, presenterFor, type SubscriptionProtocol, scopeOfEvent } from '../../../actors/mod.ts'
import { type Address, type LiveFeeds, Refusal, type Runtime } from '../../../runtime/mod.ts'
import {
  type Database,
  findToken,
  findWebhook,
  newDate,
  nextPosition,
  type PolledPage,
  patternsOf,
  positionAt,
  readPolled,
  type Subscription,
} from '../../../storage/mod.ts'
import { ReadLimiter } from '../../server/limits/read_limiter.ts'
import type { RequestContext } from '../../server/route/route.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { DeliveryNews } from './delivery_news.ts'
import { type Waiting, WaitingPolls } from './waiting_polls.ts'

export type PollQuery = {
  cursor?: string | undefined
  /** ISO 8601. */
  since?: string | undefined
  limit: number
  /** Seconds. */
  wait: number
}

/** Concurrent reads, beside those of other requests. */
const MAX_READS = 2
/** Where no news can be heard, a poll looks again after this time. */
const DEAF_MS = 1000

type Caller = Pick<RequestContext, 'project_id' | 'token_id'>

export class WebhookPolls {
  readonly #database: Database
  readonly #runtime: Runtime
  readonly #base_url: string
  readonly #news: DeliveryNews
  readonly #read_limiter = new ReadLimiter(MAX_READS)
  readonly #waiting = new WaitingPolls()
  #closed = false

  /** `base_url`: the public address of the API. */
  constructor({
    database,
    runtime,
    live,
    base_url,
  }: { database: Database; runtime: Runtime; live: LiveFeeds; base_url: string }) {
    this.#database = database
    this.#runtime = runtime
    this.#base_url = base_url
    this.#news = new DeliveryNews(live)
  }

  /** Ends all waits: each poll is answered with what there is. */
  close(): void {
    this.#closed = true
    this.#news.close()
  }

  /**
   * Returns the answer as JSON.
   * @throws {Refusal} WEBHOOK_NOT_FOUND, WEBHOOK_PUSHED, VALIDATION_ERROR, INSUFFICIENT_SCOPE, UNAUTHENTICATED
   */
  async poll(caller: Caller, webhook_id: string, { cursor, since, limit, wait }: PollQuery): Promise<string> {
    const acknowledged = cursor === undefined ? undefined : readCursor(webhook_id, cursor)
    if (cursor !== undefined && acknowledged === undefined) throw foreignCursor()
    const until = performance.now() + wait * 1000
    let webhook = await this.#read(caller, () => this.#admit(caller, webhook_id))
    if (acknowledged !== undefined) {
      const address: Address<SubscriptionProtocol> = `subscription/${webhook_id}`
      await this.#runtime.ask(address, { type: 'acknowledge', up_to: acknowledged }, { repeatable: true })
    }
    const sinceThen = (time: string) => this.#read(caller, () => positionAt(this.#database, webhook_id, time))
    const begin = acknowledged ?? (since && (await sinceThen(since)))
    const look = () =>
      this.#read(caller, async () => {
        const after = begin ?? (await nextPosition(this.#database, webhook_id))
        const page = await readPolled(this.#database, webhook_id, after, limit)
        if (page.events.length > 0)
          await this.#mustRead(
            caller,
            webhook,
            page.events.map(({ type }) => type),
          )
        return page
      })
    // The subscription may be changed or deleted during the wait.
    const lookAgain = async () => {
      webhook = await this.#read(caller, () => this.#admit(caller, webhook_id))
      return look()
    }
    let page = await look()
    if (!hasNews(page) && wait > 0) page = await this.#waitFor(lookAgain, { caller, webhook_id, until })
    return this.#answer(webhook, page)
  }

  async #read<Value>({ project_id }: Caller, read: () => Promise<Value>): Promise<Value> {
    return this.#read_limiter.run(read, project_id)
  }

  async #admit(caller: Caller, webhook_id: string): Promise<Subscription> {
    const webhook = await findWebhook(this.#database, caller.project_id, webhook_id)
    if (!webhook) throw new Refusal('WEBHOOK_NOT_FOUND')
    if (webhook.mode !== 'poll') throw new Refusal('WEBHOOK_PUSHED')
    await this.#mustRead(caller, webhook, matchedTypes(patternsOf(webhook.events)))
    return webhook
  }

  /** Full payloads are for tokens that may read the records. Thin ones have only addresses. */
  async #mustRead(caller: Caller, { payload }: Subscription, types: Iterable<string>): Promise<void> {
    await mustRead(this.#database, caller, payload === 'thin' ? [] : types)
  }

  /** Looks again with each news until there is something, and once more when the time is over. */
  async #waitFor(
    look: () => Promise<PolledPage>,
    { caller, webhook_id, until }: { caller: Caller; webhook_id: string; until: number },
  ): Promise<PolledPage> {
    const left = () => until - performance.now()
    const listener = await this.#news.listen(webhook_id).catch(() => undefined)
    if (!listener) {
      await new Promise((resolve) => setTimeout(resolve, Math.min(DEAF_MS, left())).unref())
      return look()
    }
    const waiting = { project_id: caller.project_id, listener }
    this.#enter(waiting)
    try {
      // Deliveries between the first look and the listening.
      let page = await look()
      while (!hasNews(page) && (await listener.next(left()))) page = await look()
      // What was heard of a delivery may be lost, and its row is not.
      return hasNews(page) ? page : look()
    } finally {
      this.#waiting.leave(waiting)
      listener.leave()
    }
  }

  #enter(waiting: Waiting): void {
    this.#waiting.enter(waiting)
    if (this.#closed) waiting.listener.end()
  }

  #answer(webhook: Subscription, { events, position, has_more }: PolledPage): string {
    const present = presenterFor(webhook, this.#base_url)
    const bodies = events.map((event) => (present ? present(envelopeOf(event)) : envelopeOf(event)))
    const next_cursor = JSON.stringify(writeCursor(webhook.id, position))
    return `{"data":[${bodies.join()}],"next_cursor":${next_cursor},"has_more":${has_more}}`
  }
}

/** False for a page that is worth a wait. Behind deleted events there may be others. */
function hasNews({ events, has_more }: PolledPage): boolean {
  return events.length > 0 || has_more
}

/**
 * Checks that the token may read the records of events of these types.
 * @throws {Refusal} INSUFFICIENT_SCOPE; UNAUTHENTICATED for a token that is no longer valid
 */
export async function mustRead(
  database: Database,
  { project_id, token_id }: Caller,
  types: Iterable<string>,
): Promise<void> {
  const guarding = [...types].map(scopeOfEvent).filter((scope) => scope !== undefined)
  const required = [...new Set(['webhooks:read', ...guarding])]
  const token = await findToken(database, project_id, token_id)
  const is_over = token?.expires_at && token.expires_at <= newDate()
  if (!token?.user_is_active || token.revoked_at || is_over) throw new Refusal('UNAUTHENTICATED')
  const missing = required.filter((scope) => !token.scopes.includes(scope))
  if (missing.length > 0) throw new Refusal('INSUFFICIENT_SCOPE', { details: { required, missing } })
}

function foreignCursor(): Refusal {
  const message = 'must be the next_cursor of a poll of this subscription'
  const violations = [{ path: 'cursor', message, code: 'invalid_format' }]
  return new Refusal('VALIDATION_ERROR', { message: `cursor ${message}`, details: { violations } })
}
