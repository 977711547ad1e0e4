/** One page of a visitor: the requests over its socket, and their limits. */
import {
  contentOf,
  contextOf,
  type ProjectProtocol,
  readVisitorInput,
  signCall,
  type VisitorCall,
  type VisitorNote,
  visitorRef,
} from '../../actors/mod.ts'
import type { Address, Runtime } from '../../runtime/mod.ts'
import { type Database, newDate } from '../../storage/mod.ts'
import type { AddressLimits, AddressRate } from '../server/address_limits.ts'
import type { ConcurrencyLimiter } from '../server/concurrency_limiter.ts'
import type { ReadLimiter } from '../server/read_limiter.ts'
import { TokenBucket } from '../server/token_bucket.ts'
import type { WebChannel, WebChannels } from './channels.ts'
import { readHistory } from './history.ts'
import { Refused, tooMuchFrom } from './refused.ts'

/** Services shared by all visitors of a node. */
export type VisitorSessions = {
  runtime: Runtime
  database: Database
  read_limiter: ReadLimiter
  channels: WebChannels
  /** Publishes to all nodes. */
  tell: (note: VisitorNote) => void
  limiter: ConcurrencyLimiter
  limits: AddressLimits
  /** Public address of the API. */
  base_url: string
}

const OUR_REF = /^web-(msg_[0-9a-z]{1,64})$/
/** Maximum messages of ours that the page got and may acknowledge. */
const MOST_SHOWN = 1_000
const MOST_SEEN = 100

export class VisitorSession {
  readonly channel: WebChannel
  readonly user_id: string
  readonly #visits: VisitorSessions
  readonly #address: string
  readonly #gone: () => void
  /** Ids of our messages, in the order in which they were shown. */
  readonly #shown = new Set<string>()
  readonly #words = new TokenBucket(10, 1_000)
  readonly #questions = new TokenBucket(30, 500)
  /** True when the visitor is a contact already. */
  #is_known = false

  /** `address`: the client's, as it is counted. `gone`: the channel no longer accepts its visitors. */
  constructor(visits: VisitorSessions, channel: WebChannel, user_id: string, address: string, gone: () => void) {
    this.#visits = visits
    this.channel = channel
    this.user_id = user_id
    this.#address = address
    this.#gone = gone
  }

  show({ message: { direction, ref } }: Pick<VisitorNote, 'message'>): void {
    const id = OUR_REF.exec(ref)?.[1]
    if (direction === 'outbound' && id !== undefined) this.#show(id)
  }

  /** The last messages, or those before a position from an earlier answer. */
  async history(asked: unknown): Promise<object> {
    this.#allow(this.#questions)
    const before = (asked as { before?: unknown } | null)?.before
    if (before !== undefined && !(typeof before === 'string' && /^msg_[0-9a-z]{1,64}$/.test(before)))
      throw new Refused('MALFORMED', 'before must be what an earlier answer said')
    this.#count('history')
    const { read_limiter, database, base_url } = this.#visits
    const { sent, is_known, ...page } = await read_limiter.run(() =>
      readHistory(database, base_url, this.channel, this.user_id, before as string | undefined),
    )
    for (const id of sent) this.#show(id)
    this.#is_known ||= is_known
    return page
  }

  /** Stored when this resolves; a repeat under the same id is the same message. */
  async say(words: unknown): Promise<object> {
    this.#allow(this.#words)
    const said = readVisitorInput(words)
    if ('error' in said) throw new Refused(said.error.code as 'MALFORMED', said.error.message)
    if ('about' in said && !this.#shown.has(OUR_REF.exec(said.about)?.[1] ?? ''))
      throw new Refused('UNKNOWN_MESSAGE', 'The message it is about was never shown here.')
    this.#countMessage()
    const at = newDate().toISOString()
    await this.#bring({ user_id: this.user_id, at, said })
    this.#is_known = true
    const ref = visitorRef(this.user_id, said.id)
    const message = { ref, direction: 'inbound' as const, at, context: contextOf(said), message: contentOf(said) }
    // Publish to the other pages of the same person.
    this.#visits.tell({ channel_id: this.channel._id, user_id: this.user_id, message })
    return { ref, at }
  }

  /** Marks our messages that the page has received or displayed. Others are skipped. */
  async seen(what: unknown): Promise<object> {
    this.#allow(this.#questions)
    const { status, refs } = (what ?? {}) as { status?: unknown; refs?: unknown }
    if ((status !== 'delivered' && status !== 'read') || !Array.isArray(refs) || refs.length > MOST_SEEN)
      throw new Refused('MALFORMED', `seen needs a status, delivered or read, and at most ${MOST_SEEN} refs`)
    const named = refs.flatMap((ref) => (typeof ref === 'string' && OUR_REF.exec(ref)?.[1]) || [])
    const ids = named.filter((id) => this.#shown.has(id))
    if (ids.length === 0) return {}
    this.#count('seen')
    await this.#bring({ user_id: this.user_id, at: newDate().toISOString(), seen: { status, ids } })
    return {}
  }

  #show(id: string): void {
    this.#shown.delete(id)
    this.#shown.add(id)
    if (this.#shown.size <= MOST_SHOWN) return
    for (const oldest of this.#shown) {
      this.#shown.delete(oldest)
      return
    }
  }

  #allow(token_bucket: TokenBucket): void {
    if (!token_bucket.take()) throw new Refused('TOO_FAST', 'That was too much at once. Try again in 1 s.', 1)
  }

  #count(kind: AddressRate): void {
    const refusal = this.#visits.limits.take(this.#address, kind)
    if (refusal) throw tooMuchFrom(refusal)
  }

  /** A new visitor is counted only when the message can be. */
  #countMessage(): void {
    const { limits } = this.#visits
    const refusal = limits.look(this.#address, 'message')
    if (refusal) throw tooMuchFrom(refusal)
    if (!this.#is_known) this.#count('new_visitor')
    this.#count('message')
  }

  /** Uses the same way in as other providers' calls. */
  async #bring(call: VisitorCall): Promise<void> {
    const { runtime, limiter, channels } = this.#visits
    const { _id: channel_id, project_id, visitor_secret } = this.channel
    if (!limiter.enter()) {
      limiter.refuse()
      throw new Error('too much is under way')
    }
    const raw = JSON.stringify(call)
    const signature = signCall(visitor_secret, raw, newDate())
    const address: Address<ProjectProtocol> = `project/${project_id}`
    let done = false
    try {
      const answer = await runtime.ask(address, { type: 'inbound', channel_id, raw, signature }, { repeatable: true })
      done = true
      if (answer.status === 200) return
      // The channel was disabled or deleted, or has another secret: the visitor has to join anew.
      channels.forget(channel_id)
      this.#gone()
      throw new Error(`the project answered ${answer.status}`)
    } finally {
      limiter.leave(done)
    }
  }
}
