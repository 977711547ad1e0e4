/**
 * One page of a visitor: the requests over its socket, and their limits. One file: each method is one request, and all
 * share the limits and the session.
 */
import * as v from 'valibot'
import {
  contentOf,
  contextOf,
  email,
  newVisitorId,
  newVisitorToken,
  type ProjectProtocol,
  readIdentity,
  readVisitorBrowser,
  readVisitorInput,
  readVisitorToken,
  signCall,
  type tellVisitorTyping,
  type VisitorAgent,
  type VisitorCall,
  type VisitorInput,
  type VisitorNote,
  type VisitorSign,
  type VisitorToken,
  visitorRef,
} from '../../actors/mod.ts'
import type { Address, Runtime } from '../../runtime/mod.ts'
import {
  type Database,
  endVisitorSession,
  findVisitorMessage,
  findVisitorSession,
  identifyVisitor,
  type KnownVisitor,
  keepVisitorSession,
  newDate,
  type VisitorBrowser,
  type VisitorPlace,
} from '../../storage/mod.ts'
import { requestId } from '../server/input/request_id.ts'
import type { AddressLimits, AddressRate } from '../server/limits/address_limits.ts'
import type { ConcurrencyLimiter } from '../server/limits/concurrency_limiter.ts'
import type { ReadLimiter } from '../server/limits/read_limiter.ts'
import { TokenBucket } from '../server/sockets/token_bucket.ts'
import type { WebChannel, WebChannels } from './channels.ts'
import { findChatUser, hasEmail, readAgent, readHistory, withFileLinks } from './history.ts'
import { Refused, sessionEnded, tooMuchFrom } from './refused.ts'
import type { VisitorUploads } from './uploads.ts'

/** Services shared by all visitors of a node. */
export type VisitorSessions = {
  runtime: Runtime
  database: Database
  read_limiter: ReadLimiter
  channels: WebChannels
  uploads: VisitorUploads
  /** Publishes to all nodes. */
  tell: (sign: VisitorSign) => void
  /** Publishes to the consoles of the project. */
  tellTyping: (typing: Parameters<typeof tellVisitorTyping>[1]) => void
  limiter: ConcurrencyLimiter
  limits: AddressLimits
  /** Public address of the API. */
  base_url: string
}

/** Where a page comes from. `address`: the client's, as it is counted. `user_agent`: the header of its request. */
export type VisitorClient = { address: string; user_agent: string | undefined }

/** The session of a page, and what its site has signed about the visitor. */
export type VisitorIdentified = { token: VisitorToken; person?: KnownVisitor | undefined }

const OUR_REF = /^web-(msg_[0-9a-z]{1,64})$/
/** Maximum messages of ours that the page got and may acknowledge. */
const MAX_SHOWN = 1_000
const MAX_SEEN = 100
/** Time in which the page gets its refusal. */
const ENDED_MS = 1_000

export class VisitorSession {
  readonly channel: WebChannel
  readonly user_id: string
  readonly visitor_token: string
  /** Hash of the token, as it is stored. */
  readonly hash: string
  readonly #visits: VisitorSessions
  #person: KnownVisitor | undefined
  readonly #address: string
  readonly #user_agent: string | undefined
  #browser: VisitorBrowser | undefined
  readonly #gone: () => void
  /** Ids of our messages, in the order in which they were shown. */
  readonly #visible_ids = new Set<string>()
  readonly #words = new TokenBucket(10, 1_000)
  readonly #questions = new TokenBucket(30, 500)
  readonly #signs = new TokenBucket(5, 1_000)
  readonly #agent_reads = new TokenBucket(3, 2_000)
  readonly #uploads = new TokenBucket(10, 10_000)
  readonly #identities = new TokenBucket(5, 10_000)
  /** The contact of a visitor who has written; undefined until it is read. */
  #chat_user: string | undefined
  /** True when the visitor is a contact already. */
  #is_known = false
  /** True while this session may have ended by the visitor's own word, and the page is yet to learn the next one. */
  is_identifying = false
  /** Ends with the last message that was sent, stored or not: messages are stored in the order in which they come. */
  #last_said: Promise<unknown> = Promise.resolve()

  /** `gone`: the channel no longer accepts its visitors. */
  constructor(
    visits: VisitorSessions,
    channel: WebChannel,
    { token, person }: VisitorIdentified,
    { address, user_agent }: VisitorClient,
    gone: () => void,
  ) {
    this.#visits = visits
    this.channel = channel
    this.user_id = token.user_id
    this.visitor_token = token.visitor_token
    this.hash = token.hash
    this.#person = person
    this.#address = address
    this.#user_agent = user_agent
    this.#browser = readVisitorBrowser(undefined, user_agent)
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
    const { database, base_url } = this.#visits
    // A page that missed the end of its session learns it here.
    const known = await this.#read(() => findVisitorSession(database, this.hash))
    if (known?.is_live === false) throw this.#ended()
    const { sent, chat_user, ...page } = await this.#read(() =>
      readHistory(database, base_url, this.channel, this.user_id, before as string | undefined),
    )
    for (const id of sent) this.#show(id)
    this.#chat_user ??= chat_user
    this.#is_known ||= chat_user !== undefined
    return { ...page, has_email: page.has_email || typeof this.#person?.email === 'string' }
  }

  /** The person who answers now; undefined when that is unknown, or was asked often. */
  async agent(): Promise<VisitorAgent | null | undefined> {
    if (!this.#agent_reads.take()) return undefined
    const chat_user = await this.#contact()
    if (chat_user === undefined) return undefined
    return this.#read(() => readAgent(this.#visits.database, this.channel.project_id, chat_user))
  }

  /** The page on which the visitor is, and its browser. Stored with the next message. */
  browser(value: unknown): void {
    this.#browser = readVisitorBrowser(value, this.#user_agent)
  }

  /** Tells the consoles that the visitor writes. Signs that are malformed or too many are dropped. */
  async typing(value: unknown): Promise<void> {
    const typing = (value as { typing?: unknown } | null)?.typing
    if (typeof typing !== 'boolean' || !this.#signs.take()) return
    const chat_user = await this.#contact()
    if (chat_user === undefined) return
    const { _id: channel_id, project_id } = this.channel
    this.#visits.tellTyping({ channel_id, user_id: this.user_id, project_id, chat_user, typing })
  }

  /** Stored when this resolves; a repeat under the same id is the same message. */
  async say(words: unknown): Promise<object> {
    this.#allow(this.#words)
    const said = readVisitorInput(words)
    if ('error' in said) throw new Refused(said.error.code as 'MALFORMED', said.error.message)
    if ('about' in said && !this.#visible_ids.has(OUR_REF.exec(said.about)?.[1] ?? ''))
      throw new Refused('UNKNOWN_MESSAGE', 'The message it is about was never shown here.')
    this.#countMessage()
    const browser = this.#browser
    const stored = this.#last_said.then(() => this.#storeSaid(said, browser))
    this.#last_said = stored.catch(() => {})
    return stored
  }

  async #storeSaid(said: VisitorInput, browser: VisitorBrowser | undefined): Promise<object> {
    const { user_id, channel } = this
    const { database, uploads, base_url } = this.#visits
    if (!(await keepVisitorSession(database, { ...this.#place, hash: this.hash, user_id }))) throw this.#ended()
    const file = said.type === 'file' ? await uploads.take(channel, user_id, said.file) : undefined
    const at = newDate().toISOString()
    const person = this.#person
    await this.#bring({
      user_id,
      at,
      said,
      ...(file && { file }),
      ...(person && { person }),
      ...(browser && { browser }),
    })
    this.#is_known = true
    const ref = visitorRef(user_id, said.id)
    const stored = await this.#stored(ref)
    const content = contentOf(said, file)
    const linked = file ? await withFileLinks(database, base_url, channel.project_id, content) : content
    const place = { ref, at, ...stored }
    const message = { ...place, direction: 'inbound' as const, context: contextOf(said), message: linked }
    // Publish to the other pages of the same person.
    this.#visits.tell({ channel_id: channel._id, user_id, message })
    return place
  }

  /** The address for the bytes of one file. */
  async upload(asked: unknown): Promise<object> {
    if (!this.#uploads.take()) throw new Refused('TOO_FAST', 'Those were many files. Try again in 10 s.', 10)
    return this.#visits.uploads.permit(this.channel, this.user_id, this.#address, asked)
  }

  /**
   * The site says who the visitor is. Answers with the token of a new session, with which the page has to come in again;
   * nothing changes when the visitor is this person already.
   */
  async identify(asked: unknown): Promise<object> {
    if (!this.#identities.take()) throw new Refused('TOO_FAST', 'That was too much at once. Try again in 10 s.', 10)
    this.#count('message')
    const { user_id, hash } = this
    const { _id, visitor_secret } = this.channel
    // The channel may have other secrets since the page came.
    const { identity_secrets = [] } = (await this.#visits.channels.find(_id)) ?? {}
    const now = newDate()
    const read = readIdentity((asked as { token?: unknown } | null)?.token, _id, identity_secrets, now)
    if ('refusal' in read) throw new Refused('IDENTITY_INVALID', read.refusal)
    const { claims } = read
    let next: VisitorToken | undefined
    const hashFor = (user_id: string) => {
      next = newVisitorToken(_id, visitor_secret, user_id, now)
      return next.hash
    }
    const { database } = this.#visits
    const fresh = { user_id: newVisitorId(), hashFor }
    const found = await this.#identifying(identifyVisitor(database, this.#place, claims, { hash, user_id }, fresh))
    if (!found) throw this.#ended()
    if (!next) {
      this.#person = claims
      return {}
    }
    // This session has ended. A message of it that is still under way gets nothing of the person, who may be another visitor.
    // The other tabs come in again with the token that the page stores.
    this.#visits.tell({ channel_id: _id, user_id, ended: { hash } })
    return { visitor_token: next.visitor_token }
  }

  async #identifying<Found>(work: Promise<Found>): Promise<Found> {
    this.is_identifying = true
    try {
      return await work
    } finally {
      // The answer is on its way.
      setTimeout(() => {
        this.is_identifying = false
      }, ENDED_MS).unref()
    }
  }

  /** Ends this session, or that of a token from before. */
  async logout(asked: unknown): Promise<object> {
    this.#allow(this.#questions)
    this.#count('message')
    // As when a page comes in, null is no token: a storage has null for what it does not have.
    const visitor_token = (asked as { visitor_token?: unknown } | null | undefined)?.visitor_token ?? undefined
    const { _id: channel_id, visitor_secret } = this.channel
    const fields =
      typeof visitor_token === 'string' ? readVisitorToken(visitor_token, channel_id, visitor_secret) : undefined
    if (visitor_token !== undefined && !fields) return {}
    const { hash, user_id } = fields ?? this
    await endVisitorSession(this.#visits.database, { ...this.#place, hash, user_id })
    this.#visits.tell({ channel_id, user_id, ended: { hash } })
    return {}
  }

  /** Keeps an address at which the visitor can be reached. Only those who have written are known. */
  async email(asked: unknown): Promise<object> {
    this.#allow(this.#questions)
    const result = v.safeParse(email, (asked as { email?: unknown } | null)?.email)
    if (!result.success) throw new Refused('MALFORMED', 'email must be an e-mail address such as ana@example.com')
    const chat_user = await this.#contact()
    if (chat_user === undefined) throw new Refused('MALFORMED', 'Write a message first: then there is a contact.')
    this.#count('message')
    await this.#bring({ user_id: this.user_id, at: newDate().toISOString(), email: result.output })
    // A node of the previous release takes the call and knows no address.
    if (!(await this.#read(() => hasEmail(this.#visits.database, chat_user))))
      throw new Error('the address was not stored')
    return {}
  }

  /** Marks our messages that the page has received or displayed. Others are skipped. */
  async seen(what: unknown): Promise<object> {
    this.#allow(this.#questions)
    const { status, refs } = (what ?? {}) as { status?: unknown; refs?: unknown }
    if ((status !== 'delivered' && status !== 'read') || !Array.isArray(refs) || refs.length > MAX_SEEN)
      throw new Refused('MALFORMED', `seen needs a status, delivered or read, and at most ${MAX_SEEN} refs`)
    const named = refs.flatMap((ref) => (typeof ref === 'string' && OUR_REF.exec(ref)?.[1]) || [])
    const ids = named.filter((id) => this.#visible_ids.has(id))
    if (ids.length === 0) return {}
    this.#count('seen')
    await this.#bring({ user_id: this.user_id, at: newDate().toISOString(), seen: { status, ids } })
    return {}
  }

  /** The place of a message among those that are stored, so that live and after a reload it is the same. */
  async #stored(ref: string): Promise<{ id: string; at: string } | undefined> {
    const found = await this.#read(() => findVisitorMessage(this.#visits.database, this.channel._id, ref))
    return found && { id: found.id, at: found.created_at.toISOString() }
  }

  /** Reads in turn with the visitors of other projects. */
  #read<Value>(read: () => Promise<Value>): Promise<Value> | Value {
    return this.#visits.read_limiter.run(read, this.channel.project_id)
  }

  get #place(): VisitorPlace {
    const { _id: channel_id, company_id, project_id } = this.channel
    return { company_id, project_id, channel_id }
  }

  /** The page has to come in again, after it got the refusal. */
  #ended(): Refused {
    setTimeout(this.#gone, ENDED_MS).unref()
    return sessionEnded()
  }

  async #contact(): Promise<string | undefined> {
    if (!this.#is_known) return undefined
    this.#chat_user ??= await this.#read(() => findChatUser(this.#visits.database, this.channel, this.user_id))
    return this.#chat_user
  }

  #show(id: string): void {
    this.#visible_ids.delete(id)
    this.#visible_ids.add(id)
    if (this.#visible_ids.size <= MAX_SHOWN) return
    for (const oldest of this.#visible_ids) {
      this.#visible_ids.delete(oldest)
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
    const { _id: channel_id, company_id, project_id, visitor_secret } = this.channel
    const holder = { tenant: company_id }
    if (!limiter.enter(holder)) {
      limiter.refuse()
      throw new Error('too much is under way')
    }
    const raw = JSON.stringify(call)
    const signature = signCall(visitor_secret, raw, newDate())
    const address: Address<ProjectProtocol> = `project/${project_id}`
    let done = false
    try {
      // Each call of a visitor's socket is a request of its own.
      const cause = { request_id: requestId('') }
      const message = { type: 'inbound' as const, channel_id, raw, signature, cause }
      const answer = await runtime.ask(address, message, { repeatable: true })
      done = true
      if (answer.status === 200) return
      // The channel was disabled or deleted, or has another secret: the visitor has to join anew.
      channels.forget(channel_id)
      this.#gone()
      throw new Error(`the project answered ${answer.status}`)
    } finally {
      limiter.leave(done, holder)
    }
  }
}
