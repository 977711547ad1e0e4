/**
 * The conversation: keeps what is said in step with the server, over a connection that may break. Its parts are beside
 * it: session, history, outbox, sender, receipts, typing. One file, because it is where their news meet.
 */

import { type AskFailed, Connection } from '../connection/connection.ts'
import { Pauses } from '../connection/pauses.ts'
import type { Agent, Availability, Browser, ConversationState, Event, Welcome } from '../connection/protocol.ts'
import { Session } from '../connection/session.ts'
import type { Content } from '../messages/content.ts'
import type { Memory } from '../messages/memory.ts'
import type { Message, ShownMessage, VisitorInput } from '../messages/message.ts'
import { Messages } from '../messages/messages.ts'
import { Outbox } from '../messages/outbox.ts'
import { History } from './history.ts'
import { Receipts } from './receipts.ts'
import { Sender } from './sender.ts'
import { Typing } from './typing.ts'

const REFUSED = 'CHANNEL_NOT_FOUND'
/** States in which writing is disabled, because it is unknown when a message could be sent. */
const SHUT: Set<ConversationState> = new Set(['refused', 'off', 'closed'])

export class Conversation {
  /** A state of the connection; `idle` before it was opened, `closed` after it. */
  state: ConversationState = 'idle'
  name = ''
  /** The person who answers. */
  agent: Agent | null = null
  /** When people answer; undefined until the server has said it. */
  availability: Availability | undefined
  /** True when the visitor can be reached by e-mail, too, and until it is known. */
  has_email = true
  #connection
  #on
  #session
  #is_naming = false
  #messages = new Messages()
  #history
  #outbox
  #pauses = new Pauses()
  #receipts
  #sender
  #typing
  #ask: Connection['ask'] = (name, value) => this.#connection.ask(name, value)

  /**
   * `on.changed()` is called after each change, `on.message(message)` for each new message to the visitor,
   * `on.refused(failure)` when the site's word about the visitor is not believed. `on.browser()` says where
   * the visitor is.
   */
  constructor(
    base: URL,
    channel_id: string,
    memory: Memory,
    on: {
      changed(): void
      message?(message: Message): void
      browser?(): Browser
      refused?(failure: AskFailed): void
    },
  ) {
    this.#on = on
    this.#session = new Session(memory)
    this.#outbox = new Outbox(memory)
    this.#connection = new Connection(base, {
      auth: () => ({ channel_id, ...(this.#session.token && { visitor_token: this.#session.token }) }),
      state: (state) => this.#set(state),
      refused: (code) => this.#forget(code),
      event: (...event) => this.#hear(event),
    })
    const isConnected = () => this.#isConnected
    const changed = () => on.changed()
    this.#history = new History(this.#messages, this.#pauses, {
      ask: this.#ask,
      isConnected,
      page: ({ agent, messages, has_email = true }) => {
        this.agent = agent
        this.has_email = has_email
        this.#keep(messages)
      },
    })
    this.#receipts = new Receipts(this.#messages, this.#pauses, {
      isConnected,
      ask: (status, refs) => this.#ask('seen', { status, refs }),
      changed,
    })
    this.#sender = new Sender(base, this.#outbox, this.#pauses, {
      ask: this.#ask,
      isConnected,
      isNamed: () => this.#session.identity === undefined,
      stored: (message) => this.#keep([message]),
      changed,
    })
    this.#typing = new Typing({
      tell: (typing) => this.#connection.tell('typing', { typing }),
      changed,
    })
  }

  /** True for a returning visitor, who may have messages to read or to send. */
  get known() {
    return Boolean(this.#session.token) || this.#outbox.next !== undefined
  }

  /** True while the visitor looks at the chat. */
  get is_watched() {
    return this.#receipts.is_watched
  }

  /** True while messages are held back, because they were too many at once. */
  get is_held() {
    return this.#sender.is_held
  }

  /** True while the agent writes. */
  get is_agent_typing() {
    return this.#typing.is_agent_typing
  }

  /** The answer that the agent writes, as far as it may be seen. */
  get draft() {
    return this.#typing.draft?.text ?? ''
  }

  get canWrite() {
    return !SHUT.has(this.state)
  }

  get hasOlder() {
    return this.#history.hasOlder
  }

  /** In order, with those that wait to be sent. Reactions are shown with their message. */
  get messages(): ShownMessage[] {
    return [...this.#messages.visible, ...this.#outbox.visible]
  }

  get unread() {
    return this.#messages.unread
  }

  find(ref: string) {
    return this.#messages.find(ref)
  }

  /** The last reaction of each side. */
  reactionsTo(ref: string) {
    const last: Partial<Record<Message['direction'], string>> = {}
    for (const { direction, message } of this.#all)
      if (message.type === 'reaction' && message.message_id === ref) last[direction] = message.emoji
    return { inbound: last.inbound || undefined, outbound: last.outbound || undefined }
  }

  isAnswered(ref: string) {
    return this.#all.some((one) => one.direction === 'inbound' && one.context === ref)
  }

  /** The visitor looks at the chat. */
  open() {
    this.#connection.hurry()
  }

  close() {
    this.state = 'closed'
    this.#connection.close()
    this.#pauses.end()
    this.#typing.end()
  }

  /** Sets whether the visitor looks at the chat: displayed messages then count as read. */
  watch(watched: boolean) {
    this.#receipts.is_watched = watched
    if (!watched) return
    if (this.state !== 'idle') this.open()
    void this.#receipts.report()
  }

  /** Displayed at once, and sent when the connection allows it. */
  say(said: VisitorInput, content: Content) {
    if (!this.canWrite) return
    // A site of one page changes its address meanwhile.
    this.#tellBrowser()
    this.#outbox.add(said, content)
    this.#typing.said()
    this.#on.changed()
    void this.#sender.send()
  }

  /** A file is sent as a message of its own, in its turn. */
  sendFile(file: File) {
    if (!this.canWrite) return
    this.#outbox.addFile(file)
    this.#on.changed()
    void this.#sender.send()
  }

  /** A message that waits, or has failed, is not sent. */
  cancel(id: string) {
    if (this.#outbox.cancel(id)) this.#on.changed()
  }

  /** The site says who the visitor is, by a token that it has signed. */
  identify(identity: string) {
    this.#session.identify(identity)
    if (this.#isConnected) void this.#arrive()
    else this.open()
  }

  /** Leaves the session: the next visitor of this browser is somebody else. */
  logout() {
    const had_session = this.#session.leave()
    this.#outbox.clear()
    this.#history.clear()
    this.agent = null
    this.has_email = true
    this.#typing.agent(false)
    this.#connection.rest()
    // The server learns it as soon as it can be reached.
    if (had_session) this.#connection.open()
    this.#on.changed()
  }

  /** When the visitor said something that nobody has answered since; Infinity: that is not so. */
  get waiting_since() {
    const messages = this.#messages.visible
    const last_answer = messages.findLastIndex(({ direction }) => direction === 'outbound')
    const first = messages[last_answer + 1]
    return first ? new Date(first.at).getTime() : Number.POSITIVE_INFINITY
  }

  /** Leaves an address. @throws AskFailed when there is no connection, or the server refused */
  async leaveEmail(email: string) {
    await this.#ask('email', { email })
    this.has_email = true
    this.#on.changed()
  }

  /** A message that failed is sent again. */
  retry(id: string) {
    if (!this.canWrite) return
    this.#outbox.retry(id)
    this.#on.changed()
    void this.#sender.send()
  }

  /** The visitor writes, or has left the text empty. */
  typing(typing: boolean) {
    if (this.#isConnected) this.#typing.visitor(typing)
  }

  /** @throws AskFailed when there is no connection, or the server refused */
  async loadOlder() {
    this.#keep(await this.#history.readOlder(), false)
  }

  get #isConnected() {
    return this.state === 'connected'
  }

  get #all(): Message[] {
    return [...this.#messages.all, ...this.#outbox.all]
  }

  #set(state: ConversationState) {
    this.state = state
    if (state === 'refused') this.#outbox.failAll(REFUSED)
    this.#on.changed()
  }

  #forget(code: string) {
    if (code !== 'TOKEN_INVALID') return false
    const next = this.#session.forget()
    if (next === 'same') return true
    // The person has left: what waits is not for the next one to say.
    if (next === 'other') this.#outbox.clear()
    else this.#outbox.failTried('SIGNED_OUT')
    this.#history.clear()
    return true
  }

  #hear([name, value]: Event) {
    if (name === 'welcome') this.#welcomed(value)
    else if (name === 'message') this.#keep([value])
    else if (name === 'sync') void this.#catchUp()
    else if (name === 'typing') {
      if (value.agent) this.agent = value.agent
      this.#typing.agent(value.typing, value.draft)
    } else if (name === 'agent') this.agent = value
    else if (name === 'availability') this.availability = value
    else if (name === 'read') this.#messages.readUntil(value.at)
    this.#on.changed()
  }

  #tellBrowser() {
    const browser = this.#on.browser?.()
    if (browser) this.#connection.tell('browser', browser)
  }

  #welcomed({ visitor_token, name }: Welcome) {
    if (!this.#session.begin(visitor_token)) return void this.#connection.again()
    this.name = name
    this.#tellBrowser()
    this.#on.changed()
    void this.#arrive()
  }

  /**
   * The first words to the server: sessions that were left, and who the visitor is. Messages that may have been stored
   * are repeated before, in the session in which they were.
   */
  async #arrive() {
    try {
      await this.#session.tellLeft(this.#ask)
      const { identity } = this.#session
      if (identity !== undefined && !this.#is_naming) {
        this.#is_naming = true
        await this.#sender.send(true)
        if (await this.#tellIdentity(identity)) return
      }
    } catch {
      // Without a connection, the next one begins with this.
      if (!this.#isConnected) return
    } finally {
      this.#is_naming = false
    }
    await this.#catchUp()
  }

  /** Returns true when the visitor comes in again, with another session. */
  async #tellIdentity(identity: string) {
    const is_another = await this.#session.tellIdentity(identity, this.#pauses, {
      ask: this.#ask,
      isConnected: () => this.#isConnected,
      refused: (failure) => this.#on.refused?.(failure),
    })
    if (!is_another) return false
    this.#history.clear()
    this.#connection.again()
    return true
  }

  async #catchUp() {
    await this.#history.catchUp()
    await this.#sender.send()
    void this.#receipts.report()
  }

  /** @param is_news False for messages of before. */
  #keep(messages: Message[], is_news: boolean = this.#history.is_read) {
    for (const one of messages) {
      this.#outbox.arrived(one.ref)
      const is_new = this.#messages.keep(one)
      if (one.direction === 'inbound') continue
      this.#typing.agent(false)
      if (is_new && is_news && one.message.type !== 'reaction') this.#on.message?.(one)
    }
    this.#on.changed()
    void this.#receipts.report()
  }
}
