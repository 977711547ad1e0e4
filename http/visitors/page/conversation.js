/**
 * The conversation: keeps what is said in step with the server, over a connection that may break. Its parts are beside
 * it: session, history, outbox, sender, receipts, typing. One file, because it is where their news meet.
 */
import { Connection } from './connection.js'
import { History } from './history.js'
import { Messages } from './messages.js'
import { Outbox } from './outbox.js'
import { Pauses } from './pauses.js'
import { Receipts } from './receipts.js'
import { Sender } from './sender.js'
import { Session } from './session.js'
import { Typing } from './typing.js'

/** @typedef {import('../page_types/message.ts').Message} Message */
/** @typedef {import('../page_types/protocol.ts').ConversationState} ConversationState */

/** @typedef {import('../page_types/protocol.ts').Agent} Agent */

const REFUSED = 'CHANNEL_NOT_FOUND'
/**
 * States in which writing is disabled, because it is unknown when a message could be sent.
 *
 * @type {Set<ConversationState>}
 */
const SHUT = new Set(['refused', 'off', 'closed'])

export class Conversation {
  /**
   * A state of the connection; `idle` before it was opened, `closed` after it.
   *
   * @type {ConversationState}
   */
  state = 'idle'
  name = ''
  /**
   * The person who answers.
   *
   * @type {Agent | null}
   */
  agent = null
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
  /** @type {Connection['ask']} */
  #ask = (name, value) => this.#connection.ask(name, value)

  /**
   * `on.changed()` is called after each change, `on.message(message)` for each new message to the visitor,
   * `on.refused(failure)` when the site's word about the visitor is not believed. `on.browser()` says where
   * the visitor is.
   *
   * @param {URL} base
   * @param {string} channel_id
   * @param {import('./memory.js').Memory} memory
   * @param {{
   *   changed(): void
   *   message?(message: Message): void
   *   browser?(): import('../page_types/protocol.ts').Browser
   *   refused?(failure: import('./connection.js').AskFailed): void
   * }} on
   */
  constructor(base, channel_id, memory, on) {
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
      page: ({ agent, messages }) => {
        this.agent = agent
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

  get canWrite() {
    return !SHUT.has(this.state)
  }

  get hasOlder() {
    return this.#history.hasOlder
  }

  /**
   * In order, with those that wait to be sent. Reactions are shown with their message.
   *
   * @returns {import('../page_types/message.ts').ShownMessage[]}
   */
  get messages() {
    return [...this.#messages.shown, ...this.#outbox.shown]
  }

  get unread() {
    return this.#messages.unread
  }

  /** @param {string} ref */
  find(ref) {
    return this.#messages.find(ref)
  }

  /**
   * The last reaction of each side.
   *
   * @param {string} ref
   */
  reactionsTo(ref) {
    /** @type {Partial<Record<Message['direction'], string>>} */
    const last = {}
    for (const { direction, message } of this.#all)
      if (message.type === 'reaction' && message.message_id === ref) last[direction] = message.emoji
    return { inbound: last.inbound || undefined, outbound: last.outbound || undefined }
  }

  /** @param {string} ref */
  isAnswered(ref) {
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

  /**
   * Sets whether the visitor looks at the chat: displayed messages then count as read.
   *
   * @param {boolean} watched
   */
  watch(watched) {
    this.#receipts.is_watched = watched
    if (!watched) return
    if (this.state !== 'idle') this.open()
    void this.#receipts.report()
  }

  /**
   * Displayed at once, and sent when the connection allows it.
   *
   * @param {import('../page_types/message.ts').VisitorInput} said
   * @param {import('../page_types/content.ts').Content} shown
   */
  say(said, shown) {
    if (!this.canWrite) return
    // A site of one page changes its address meanwhile.
    this.#tellBrowser()
    this.#outbox.add(said, shown)
    this.#typing.said()
    this.#on.changed()
    void this.#sender.send()
  }

  /**
   * A file is sent as a message of its own, in its turn.
   *
   * @param {File} file
   */
  sendFile(file) {
    if (!this.canWrite) return
    this.#outbox.addFile(file)
    this.#on.changed()
    void this.#sender.send()
  }

  /**
   * A message that waits, or has failed, is not sent.
   *
   * @param {string} id
   */
  cancel(id) {
    if (this.#outbox.cancel(id)) this.#on.changed()
  }

  /**
   * The site says who the visitor is, by a token that it has signed.
   *
   * @param {string} identity
   */
  identify(identity) {
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
    this.#typing.agent(false)
    this.#connection.rest()
    // The server learns it as soon as it can be reached.
    if (had_session) this.#connection.open()
    this.#on.changed()
  }

  /**
   * A message that failed is sent again.
   *
   * @param {string} id
   */
  retry(id) {
    if (!this.canWrite) return
    this.#outbox.retry(id)
    this.#on.changed()
    void this.#sender.send()
  }

  /**
   * The visitor writes, or has left the text empty.
   *
   * @param {boolean} typing
   */
  typing(typing) {
    if (this.#isConnected) this.#typing.visitor(typing)
  }

  /** @throws {AskFailed} when there is no connection, or the server refused */
  async loadOlder() {
    this.#keep(await this.#history.readOlder(), false)
  }

  get #isConnected() {
    return this.state === 'connected'
  }

  /** @returns {Message[]} */
  get #all() {
    return [...this.#messages.all, ...this.#outbox.all]
  }

  /** @param {ConversationState} state */
  #set(state) {
    this.state = state
    if (state === 'refused') this.#outbox.failAll(REFUSED)
    this.#on.changed()
  }

  /** @param {string} code */
  #forget(code) {
    if (code !== 'TOKEN_INVALID') return false
    const next = this.#session.forget()
    if (next === 'same') return true
    // The person has left: what waits is not for the next one to say.
    if (next === 'other') this.#outbox.clear()
    else this.#outbox.failTried('SIGNED_OUT')
    this.#history.clear()
    return true
  }

  /** @param {import('../page_types/protocol.ts').Event} event */
  #hear([name, value]) {
    if (name === 'welcome') this.#welcomed(value)
    else if (name === 'message') this.#keep([value])
    else if (name === 'sync') void this.#catchUp()
    else if (name === 'typing') {
      if (value.agent) this.agent = value.agent
      this.#typing.agent(value.typing)
    } else if (name === 'agent') this.agent = value
    else if (name === 'read') this.#messages.readUntil(value.at)
    this.#on.changed()
  }

  #tellBrowser() {
    const browser = this.#on.browser?.()
    if (browser) this.#connection.tell('browser', browser)
  }

  /** @param {import('../page_types/protocol.ts').Welcome} welcome */
  #welcomed({ visitor_token, name }) {
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

  /**
   * Returns true when the visitor comes in again, with another session.
   *
   * @param {string} identity
   */
  async #tellIdentity(identity) {
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

  /**
   * @param {Message[]} messages
   * @param {boolean} [is_news] False for messages of before.
   */
  #keep(messages, is_news = this.#history.is_read) {
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
