/** The conversation: keeps what is said in step with the server, over a connection that may break. */
import { askFailed, Connection } from './connection.js'
import { Messages } from './messages.js'
import { Outbox } from './outbox.js'
import { Pauses } from './pauses.js'
import { Receipts } from './receipts.js'
import { upload } from './upload.js'

/** @typedef {import('../page_types/message.ts').Message} Message */
/** @typedef {import('../page_types/protocol.ts').ConversationState} ConversationState */

/** @typedef {import('../page_types/protocol.ts').Agent} Agent */

/** Refusals that no repeat changes. */
const HOPELESS = new Set([
  'MALFORMED',
  'TOO_LONG',
  'UNKNOWN_MESSAGE',
  'FILE_TOO_LARGE',
  'FILE_NOT_ACCEPTED',
  'FILE_GONE',
  'ORIGIN_NOT_ALLOWED',
])
/** As the server: a larger file is refused before it is sent. */
const MOST_BYTES = 20 * 1024 * 1024
/** Attempts to send the bytes of one file while there is a connection. */
const MOST_UPLOADS = 4
const REFUSED = 'CHANNEL_NOT_FOUND'
/**
 * States in which writing is disabled, because it is unknown when a message could be sent.
 *
 * @type {Set<ConversationState>}
 */
const SHUT = new Set(['refused', 'off', 'closed'])
/** The server is told this often at most that the visitor writes; the agent's page is told alike. */
const TYPING_MS = 3_000
/** After this long without news the agent does not write any more. */
const TYPING_ENDS_MS = 8_000

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
  /**
   * The person who answers.
   *
   * @type {Agent | null}
   */
  agent = null
  /** True while the agent writes. */
  is_agent_typing = false
  #base
  #connection
  #memory
  #on
  /**
   * The site's signed facts about the visitor, until the server has taken or refused them.
   *
   * @type {string | undefined}
   */
  #identity
  #is_naming = false
  /** @type {string | undefined} */
  #token
  #messages = new Messages()
  #outbox
  #pauses = new Pauses()
  #receipts
  #is_flushing = false
  /** @type {string | null} */
  #older = null
  #typing_told_at = Number.NEGATIVE_INFINITY
  /** @type {number | undefined} */
  #typing_timer
  /** False until the first reading: messages of before are no news. */
  #is_read = false

  /**
   * `on.changed()` is called after each change, `on.message(message)` for each new message to the visitor,
   * `on.refused(failure)` when the site's word about the visitor is not believed.
   *
   * @param {URL} base
   * @param {string} channel_id
   * @param {import('./memory.js').Memory} memory
   * @param {{
   *   changed(): void
   *   message?(message: Message): void
   *   refused?(failure: import('./connection.js').AskFailed): void
   * }} on
   */
  constructor(base, channel_id, memory, on) {
    this.#base = base
    this.#memory = memory
    this.#on = on
    this.#outbox = new Outbox(memory)
    this.#token = memory.token
    this.#connection = new Connection(base, {
      auth: () => ({ channel_id, ...(this.#token && { visitor_token: this.#token }) }),
      state: (state) => this.#set(state),
      refused: (code) => this.#forget(code),
      event: (...event) => this.#hear(event),
    })
    this.#receipts = new Receipts(this.#messages, this.#pauses, {
      isConnected: () => this.#isConnected,
      ask: (status, refs) => this.#connection.ask('seen', { status, refs }),
      changed: () => on.changed(),
    })
  }

  /** True for a returning visitor, who may have messages to read or to send. */
  get known() {
    return Boolean(this.#token) || this.#outbox.next !== undefined
  }

  /** True while the visitor looks at the chat. */
  get is_watched() {
    return this.#receipts.is_watched
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
    clearTimeout(this.#typing_timer)
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
    this.#typing_told_at = Number.NEGATIVE_INFINITY
    this.#on.changed()
    void this.#flush()
  }

  /**
   * A file is sent as a message of its own, in its turn.
   *
   * @param {File} file
   */
  sendFile(file) {
    if (!this.canWrite) return
    const { name: filename, type, size } = file
    const kind = /^(image|video|audio)\//.exec(type)?.[1] ?? 'document'
    const shown = { type: /** @type {import('../page_types/content.ts').FileKind} */ (kind), filename }
    this.#outbox.add({ type: 'file', file: '' }, shown, {
      blob: file,
      progress: 0,
      failures: 0,
      cancel: new AbortController(),
    })
    const added = this.#outbox.all.at(-1)
    if (added && size > MOST_BYTES) this.#outbox.fail(added, { code: 'FILE_TOO_LARGE', message: 'FILE_TOO_LARGE' })
    if (added && size === 0) this.#outbox.fail(added, { code: 'FILE_NOT_ACCEPTED', message: 'FILE_NOT_ACCEPTED' })
    this.#on.changed()
    void this.#flush()
  }

  /**
   * A message that waits, or has failed, is not sent.
   *
   * @param {string} id
   */
  cancel(id) {
    const message = this.#outbox.all.find((one) => one.id === id)
    if (!message || (message.is_tried && message.pending)) return
    message.upload?.cancel.abort()
    this.#outbox.remove(id)
    this.#on.changed()
  }

  /**
   * The site says who the visitor is, by a token that it has signed.
   *
   * @param {string} identity
   */
  identify(identity) {
    this.#identity = identity
    if (this.#isConnected) void this.#arrive()
    else this.open()
  }

  /** Leaves the session: the next visitor of this browser is somebody else. */
  logout() {
    const token = this.#token ?? this.#memory.token
    this.#identity = undefined
    if (token) this.#memory.left = [...this.#memory.left, token]
    this.#token = undefined
    this.#memory.token = undefined
    this.#outbox.clear()
    this.#messages.clear()
    this.#older = null
    this.#is_read = false
    this.agent = null
    this.is_agent_typing = false
    this.#connection.rest()
    // The server learns it as soon as it can be reached.
    if (token) this.#connection.open()
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
    void this.#flush()
  }

  /**
   * The visitor writes, or has left the text empty.
   *
   * @param {boolean} typing
   */
  typing(typing) {
    const was = performance.now() - this.#typing_told_at < TYPING_MS
    if (!this.#isConnected || (typing ? was : this.#typing_told_at < 0)) return
    this.#typing_told_at = typing ? performance.now() : Number.NEGATIVE_INFINITY
    this.#connection.tell('typing', { typing })
  }

  /** @throws {AskFailed} when there is no connection, or the server refused */
  async loadOlder() {
    if (this.#older === null) return
    const page = await this.#connection.ask('history', { before: this.#older })
    this.#older = page.before
    this.#keep(page.messages, false)
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
    // Another page of the same browser may have been given the next one.
    const next = this.#memory.token === this.#token ? undefined : this.#memory.token
    const is_same = next !== undefined && visitorOf(next) === visitorOf(this.#token)
    this.#token = next
    this.#memory.token = next
    if (is_same) return true
    // The person has left: what waits is not for the next one to say.
    if (next !== undefined) this.#outbox.clear()
    else this.#outbox.failTried('SIGNED_OUT')
    this.#messages.clear()
    this.#older = null
    this.#is_read = false
    return true
  }

  /** @param {import('../page_types/protocol.ts').Event} event */
  #hear([name, value]) {
    if (name === 'welcome') this.#welcomed(value)
    else if (name === 'message') this.#keep([value])
    else if (name === 'sync') void this.#catchUp()
    else if (name === 'typing') this.#agentTypes(value)
    else if (name === 'agent') this.agent = value
    else if (name === 'read') this.#messages.readUntil(value.at)
    this.#on.changed()
  }

  /** @param {import('../page_types/protocol.ts').Typing} typing */
  #agentTypes({ agent, typing }) {
    clearTimeout(this.#typing_timer)
    if (agent) this.agent = agent
    this.is_agent_typing = typing
    if (!typing) return
    this.#typing_timer = setTimeout(() => {
      this.is_agent_typing = false
      this.#on.changed()
    }, TYPING_ENDS_MS)
  }

  /** @param {import('../page_types/protocol.ts').Welcome} welcome */
  #welcomed({ visitor_token, name }) {
    const other = this.#token ? undefined : this.#memory.token
    if (other && other !== visitor_token) {
      // Another page of the same browser was faster: both use one token, so that they are one visitor.
      this.#token = other
      this.#connection.again()
      return
    }
    this.#token = visitor_token
    this.#memory.token = visitor_token
    this.name = name
    this.#on.changed()
    void this.#arrive()
  }

  /**
   * The first words to the server: sessions that were left, and who the visitor is. Messages that may have been stored
   * are repeated before, in the session in which they were.
   */
  async #arrive() {
    try {
      for (const visitor_token of this.#memory.left) {
        await this.#connection.ask('logout', { visitor_token })
        this.#memory.left = this.#memory.left.filter((one) => one !== visitor_token)
      }
      if (this.#identity !== undefined && !this.#is_naming) {
        this.#is_naming = true
        await this.#flush(true)
        if (await this.#isNamed(this.#identity)) return
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
   * @param {string} token
   */
  async #isNamed(token) {
    for (;;) {
      try {
        const { visitor_token } = await this.#connection.ask('identify', { token })
        if (this.#identity === token) this.#identity = undefined
        if (visitor_token === undefined) return false
        this.#token = visitor_token
        this.#memory.token = visitor_token
        this.#messages.clear()
        this.#older = null
        this.#is_read = false
        this.#connection.again()
        return true
      } catch (error) {
        const failure = askFailed(error)
        if (!this.#isConnected || this.#identity !== token) throw failure
        if (failure.code !== 'IDENTITY_INVALID') {
          await this.#pauses.after(failure)
          continue
        }
        this.#identity = undefined
        this.#on.refused?.(failure)
        return false
      }
    }
  }

  /** Reads from the newest message back to the known ones. Retries when the server is busy. */
  async #catchUp() {
    const is_first = this.#messages.isEmpty
    for (let is_read = false; !is_read; ) {
      try {
        await this.#readBack(is_first)
        is_read = true
        this.#is_read = true
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
      this.agent = page.agent
      this.#keep(page.messages)
      before = page.before
      if (is_first) this.#older = before
      if (is_first || meets || before === null) return
    }
  }

  /**
   * @param {Message[]} messages
   * @param {boolean} [is_news] False for messages of before.
   */
  #keep(messages, is_news = this.#is_read) {
    for (const one of messages) {
      this.#outbox.arrived(one.ref)
      const is_new = this.#messages.keep(one)
      if (one.direction === 'inbound') continue
      this.is_agent_typing = false
      if (is_new && is_news && one.message.type !== 'reaction') this.#on.message?.(one)
    }
    this.#on.changed()
    void this.#receipts.report()
  }

  /**
   * Sends what waits, one after the other.
   *
   * @param {boolean} [only_tried] Only what may have been stored.
   */
  async #flush(only_tried = false) {
    if (this.#is_flushing) return
    this.#is_flushing = true
    try {
      for (;;) {
        // Until the server knows who the visitor is, what is new waits.
        const next = only_tried || this.#identity !== undefined ? this.#outbox.nextTried : this.#outbox.next
        if (!next || !this.#isConnected) return
        try {
          if (next.upload) await this.#upload(next, next.upload)
          this.#outbox.trying(next)
          const { ref, at, id } = await this.#connection.ask('say', next.said)
          const { direction, context, message } = next
          this.#keep([{ id, ref, direction, at, context, message }])
        } catch (error) {
          const failure = askFailed(error)
          if (failure.code === 'CANCELLED') continue
          if (failure.code === 'OFFLINE' && !next.upload) return
          const is_stuck = next.upload && this.#isConnected && ++next.upload.failures > MOST_UPLOADS
          if (is_stuck || HOPELESS.has(failure.code)) {
            this.#outbox.fail(next, failure)
            this.#on.changed()
          } else await this.#hold(failure)
        }
      }
    } finally {
      this.#is_flushing = false
    }
  }

  /**
   * Sends the bytes of a file, once.
   *
   * @param {import('../page_types/message.ts').WaitingMessage} message
   * @param {import('../page_types/message.ts').Upload} waiting
   */
  async #upload({ said, message }, waiting) {
    if (said.type !== 'file' || said.file !== '') return
    const { blob, cancel } = waiting
    const filename = 'filename' in message ? (message.filename ?? '') : ''
    const { path } = await this.#connection.ask('upload', { size: blob.size, filename })
    const stored = await upload(new URL(path, this.#base), blob, {
      signal: cancel.signal,
      progress: (part) => {
        waiting.progress = part
        this.#on.changed()
      },
    })
    said.file = stored.file
    Object.assign(message, { type: stored.type })
  }

  /** @param {import('./connection.js').AskFailed} failure */
  async #hold(failure) {
    this.is_held = failure.code === 'TOO_FAST'
    this.#on.changed()
    await this.#pauses.after(failure)
    this.is_held = false
    this.#on.changed()
  }
}

/**
 * The visitor of a token.
 *
 * @param {string | undefined} token
 */
function visitorOf(token) {
  return token?.split('.')[0]
}
