/**
 * One connection to the chat, kept up: the part of Socket.IO's protocol (revision 5 over Engine.IO 4, websockets only,
 * https://socket.io/docs/v4/socket-io-protocol/) that the chat needs, so that a page loads no library.
 */

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 10_000
const ANSWER_MS = 15_000
/** A server that is just stopping may take a connection and never say a word. */
const OPENING_MS = 8_000
/** What no further attempt changes. */
const FINAL = new Set(['CHANNEL_NOT_FOUND', 'ORIGIN_NOT_ALLOWED'])

/** An ask that got no answer, or a refusal: `code` says which. */
export class AskFailed extends Error {
  constructor(code, message = code) {
    super(message)
    this.code = code
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

  /**
   * `on.auth()` is what the page says of itself, `on.event(name, value)` what it hears, `on.state(state)` one of
   * `connecting`, `connected`, `reconnecting`, `refused`; `on.refused(code)` answers whether to try again at once.
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
    this.#on.state(this.#attempts === 0 ? 'connecting' : 'reconnecting')
    const socket = new WebSocket(this.#url)
    this.#socket = socket
    this.#silence_ms = OPENING_MS
    socket.onmessage = ({ data }) => this.#socket === socket && typeof data === 'string' && this.#packet(data)
    socket.onclose = () => this.#lost(socket)
    this.#watch()
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
        else this.#on.event(name, value)
        break
      }
      case '3': {
        const [answer] = JSON.parse(json)
        const { code, message } = answer.error ?? {}
        this.#settle(Number(id), ({ resolve, reject }) =>
          code ? reject(new AskFailed(code, message)) : resolve(answer),
        )
        break
      }
      case '4': {
        const { data } = JSON.parse(json)
        this.#turnedAway(data?.code ?? 'SERVICE_UNAVAILABLE')
        break
      }
    }
  }

  #welcome(value) {
    this.#connected = true
    this.#attempts = 0
    this.#on.state('connected')
    this.#on.event('welcome', value)
  }

  #turnedAway(code) {
    if (this.#on.refused(code)) this.#attempts = 0
    if (FINAL.has(code)) {
      this.#closed = true
      this.#on.state('refused')
    }
    this.#socket.close()
  }

  #lost(socket) {
    if (this.#socket !== socket) return
    this.#socket = undefined
    this.#connected = false
    clearTimeout(this.#watchdog)
    for (const id of [...this.#asks.keys()]) this.#settle(id, ({ reject }) => reject(new AskFailed('OFFLINE')))
    if (this.#closed) return
    const wait = Math.min(FIRST_WAIT_MS * 2 ** this.#attempts, LONGEST_WAIT_MS) * (0.5 + Math.random())
    this.#attempts++
    this.#on.state('reconnecting')
    this.#waiting = setTimeout(() => this.open(), wait)
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
