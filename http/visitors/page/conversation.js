/**
 * The messages of the conversation, in order and without duplicates, and those waiting to be sent. Messages are
 * identified by their `ref`; they come live, and again with each reading of the history, which is authoritative.
 */
import { Connection } from './connection.js'

const TROUBLE_MS = 3_000
const MOST_SEEN = 100
/** Refusals that no repeat changes. */
const HOPELESS = new Set(['MALFORMED', 'TOO_LONG', 'UNKNOWN_MESSAGE'])
const REFUSED = 'CHANNEL_NOT_FOUND'
/** States in which writing is disabled, because it is unknown when a message could be sent. */
const SHUT = new Set(['refused', 'off', 'closed'])

export class Conversation {
  /** A state of the connection; `idle` before it was opened, `closed` after it. */
  state = 'idle'
  /** True while messages are held back, because they were too many at once. */
  is_held = false
  name = ''
  #connection
  #memory
  #changed
  #token
  #messages = new Map()
  #outbox = []
  #flushing = false
  #older = null
  #watched = false
  #reporting = false
  #arrivals = 0
  #pauses = new Set()

  /** `memory` stores one text between visits: `load()`, `save(text)`. `changed()` is called after each change. */
  constructor(base, channel_id, memory, changed) {
    this.#memory = memory
    this.#changed = changed
    this.#token = memory.load()
    this.#connection = new Connection(base, {
      auth: () => ({ channel_id, ...(this.#token && { visitor_token: this.#token }) }),
      state: (state) => this.#set(state),
      refused: (code) => this.#forget(code),
      event: (name, value) => this.#hear(name, value),
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

  /** In order. Reactions are shown with their message. */
  get messages() {
    const shown = [...this.#messages.values()].filter(({ message }) => message.type !== 'reaction')
    return [...shown.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.arrival - b.arrival)), ...this.#waiting]
  }

  get #waiting() {
    return this.#outbox.filter(({ message }) => message.type !== 'reaction')
  }

  get unread() {
    return [...this.#messages.values()].filter((one) => isOurs(one) && one.message.type !== 'reaction' && !isRead(one))
      .length
  }

  find(ref) {
    return this.#messages.get(ref)
  }

  /** The last reaction of each side. */
  reactionsTo(ref) {
    const all = [...this.#messages.values(), ...this.#outbox].filter(
      ({ message }) => message.type === 'reaction' && message.message_id === ref,
    )
    const last = (direction) => all.findLast((one) => one.direction === direction)?.message.emoji || undefined
    return { inbound: last('inbound'), outbound: last('outbound') }
  }

  isAnswered(ref) {
    return [...this.#messages.values(), ...this.#outbox].some(
      (one) => one.direction === 'inbound' && one.context === ref,
    )
  }

  /** The visitor looks at the chat. */
  open() {
    this.#connection.hurry()
  }

  close() {
    this.state = 'closed'
    this.#connection.close()
    for (const end of this.#pauses) end()
    this.#pauses.clear()
  }

  /** Ends early when the conversation is closed. */
  #pause(ms) {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#pauses.delete(end)
        resolve()
      }, ms)
      this.#pauses.add(end)
    })
  }

  /** Sets whether the visitor looks at the chat: displayed messages then count as read. */
  watch(watched) {
    this.#watched = watched
    if (!watched) return
    if (this.state !== 'idle') this.open()
    void this.#report()
  }

  /** Displayed at once, and sent when the connection allows it. */
  say(said, shown) {
    if (!this.canWrite) return
    const id = newId()
    const at = new Date().toISOString()
    const context = said.about && said.type !== 'reaction' ? said.about : null
    this.#outbox.push({
      id,
      said: { ...said, id },
      ref: id,
      direction: 'inbound',
      at,
      context,
      message: shown,
      pending: true,
    })
    this.#changed()
    void this.#flush()
  }

  async loadOlder() {
    if (this.#older === null) return
    const page = await this.#connection.ask('history', { before: this.#older })
    this.#older = page.before
    this.#keep(page.messages)
  }

  #set(state) {
    this.state = state
    if (state === 'refused') {
      for (const one of this.#outbox)
        if (one.pending) Object.assign(one, { pending: false, failed: REFUSED, code: REFUSED })
    }
    this.#changed()
  }

  #forget(code) {
    if (code !== 'TOKEN_INVALID') return false
    this.#token = undefined
    this.#memory.save('')
    return true
  }

  #hear(name, value) {
    if (name === 'welcome') this.#welcomed(value)
    else if (name === 'message') this.#keep([value])
    else if (name === 'sync') void this.#catchUp()
  }

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
    const is_first = this.#messages.size === 0
    for (let is_read = false; !is_read; ) {
      try {
        await this.#readBack(is_first)
        is_read = true
      } catch (error) {
        // Without a connection, the next one begins with this.
        if (this.state !== 'connected') break
        await this.#pause(waitOf(error))
      }
    }
    await this.#flush()
    void this.#report()
  }

  async #readBack(is_first) {
    for (let before; ; ) {
      const page = await this.#connection.ask('history', before ? { before } : {})
      const meets = page.messages.some(({ ref }) => this.#messages.has(ref))
      this.#keep(page.messages)
      before = page.before
      if (is_first) this.#older = before
      if (is_first || meets || before === null) return
    }
  }

  #keep(messages) {
    for (const one of messages) {
      this.#outbox = this.#outbox.filter(({ id }) => !one.ref.endsWith(`-${id}`))
      const known = this.#messages.get(one.ref)
      const status = furthest(known?.status, one.status)
      this.#messages.set(one.ref, { arrival: ++this.#arrivals, ...known, ...one, status })
    }
    this.#changed()
    void this.#report()
  }

  async #flush() {
    if (this.#flushing) return
    this.#flushing = true
    try {
      for (;;) {
        const next = this.#outbox.find(({ pending }) => pending)
        if (!next || this.state !== 'connected') return
        try {
          const { ref, at } = await this.#connection.ask('say', next.said)
          const { direction, context, message } = next
          this.#keep([{ ref, direction, at, context, message }])
        } catch (error) {
          if (error.code === 'OFFLINE') return
          if (HOPELESS.has(error.code)) {
            Object.assign(next, { pending: false, failed: error.message, code: error.code })
            this.#changed()
          } else await this.#hold(error)
        }
      }
    } finally {
      this.#flushing = false
    }
  }

  async #hold(error) {
    this.is_held = error.code === 'TOO_FAST'
    this.#changed()
    await this.#pause(waitOf(error))
    this.is_held = false
    this.#changed()
  }

  /** Reports received and read messages. One report at a time: the next one covers later messages. */
  async #report() {
    if (this.#reporting || this.state !== 'connected') return
    this.#reporting = true
    try {
      for (;;) {
        const status = this.#watched ? 'read' : 'delivered'
        const news = [...this.#messages.values()]
          .filter((one) => isOurs(one) && isBefore(one.status, status))
          .slice(0, MOST_SEEN)
        if (news.length === 0) return
        try {
          await this.#connection.ask('seen', { status, refs: news.map(({ ref }) => ref) })
        } catch (error) {
          if (error.code !== 'TOO_FAST') throw error
          await this.#pause(waitOf(error))
          if (this.state !== 'connected') return
          continue
        }
        for (const one of news) one.status = furthest(one.status, status)
        this.#changed()
      }
    } catch {
      // Reported again after the next reading of the history.
    } finally {
      this.#reporting = false
    }
  }
}

/** Milliseconds until a retry, spread at random. */
function waitOf({ retry_after_s }) {
  return retry_after_s === undefined ? TROUBLE_MS : retry_after_s * 1000 * (1 + Math.random() / 4)
}

const ORDER = ['queued', 'sent', 'delivered', 'read']

function isBefore(status, other) {
  return ORDER.indexOf(status ?? 'sent') < ORDER.indexOf(other)
}

function furthest(one, other) {
  return isBefore(one, other) ? other : one
}

function isOurs({ direction }) {
  return direction === 'outbound'
}

function isRead({ status }) {
  return status === 'read'
}

/** Unlike `randomUUID`, it works on pages without TLS, too. */
function newId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
