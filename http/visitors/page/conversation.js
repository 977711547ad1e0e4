/** The conversation: keeps what is said in step with the server, over a connection that may break. */
import { askFailed, Connection } from './connection.js'
import { Messages } from './messages.js'
import { Outbox } from './outbox.js'
import { Pauses } from './pauses.js'
import { Receipts } from './receipts.js'

/** @typedef {import('../page_types/message.ts').Message} Message */
/** @typedef {import('../page_types/protocol.ts').ConversationState} ConversationState */

/**
 * Stores the visitor's token between visits.
 *
 * @typedef {{ load(): string | undefined, save(token: string): void }} Memory
 */

/** Refusals that no repeat changes. */
const HOPELESS = new Set(['MALFORMED', 'TOO_LONG', 'UNKNOWN_MESSAGE'])
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
  /** True while messages are held back, because they were too many at once. */
  is_held = false
  name = ''
  #connection
  #memory
  #changed
  /** @type {string | undefined} */
  #token
  #messages = new Messages()
  #outbox = new Outbox()
  #pauses = new Pauses()
  #receipts
  #is_flushing = false
  /** @type {string | null} */
  #older = null

  /**
   * `changed()` is called after each change.
   *
   * @param {URL} base
   * @param {string} channel_id
   * @param {Memory} memory
   * @param {() => void} changed
   */
  constructor(base, channel_id, memory, changed) {
    this.#memory = memory
    this.#changed = changed
    this.#token = memory.load()
    this.#connection = new Connection(base, {
      auth: () => ({ channel_id, ...(this.#token && { visitor_token: this.#token }) }),
      state: (state) => this.#set(state),
      refused: (code) => this.#forget(code),
      event: (...event) => this.#hear(event),
    })
    this.#receipts = new Receipts(this.#messages, this.#pauses, {
      isConnected: () => this.#isConnected,
      ask: (status, refs) => this.#connection.ask('seen', { status, refs }),
      changed,
    })
  }

  /** True for a returning visitor, who may have messages to read. */
  get known() {
    return Boolean(this.#token)
  }

  get canWrite() {
    return !SHUT.has(this.state)
  }

  get hasOlder() {
    return this.#older !== null
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
    this.#outbox.add(said, shown)
    this.#changed()
    void this.#flush()
  }

  /** @throws {AskFailed} when there is no connection, or the server refused */
  async loadOlder() {
    if (this.#older === null) return
    const page = await this.#connection.ask('history', { before: this.#older })
    this.#older = page.before
    this.#keep(page.messages)
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
    this.#changed()
  }

  /** @param {string} code */
  #forget(code) {
    if (code !== 'TOKEN_INVALID') return false
    this.#token = undefined
    this.#memory.save('')
    return true
  }

  /** @param {import('../page_types/protocol.ts').Event} event */
  #hear([name, value]) {
    if (name === 'welcome') this.#welcomed(value)
    else if (name === 'message') this.#keep([value])
    else if (name === 'sync') void this.#catchUp()
  }

  /** @param {import('../page_types/protocol.ts').Welcome} welcome */
  #welcomed({ visitor_token, name }) {
    const other = this.#token ? undefined : this.#memory.load()
    if (other && other !== visitor_token) {
      // Another page of the same browser was faster: both use one token, so that they are one visitor.
      this.#token = other
      this.#connection.again()
      return
    }
    this.#token = visitor_token
    this.#memory.save(visitor_token)
    this.name = name
    this.#changed()
    void this.#catchUp()
  }

  /** Reads from the newest message back to the known ones. Retries when the server is busy. */
  async #catchUp() {
    const is_first = this.#messages.isEmpty
    for (let is_read = false; !is_read; ) {
      try {
        await this.#readBack(is_first)
        is_read = true
      } catch (error) {
        // Without a connection, the next one begins with this.
        if (!this.#isConnected) break
        await this.#pauses.after(askFailed(error))
      }
    }
    await this.#flush()
    void this.#receipts.report()
  }

  /** @param {boolean} is_first */
  async #readBack(is_first) {
    /** @type {string | null | undefined} */
    let before
    for (;;) {
      /** @type {import('../page_types/protocol.ts').HistoryPage} */
      const page = await this.#connection.ask('history', before ? { before } : {})
      const meets = page.messages.some(({ ref }) => this.#messages.find(ref) !== undefined)
      this.#keep(page.messages)
      before = page.before
      if (is_first) this.#older = before
      if (is_first || meets || before === null) return
    }
  }

  /** @param {Message[]} messages */
  #keep(messages) {
    for (const one of messages) {
      this.#outbox.arrived(one.ref)
      this.#messages.keep(one)
    }
    this.#changed()
    void this.#receipts.report()
  }

  async #flush() {
    if (this.#is_flushing) return
    this.#is_flushing = true
    try {
      for (;;) {
        const { next } = this.#outbox
        if (!next || !this.#isConnected) return
        try {
          const { ref, at } = await this.#connection.ask('say', next.said)
          const { direction, context, message } = next
          this.#keep([{ ref, direction, at, context, message }])
        } catch (error) {
          const failure = askFailed(error)
          if (failure.code === 'OFFLINE') return
          if (HOPELESS.has(failure.code)) {
            this.#outbox.fail(next, failure)
            this.#changed()
          } else await this.#hold(failure)
        }
      }
    } finally {
      this.#is_flushing = false
    }
  }

  /** @param {import('./connection.js').AskFailed} failure */
  async #hold(failure) {
    this.is_held = failure.code === 'TOO_FAST'
    this.#changed()
    await this.#pauses.after(failure)
    this.is_held = false
    this.#changed()
  }
}
