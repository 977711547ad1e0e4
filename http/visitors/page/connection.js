/**
 * One connection to the chat, kept up: the part of Socket.IO's protocol (revision 5 over Engine.IO 4, websockets only,
 * https://socket.io/docs/v4/socket-io-protocol/) that the chat needs, so that a page loads no library.
 */

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 10_000
const ANSWER_MS = 15_000
/** A server that is just stopping may take a connection and never say a word. */
const OPENING_MS = 8_000
/** Without a connection for so long, people are told more than that it is tried. */
const LONG_AWAY_MS = 30_000
/** The states of those who were turned away. All others are tried again soon. */
const TURNED_AWAY = {
  // Refusals that no further attempt changes.
  CHANNEL_NOT_FOUND: 'refused',
  ORIGIN_NOT_ALLOWED: 'refused',
  CHANNEL_CLOSED: 'off',
  TOO_FAST: 'busy',
}
/** Somebody looks: sooner than the server asks for, but not with every look. */
const HURRY_MS = 3_000

/** An ask that got no answer, or a refusal: `code` says which, `retry_after_s` when it may be asked again. */
export class AskFailed extends Error {
  constructor(code, message = code, retry_after_s = undefined) {
    super(message)
    this.code = code
    this.retry_after_s = retry_after_s
  }
}

export class Connection {
  #url
  #on
  #socket
  #connected = false
  #asks = new Map()
  #last_ask = 0
  #attempts = 0
  #waiting
  #watchdog
  #silence_ms = OPENING_MS
  #closed = false
  #state = 'idle'
  /** Why the server does not let us in, and for how long. */
  #turned_away
  #tried_at = 0
  /** Since when there has been no connection. */
  #broken_at

  /**
   * `on.auth()` is what the page says of itself, `on.event(name, value)` what it hears, `on.refused(code)` answers whether to
   * try again at once. `on.state(state)` is told one of
   *
   *   connecting     for the first time
   *   connected
   *   reconnecting   tried again soon
   *   away           the same, and it has lasted long
   *   busy           too much comes from this network: tried again when the server said
   *   off            the chat is switched off: tried again now and then
   *   refused        there is no such chat here, now or later
   */
  constructor(base, on) {
    const url = new URL('visitor/socket.io/?EIO=4&transport=websocket', base)
    url.protocol = url.protocol.replace('http', 'ws')
    this.#url = url
    this.#on = on
  }

  /** Does nothing while there is a connection, or one under way. */
  open() {
    if (this.#socket || this.#closed) return
    clearTimeout(this.#waiting)
    this.#tried_at = performance.now()
    if (this.#state === 'idle') this.#set('connecting')
    const socket = new WebSocket(this.#url)
    this.#socket = socket
    this.#silence_ms = OPENING_MS
    socket.onmessage = ({ data }) => this.#socket === socket && typeof data === 'string' && this.#packet(data)
    socket.onclose = () => this.#lost(socket)
    this.#watch()
  }

  /** Somebody looks: what would be tried at some time is tried now, unless the server asked to wait. */
  hurry() {
    const may = this.#state !== 'busy' && performance.now() - this.#tried_at > HURRY_MS
    if (this.#state === 'idle' || may) this.open()
  }

  /** Resolves to the answer. Rejects with `AskFailed`: `OFFLINE`, or the code of the refusal. */
  ask(name, question) {
    if (!this.#connected) return Promise.reject(new AskFailed('OFFLINE'))
    const id = ++this.#last_ask
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#settle(id, () => reject(new AskFailed('OFFLINE'))), ANSWER_MS)
      this.#asks.set(id, { resolve, reject, timer })
      this.#socket.send(`42${id}${JSON.stringify([name, question])}`)
    })
  }

  /** Connects anew, as somebody else perhaps. */
  again() {
    this.#attempts = 0
    this.#socket?.close()
  }

  close() {
    this.#closed = true
    clearTimeout(this.#waiting)
    clearTimeout(this.#watchdog)
    this.#socket?.close()
  }

  #packet(text) {
    this.#watch()
    const [type, kind] = text
    if (type === '0') {
      const { pingInterval, pingTimeout } = JSON.parse(text.slice(1))
      this.#silence_ms = pingInterval + pingTimeout
      this.#socket.send(`40${JSON.stringify(this.#on.auth())}`)
    } else if (type === '2') this.#socket.send('3')
    else if (type === '4') this.#message(kind, text.slice(2))
  }

  #message(kind, text) {
    const [, id, json] = /^(\d*)([\s\S]*)$/.exec(text)
    switch (kind) {
      case '1':
        this.#socket.close()
        break
      case '2': {
        const [name, value] = JSON.parse(json)
        if (name === 'welcome') this.#welcome(value)
        else if (name === 'closed') this.#turnedAway(value)
        else this.#on.event(name, value)
        break
      }
      case '3': {
        const [answer] = JSON.parse(json)
        const { code, message, retry_after_s } = answer.error ?? {}
        this.#settle(Number(id), ({ resolve, reject }) =>
          code ? reject(new AskFailed(code, message, retry_after_s)) : resolve(answer),
        )
        break
      }
      case '4': {
        const { data } = JSON.parse(json)
        this.#turnedAway(data ?? { code: 'SERVICE_UNAVAILABLE' })
        break
      }
    }
  }

  #welcome(value) {
    this.#connected = true
    this.#attempts = 0
    this.#broken_at = undefined
    this.#set('connected')
    this.#on.event('welcome', value)
  }

  #turnedAway({ code, retry_after_s }) {
    if (this.#on.refused(code)) this.#attempts = 0
    const state = TURNED_AWAY[code]
    if (state === 'refused') this.#closed = true
    else this.#turned_away = { state: state ?? 'reconnecting', wait_ms: (retry_after_s ?? 0) * 1000 }
    const socket = this.#socket
    socket.close()
    this.#lost(socket)
    if (state === 'refused') this.#set(state)
  }

  #set(state) {
    if (this.#state === state) return
    this.#state = state
    this.#on.state(state)
  }

  #lost(socket) {
    if (this.#socket !== socket) return
    this.#socket = undefined
    this.#connected = false
    clearTimeout(this.#watchdog)
    for (const id of [...this.#asks.keys()]) this.#settle(id, ({ reject }) => reject(new AskFailed('OFFLINE')))
    if (this.#closed) return
    const { state, wait_ms = 0 } = this.#turned_away ?? {}
    this.#turned_away = undefined
    const wait = Math.min(FIRST_WAIT_MS * 2 ** this.#attempts, LONGEST_WAIT_MS) * (0.5 + Math.random())
    this.#attempts++
    this.#broken_at ??= performance.now()
    const is_long = performance.now() - this.#broken_at > LONG_AWAY_MS
    this.#set(state ?? (is_long ? 'away' : 'reconnecting'))
    // All who were asked to wait would otherwise come back in the same moment.
    this.#waiting = setTimeout(() => this.open(), wait_ms * (1 + Math.random() / 2) + wait)
  }

  /** A connection that says nothing is none, whatever the browser believes. */
  #watch() {
    clearTimeout(this.#watchdog)
    const socket = this.#socket
    this.#watchdog = setTimeout(() => {
      socket.close()
      this.#lost(socket)
    }, this.#silence_ms)
  }

  #settle(id, how) {
    const ask = this.#asks.get(id)
    if (!ask) return
    this.#asks.delete(id)
    clearTimeout(ask.timer)
    how(ask)
  }
}
